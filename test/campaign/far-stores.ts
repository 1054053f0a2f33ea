// Processes that share a limit through a distant database: a relay delays every byte. Prints for each case how many
// times longer than the minimum it took; the minimum is the time of the windows plus one round trip for each. `node
// test/campaign/far-stores.ts [processes] [round trips] [kinds]`, for example `4,16 10,30,120,300`. All processes begin
// together, once their code is loaded and their connections are open. A busy machine adds time, so the longest pause of
// a process is printed, too; test/stores/far-stores.test.ts avoids that.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { startPostgres, startRedis } from "../stores/support/servers.ts";
import { countingServer } from "./support/counting-server.ts";
import type { StoreKind } from "./support/open-store.ts";
import { relay } from "./support/relay.ts";
import type { StoreWork, StoreWorkDone } from "./support/store-worker.ts";

const LIMIT = 40;
const WINDOWS = 4;
const LATENCY_MS = 10;
const WORKER = fileURLToPath(new URL("./support/store-worker.ts", import.meta.url));

const numbers = (text: string) => text.split(",").map(Number);
const [processes = "4,16", trips = "10,30,120,300", kinds = "redis,node-redis,postgres"] = process.argv.slice(2);

for (const kind of kinds.split(",") as StoreKind[]) {
  const database = await (kind === "postgres" ? startPostgres() : startRedis());
  for (const tripMs of numbers(trips))
    for (const count of numbers(processes)) await one(kind, database.url, count, tripMs);
  await database.remove();
}

async function one(kind: StoreKind, url: string, count: number, tripMs: number): Promise<void> {
  const windowMs = Math.max(2_000, 20 * tripMs);
  const server = await countingServer(LIMIT, windowMs, LATENCY_MS);
  const warmUp = await countingServer(Number.POSITIVE_INFINITY, windowMs, LATENCY_MS);
  const far = await relay(url, tripMs);
  // One request more than fits into the full windows, so that another window must begin.
  const calls = Math.ceil((LIMIT * WINDOWS + 1) / count);
  const work: StoreWork = {
    kind,
    url: far.url,
    baseUrl: server.baseUrl,
    warmUpUrl: warmUp.baseUrl,
    limit: LIMIT,
    windowMs,
    reserve: 0,
    seed: 1,
    // The timeout is long, because an attempt that times out on a busy machine would count twice.
    timeoutMs: 60_000,
    // Writes that still wait for a pool's connection would be lost; Redis accepts writes at once.
    lingerMs: kind === "postgres" ? 3 * tripMs : 0,
    calls,
  };
  const workers = Array.from({ length: count }, () => worker(work));
  await Promise.all(workers.map(({ ready }) => ready));
  for (const { start } of workers) start();
  const done = await Promise.all(workers.map((one) => one.done));
  const sent = server.accepted;
  const took = (sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0);
  const windows = Math.ceil(sent.length / LIMIT) - 1;
  const best = windows * windowMs;
  const figures = {
    ratio: took / (best + windows * tripMs),
    over: server.refused.length,
    failed: done.reduce((sum, { warnings }) => sum + warnings, 0),
    answered: sent.length,
    stoodStillMs: Math.max(...done.map(({ stoodStillMs }) => stoodStillMs)),
    load: loadavg()[0]?.toFixed(1),
  };
  console.log(`${kind}, ${count} processes, ${tripMs} ms:`, JSON.stringify(figures));
  await Promise.all([far.close(), server.close(), warmUp.close()]);
}

interface Worker {
  readonly ready: Promise<unknown>;
  start(): void;
  readonly done: Promise<StoreWorkDone>;
}

function worker(work: StoreWork): Worker {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WORKER, JSON.stringify(work)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const done = new Promise<StoreWorkDone>((resolve, reject) => {
    child.once("close", (code) =>
      code === 0
        ? resolve(JSON.parse(output.slice(output.indexOf("\n"))) as StoreWorkDone)
        : reject(new Error(`A process ended with ${code}`)),
    );
  });
  return { ready: once(child.stdout, "data"), start: () => void child.stdin.end("go"), done };
}
