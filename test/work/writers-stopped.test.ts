import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { amount, drawCases } from "../support/amount.js";
import { needs } from "../support/tools.js";
import { inputs, isWhole, WRITERS } from "./writers.js";

const CLI = fileURLToPath(new URL("../../dist/cli/cli.js", import.meta.url));
const support = (name: string) => fileURLToPath(new URL(`support/${name}`, import.meta.url));
const STRIDE = amount(4, 1);

const sandbox = createSandbox({ size: "small", rateLimit: false });
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const server = await listen(sandbox);
  env = { ...process.env, EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return () => server.close();
});

function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stopped-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function run(args: readonly string[], more: NodeJS.ProcessEnv = {}, first: readonly string[] = []) {
  const child = spawn(process.execPath, [...first, CLI, ...args], { env: { ...env, ...more }, stdio: "ignore" });
  const [status, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  return { status, signal };
}

describe.each(drawCases(WRITERS, 2).map((writer) => [writer.name, writer] as const))("%s", (_, writer) => {
  test("leaves the file complete or unchanged, at whichever step it is killed", { timeout: 300_000 }, async () => {
    const folder = testFolder();
    const { at, kept } = inputs(folder);
    await run(kept);
    const whole = join(folder, "whole");
    await run(writer.args(whole, at));
    const states = new Set<string>();
    const place = join(folder, "place");
    for (let step = 1; ; step += STRIDE) {
      mkdirSync(place);
      const path = join(place, "x");
      if (typeof writer.before === "string") writeFileSync(path, writer.before, { mode: 0o600 });
      else await run(writer.before(path, at));
      const before = readFileSync(path, "utf8");
      const stop = { STOP_AT: String(step), STOP_IN: place };
      const { signal } = await run(writer.args(path, at), stop, ["--import", support("stop-at-write.mjs")]);
      const text = readFileSync(path, "utf8");
      if (text !== before)
        expect(isWhole(writer, text, readFileSync(whole, "utf8")), `step ${step}: ${text}`).toBe(true);
      // Temporary files beside it have no wider permissions.
      for (const name of readdirSync(place).filter((name) => !name.endsWith(".lock")))
        expect([name, statSync(join(place, name)).mode & ~(writer.mode ?? 0o600) & 0o777]).toEqual([name, 0]);
      states.add(text === before ? "as it was" : "whole");
      if (signal === null) break;
      await run(writer.args(path, at));
      expect(isWhole(writer, readFileSync(path, "utf8"), readFileSync(whole, "utf8")), `after step ${step}`).toBe(true);
      rmSync(place, { recursive: true });
    }
    expect([...states].sort()).toEqual(["as it was", "whole"]);
    expect(existsSync(place), "the last run was not killed").toBe(true);
  });
});

test("a full disk leaves every file unchanged, and each command names a remedy", {
  ...needs("tmpfs"),
  timeout: 300_000,
}, async () => {
  const folder = testFolder();
  const mount = 'mount -t tmpfs -o size=1m tmpfs "$1" && exec "$2" "$3" "$1" "$2" "$4"';
  const worker = support("full-disk-writers.ts");
  const line = ["-Urm", "sh", "-c", mount, "sh", folder, process.execPath, worker, CLI];
  const { stdout } = await promisify(execFile)("unshare", line, { env });
  const turns = stdout
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Record<"name" | "state" | "told", string> & { left: number; files: string[] });
  expect(turns).toHaveLength(2 * WRITERS.length);
  for (const turn of turns) {
    expect(turn.state, JSON.stringify(turn)).not.toBe("broken");
    if (turn.left > 0) continue;
    expect(turn).toMatchObject({ state: "as it was", status: 1, told: expect.stringContaining("the disk is full") });
    expect(turn.told, turn.name).toMatch(/make room|--resume/);
    expect(turn.files.filter((name) => !name.endsWith(".plan"))).toEqual([]);
  }
});
