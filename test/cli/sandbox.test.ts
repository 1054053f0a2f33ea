import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { MainClient, PermissionDeniedError } from "../../src/index.js";
import { createWebhookHandler, ensureWebhook, toNodeHandler } from "../../src/webhooks/index.js";

let directory: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sandbox-cli-"));
  await build({
    entryPoints: ["src/cli/cli.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(directory, "dist/cli/cli.mjs"),
  });
  await writeFile(join(directory, "broken.json"), "{");
  await writeFile(join(directory, "unknown.json"), '{"acounts": []}');
  await writeFile(join(directory, "package.json"), JSON.stringify({ version: "1.2.3" }));
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rm(directory, { recursive: true }));

interface Run {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
}

function run(...args: string[]): Run {
  const child = spawn(process.execPath, [join(directory, "dist/cli/cli.mjs"), ...args], { cwd: directory });
  running.push(child);
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

async function waitForSandbox(command: Run): Promise<{ baseUrl: string; apiKey: string }> {
  await expect.poll(() => command.output(), { timeout: 60_000 }).toMatch(/apiKey +\S+\n/);
  const [, baseUrl, apiKey] = /baseUrl +(\S+)\s+apiKey +(\S+)/.exec(command.output()) ?? [];
  return { baseUrl: baseUrl as string, apiKey: apiKey as string };
}

describe("education-admin-sdk sandbox", () => {
  test("serves a sandbox, logs requests without their search texts, and ends cleanly on Ctrl-C", async () => {
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
    const { baseUrl, apiKey } = await waitForSandbox(command);
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

  test("--help lists the options", async () => {
    const command = run("sandbox", "--help");
    expect(await command.ended).toBe(0);
    expect(command.output()).toMatch(/^Usage: education-admin-sdk sandbox \[options\]/);
  });

  test("-h prints the same, and --version and -v print the version", async () => {
    const help = run("-h");
    expect(await help.ended).toBe(0);
    expect(help.output()).toMatch(/^Usage: /);
    for (const option of ["--version", "-v"]) {
      const version = run(option);
      expect(await version.ended).toBe(0);
      expect(version.output()).toBe("1.2.3\n");
    }
  });

  test("--empty, --now, --delay and --log take effect, and an unknown path is not logged", async () => {
    const target = "http://127.0.0.1:9/webhooks";
    const options = ["--empty", "--now", "2030-01-01T09:00:00.000Z", "--delay", "150", "--webhook", target];
    const command = run("sandbox", "--port", "0", ...options, "--log", "all");
    const client = new MainClient(await waitForSandbox(command));
    const began = performance.now();
    expect((await client.accounts.list()).records).toEqual([]);
    expect(performance.now() - began).toBeGreaterThan(140);
    const { created_at } = await client.accounts.create({ name: "Example Ltd" });
    expect(created_at).toMatch(/^2030-01-01T09:00:/);
    expect(command.output()).not.toContain("stands still");
    await client.request({ method: "GET", path: "api/v1/people/somebody@example.com" }).catch(() => undefined);
    await expect.poll(() => command.output()).toMatch(/^webhook {3}failed {2}account\.created {2}delivery-1$/m);
    await expect.poll(() => command.output()).toContain("(unknown path)");
    expect(command.output()).not.toContain("somebody@example.com");
  });

  test("--now sets a clock that runs; --freeze stops it, and the command says so", async () => {
    const timeOf = async (...more: string[]) => {
      const command = run(
        "sandbox",
        "--port",
        "0",
        "--size",
        "small",
        "--control",
        "--now",
        "2030-01-01T09:00Z",
        ...more,
      );
      const { baseUrl } = await waitForSandbox(command);
      const read = async () => ((await (await fetch(`${baseUrl}/__sandbox/clock`)).json()) as { now: string }).now;
      const first = await read();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { moved: (await read()) > first, first, output: command.output() };
    };
    expect(await timeOf()).toMatchObject({ moved: true, first: expect.stringMatching(/^2030-01-01T09:00:/) });
    const frozen = await timeOf("--freeze");
    expect(frozen).toMatchObject({ moved: false, first: "2030-01-01T09:00:00.000Z" });
    expect(frozen.output).toContain("frozen at 2030-01-01T09:00:00.000Z");
  });

  test("--data adds records, --control lets a program prepare the sandbox, and a reset restores both", async () => {
    const file = join(directory, "data.json");
    await writeFile(file, JSON.stringify({ accounts: [{ name: "Example Ltd", email: "office@school.example" }] }));
    const hooks = ["--webhook", "http://127.0.0.1:9/webhooks"];
    const command = run("sandbox", "--port", "0", "--empty", "--data", file, "--control", ...hooks);
    const { baseUrl, apiKey } = await waitForSandbox(command);
    expect(command.output()).toContain(`control  ${baseUrl}/__sandbox\n`);
    const client = new MainClient({ baseUrl, apiKey, retry: false });
    const namesOf = async () => (await client.accounts.list()).records.map(({ name }) => name);
    expect(await namesOf()).toEqual(["Example Ltd"]);
    await client.accounts.create({ name: "Another Ltd" });
    await fetch(`${baseUrl}/__sandbox/faults`, { method: "POST", body: JSON.stringify({ status: 503 }) });
    await expect(client.accounts.list()).rejects.toMatchObject({ status: 503 });
    expect((await fetch(`${baseUrl}/__sandbox/reset`, { method: "POST" })).status).toBe(204);
    expect(await namesOf()).toEqual(["Example Ltd"]);
    await client.accounts.create({ name: "Another Ltd" });
    const deliveries = await fetch(`${baseUrl}/__sandbox/deliveries?settled=true`);
    expect(await deliveries.json()).toMatchObject([{ event: "account.created", outcome: "failed" }]);
  });

  test("without --control there is no control interface", async () => {
    const command = run("sandbox", "--port", "0", "--size", "small");
    const { baseUrl, apiKey } = await waitForSandbox(command);
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await fetch(`${baseUrl}/__sandbox`, { headers })).status).toBe(404);
    expect(command.output()).not.toContain("control");
  });

  test("--webhook-secret signs the deliveries of webhooks that clients create", async () => {
    const received: string[] = [];
    const handler = createWebhookHandler({
      signature: { secrets: "s3cret" },
      onEvent: ({ event }) => received.push(event),
    });
    const receiver = createServer(toNodeHandler(handler));
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const command = run("sandbox", "--port", "0", "--empty", "--webhook-secret", "s3cret");
    const client = new MainClient(await waitForSandbox(command));
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
    await ensureWebhook(client, { url, events: ["account.created"] });
    await client.accounts.create({ name: "Example Ltd" });
    await expect.poll(() => received).toEqual(["account.created"]);
    receiver.close();
  });

  test("--host 0.0.0.0 prints an address that clients accept", async () => {
    const { baseUrl, apiKey } = await waitForSandbox(
      run("sandbox", "--port", "0", "--host", "0.0.0.0", "--size", "small"),
    );
    expect((await new MainClient({ baseUrl, apiKey }).accounts.get(1)).id).toBe(1);
  });

  test("--delay leaves scripted responses as they are", async () => {
    const command = run("sandbox", "--port", "0", "--size", "small", "--delay", "20", "--control");
    const { baseUrl, apiKey } = await waitForSandbox(command);
    await fetch(`${baseUrl}/__sandbox/faults`, { method: "POST", body: JSON.stringify({ status: 410 }) });
    const client = new MainClient({ baseUrl, apiKey, retry: false });
    await expect(client.accounts.list()).rejects.toMatchObject({ status: 410 });
  });

  test("--log json prints one object per line, from ready to stopped", async () => {
    const target = "http://127.0.0.1:9/webhooks";
    const command = run("sandbox", "--port", "0", "--size", "small", "--log", "json", "--webhook", target);
    await expect.poll(() => command.output(), { timeout: 60_000 }).toMatch(/\n$/);
    const { baseUrl, apiKey } = JSON.parse(command.output()) as { baseUrl: string; apiKey: string };
    const client = new MainClient({ baseUrl, apiKey, retry: false });
    await client.accounts.list({ search: "Sampleton", per_page: 5 });
    await client.request({ method: "GET", path: "api/v1/people/somebody@example.com" }).catch(() => undefined);
    await client.accounts.create({ name: "Somebody" });
    await expect.poll(() => command.output()).toContain('"delivery"');
    command.process.kill("SIGTERM");
    expect(await command.ended).toBe(0);
    const events = command
      .output()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events).toMatchObject([
      { type: "ready", baseUrl, apiKey },
      { type: "request", operation: "accounts.list", method: "GET", status: 200 },
      { type: "request", operation: null, method: "GET", target: null, status: 404 },
      { type: "request", operation: "accounts.create", method: "POST", target: "/api/v1/accounts", status: 201 },
      { type: "delivery", id: "delivery-1", event: "account.created", outcome: "failed", status: null },
      { type: "stopped", requests: 3 },
    ]);
    expect(events[1]?.target).toBe("/api/v1/accounts?search=…&per_page=5");
    expect(command.output()).not.toMatch(/Sampleton|Somebody|somebody/);
  });

  test("--quiet keeps only the first and the last line of --log json", async () => {
    const command = run("sandbox", "--port", "0", "--size", "small", "--log", "json", "--quiet", "--control");
    await expect.poll(() => command.output(), { timeout: 60_000 }).toMatch(/\n$/);
    const { baseUrl, control } = JSON.parse(command.output()) as { baseUrl: string; control: string };
    expect(control).toBe(`${baseUrl}/__sandbox`);
    await fetch(`${baseUrl}/api/v1/accounts`);
    command.process.kill("SIGINT");
    expect(await command.ended).toBe(0);
    const types = command
      .output()
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(["ready", "stopped"]);
  });

  test("the command ends without a stack trace when the reader of its output stops", async () => {
    const command = run("--help");
    command.process.stdout?.destroy();
    expect(await command.ended).toBe(0);
    const served = run("sandbox", "--port", "0");
    const { baseUrl } = await waitForSandbox(served);
    served.process.stdout?.destroy();
    for (let at = 0; at < 3; at++) await fetch(`${baseUrl}/api/v1/accounts`).catch(() => undefined);
    expect(await served.ended).toBe(0);
    expect(served.output()).not.toContain("EPIPE");
  });

  test.each([
    [["sandbox", "--port", "70000"], "--port must be a whole number from 0 to 65535"],
    [["sandbox", "--key", ""], "--key must not be empty"],
    [["sandbox", "--data", "broken.json"], "--data: broken.json is not JSON"],
    [["sandbox", "--data", "unknown.json"], "--data.acounts is not a collection of the store"],
  ])("%j is refused, and the error gives the reason", async (args, reason) => {
    const command = run(...(args as string[]));
    expect(await command.ended).toBe(2);
    expect(command.output()).toContain(reason);
    expect(command.output()).not.toContain("    at ");
  });
});
