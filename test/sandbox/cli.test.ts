import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MainClient, PermissionDeniedError } from "../../src/index.js";

let directory: string;
let running: ChildProcess | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sandbox-cli-"));
  await build({
    entryPoints: ["src/sandbox/cli.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(directory, "cli.mjs"),
  });
});
afterEach(() => running?.kill("SIGKILL"));
afterAll(() => rm(directory, { recursive: true }));

interface Run {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [join(directory, "cli.mjs"), ...args]);
  running = child;
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    text += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  return { process: child, ended, output: () => text };
}

async function started(command: Run): Promise<{ baseUrl: string; apiKey: string }> {
  await expect.poll(() => command.output(), { timeout: 10_000 }).toMatch(/apiKey +\S+\n/);
  const [, baseUrl, apiKey] = /baseUrl +(\S+)\s+apiKey +(\S+)/.exec(command.output()) ?? [];
  return { baseUrl: baseUrl as string, apiKey: apiKey as string };
}

describe("education-admin-sdk sandbox", () => {
  test("serves a sandbox, logs what is asked without what is searched for, and ends cleanly on Ctrl-C", async () => {
    const command = run(
      "sandbox",
      "--port",
      "0",
      "--seed",
      "7",
      "--size",
      "150",
      "--no-flag",
      "Custom objects",
      "--key",
      "secret-key",
    );
    const { baseUrl, apiKey } = await started(command);
    expect(apiKey).toBe("secret-key");
    const client = new MainClient({ baseUrl, apiKey });
    expect(await client.accounts.list({ account_type: "business" }).toArray({ max: 1_000 })).toHaveLength(60);
    await client.accounts.list({ search: "Sampleton" });
    await expect(client.customObjects.list()).rejects.toBeInstanceOf(PermissionDeniedError);
    command.process.kill("SIGINT");
    expect(await command.ended).toBe(0);
    const log = command.output();
    expect(log).toMatch(
      /^\d\d:\d\d:\d\d {2}200 {2}GET {4}\/api\/v1\/accounts\?\S*account_type=business\S* {2}accounts\.list$/m,
    );
    expect(log).toMatch(/ {2}403 {2}GET {4}\/api\/v1\/custom\/objects\S* {2}customObjects\.list$/m);
    expect(log).toContain("search=…");
    expect(log).not.toContain("Sampleton");
    expect(log.split("secret-key")).toHaveLength(2);
    expect(log).toMatch(/Stopped after 3 requests\.\n$/);
  });

  test("--help says what there is", async () => {
    const command = run("--help");
    expect(await command.ended).toBe(0);
    expect(command.output()).toMatch(/^Usage: education-admin-sdk sandbox \[options\]/);
  });

  test.each([
    [[], "the one command is: sandbox"],
    [["serve"], "the one command is: sandbox"],
    [["sandbox", "--port", "x"], "--port must be a whole number"],
    [["sandbox", "--size", "huge"], "--size must be small, medium, large or a whole number"],
    [["sandbox", "--size", "0"], "size must be small, medium, large or a whole number from 1"],
    [["sandbox", "--no-flag", "Nothing"], '--no-flag: "Nothing" is none of'],
    [["sandbox", "--webhook", "nowhere"], '--webhook: "nowhere" is no address'],
    [["sandbox", "--unknown"], "--unknown"],
  ])("%j is refused with the reason", async (args, reason) => {
    const command = run(...(args as string[]));
    expect(await command.ended).toBe(1);
    expect(command.output()).toContain(reason);
    expect(command.output()).not.toContain("    at ");
  });
});
