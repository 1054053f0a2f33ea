import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen, type SandboxServer } from "../../src/sandbox/node.js";

const CLI = fileURLToPath(new URL("../../dist/cli/cli.js", import.meta.url));
const MODES = [
  ["2026-07-28", "auto"],
  ["2025-11-25", "legacy"],
] as const;

const sandbox = createSandbox();
let service: SandboxServer;
let env: Record<string, string>;

beforeAll(async () => {
  service = await listen(sandbox);
  env = {
    PATH: process.env.PATH ?? "",
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
    EDUCATION_ADMIN_BASE_URL: service.url,
    EDUCATION_ADMIN_API_KEY: sandbox.apiKey,
  };
});

afterAll(() => service.close());

const clientOf = (mode: "auto" | "legacy") =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });

async function countUsers(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: "count", arguments: { from: "users" } });
  return JSON.stringify(content);
}

describe.each(MODES)("the official client, protocol %s", (version, mode) => {
  test("starts and lists the tools even if the service is unreachable", async () => {
    const client = clientOf(mode);
    const nobody = { ...env, EDUCATION_ADMIN_BASE_URL: "http://127.0.0.1:1" };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, "mcp"], env: nobody }));
    expect((await client.listTools()).tools).toHaveLength(3);
    expect(await countUsers(client)).toContain("could not connect");
    await client.close();
  });

  test("lists and calls the tools over stdin and stdout", async () => {
    const client = clientOf(mode);
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, "mcp"], env }));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["describe", "read", "count"]);
    expect(await countUsers(client)).toContain("complete");
    await client.close();
  });
});

test("an audit that cannot be written is reported once, and the session continues", async () => {
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
  await countUsers(client);
  expect(await readFile(file, "utf8")).toMatch(/^{"at":.*"tool":"count".*}\n$/);
  await rm(folder, { recursive: true });
  for (let call = 0; call < 2; call++) expect(await countUsers(client)).toContain("complete");
  await expect.poll(() => told).toMatch(/^--audit: \S+ does not exist; calls from 20\S+ on are not recorded there\n$/);
  await client.close();
});

test("a folder for plans that cannot be written is reported at the start", async () => {
  const folder = await mkdtemp(join(tmpdir(), "plans-"));
  const file = join(folder, "file");
  await writeFile(file, "");
  const args = [CLI, "mcp", "--access", "plan", "--plans", "file"];
  const { status, stderr } = spawnSync(process.execPath, args, { env, cwd: folder, encoding: "utf8", input: "" });
  expect([status, stderr]).toEqual([2, expect.stringContaining(`--plans: ${file} `)]);
  await rm(folder, { recursive: true });
});

test("every request with an id gets a response, even if its parameters are null or invalid", async () => {
  const requests = [
    { id: 2, method: "tools/list", params: null },
    { id: 3, method: "tools/list", params: { cursor: null } },
    { id: 4, method: "tools/call", params: { name: "describe", arguments: null } },
    { id: "five", method: "tools/list", params: ["\u2028"] },
    { id: 6, method: "tools/list", params: { _meta: 1 } },
    { id: 7, method: 7 },
  ];
  const start = {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "client", version: "1" } },
  };
  const lines = [start, { method: "notifications/initialized", params: null }, ...requests];
  const child = spawn(process.execPath, [CLI, "mcp"], { env, stdio: ["pipe", "pipe", "ignore"] });
  for (const line of lines) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...line })}\n`);
  const answers = new Map<unknown, unknown>();
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, error } = JSON.parse(line) as { id: unknown; error?: { code: number } };
    answers.set(id, error?.code ?? "answered");
    // The command ends when its input ends.
    if (answers.size === requests.length + 1) child.stdin.end();
  }
  expect([2, 3, 4, "five", 6, 7].map((id) => answers.get(id))).toEqual([
    "answered",
    "answered",
    "answered",
    -32_600,
    -32_600,
    -32_600,
  ]);
});
