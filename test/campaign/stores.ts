// Four processes on one store (Redis, Postgres or an SQLite file) against a server that counts fixed and sliding
// windows, which are shorter than the service's. Promises: no 429 and hardly any time lost; a killed process gives its
// slots back; an outage of the store stops no process; schools that share the budget of one application take turns, so
// that a greedy one does not delay the others. Figures that depend on the machine's speed (lost time, waits, the use of
// the budget and its distribution over schools, the windows after an outage) are only checked in the long run, which
// needs a quiet machine and tests one store after the other; the short run prints them. With TEST_SHARE below 1, the
// campaign tests only the store of the day.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startPostgres, startRedis } from "../stores/support/servers.ts";
import { drawCases } from "../support/amount.ts";
import { reportMissing } from "../support/tools.ts";
import { type CampaignOptions, campaign, command, type Figures, type Promises, round } from "./support/command.ts";
import { type CountingServer, countingServer } from "./support/counting-server.ts";
import { percentile } from "./support/memory.ts";
import { openStore, type StoreKind } from "./support/open-store.ts";
import { createRandom, type Random, seedOf } from "./support/random.ts";
import type { StoreWork, StoreWorkDone } from "./support/store-worker.ts";

/** The figures of one store. */
export interface StoreRun {
  readonly store: StoreKind;
  readonly budget: { readonly requests: number; readonly refused: number; readonly overMinimum: number };
  readonly kill: { readonly refused: number; readonly placesBack: number };
  readonly outage: {
    readonly sentMeanwhile: number;
    readonly refused: number;
    /** The number of windows in which the service refused a request. */
    readonly windowsOver: number;
    readonly refusedAfterwards: number;
  };
  readonly greedy: {
    readonly refused: number;
    readonly use: number;
    readonly calls: number;
    /** Scaled to a service whose window is 300 seconds. */
    readonly p95WaitSeconds: number;
    readonly longestWaitSeconds: number;
  };
  readonly everybody: { readonly refused: number; readonly use: number; readonly jain: number };
}

export interface StoreFigures extends Figures {
  readonly limit: number;
  readonly processes: number;
  readonly schools: number;
  readonly notTested: readonly string[];
  readonly runs: readonly StoreRun[];
}

const LIMIT = 500;
const PROCESSES = 4;
const SCHOOLS = 50;
const LATENCY_MS = 10;
const SERVICE_WINDOW_S = 300;
const WORKER = fileURLToPath(new URL("./support/store-worker.ts", import.meta.url));

/** A database that the campaign can take down. */
interface Database {
  readonly url: string;
  down(): Promise<unknown>;
  up(): Promise<unknown>;
  remove(): Promise<unknown>;
}

const DATABASES: Record<Exclude<StoreKind, "node-redis">, { why(): string | null; start(): Promise<Database> }> = {
  redis: {
    why: () => reportMissing("redis"),
    start: async () => {
      const { url, kill, start, remove } = await startRedis();
      return { url, down: kill, up: start, remove };
    },
  },
  postgres: {
    why: () => reportMissing("postgres"),
    start: async () => {
      const { url, kill, start, remove } = await startPostgres();
      return { url, down: kill, up: start, remove };
    },
  },
  sqlite: {
    why: () => null,
    start: async () => {
      const folder = mkdtempSync(join(tmpdir(), "stores-sqlite-"));
      const url = join(folder, "budget.sqlite");
      const blocker = new DatabaseSync(url);
      return {
        url,
        // Taking an SQLite file down means locking it from another connection. This process also serves the requests,
        // so it must not block while it waits for the lock.
        down: () => lock(blocker),
        up: async () => blocker.exec("ROLLBACK"),
        remove: async () => {
          blocker.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  },
};

export function run(options: CampaignOptions = {}): Promise<StoreFigures> {
  return campaign("stores", options, async ({ seed, long, promises }) => {
    const kinds = Object.keys(DATABASES) as (keyof typeof DATABASES)[];
    const notTested = kinds.flatMap((store) => DATABASES[store].why() ?? []);
    const found = kinds.filter((store) => DATABASES[store].why() === null);
    const stores = long ? found : drawCases(found, 1);
    const one = (store: keyof typeof DATABASES) => oneStore(store, seed, long, promises);
    const runs: StoreRun[] = [];
    if (long) for (const store of stores) runs.push(await one(store));
    else runs.push(...(await Promise.all(stores.map(one))));
    return { limit: LIMIT, processes: PROCESSES, schools: SCHOOLS, notTested, runs };
  });
}

async function oneStore(
  store: keyof typeof DATABASES,
  seed: number,
  long: boolean,
  promises: Promises,
): Promise<StoreRun> {
  const database = await DATABASES[store].start();
  const trial: Trial = { store, database, long, promises, random: createRandom(seedOf(seed, "stores", store)) };
  try {
    return {
      store,
      budget: await budget(trial),
      kill: await kill(trial),
      outage: await outage(trial),
      greedy: await greedy(trial),
      everybody: await everybody(trial),
    };
  } finally {
    await database.remove();
  }
}

interface Trial {
  readonly store: StoreKind;
  readonly database: Database;
  readonly long: boolean;
  readonly promises: Promises;
  readonly random: Random;
}

/** Sends requests with one token as fast as possible: 10,000 in the long run. */
async function budget({ store, database, long, promises }: Trial): Promise<StoreRun["budget"]> {
  const requests = long ? 10_000 : 1_500;
  const windowMs = long ? 10_000 : 3_000;
  return withServer(windowMs, async (server) => {
    const work = { ...workOf(store, database, server, windowMs), calls: requests / PROCESSES };
    const done = await Promise.all(startInEachProcess(() => startWorker(work).done));
    const sent = server.accepted;
    const took = (sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0);
    const last = sent.length % LIMIT || LIMIT;
    const minimum = (Math.ceil(sent.length / LIMIT) - 1) * windowMs + Math.ceil(last / (10 * PROCESSES)) * LATENCY_MS;
    const overMinimum = took / minimum;
    // There may be more requests than calls, because some attempts time out on a busy machine and are repeated.
    promises.check(sent.length >= requests, "every call is answered", `${store}: ${sent.length}`);
    // A store that a busy machine delays for too long is treated as failed; some requests are then sent without it.
    const never = server.refused.length === 0 || (!long && warningsOf(done) > 0);
    promises.check(never, "the service never answers 429", `${store}: ${server.refused.length}`);
    promises.check(!long || warningsOf(done) === 0, "the store does not fail", `${store}: ${warningsOf(done)}`);
    promises.check(!long || overMinimum <= 1.03, "hardly any time is lost", `${store}: ${overMinimum}`);
    return { requests: sent.length, refused: server.refused.length, overMinimum: round(overMinimum, 4) };
  });
}

/** Kills one of the processes while it holds slots. */
async function kill({ store, database, promises, random }: Trial): Promise<StoreRun["kill"]> {
  const windowMs = 1_000;
  return withServer(windowMs, async (server) => {
    const work = { ...workOf(store, database, server, windowMs), calls: 300, timeoutMs: 1_000 };
    const workers = startInEachProcess(() => startWorker(work));
    const victim = random.whole(0, PROCESSES - 1);
    while (server.accepted.length < 100) await setTimeout(5);
    workers[victim]?.process.kill("SIGKILL");
    await Promise.all(workers.filter((_, at) => at !== victim).map(({ done }) => done));
    // The slots of unfinished requests are freed when their leases end, after a window and the timeout of a call.
    await setTimeout(2 * windowMs + 1_500);
    const { store: opened, close } = openStore(store, database.url);
    // Uses the workers' token, because another token would have its own window.
    const { hostname, port } = new URL(server.baseUrl);
    const key = `${hostname}:${port} ${await sha256("one-token")}`;
    let placesBack = 0;
    const ask = {
      key,
      requests: LIMIT,
      batchRequests: LIMIT,
      priority: "interactive",
      windowMs,
      leaseMs: 2_000,
    } as const;
    for (let at = 0; at < LIMIT; at++) {
      if ((await opened.reserve({ ...ask, now: Date.now() })).granted) placesBack++;
    }
    await close();
    promises.check(placesBack === LIMIT, "a process that is killed gives its places back", `${store}: ${placesBack}`);
    promises.check(server.refused.length === 0, "a kill causes no 429", `${store}: ${server.refused.length}`);
    return { refused: server.refused.length, placesBack };
  });
}

/** Takes the store down for at least two windows. */
async function outage({ store, database, long, promises }: Trial): Promise<StoreRun["outage"]> {
  const windowMs = 3_000;
  return withServer(windowMs, async (server) => {
    const work = { ...workOf(store, database, server, windowMs), calls: 1_250 };
    const workers = startInEachProcess(() => startWorker(work));
    // Each process must learn its share of a window before it can keep to it.
    while (server.accepted.length < 2.5 * LIMIT) await setTimeout(5);
    await database.down();
    const downAt = performance.now();
    const sentSince = () => server.accepted.filter(({ at }) => at > downAt).length;
    // On a slow machine, the processes need time to notice the outage.
    do await setTimeout(2 * windowMs);
    while (sentSince() === 0 && performance.now() - downAt < 60_000);
    const upAt = performance.now();
    await database.up();
    // The database has to recover first, which takes as long as the machine needs.
    const backAt = performance.now();
    const done = await Promise.all(workers.map((worker) => worker.done));
    const sentMeanwhile = server.accepted.filter(({ at }) => at > downAt && at < upAt).length;
    const windowsOver = new Set(server.refused.map(({ at }) => Math.floor((at - downAt) / windowMs))).size;
    // The processes ask the store again within a tenth of a window, but for one more window the store does not know
    // about the requests sent meanwhile.
    const refusedAfterwards = server.refused.filter(({ at }) => at > backAt + 1.5 * windowMs).length;
    promises.check(server.accepted.length >= 5_000, "work goes on without the store", `${store}`);
    promises.check(sentMeanwhile > 0, "calls are sent while the store is down", `${store}`);
    promises.check(warningsOf(done) > 0, "a store that is down is reported", store);
    promises.check(!long || windowsOver <= 1, "one window at most is over the limit", `${store}: ${windowsOver}`);
    // How many windows a short run spends without the store depends on the machine.
    const little = (LIMIT / 4) * (long ? 1 : Math.max(1, windowsOver));
    promises.check(server.refused.length < little, "little is over the limit", `${store}: ${server.refused.length}`);
    const shared = !long || refusedAfterwards === 0;
    promises.check(shared, "the limit is shared again afterwards", `${store}: ${refusedAfterwards}`);
    return { sentMeanwhile, refused: server.refused.length, windowsOver, refusedAfterwards };
  });
}

/** One school sends as many requests as possible in all processes; the others send a few now and then. */
async function greedy({ store, database, long, promises }: Trial): Promise<StoreRun["greedy"]> {
  const windowMs = long ? 30_000 : 10_000;
  const windows = long ? 3 : 2;
  const [first = "", ...others] = schools();
  return withServer(windowMs, async (server) => {
    const done = await Promise.all(
      startInEachProcess((process) => {
        const mine = others.filter((_, at) => at % PROCESSES === process);
        // Each of the 49 other schools makes four calls per window, which takes 196 of the 500 slots.
        const work = { ms: windows * windowMs, greedy: [first], others: mine, everyMs: windowMs / 4 };
        return startWorker({
          ...workOf(store, database, server, windowMs, process),
          reserve: 0.1,
          application: "greedy",
          schools: work,
        }).done;
      }),
    );
    const waits = done.flatMap((worker) => worker.waits);
    const seconds = (ms: number) => round((ms / windowMs) * SERVICE_WINDOW_S, 2);
    const figures = {
      refused: server.refused.length,
      use: useOf(server, windows),
      calls: waits.length,
      p95WaitSeconds: seconds(percentile(waits, 0.95)),
      longestWaitSeconds: seconds(Math.max(...waits)),
    };
    const never = figures.refused === 0 || (!long && warningsOf(done) > 0);
    promises.check(never, "no window is over the limit", `${store}: ${figures.refused}`);
    promises.check(!long || figures.use >= 0.97, "the budget is used", `${store}: ${figures.use}`);
    promises.check(
      !long || figures.p95WaitSeconds <= 2,
      "calls of other schools hardly wait",
      `${store}: ${figures.p95WaitSeconds}`,
    );
    return figures;
  });
}

/** Every school sends as many requests as possible. */
async function everybody({ store, database, long, promises }: Trial): Promise<StoreRun["everybody"]> {
  const windowMs = long ? 15_000 : 5_000;
  const windows = 2;
  return withServer(windowMs, async (server) => {
    const done = await Promise.all(
      startInEachProcess((process) => {
        const mine = schools().filter((_, at) => at % PROCESSES === process);
        const work = { ms: windows * windowMs, greedy: mine, others: [], everyMs: 0 };
        const settings = { ...workOf(store, database, server, windowMs, process), application: "everybody" };
        return startWorker({ ...settings, schools: work }).done;
      }),
    );
    const counts = schools().map((school) => server.accepted.filter(({ key }) => key === school).length);
    const sum = counts.reduce((all, one) => all + one, 0);
    const jain = sum ** 2 / (counts.length * counts.reduce((all, one) => all + one ** 2, 0));
    const figures = { refused: server.refused.length, use: useOf(server, windows), jain: round(jain, 4) };
    promises.check(!long || warningsOf(done) === 0, "the store does not fail", `${store}: ${warningsOf(done)}`);
    const never = figures.refused === 0 || (!long && warningsOf(done) > 0);
    promises.check(never, "no window is over the limit", `${store}: ${figures.refused}`);
    promises.check(!long || jain >= 0.95, "schools that ask for everything get the same", `${store}: ${jain}`);
    return figures;
  });
}

/** The share of the request budget that was used. */
function useOf({ accepted }: CountingServer, windows: number): number {
  return round(accepted.length / (LIMIT * windows), 4);
}

function schools(): string[] {
  return Array.from({ length: SCHOOLS }, (_, at) => `token-of-school-${at + 1}`);
}

function workOf(store: StoreKind, { url }: Database, server: CountingServer, windowMs: number, seed = 0): StoreWork {
  // The timeout is long, because a busy machine responds late. Only the trial with a kill needs leases that end soon.
  return { kind: store, url, baseUrl: server.baseUrl, limit: LIMIT, windowMs, reserve: 0, seed, timeoutMs: 10_000 };
}

async function withServer<Value>(windowMs: number, work: (server: CountingServer) => Promise<Value>): Promise<Value> {
  const server = await countingServer(LIMIT, windowMs, LATENCY_MS);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}

async function lock(file: DatabaseSync): Promise<void> {
  for (;;) {
    try {
      return file.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      if (!/locked/.test(String(error))) throw error;
      await setTimeout(1);
    }
  }
}

function startInEachProcess<Value>(start: (process: number) => Value): Value[] {
  return Array.from({ length: PROCESSES }, (_, process) => start(process));
}

function startWorker(work: StoreWork): { process: ChildProcess; done: Promise<StoreWorkDone> } {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", WORKER, JSON.stringify(work)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout?.on("data", (chunk) => {
    output += chunk;
  });
  const done = new Promise<StoreWorkDone>((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve(JSON.parse(output) as StoreWorkDone);
      else reject(new Error(`A process ended with ${code}`));
    });
  });
  // Nothing awaits the worker that is killed on purpose, and its promise rejects.
  done.catch(() => undefined);
  return { process: child, done };
}

function warningsOf(done: readonly StoreWorkDone[]): number {
  return done.reduce((sum, { warnings }) => sum + warnings, 0);
}

async function sha256(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex");
}

if (import.meta.main) {
  process.env.TEST_SHARE ??= "1";
  await command(run);
}
