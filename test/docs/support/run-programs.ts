// Runs programs of the documentation one after the other in one process, and reports each result to its parent.
import { mkdtempSync, writeFileSync } from "node:fs";
import { type AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { MainClient } from "education-admin-sdk";
import { createSandbox, type SandboxMannerOptions } from "education-admin-sdk/sandbox";
import { takeTwin } from "education-admin-sdk/twin";
import { environmentOf } from "../../../scripts/run-in-page/environment.ts";

/** The service that the programs meet: the least kind sandbox, its twin, or one with these manners. */
export type Service = "least kind" | "twin" | SandboxMannerOptions;

/** The result of a program. */
export interface Outcome {
  readonly name: string;
  /** The error and its stack; null if the program ran to its end. */
  readonly failure: string | null;
  /** The first 10,000 characters of its output. */
  readonly output: string;
  readonly ms: number;
}

// Reports a program that does not end as failed. The limit is high, because a busy machine is slow.
const LONGEST_MS = 60_000;
const service = process.env.SERVICE === undefined ? {} : (JSON.parse(process.env.SERVICE) as Service);
const options =
  service === "twin"
    ? { twin: await takeTwin(new MainClient(createSandbox({ manners: "least kind" }))) }
    : { manners: service };
const platformFetch = globalThis.fetch;

// Files that the readers of a document have: its programs read them.
const FILES: Readonly<Record<string, () => Record<string, string>>> = {
  "docs/guides/school-file.md": () => {
    const { store } = createSandbox();
    const active = store.enrollments.filter((one) => one.planned_course_id === 57 && one.status === "active");
    const [, ...stay] = active.map(({ id }) => id);
    return { "edition-57.csv": ["id", ...stay].join("\n") };
  },
};

// Programs that listen on the port in PORT run one after the other. Other fixed ports are replaced by free ones.
let listening: Server | undefined;
const { listen } = Server.prototype;
const free = await freePort();
Server.prototype.listen = function (this: Server, port: unknown, ...more: unknown[]) {
  const asked = typeof port === "object" && port !== null ? (port as { port?: unknown }).port : port;
  if (asked === free) {
    listening?.close();
    listening = this;
  }
  const taken = typeof port === "number" && port !== free ? 0 : port;
  return listen.apply(this, [taken, ...more] as Parameters<typeof listen>);
} as typeof listen;

let fail: (error: unknown) => void = () => undefined;
process.on("unhandledRejection", (error) => fail(error));
process.on("uncaughtException", (error) => fail(error));

let output = "";
for (const method of ["log", "warn", "error", "table", "info"] as const) {
  console[method] = (...parts: unknown[]) => {
    output += `${format(...parts)}\n`;
  };
}
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = ((text: string | Uint8Array) => {
  output += String(text);
  return true;
}) as typeof write;

process.once("message", async (programs: { name: string; path: string }[]) => {
  let document: string | undefined;
  for (const { name, path } of programs) {
    const [its] = name.split(":");
    if (its !== document) {
      process.chdir(mkdtempSync(join(tmpdir(), "code-blocks-")));
      for (const [file, text] of Object.entries(FILES[its ?? ""]?.() ?? {})) writeFileSync(file, text);
    }
    document = its;
    await run(name, path);
  }
  process.exit(0);
});

async function run(name: string, path: string): Promise<void> {
  const { fetch, variables } = environmentOf(name, createSandbox, platformFetch, options);
  globalThis.fetch = fetch;
  Object.assign(process.env, variables, { PORT: String(free), RECEIVER_URL: `http://127.0.0.1:${free}` });
  output = "";
  const from = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let failure: string | null = null;
  try {
    await Promise.race([
      import(path),
      new Promise((_, reject) => {
        fail = reject;
        timer = setTimeout(() => reject(new Error(`not done within ${LONGEST_MS} ms`)), LONGEST_MS);
      }),
    ]);
    // Work that the program did not await may still fail.
    await new Promise((resolve) => setTimeout(resolve, 10));
  } catch (error) {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  clearTimeout(timer);
  const outcome: Outcome = { name, failure, output: output.slice(0, 10_000), ms: Math.round(performance.now() - from) };
  // Awaited, because messages not yet sent are lost when the process exits.
  await new Promise((resolve) => process.send?.(outcome, resolve));
}

async function freePort(): Promise<number> {
  const server = new Server();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
