import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseState } from "../../src/export/state.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";
import { amount, drawCases } from "../support/amount.ts";
import { chance } from "../support/chance.ts";

// The documentation's figures come from: EXPORT_RECORDS=100000 EXPORT_KILLS=60 EXPORT_TEARS=60 npx vitest …
const RECORDS = Number(process.env.EXPORT_RECORDS ?? 5_000);
const KILLS = Number(process.env.EXPORT_KILLS ?? 6);
const TEARS = Number(process.env.EXPORT_TEARS ?? amount(4, 20));

let folder: string;
let worker: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "export-kill-"));
  worker = join(folder, "worker.mjs");
  await build({
    entryPoints: ["test/export/support/export-worker.ts"],
    outfile: worker,
    bundle: true,
    platform: "node",
    format: "esm",
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

// A seed always gives the same numbers, so that a failure can be repeated.
function randomNumbers(seed: number): (below: number) => number {
  const next = chance(seed);
  return (below) => Math.floor(next() * below);
}

async function service() {
  const sandbox = createSandbox({ size: RECORDS, rateLimit: false });
  const counts = { ofRun: 0, until: Number.POSITIVE_INFINITY };
  let onArrival = () => {};
  const server = await listen({
    fetch: async (input, init) => {
      if (++counts.ofRun === counts.until) onArrival();
      return sandbox.fetch(input, init);
    },
  });
  onTestFinished(() => server.close());
  const env = { ...process.env, EDUCATION_ADMIN_BASE_URL: server.url, EDUCATION_ADMIN_API_KEY: sandbox.apiKey };
  return {
    counts,
    /** Starts the export; `until` resolves after a number of page requests. */
    start(path: string, format: string, pages = Number.POSITIVE_INFINITY) {
      Object.assign(counts, { ofRun: 0, until: pages });
      const until = new Promise<void>((resolve) => {
        onArrival = resolve;
      });
      const [name = "", gzip = ""] = format.split("+");
      const child = spawn(process.execPath, [worker, path, name, String(gzip === "gzip")], { env, stdio: "inherit" });
      return { child, until, ended: once(child, "exit") as Promise<[number | null, string | null]> };
    },
  };
}

describe.each(drawCases(["ndjson", "csv+gzip"], 1))("an export of %s", (format) => {
  test(`ends byte-identical after ${KILLS} kills and ${TEARS} tears of ${RECORDS} records`, {
    timeout: 1_800_000,
  }, async () => {
    const { start, counts } = await service();
    const random = randomNumbers(KILLS + TEARS);
    const whole = join(folder, `whole-${format}`);
    expect(await start(whole, format).ended).toEqual([0, null]);
    const expected = readFileSync(whole);
    const path = join(folder, `killed-${format}`);
    const pages = RECORDS / 100;

    let resumed = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const run = start(path, format, 1 + random(Math.ceil((2 * pages) / KILLS)));
      await Promise.race([run.until, run.ended]);
      await setTimeout(random(20));
      run.child.kill("SIGKILL");
      await run.ended;
      if (exists(`${path}.state`)) resumed++;
    }
    expect(await start(path, format).ended).toEqual([0, null]);
    expect(readFileSync(path).equals(expected), `identical after ${KILLS} kills`).toBe(true);
    expect(resumed).toBeGreaterThan(KILLS / 3);

    // Simulates a power cut: the recorded data is on disk, and any part of the rest may be. Sometimes even recorded
    // data is lost.
    for (let tear = 0; tear < TEARS; ) {
      const run = start(path, format, 2 + random(pages - 1));
      await Promise.race([run.until, run.ended]);
      await setTimeout(random(20));
      run.child.kill("SIGKILL");
      await run.ended;
      for (let copy = 0; copy < 10 && tear < TEARS && exists(`${path}.part`); copy++, tear++) {
        const torn = join(folder, "torn");
        const state = parseState(exists(`${path}.state`) ? readFileSync(`${path}.state`, "utf8") : null);
        const part = readFileSync(`${path}.part`);
        writeFileSync(`${torn}.part`, part);
        if (state) writeFileSync(`${torn}.state`, readFileSync(`${path}.state`));
        const recorded = state?.size ?? 0;
        if (copy % 3 === 0) truncateSync(`${torn}.part`, random(part.length + 1));
        else if (copy % 3 === 1) truncateSync(`${torn}.part`, recorded + random(part.length - recorded + 1));
        else
          writeFileSync(`${torn}.part`, Buffer.concat([part.subarray(0, recorded), part.subarray(0, random(9_999))]));
        const kept = statSync(`${torn}.part`).size >= recorded && state !== null;
        expect(await start(torn, format).ended).toEqual([0, null]);
        expect(readFileSync(torn).equals(expected), `tear ${tear}`).toBe(true);
        expect(counts.ofRun, `tear ${tear}`).toBe(kept ? pages - (state?.pages ?? 0) : pages);
        rmSync(torn);
      }
      for (const left of [".part", ".state", ".state.new", ".lock", ""]) rmSync(`${path}${left}`, { force: true });
    }
    expect(readdirSync(folder).filter((name) => name.startsWith("torn"))).toEqual([]);
  });
});

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
