// A service that often fails: mixed reads and writes against a real server that fails in every known way, at random
// from a seed. Promises: every list that was read equals the server's records, each exactly once and in order; no write
// is carried out twice unless that is allowed; an error that says "refused" or "not sent" is true; every failure
// belongs to the library's error classes and is explained by a fault of its own request; nothing is left behind.
import { getEventListeners } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type ErrorCode, isEducationAdminError, MainClient, type RequestOptions } from "education-admin-sdk";
import { type CampaignOptions, campaign, command, type Figures, type Promises, round } from "./support/command.ts";
import { FastClock } from "./support/fast-clock.ts";
import { FAULTS, type Fault, recordsOf, type ServerReport } from "./support/fault-kinds.ts";
import { startFaultServer } from "./support/fault-server.ts";
import { mean, settledHeapMb } from "./support/memory.ts";
import { createRandom, type Random, seedOf } from "./support/random.ts";

export interface FaultFigures extends Figures {
  readonly operations: number;
  readonly reads: number;
  readonly lists: number;
  readonly records: number;
  readonly writes: number;
  readonly requests: number;
  readonly faults: number;
  /** The number of faults that the library handled by itself. */
  readonly hidden: number;
  /** The number of failures that callers saw, by code. Iterations continued after a failure. */
  readonly failures: Readonly<Record<string, number>>;
  readonly aborted: number;
  /** The number of writes that failed with outcome "unknown". */
  readonly unknownWrites: number;
  /** How many of these writes the server had carried out. */
  readonly unknownCarriedOut: number;
  readonly createdTwice: number;
  readonly untyped: number;
  readonly unexplained: number;
  /** The number of timeouts without a fault, in a run in which the machine itself stalled. */
  readonly machineTimeouts: number;
  readonly longestStallMs: number;
  readonly openRequests: number;
  readonly openSockets: number;
  readonly timers: number;
  readonly abortListeners: number;
  readonly heapFirstThirdMb: number;
  readonly heapLastThirdMb: number;
  readonly operationsPerSecond: number;
}

const SPEED = 20;
const WORKERS = 24;
// A stall this long may make an attempt time out without a fault.
const STALL_MS = 60;
// The heap growth that the compiler and unfinished calls explain.
const HEAP_NOISE_MB = 3;

const KINDS = { list: 20, get: 20, create: 25, update: 12, set: 12, delete: 11 } as const;
type Kind = keyof typeof KINDS;

/** The result of one operation, to be compared with the server's log. */
interface Ending {
  readonly kind: Kind;
  /** `done`, `aborted`, or the code of the error. */
  readonly how: "done" | "aborted" | ErrorCode | "untyped";
  readonly outcome: "not_sent" | "unknown" | null;
  readonly hasDeadline: boolean;
}

export function run(options: CampaignOptions = {}): Promise<FaultFigures> {
  return campaign("faults", options, async ({ seed, long, promises }) => {
    const size = long ? 10_000 : 600;
    const server = await startFaultServer(seed);
    const clock = new FastClock(SPEED);
    const signal = new AbortController().signal;
    const client = new MainClient({
      baseUrl: server.origin,
      apiKey: "token-of-the-faults-campaign",
      clock,
      // Equals 400 ms of real time.
      timeout: 400 * SPEED,
      retry: { limit: 3, backoffLimit: 1000 },
      rateLimit: { requests: 4000, windowMs: 30_000, concurrency: 16 },
    });
    const weather = new Weather(client, signal, seed, promises);
    const heap: number[] = [];
    const stalls = new StallWatch();
    const every = Math.ceil(size / 60);
    const started = performance.now();
    let next = 0;
    const worker = async () => {
      while (next < size) {
        const number = next++;
        if (number % every === 0) heap.push(settledHeapMb());
        await weather.run(number);
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, worker));
    const seconds = (performance.now() - started) / 1000;
    const longestStallMs = stalls.end();
    const report = await server.report();
    await pause(50);
    const left = leftovers(clock, signal, report);
    await server.close();
    const verdicts = weather.compare(report, longestStallMs > STALL_MS);
    const third = Math.floor(heap.length / 3);
    const heapFirstThirdMb = round(mean(heap.slice(0, third)));
    const heapLastThirdMb = round(mean(heap.slice(-third)));
    promises.check(report.astray === 0, "no request goes where only a followed redirect leads", String(report.astray));
    promises.check(left.openRequests === 0, "no request stays open", String(left.openRequests));
    promises.check(left.openSockets === 0, "no socket stays open", String(left.openSockets));
    promises.check(left.timers === 0, "no timer stays", String(left.timers));
    promises.check(left.abortListeners === 0, "no abort listener stays", String(left.abortListeners));
    // In a short run, everything is warm-up.
    const growth = heapLastThirdMb - heapFirstThirdMb;
    promises.check(!long || growth < HEAP_NOISE_MB, "the heap stays flat", `${round(growth)} MB more`);
    return {
      operations: size,
      ...weather.counts,
      requests: report.requests,
      ...verdicts,
      longestStallMs: round(longestStallMs, 0),
      ...left,
      heapFirstThirdMb,
      heapLastThirdMb,
      operationsPerSecond: Math.round(size / seconds),
    };
  });
}

/** Runs the operations and notes their results. */
class Weather {
  readonly counts = { reads: 0, lists: 0, records: 0, writes: 0, aborted: 0, failures: {} as Record<string, number> };
  readonly #client: MainClient;
  readonly #signal: AbortSignal;
  readonly #seed: number;
  readonly #promises: Promises;
  readonly #endings = new Map<number, Ending>();
  readonly #withoutRecord: number[] = [];

  constructor(client: MainClient, signal: AbortSignal, seed: number, promises: Promises) {
    this.#client = client;
    this.#signal = signal;
    this.#seed = seed;
    this.#promises = promises;
  }

  async run(number: number): Promise<void> {
    const random = createRandom(seedOf(this.#seed, "operation", number));
    const kind = random.weighted(KINDS);
    const options: RequestOptions = { signal: this.#signal, headers: { "x-operation": String(number) } };
    const hasDeadline = random.chance(0.04);
    if (hasDeadline) options.totalTimeout = random.whole(20, 400) * SPEED;
    if (kind === "list") {
      this.counts.lists++;
      await this.#list(number, random, options, hasDeadline);
      return;
    }
    if (kind === "get") this.counts.reads++;
    else this.counts.writes++;
    const controller = random.chance(0.03) ? new AbortController() : null;
    if (controller) setTimeout(() => controller.abort(STOP), random.whole(0, 40));
    try {
      await this.#single(
        kind,
        number,
        controller ? { ...options, signal: AbortSignal.any([controller.signal, this.#signal]) } : options,
      );
      this.#endings.set(number, { kind, how: "done", outcome: null, hasDeadline });
    } catch (error) {
      this.#fail(number, kind, error, hasDeadline);
    }
  }

  async #single(kind: Exclude<Kind, "list">, number: number, options: RequestOptions): Promise<void> {
    const key = keyOf(number);
    const client = this.#client;
    const promises = this.#promises;
    switch (kind) {
      case "get": {
        const { data } = await client.courseVariants.get(key, options).withResponse();
        if (data === undefined) this.#withoutRecord.push(number);
        else promises.check(data.id === key, "a record read is the record asked for", JSON.stringify(data));
        return;
      }
      case "create":
        await client.affiliations.create({ user_id: key, account_id: 1 }, options);
        return;
      case "update":
        await client.affiliations.update(1, { user_id: key }, options);
        return;
      case "set":
        await client.attendances.set({ meeting_id: key, enrollment_id: 1 }, options);
        return;
      case "delete":
        await client.affiliations.delete(key, options);
    }
  }

  // Reads a list to its end, reading failed pages again, and compares it with the server's records.
  async #list(number: number, random: Random, options: RequestOptions, hasDeadline: boolean): Promise<void> {
    const account = random.whole(1, 400);
    const per_page = random.pick([10, 50, 100]);
    const prefetch = random.pick([0, 1, 1, 3]);
    const pages = this.#client.affiliations.list({ account_id: account, per_page }, { ...options, prefetch });
    const expected = recordsOf(account);
    const stopAfter = random.chance(0.15) ? random.whole(1, 150) : Number.POSITIVE_INFINITY;
    const found: number[] = [];
    let failures = 0;
    const surely = async <T>(next: () => Promise<T>): Promise<T | null> => {
      try {
        return await next();
      } catch (error) {
        failures++;
        this.#fail(number, "list", error, hasDeadline);
        return null;
      }
    };
    const enough = () => found.length >= stopAfter || failures > 500;
    if (random.chance(0.3)) {
      const iterator = pages.byPage();
      for (;;) {
        const turn = await surely(() => iterator.next());
        if (turn?.done) break;
        if (turn) found.push(...turn.value.records.map((record) => record.id));
        if (enough()) await iterator.return?.();
      }
    } else {
      const iterator = pages[Symbol.asyncIterator]();
      for (;;) {
        const turn = await surely(() => iterator.next());
        if (turn?.done) break;
        if (turn) found.push(turn.value.id);
        if (enough()) await iterator.return?.();
      }
    }
    this.counts.records += found.length;
    const due = Number.isFinite(stopAfter) ? expected.slice(0, found.length) : expected;
    this.#promises.check(
      found.length === due.length && found.every((id, index) => id === due[index]),
      "a list read equals the server's records, once each and in order",
      `account ${account}, ${per_page} per page, prefetch ${prefetch}: ${found.length} of ${expected.length} records after ${failures} failures`,
    );
    if (!this.#endings.has(number))
      this.#endings.set(number, { kind: "list", how: "done", outcome: null, hasDeadline });
  }

  #fail(number: number, kind: Kind, error: unknown, hasDeadline: boolean): void {
    if (error === STOP) {
      this.counts.aborted++;
      this.#endings.set(number, { kind, how: "aborted", outcome: "unknown", hasDeadline });
      return;
    }
    const how = isEducationAdminError(error) ? error.code : "untyped";
    this.#promises.check(how !== "untyped", "every failure is of the error family", String(error));
    this.counts.failures[how] = (this.counts.failures[how] ?? 0) + 1;
    const outcome = (error as { outcome?: Ending["outcome"] }).outcome ?? null;
    this.#endings.set(number, { kind, how, outcome, hasDeadline });
  }

  // Compares what callers experienced with the server's log.
  compare(
    report: ServerReport,
    stalled: boolean,
  ): {
    faults: number;
    hidden: number;
    unknownWrites: number;
    unknownCarriedOut: number;
    createdTwice: number;
    untyped: number;
    unexplained: number;
    machineTimeouts: number;
  } {
    const accepted = new Map(report.accepted);
    const faults = new Map<string, readonly Fault[]>(report.faults);
    const promises = this.#promises;
    const sums = {
      unknownWrites: 0,
      unknownCarriedOut: 0,
      createdTwice: 0,
      untyped: 0,
      unexplained: 0,
      machineTimeouts: 0,
    };
    // Only a success with an empty body or invalid JSON may return no record.
    for (const number of this.#withoutRecord) {
      const met = faults.get(String(number)) ?? [];
      const empty = met.includes("empty_success") || met.includes("wrong_json");
      promises.check(empty, "a record is missing only where none came", met.join(", "));
    }
    for (const [number, ending] of this.#endings) {
      const { kind, how, outcome } = ending;
      const met = faults.get(String(number)) ?? [];
      if (how === "untyped") sums.untyped++;
      else if (how === "timeout" && stalled && !isExplained(ending, met)) sums.machineTimeouts++;
      else if (!isExplained(ending, met)) {
        sums.unexplained++;
        promises.check(
          false,
          "every failure is explained by a fault",
          `${kind} ended ${how} after ${met.join(", ") || "no fault"}`,
        );
      }
      if (kind === "list" || kind === "get") continue;
      const count = accepted.get(keyOf(number)) ?? 0;
      const what = `${kind} ended ${how}, outcome ${outcome}, carried out ${count} times after ${met.join(", ")}`;
      if (kind === "create" && count > 1) sums.createdTwice++;
      promises.check(kind !== "create" || count <= 1, "no create is carried out twice", what);
      promises.check(how !== "done" || count >= 1, "a write that succeeded was carried out", what);
      if (how === "done") continue;
      if (outcome === "unknown") {
        sums.unknownWrites++;
        if (count > 0) sums.unknownCarriedOut++;
      } else promises.check(count === 0, "a write said to be refused or not sent was not carried out", what);
    }
    const all = [...faults.values()].reduce((sum, { length }) => sum + length, 0);
    const seen = Object.values(this.counts.failures).reduce((sum, count) => sum + count, 0);
    return { faults: all, hidden: all - seen, ...sums };
  }
}

/** Measures the longest stall of the event loop. */
class StallWatch {
  #last = performance.now();
  #longest = 0;
  readonly #timer = setInterval(() => {
    const now = performance.now();
    this.#longest = Math.max(this.#longest, now - this.#last - PROBE_MS);
    this.#last = now;
  }, PROBE_MS);

  end(): number {
    clearInterval(this.#timer);
    return this.#longest;
  }
}

const PROBE_MS = 10;

const STOP = new Error("the caller has changed its mind");

function keyOf(number: number): number {
  return 1_000_000 + number;
}

// Each error code needs a fault that explains it, except for a timeout or rate limit after a deadline that the caller
// set.
function isExplained({ how, hasDeadline }: Ending, faults: readonly Fault[]): boolean {
  if (how === "done" || how === "aborted") return true;
  if (hasDeadline && (how === "timeout" || how === "rate_limited")) return true;
  return faults.some((fault) => (FAULTS[fault].codes as readonly string[]).includes(how));
}

function leftovers(
  clock: FastClock,
  signal: AbortSignal,
  report: ServerReport,
): { openRequests: number; openSockets: number; timers: number; abortListeners: number } {
  const resources = process.getActiveResourcesInfo();
  return {
    openRequests: report.open,
    openSockets: Math.max(report.sockets, resources.filter((name) => name.startsWith("TCP")).length),
    timers: clock.pending + resources.filter((name) => name === "Timeout").length,
    abortListeners: getEventListeners(signal, "abort").length,
  };
}

if (import.meta.main) await command(run);
