import type { RateLimitStore, Reservation, ReserveRequest } from "education-admin-sdk";
import { check, inTime, type TestFunction, type TestTime } from "./check.ts";

/** Options of `rateLimitStoreTests`. */
export interface RateLimitStoreTests {
  /** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. */
  readonly test: TestFunction;
  /** Makes the store. Called once for each test. It may return the same store, because every test uses its own keys. */
  readonly create: () => RateLimitStore | PromiseLike<RateLimitStore>;
  /**
   * Advances the clock of a store that has its own clock for tests. For a store that uses only `now`, pass `() => {}`.
   * Without this option the tests wait for less than 10 seconds in total.
   */
  readonly advance?: ((ms: number) => unknown) | undefined;
}

const WINDOW = 500;
const LEASE = 900;

/**
 * Registers the tests that every rate limit store must pass.
 * @example
 * import { test } from "node:test";
 *
 * rateLimitStoreTests({ test, create: () => new MemoryRateLimitStore(), advance: () => {} });
 */
export function rateLimitStoreTests({ test, create, advance }: RateLimitStoreTests): void {
  const define = (name: string, run: (window: Trial) => Promise<void>) =>
    test(`rate limit store: ${name}`, async () =>
      inTime(advance, async (time) => run(new Trial(await create(), time))));

  define("grants as many slots as the window holds, each with its own name", async (trial) => {
    const slots = [await trial.takeSlot(), await trial.takeSlot(), await trial.takeSlot()];
    check(new Set(slots).size === 3, "three slots have three names", slots);
    await trial.expectRefused("window");
  });

  define("never grants more than the window holds, however many ask at the same time", async (trial) => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => trial.reserve({ requests: 7 })));
    const granted = answers.filter((answer) => answer.granted).length;
    check(granted === 7, "seven of forty are granted", granted);
  });

  define("frees a slot a window after its answer and says when", async (trial) => {
    const slots = [await trial.takeSlot(), await trial.takeSlot(), await trial.takeSlot()];
    const first = await trial.settle(slots[1]);
    await trial.time.pass(20);
    await trial.settle(slots[0]);
    await trial.expectRefused("window", first);
    await trial.time.until(first.latest);
    await trial.takeSlot();
  });

  define("does not free a slot before its window is over", async (trial) => {
    const { earliest } = await trial.settle(await trial.takeSlot());
    await trial.time.pass(WINDOW / 2);
    const answer = await trial.reserve({ requests: 1 });
    check(!answer.granted || trial.time.now() >= earliest, "a slot in the middle of its window is taken");
  });

  define("cannot say when a slot is free while all requests are in flight", async (trial) => {
    for (let slot = 0; slot < 3; slot++) await trial.takeSlot();
    const { retryAt } = await trial.expectRefused("window");
    check(retryAt === null, "retryAt is null", retryAt);
    await trial.time.pass(WINDOW + 50);
    await trial.expectRefused("window");
  });

  define("frees a slot immediately when the request was not sent", async (trial) => {
    const slots = [await trial.takeSlot(), await trial.takeSlot(), await trial.takeSlot()];
    await trial.settle(slots[2], { sent: false });
    await trial.takeSlot();
    await trial.expectRefused("window");
  });

  define("ends the lease of a slot that was never settled", async (trial) => {
    for (let slot = 0; slot < 3; slot++) await trial.takeSlot();
    await trial.time.pass(LEASE + 20);
    await trial.takeSlot();
  });

  define("lets batch requests hold their own part only, and interactive requests all of it", async (trial) => {
    const batch = { priority: "batch", batchRequests: 2 } as const;
    const slots = [await trial.takeSlot(batch), await trial.takeSlot(batch)];
    check(
      (await trial.expectRefused("window", undefined, batch)).retryAt === null,
      "both batch requests are in flight",
    );
    const first = await trial.settle(slots[0]);
    await trial.expectRefused("window", first, batch);
    await trial.takeSlot();
    await trial.expectRefused("window", first);
    await trial.time.until(first.latest);
    await trial.takeSlot(batch);
    await trial.expectRefused("window", undefined, batch);
  });

  define("lets a smaller limit see a full window sooner and says when it has room", async (trial) => {
    const slots = [await trial.takeSlot(), await trial.takeSlot()];
    check(
      (await trial.expectRefused("window", undefined, { requests: 2 })).retryAt === null,
      "both requests are in flight",
    );
    await trial.settle(slots[0]);
    await trial.time.pass(20);
    const second = await trial.settle(slots[1]);
    await trial.expectRefused("window", second, { requests: 1 });
    await trial.takeSlot();
  });

  define("refuses everybody until a block ends; a later block wins, an earlier one changes nothing", async (trial) => {
    const long = await trial.block(300);
    await trial.block(100);
    await trial.expectRefused("rate_limited", long);
    await trial.time.pass(150);
    await trial.expectRefused("rate_limited", long);
    await trial.time.until(long.latest);
    await trial.takeSlot();
    const again = await trial.block(200);
    await trial.expectRefused("rate_limited", again);
  });

  define("keeps the keys apart", async (trial) => {
    for (let slot = 0; slot < 3; slot++) await trial.takeSlot();
    const key = `${trial.key} of another`;
    await trial.settle(await trial.takeSlot({ key }), { key, sent: false });
    await trial.expectRefused("window");
    await trial.block(200);
    await trial.takeSlot({ key });
  });

  define("ignores a slot that is settled twice, or that nobody took", async (trial) => {
    const slot = await trial.takeSlot();
    const first = await trial.settle(slot);
    await trial.time.pass(20);
    await trial.settle(slot);
    await trial.settle(slot, { sent: false });
    await trial.settle("nobody");
    await trial.takeSlot();
    await trial.takeSlot();
    await trial.expectRefused("window", first);
  });

  define("takes times that are not whole numbers", async (trial) => {
    const slot = await trial.takeSlot({ windowMs: WINDOW + 0.5, leaseMs: LEASE + 0.25 });
    await trial.settle(slot, { windowMs: WINDOW + 0.5 });
    await trial.block(200.5);
    await trial.expectRefused("rate_limited");
  });

  define("tells how many slots are taken, if it tells at all", async ({ store, key, time, takeSlot: taken }) => {
    await taken();
    await taken();
    const usage = store.usage?.({ key, now: time.now() });
    check(usage === undefined || usage.used === 2, "two slots are taken", usage);
  });
}

/** The earliest and the latest time at which something may happen, by the caller's clock. */
interface Span {
  readonly earliest: number;
  readonly latest: number;
}

type Refused = Extract<Reservation, { granted: false }>;

/** The store, the key and the clock of one test. */
class Trial {
  readonly key = `tests.example ${Math.random()}`;
  readonly store: RateLimitStore;
  readonly time: TestTime;

  constructor(store: RateLimitStore, time: TestTime) {
    this.store = store;
    this.time = time;
  }

  reserve = async (more: Partial<ReserveRequest> = {}): Promise<Reservation> =>
    this.store.reserve({
      key: this.key,
      now: this.time.now(),
      requests: 3,
      batchRequests: 3,
      priority: "interactive",
      windowMs: WINDOW,
      leaseMs: LEASE,
      ...more,
    });

  takeSlot = async (more: Partial<ReserveRequest> = {}): Promise<string> => {
    const answer = await this.reserve(more);
    check(answer.granted, "a slot is free", answer);
    return answer.slot;
  };

  /** Expects that no slot is free. Checks that `retryAt` lies within `span`, give or take the duration of the call. */
  async expectRefused(reason: Refused["reason"], span?: Span, more: Partial<ReserveRequest> = {}): Promise<Refused> {
    const asked = this.time.now();
    const answer = await this.reserve(more);
    const took = this.time.now() - asked;
    check(!answer.granted, "no slot is free");
    check(answer.reason === reason, `the reason is ${reason}`, answer.reason);
    if (span) {
      const { retryAt } = answer;
      const isRight = retryAt !== null && retryAt >= span.earliest - took - 2 && retryAt <= span.latest + took + 2;
      check(isRight, `retryAt is between ${span.earliest} and ${span.latest}`, { retryAt, took });
    }
    return answer;
  }

  /** Settles a slot. Returns the time span in which the slot becomes free. */
  async settle(
    slot: string | undefined,
    more: { readonly sent?: boolean; readonly key?: string; readonly windowMs?: number } = {},
  ): Promise<Span> {
    const before = this.time.now();
    const settlement = { key: this.key, slot: slot ?? "", now: before, windowMs: WINDOW, sent: true, ...more };
    await this.store.settle(settlement);
    return { earliest: before + WINDOW, latest: this.time.now() + WINDOW };
  }

  /** Blocks the key for a time. Returns the time span in which the block ends. */
  async block(ms: number): Promise<Span> {
    const before = this.time.now();
    await this.store.block({ key: this.key, now: before, until: before + ms });
    return { earliest: before + ms, latest: this.time.now() + ms };
  }
}
