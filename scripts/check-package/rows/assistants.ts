import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { run } from "../../lib/process.ts";
import type { Context, Passed, Row } from "../row.ts";

const MODES = ["auto", "legacy"] as const;

/** Maximum compressed size, in bytes, of the files that only assistants need. */
const LARGEST = 120_000;
const OWN =
  /^(dist\/(node\/)?assistant\/|dist\/(node|cli)\/node-plan-tool-|dist\/cli\/mcp|dist\/generated\/field-classes|docs\/guides\/assistants\.md)/;
const SDK = /io\.modelcontextprotocol\//;

/**
 * Checks the `mcp` command with the protocol's official client and inspector, in a folder that contains nothing but the
 * package.
 */
export const ASSISTANT_ROWS: readonly Row[] = [
  { name: "assistants", group: "node", run: assistants },
  { name: "assistants-inspector", group: "inspector", run: inspector },
];

async function assistants(context: Context): Promise<Passed> {
  const cwd = await context.workspace.install("node");
  const service = await context.service();
  const before = service.received.length;
  const command = join(cwd, "node_modules/.bin/education-admin-sdk");
  const env = environment(service);
  const versions: string[] = [];
  for (const mode of MODES) {
    const client = new Client({ name: "check", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ command, args: ["mcp"], env, cwd }));
    versions.push(await askedBy(client));
  }
  const sent = service.received.slice(before);
  const others = sent.filter(({ method }) => method !== "GET");
  if (sent.length === 0 || others.length > 0)
    throw new Error(`${sent.length} requests, ${others.length} of them not a GET`);
  const size = await assistantSize(join(cwd, "node_modules/education-admin-sdk"));
  if (size > LARGEST) throw new Error(`${size} bytes packed for assistants alone, more than ${LARGEST}`);
  return { version: versions.join(" and "), note: `${Math.round(size / 1000)} kB packed for it alone` };
}

// Compressed size of the files that only assistants need, which include the protocol's SDK.
async function assistantSize(folder: string): Promise<number> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.\w+$/.test(name));
  const files = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })),
  );
  const assistantFiles = files.filter(
    ({ name, text }) => OWN.test(name) || (/^dist\/cli\/.*js$/.test(name) && SDK.test(text)),
  );
  if (!assistantFiles.some(({ text }) => SDK.test(text)))
    throw new Error(`only ${assistantFiles.map(({ name }) => name).join(", ")}`);
  return gzipSync(assistantFiles.map(({ text }) => text).join("")).length;
}

async function inspector(context: Context): Promise<Passed> {
  const cwd = await context.workspace.install("node");
  const folder = await context.workspace.install("inspector");
  const service = await context.service();
  const { PATH: _, ...env } = environment(service);
  const variables = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
  const ask = (...args: string[]) => {
    const server = [join(cwd, "node_modules/.bin/education-admin-sdk"), "mcp", ...variables];
    // The inspector writes a file to the home folder.
    return run(join(folder, "node_modules/.bin/mcp-inspector"), ["--cli", ...server, ...args], {
      cwd,
      env: { HOME: folder },
    });
  };
  const { tools } = JSON.parse(await ask("--method", "tools/list", "--strict")) as { tools: { name: string }[] };
  if (tools.length !== 3) throw new Error(`the inspector sees ${tools.map(({ name }) => name).join()}`);
  const count = await ask("--method", "tools/call", "--tool-name", "count", "--tool-arg", "from=accounts");
  if (!count.includes('\\"count\\":250')) throw new Error(`the inspector counts ${count}`);
  return {
    version: await context.workspace.versionOf("inspector", "@modelcontextprotocol/inspector"),
    note: "lists the tools without a complaint, counts",
  };
}

// Lists the tools, counts and reads. @returns the protocol's version.
async function askedBy(client: Client): Promise<string> {
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name).join();
  if (names !== "describe,read,count") throw new Error(`the tools are ${names}`);
  const count = await client.callTool({ name: "count", arguments: { from: "accounts" } });
  if (!JSON.stringify(count.content).includes('\\"count\\":250')) throw new Error(`count: ${JSON.stringify(count)}`);
  const read = await client.callTool({ name: "read", arguments: { from: "accounts", id: 7, fields: ["id", "email"] } });
  if (!JSON.stringify(read.content).includes("[contact hidden]")) throw new Error(`read: ${JSON.stringify(read)}`);
  const version = client.getNegotiatedProtocolVersion() ?? "";
  await client.close();
  return version;
}

function environment({ url, apiKey }: { readonly url: string; readonly apiKey: string }): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "",
    EDUCATION_ADMIN_BASE_URL: url,
    EDUCATION_ADMIN_API_KEY: apiKey,
  };
}
