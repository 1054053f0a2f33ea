// One process of the stores campaign. Its clients share a store with the clients of the other processes.
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { MainClient } from "education-admin-sdk";
import { openStore, type StoreKind } from "./open-store.ts";
import { createRandom } from "./random.ts";

/** The instructions for a process. */
export interface StoreWork {
  readonly kind: StoreKind;
  readonly url: string;
  readonly baseUrl: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly application?: string;
  readonly seed: number;
  /** The time limit of an attempt. Default: a second. */
  readonly timeoutMs?: number;
  /**
   * The address of another service for warming up: the process loads its code, opens its connections, prints a line,
   * and begins when it receives a line itself.
   */
  readonly warmUpUrl?: string;
  /** How long the process waits at the end before it closes its connection. */
  readonly lingerMs?: number;
  /** The number of calls to make with one token, as fast as possible. */
  readonly calls?: number;
  /** Schools that call for this many milliseconds: greedy ones as fast as possible, others now and then. */
  readonly schools?: {
    readonly ms: number;
    readonly greedy: readonly string[];
    readonly others: readonly string[];
    readonly everyMs: number;
  };
}

/** The report of a process at its end. */
export interface StoreWorkDone {
  readonly warnings: number;
  /** The waiting times of schools that call now and then. */
  readonly waits: readonly number[];
  /** The longest time that the machine kept the process from running. */
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
  // Opens as many connections of the pool as a window needs.
  await Promise.all(["one", "two", "three"].map((key) => clientOf(`${key}-${process.pid}`, baseUrl).accounts.get(1)));
  // Ignores earlier warnings: if sixteen processes connect at once, they may wait longer than the drivers allow.
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
  const random = createRandom(seed);
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
