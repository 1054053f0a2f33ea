import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { MainClient } from "education-admin-sdk";
import { type BulkReport, plan, rowsOf } from "education-admin-sdk/bulk";
import { createSandbox, type Fault } from "education-admin-sdk/sandbox";

const WORKER = fileURLToPath(new URL("apply-worker.ts", import.meta.url));
const SETTLE_MS = 100;

/** The result of applying a plan in processes that were killed many times. */
export interface KillResult {
  readonly kills: number;
  readonly doubled: number;
  readonly lost: number;
  /** The number of writes that were sent before their line was in the file. */
  readonly early: number;
  /**
   * How often a run ended by itself before the plan was complete, by reason: the list could not be read or proved
   * nothing, or a row stayed unknown.
   */
  readonly stops: Readonly<Record<string, number>>;
  readonly report: BulkReport;
  readonly outcomes: number;
}

/**
 * Applies a plan of creates and updates to a sandbox over HTTP until a process completes it. Meanwhile faults of every
 * kind occur, and processes are killed before or after a request is carried out.
 */
export async function killAgain(path: string, rows: number, kills: number, seed: number): Promise<KillResult> {
  const sandbox = createSandbox({ size: "small", rateLimit: false, apiKey: "key", seed });
  const updates = [...sandbox.store.users].map(({ email }, at) => ({
    email,
    first_name: `Changed ${at}`,
    last_name: "X",
  }));
  const creates = Array.from({ length: rows - updates.length }, (_, at) => ({
    email: `new-${at}@example.com`,
    first_name: "New",
    last_name: `Person ${at}`,
  }));
  let early = 0;
  const known = new PlanFile(path);
  let worker: ChildProcess | null = null;
  let countdown = 0;
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (request.method !== "GET") {
      // After a kill, the next process knows only the data on the disk.
      const row = known.rowOf(request.url ?? "", body);
      known.read();
      if (row === undefined || !known.tries.has(row)) early++;
    }
    const when = --countdown === 0 ? seed++ % 2 : null;
    if (when === 0) worker?.kill("SIGKILL");
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const init = { method: request.method ?? "GET", headers, ...(body !== "" && { body }) };
    const answer = await sandbox.fetch(`${sandbox.baseUrl}${request.url}`, init).catch(() => null);
    if (when === 1) worker?.kill("SIGKILL");
    if (!answer) return void request.socket.destroy();
    const bytes = await answer.arrayBuffer().catch(() => null);
    if (!bytes) return void request.socket.destroy();
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const planner = new MainClient({ baseUrl: address, apiKey: "key", rateLimit: false });
  await plan(planner.users, [...updates, ...creates], { to: path, key: "email" });
  known.read();
  const faults: readonly Fault[] = [
    { reset: true, applied: true },
    { reset: true },
    { status: 500, applied: true },
    { status: 502 },
    { status: 503, applied: true },
    { status: 504 },
    { cut: true },
    { html: true },
    { retryAfter: 0 },
  ];
  sandbox.faults.next(...faults.map((fault) => ({ ...fault, probability: 0.02, times: Number.POSITIVE_INFINITY })));
  let killed = 0;
  const stops: Record<string, number> = {};
  let report: BulkReport | null = null;
  try {
    while (!report) {
      countdown = killed < kills ? 1 + ((seed * 7 + killed * 13) % Math.max(3, Math.floor((2 * rows) / kills))) : 0;
      worker = spawn(process.execPath, [WORKER, address, path, String(SETTLE_MS)], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [text, problem, code] = await outputOf(worker);
      const ended = code === 0 ? (JSON.parse(text) as BulkReport | { readonly stopped: string }) : null;
      // Applies the plan again, as an operator would. The next run looks once more for rows that ended as unknown.
      if (!ended) {
        if (code !== null) throw new Error(problem);
        killed++;
      } else if ("stopped" in ended) stops[ended.stopped] = (stops[ended.stopped] ?? 0) + 1;
      else if (ended.unknown > 0) stops.unknown = (stops.unknown ?? 0) + 1;
      else report = ended;
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
  const count = new Map<string, number>();
  for (const { email } of sandbox.store.users) count.set(email, (count.get(email) ?? 0) + 1);
  let outcomes = 0;
  for await (const { outcome } of rowsOf(path)) if (outcome !== null) outcomes++;
  return {
    kills: killed,
    doubled: [...count.values()].filter((times) => times > 1).length,
    lost: creates.filter(({ email }) => !count.has(email)).length,
    early,
    stops,
    report,
    outcomes,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

async function outputOf(worker: ChildProcess): Promise<[string, string, number | null]> {
  let text = "";
  let problem = "";
  worker.stdout?.on("data", (chunk) => {
    text += chunk;
  });
  worker.stderr?.on("data", (chunk) => {
    problem += chunk;
  });
  const code = await new Promise<number | null>((resolve) => worker.once("close", resolve));
  return [text, problem, code];
}

/** Reads a plan's file while another process writes to it. */
class PlanFile {
  readonly #path: string;
  readonly #rows = new Map<string, number>();
  #at = 0;
  #rest = "";
  readonly tries = new Set<number>();

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the lines added since the last call. */
  read(): void {
    const file = openSync(this.#path, "r");
    const chunk = Buffer.alloc(1 << 16);
    for (let size = 1; size > 0; ) {
      size = readSync(file, chunk, 0, chunk.length, this.#at);
      this.#at += size;
      this.#rest += chunk.toString("latin1", 0, size);
    }
    closeSync(file);
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const text of lines) {
      const [, row] = /^\{"row":(\d+),"try":/.exec(text) ?? [];
      if (row !== undefined) this.tries.add(Number(row));
      const [, planned, key, id] =
        /^\{"row":(\d+),"do":(?:"create","key":"([^"]+)"|"update",(?:"key":"[^"]+",)?"id":(\d+))/.exec(text) ?? [];
      if (planned !== undefined) this.#rows.set(key ?? id ?? "", Number(planned));
    }
  }

  /** The row that a write request belongs to. */
  rowOf(url: string, body: string): number | undefined {
    const { email = "" } = (body === "" ? {} : JSON.parse(body)) as { email?: string };
    return this.#rows.get(/\/(\d+)$/.exec(url)?.[1] ?? email);
  }
}
