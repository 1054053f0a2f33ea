// One process of the stores campaign: clients that share a store with those of other processes.
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { MainClient } from "education-admin-sdk";
import { openStore, type StoreKind } from "./open-store.ts";
import { seeded } from "./random.ts";

/** What a process is told to do. */
export interface StoreWork {
  readonly kind: StoreKind;
  readonly url: string;
  readonly baseUrl: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly application?: string;
  readonly seed: number;
  /** After how long an attempt is given up; a second where it is not said. */
  readonly timeoutMs?: number;
  /**
   * Another service, on which the process warms up: it loads its code, opens its connections, says so by a line, and begins when it
   * is answered by one.
   */
  readonly warmUpUrl?: string;
  /** How long the process waits in the end before it closes its connection. */
  readonly lingerMs?: number;
  /** Calls of one token, as fast as possible. */
  readonly calls?: number;
  /** Schools for so many milliseconds: those that ask for everything, and those that call now and then. */
  readonly schools?: {
    readonly ms: number;
    readonly greedy: readonly string[];
    readonly others: readonly string[];
    readonly everyMs: number;
  };
}

/** What a process tells in the end. */
export interface StoreWorkDone {
  readonly warnings: number;
  /** How long the calls of the schools that call now and then waited. */
  readonly waits: readonly number[];
  /** For how long the machine kept the process from running, at most. */
  readonly stoodStillMs: number;
}

const work = JSON.parse(process.argv[2] ?? "") as StoreWork;
const { store, close } = openStore(work.kind, work.url, work.application);
let warnings = 0;
console.warn = () => {
  warnings++;
};
const waits: number[] = [];

function clientOf(apiKey: string, baseUrl = work.baseUrl): MainClient {
  const { limit, windowMs, reserve, timeoutMs: timeout = 1_000 } = work;
  const rateLimit = { requests: limit, windowMs, reserve, store };
  return new MainClient({ baseUrl, apiKey, rateLimit, timeout, validation: "off" });
}

async function warmUp(baseUrl: string): Promise<void> {
  // As many connections as a window takes from a pool.
  await Promise.all(["one", "two", "three"].map((key) => clientOf(`${key}-${process.pid}`, baseUrl).accounts.get(1)));
  // Sixteen processes that open their connections at once may wait for longer than the drivers do.
  warnings = 0;
  process.stdout.write("ready\n");
  await once(process.stdin, "data");
  process.stdin.destroy();
}

async function asFastAsPossible(client: MainClient, calls: number): Promise<void> {
  let left = calls;
  const lane = async () => {
    while (left-- > 0) await client.accounts.get(1);
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

async function askForEverything(client: MainClient, signal: AbortSignal): Promise<void> {
  const lane = async () => {
    while (!signal.aborted) await client.accounts.get(1, { priority: "batch", signal }).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

async function callNowAndThen(client: MainClient, everyMs: number, seed: number, signal: AbortSignal): Promise<void> {
  const random = seeded(seed);
  while (!signal.aborted) {
    await setTimeout(random.whole(0, 2 * everyMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const answered = await client.accounts
      .get(1, { signal })
      .withResponse()
      .catch(() => null);
    if (answered) waits.push(answered.response.waitedMs);
  }
}

if (work.warmUpUrl !== undefined) await warmUp(work.warmUpUrl);
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
if (work.calls !== undefined) await asFastAsPossible(clientOf("one-token"), work.calls);
if (work.schools) {
  const { ms, greedy, others, everyMs } = work.schools;
  const signal = AbortSignal.timeout(ms);
  await Promise.all([
    ...greedy.map((school) => askForEverything(clientOf(school), signal)),
    ...others.map((school, at) => callNowAndThen(clientOf(school), everyMs, work.seed * 1_000 + at, signal)),
  ]);
}
await setTimeout(work.lingerMs ?? 0);
await close();
const stoodStillMs = Math.round(delays.max / 1e6);
process.stdout.write(`${JSON.stringify({ warnings, waits, stoodStillMs } satisfies StoreWorkDone)}\n`);
