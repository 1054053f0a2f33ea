import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen, type SandboxServer } from "../../src/sandbox/node.js";

const CLI = fileURLToPath(new URL("../../dist/cli/cli.js", import.meta.url));
const TOKEN = "0123456789abcdef0123456789abcdef";
const MODES = [
  ["2026-07-28", "auto"],
  ["2025-11-25", "legacy"],
] as const;

const sandbox = createSandbox();
let service: SandboxServer;
let env: Record<string, string>;
let command: ChildProcess;
let url: URL;

beforeAll(async () => {
  service = await listen(sandbox);
  env = {
    PATH: process.env.PATH ?? "",
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
    EDUCATION_ADMIN_BASE_URL: service.url,
    EDUCATION_ADMIN_API_KEY: sandbox.apiKey,
    EDUCATION_ADMIN_MCP_TOKEN: TOKEN,
  };
  command = spawn(process.execPath, [CLI, "mcp", "--http", "0", "--requests", "2"], { env });
  const [line] = (await once(createInterface({ input: command.stdout as NodeJS.ReadableStream }), "line")) as [string];
  url = new URL(line);
});

afterAll(async () => {
  command.kill();
  await service.close();
});

const clientOf = (mode: "auto" | "legacy", name = "test") =>
  new Client({ name, version: "1" }, { versionNegotiation: { mode } });

async function counted(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "count", arguments: { from: "users" } });
  return JSON.stringify(content);
}

describe.each(MODES)("the official client, protocol %s", (version, mode) => {
  test("begins and lists the tools where nothing answers the service's address", async () => {
    const client = clientOf(mode);
    const nobody = { ...env, EDUCATION_ADMIN_BASE_URL: "http://127.0.0.1:1" };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, "mcp"], env: nobody }));
    expect((await client.listTools()).tools).toHaveLength(3);
    expect(await counted(client)).toContain("could not connect");
    await client.close();
  });

  test("lists and calls the tools over stdin and stdout", async () => {
    const client = clientOf(mode);
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, "mcp"], env }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["describe", "read", "count"]);
    expect(await counted(client)).toContain("complete");
    await client.close();
  });

  test("over HTTP each session has a budget of its own", async () => {
    const first = clientOf(mode, `first of ${mode}`);
    const second = clientOf(mode, `second of ${mode}`);
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    for (const client of [first, second]) await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    await counted(first);
    await counted(first);
    expect(await counted(first)).toContain("used up");
    expect(await counted(second)).toContain("complete");
    await first.close();
    await second.close();
  });
});

test.each([
  ["no token", {}, 401],
  ["a wrong token", { authorization: `Bearer ${TOKEN}x` }, 401],
  ["a foreign Origin", { authorization: `Bearer ${TOKEN}`, origin: "https://evil.example" }, 403],
])("%s is refused", async (_, headers, status) => {
  const response = await fetch(url, { method: "POST", headers, body: "{}" });
  expect(response.status).toBe(status);
});

test("a foreign Host is refused", async () => {
  const { request } = await import("node:http");
  const headers = { authorization: `Bearer ${TOKEN}`, host: "evil.example" };
  const [response] = await once(request(url, { method: "POST", headers }).end("{}"), "response");
  expect(response.statusCode).toBe(403);
});

test("an audit that cannot be written is told once, and the session goes on", async () => {
  const folder = await mkdtemp(join(tmpdir(), "audit-"));
  const file = join(folder, "calls.ndjson");
  const args = [CLI, "mcp", "--audit", file];
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: "pipe" });
  let told = "";
  transport.stderr?.on("data", (part) => {
    told += String(part);
  });
  const client = clientOf("legacy");
  await client.connect(transport);
  await counted(client);
  expect(await readFile(file, "utf8")).toMatch(/^{"at":.*"tool":"count".*}\n$/);
  await rm(folder, { recursive: true });
  for (let call = 0; call < 2; call++) expect(await counted(client)).toContain("complete");
  await expect.poll(() => told).toMatch(/^--audit: \S+ does not exist; calls are missing there from 20\S+ on\n$/);
  await client.close();
});

test("a short token is refused before anything listens", async () => {
  const short = spawn(process.execPath, [CLI, "mcp", "--http", "0"], {
    env: { ...env, EDUCATION_ADMIN_MCP_TOKEN: "short" },
  });
  const [code] = (await once(short, "exit")) as [number];
  expect(code).toBe(2);
});
