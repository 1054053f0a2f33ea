import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { GuardedStore } from "../../src/core/limits/guarded-store.js";
import type { RateLimit } from "../../src/core/limits/queue.js";
import { type ClientLimiter, type Permit, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import { SharedWindows, throughLogs } from "../../src/stores/shared-windows.js";
import type { Append } from "../../src/stores/window-log.js";
import { createRandom, type Random } from "../campaign/support/random.js";
import { drawCases } from "../support/amount.js";
import { makeTicket } from "../support/ticket.js";
import { OrderedLogs } from "./support/ordered-logs.js";

// Simulates processes whose database is far away. Computing takes no simulated time, so only the design can lose time.
// test/campaign/far-stores.ts does the same with real programs, Redis and Postgres.

const LIMIT = 40;
const LATENCY_MS = 10;

const tick = setImmediate;
const warn = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance", "setTimeout", "clearTimeout"], now: 1_800_000_000_000 });
  vi.spyOn(console, "warn").mockImplementation(warn);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(warn).not.toHaveBeenCalled();
});

/** Advances the time from timer to timer until the work is done. */
async function pass<Value>(work: Promise<Value>): Promise<Value> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => undefined);
  for (;;) {
    await new Promise((resolve) => tick(resolve));
    if (isDone) return done;
    vi.advanceTimersToNextTimer();
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Process {
  readonly client: ClientLimiter;
  end(): void;
}

/** Several processes, their database, and a service that counts the requests that arrive in each window. */
class World {
  readonly #database = new OrderedLogs();
  readonly #windowMs: number;
  readonly tripMs: number;
  /** Null if every trip takes the same time. */
  readonly #random: Random | null;
  readonly arrivals: number[] = [];
  over = 0;

  constructor(tripMs: number, windowMs: number, random: Random | null = null) {
    this.tripMs = tripMs;
    this.#windowMs = windowMs;
    this.#random = random;
  }

  /** A process that shares the limit. `end` stops it at once, so that it sends nothing more. */
  process(token: string, concurrency: number, more: { application?: string; isPooled?: boolean } = {}): Process {
    const { application = null, isPooled = false } = more;
    let isOver = false;
    const halfATrip = () => sleep((this.tripMs / 2) * (this.#random ? 1 + this.#random.next() : 1));
    const append = async (window: string, entry: Append) => {
      if (isOver) return new Promise<never>(() => undefined);
      await halfATrip();
      const part = await this.#database.append(window, entry);
      await halfATrip();
      return part;
    };
    const windows = new SharedWindows(throughLogs(append, { isPooled }), { application, processes: 1 });
    const store = new GuardedStore(systemClock, windows);
    const limit: RateLimit = {
      requests: LIMIT,
      windowMs: this.#windowMs,
      reserve: 0,
      concurrency,
      queueLimit: Number.POSITIVE_INFINITY,
    };
    const end = () => {
      isOver = true;
    };
    return { client: new RateLimiter(token, systemClock, store).client(limit), end };
  }

  /** Makes a call and returns how long it waited for its permit, in milliseconds. */
  async call(client: ClientLimiter): Promise<number> {
    const permit = (await client.acquire(makeTicket({ timeoutMs: this.#windowMs }))) as Permit;
    await sleep(LATENCY_MS / 2);
    const now = performance.now();
    if (this.arrivals.filter((at) => at > now - this.#windowMs).length >= LIMIT) this.over++;
    this.arrivals.push(now);
    // Spreads the responses over time.
    await sleep(LATENCY_MS / 2 + (this.arrivals.length % 7));
    permit.settle(true);
    return permit.waitedMs;
  }
}

/**
 * Sends requests as fast as possible: as many as four windows allow, and at least one more. A process ends when it has
 * no work left.
 */
async function asFastAsPossible(world: World, processes: number, isPooled: boolean, startsWithinMs = 0): Promise<void> {
  const each = Math.ceil((4 * LIMIT + 1) / processes);
  const one = async (number: number) => {
    await sleep((startsWithinMs * number) / processes);
    const { client, end } = world.process("token", 20, { isPooled });
    let left = each;
    const lane = async () => {
      while (left-- > 0) await world.call(client);
    };
    await Promise.all(Array.from({ length: 20 }, lane));
    // If no connection of the pool is free, settlements happen one round trip later.
    if (isPooled) await sleep(world.tripMs);
    end();
  };
  await Promise.all(Array.from({ length: processes }, (_, number) => one(number)));
}

const trips = [10, 30, 120, 300];
const windowOf = (tripMs: number) => Math.max(2_000, 20 * tripMs);

describe("a rate limit in a database far away", () => {
  it.each(
    drawCases(
      [4, 16].flatMap((processes) =>
        trips.flatMap((tripMs) => [
          { processes, tripMs, through: "a connection" },
          { processes, tripMs, through: "a pool" },
        ]),
      ),
      3,
    ),
  )(
    "costs $processes processes one round trip of $tripMs ms per window, through $through",
    async ({ processes, tripMs, through }) => {
      const windowMs = windowOf(tripMs);
      const world = new World(tripMs, windowMs);
      await pass(asFastAsPossible(world, processes, through === "a pool"));
      const { arrivals, over } = world;
      const windows = Math.ceil(arrivals.length / LIMIT) - 1;
      const took = (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0);
      expect(over).toBe(0);
      expect(windows).toBe(4);
      // The promise allows 10% of extra time. These 2% are for the last request.
      expect(took / (windows * (windowMs + tripMs))).toBeLessThanOrEqual(1.02);
    },
  );

  it("is never exceeded if responses overtake one another and processes start one after the other", async () => {
    for (const tripMs of drawCases(trips, 2)) {
      const world = new World(tripMs, windowOf(tripMs), createRandom(tripMs));
      await pass(asFastAsPossible(world, 16, false, 3_000));
      expect(world.over).toBe(0);
      expect(world.arrivals.length).toBe(176);
    }
  });
});

describe("an application in a database 120 ms away", () => {
  // In a design with compare-and-swap in the database and one query at a time, the calls waited 180 ms.
  it.each(
    drawCases(
      [
        { windowMs: 2_000, calls: "fifty calls at once", most: 180 },
        { windowMs: 2_400, calls: "fifty calls at once", most: 180 },
        { windowMs: 2_000, calls: "all calls that there is room for", most: 240 },
        { windowMs: 2_400, calls: "all calls that there is room for", most: 240 },
      ],
      1,
    ),
  )("keeps light tokens waiting for at most $most ms while another makes $calls", async ({ windowMs, calls, most }) => {
    for (const concurrency of [10, 20]) {
      const world = new World(120, windowMs);
      const waits: number[] = [];
      const end = performance.now() + 10_000;
      let greedy = 0;
      const [first, ...others] = Array.from(
        { length: 4 },
        (_, at) => world.process(`${at}`, concurrency, { application: "schools" }).client,
      );
      const lane = async () => {
        do {
          await world.call(first as ClientLimiter);
          greedy++;
        } while (calls !== "fifty calls at once" && performance.now() < end);
      };
      const modest = async (client: ClientLimiter, after: number) => {
        await sleep(after);
        while (performance.now() < end) {
          waits.push(await world.call(client));
          await sleep(700);
        }
      };
      await pass(
        Promise.all([
          ...Array.from({ length: 50 }, lane),
          ...others.map((client, number) => modest(client, 233 * number)),
        ]),
      );
      expect(world.over).toBe(0);
      expect(waits.length).toBeGreaterThan(30);
      expect(Math.max(...waits)).toBeLessThanOrEqual(most);
      // Every key may use the slots that other keys leave free.
      const windows = 10_000 / windowMs;
      expect((greedy + waits.length) / (LIMIT * windows)).toBeGreaterThan(greedy === 50 ? 0.4 : 1);
    }
  });

  it("uses a slot granted in advance no sooner than it is free, and sends no second request for it", async () => {
    const world = new World(120, 2_000);
    const clients = Array.from(
      { length: 11 },
      (_, at) => world.process(`${at}`, 20, { application: "schools" }).client,
    );
    const places = [4, 4, 4, 4, 4, 4, 4, 4, 4, 3, 1];
    const calls = clients.flatMap((client, at) => Array.from({ length: places[at] ?? 0 }, () => world.call(client)));
    await pass(Promise.all(calls));
    const freesAt = (world.arrivals[0] ?? 0) + LATENCY_MS / 2 + 60 + 2_000;
    await pass(sleep(freesAt - 100 - 60 - performance.now()));
    const waitedMs = await pass(world.call(clients[9] as ClientLimiter));
    expect((world.arrivals.at(-1) ?? 0) - LATENCY_MS / 2).toBeGreaterThanOrEqual(freesAt);
    expect(waitedMs).toBeLessThan(2 * 120);
  });
});
