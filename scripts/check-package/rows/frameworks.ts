import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { run } from "../../lib/process.ts";
import type { Context, Passed, Row } from "../row.ts";

const GROUP = "frameworks";

/** Builds minimal applications, starts them and checks how they show a page of records from the service. */
export const FRAMEWORK_ROWS: readonly Row[] = [
  { name: "frameworks-next", group: GROUP, run: next },
  { name: "frameworks-sveltekit", group: GROUP, run: svelteKit },
  { name: "frameworks-nest", group: GROUP, run: nest },
];

async function next(context: Context): Promise<Passed> {
  const { cwd, bin } = await folderOf(context, "next", "next/dist/bin/next");
  const { url, apiKey } = await context.service();
  const environment = { SCHOOL_URL: url, SCHOOL_KEY: apiKey, NEXT_TELEMETRY_DISABLED: "1", CI: "1" };
  // Runs without EDUCATION_ADMIN_…: a client at module level must not need it.
  await run(process.execPath, [bin, "build"], { cwd, env: environment, timeout: 900_000 });
  const manifest = await readFile(join(cwd, ".next/server/server-reference-manifest.json"), "utf8");
  const { node } = JSON.parse(manifest) as { node: Readonly<Record<string, { readonly exportedName: string }>> };
  const [action = ""] = Object.entries(node).find(([, { exportedName }]) => exportedName === "firstPage") ?? [];
  return await runApplication(context, cwd, (port) => [bin, "start", "-H", "127.0.0.1", "-p", port], environment, {
    name: "next",
    async ask(address) {
      const html = (await text(address)).replaceAll("<!-- -->", "");
      for (const part of [`cached ${names(2)}, next true`, `requested ${names(3)}`, `live ${names(4)}`])
        if (!html.includes(part)) throw new Error(`the page has no "${part}":\n${html.slice(0, 4_000)}`);
      const headers = { "next-action": action, "content-type": "text/plain;charset=UTF-8", accept: "text/x-component" };
      return await text(address, { method: "POST", headers, body: "[]" });
    },
  });
}

async function svelteKit(context: Context): Promise<Passed> {
  const { cwd, bin } = await folderOf(context, "svelte", "vite/bin/vite.js");
  await run(process.execPath, [bin, "build"], { cwd, timeout: 900_000 });
  return await runApplication(
    context,
    cwd,
    () => ["build/index.js"],
    {},
    {
      name: "@sveltejs/kit",
      async ask(address) {
        const html = await text(address);
        if (!html.includes(`${names(10)}, next true`))
          throw new Error(`the application served another page:\n${html.slice(0, 4_000)}`);
        return await text(`${address}/__data.json`);
      },
    },
  );
}

async function nest(context: Context): Promise<Passed> {
  const { cwd } = await folderOf(context, "nest", "");
  return await runApplication(
    context,
    cwd,
    () => ["main.mjs"],
    {},
    {
      name: "@nestjs/core",
      ask: (address) => text(`${address}/accounts`),
    },
  );
}

interface Asked {
  /** The framework's package. */
  readonly name: string;
  /** Sends a request to the application and returns its response, which contains a page of ten accounts. */
  ask(address: string): Promise<string>;
}

/**
 * Starts an application, checks it and stops it.
 * @throws Error unless the application showed ten accounts after a single request to the service.
 */
async function runApplication(
  context: Context,
  cwd: string,
  args: (port: string) => readonly string[],
  environment: Readonly<Record<string, string>>,
  { name, ask }: Asked,
): Promise<Passed> {
  const service = await context.service();
  const before = service.received.length;
  const port = await freePort();
  const child = spawn(process.execPath, args(String(port)), {
    cwd,
    env: {
      PATH: process.env.PATH,
      ...environment,
      PORT: String(port),
      HOST: "127.0.0.1",
      EDUCATION_ADMIN_BASE_URL: service.url,
      EDUCATION_ADMIN_API_KEY: service.apiKey,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => printed.push(String(chunk)));
  try {
    const address = `http://127.0.0.1:${port}`;
    await listening(child, port);
    const response = await ask(address);
    const found = new Set(response.match(/Account \d+/g));
    const asked = service.received.slice(before).filter(({ url }) => /per_page=10(&|$)/.test(url));
    if (found.size !== 10 || asked.length === 0 || asked.some(({ url }) => url.includes("cursor=")))
      throw new Error(`the application showed ${found.size} accounts after ${asked.length} requests`);
    return { version: await context.workspace.versionOf(GROUP, name), note: "a page is ten records and one request" };
  } catch (error) {
    throw new Error(`${String(error)}\n${printed.join("").slice(-4_000)}`);
  } finally {
    child.kill("SIGKILL");
  }
}

async function folderOf(context: Context, app: string, bin: string): Promise<{ cwd: string; bin: string }> {
  const group = await context.workspace.install(GROUP);
  return { cwd: join(group, app), bin: join(group, "node_modules", bin) };
}

function names(count: number): string {
  return Array.from({ length: count }, (_, index) => `Account ${index + 1}`).join();
}

async function text(url: string, init?: RequestInit): Promise<string> {
  const response = await fetch(url, init);
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} responded with ${response.status}:\n${body.slice(0, 2_000)}`);
  return body;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Resolves when an application accepts connections; the program that runs the rows has its own time limit. */
async function listening(child: ChildProcess, port: number): Promise<void> {
  for (let asked = 0; asked < 600; asked++) {
    if (child.exitCode !== null) throw new Error(`the application ended with ${child.exitCode}`);
    const answered = await fetch(`http://127.0.0.1:${port}/none`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the application accepts no connections after 60 s");
}
