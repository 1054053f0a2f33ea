import type { Clock } from "../../core/clock.js";
import { later, type Moment } from "../../core/time.js";
import { momentNow, NEVER, pauseAfter } from "../../work/schedule.js";
import type { TakenDelivery, WebhookStore } from "../store.js";
import { callStore } from "./time-limit.js";

export interface PumpOptions {
  readonly store: WebhookStore;
  readonly clock: Clock;
  /** The clock for the times that are passed to the store. */
  readonly dates: Pick<Clock, "now">;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** The longest pause or lease that this process sets, in milliseconds. */
  readonly longestWaitMs: number;
  readonly onePerRecord: boolean;
  /**
   * Handles one delivery and stores the outcome; never rejects. Resolves to the time when the delivery can be handed
   * out again, null if this process will not retry it.
   */
  readonly handle: (taken: TakenDelivery) => Promise<Moment | null>;
  /** Maximum milliseconds that `handle` takes, unless the runtime stops its timers. */
  readonly limitMs: (taken: TakenDelivery) => number;
  /** Called for a delivery whose handling exceeded `limitMs`, so that its slot is now free. */
  readonly onLost: (taken: TakenDelivery) => void;
  /** Called if the store fails to hand out deliveries. */
  readonly onError: (error: unknown) => void;
  /** Called when the store hands out deliveries again after failures. */
  readonly onRecovery: () => void;
}

const DEFAULT_POLL_MS = 1_000;
const PAUSE_MS = 1_000;
const BACKOFF = { firstMs: PAUSE_MS, mostMs: 10_000 };
// A scan that takes longer counts as ended: every store call has a shorter limit, so the runtime must have stopped it.
const SCAN_LIMIT_MS = 15_000;

interface Run {
  readonly taken: TakenDelivery;
  /** When the run counts as lost, which frees its slot. */
  readonly until: Moment;
}

/**
 * Takes available deliveries from a store, a limited number at a time. Some runtimes stop the timers and promises of a
 * request when the request ends. Each call of `wake` therefore sets its own timer, and work counts as ended once its
 * time is up by the clock.
 */
export class Pump {
  readonly #options: PumpOptions;
  readonly #runs = new Map<string, Run>();
  /** When each delivery that this process will retry is available again, by id. */
  readonly #retries = new Map<string, { readonly at: Moment; readonly receivedAt: number }>();
  #scan: { until: Moment } | null = null;
  /** The number of failed scans in a row; `#notBefore` is the earliest time of the next scan. */
  #failures = 0;
  #notBefore = -Infinity as Moment;
  /** True if there may be deliveries that the scan in progress does not see. */
  #wanted = false;
  #closed = false;
  #timer: { readonly at: Moment; readonly handle: unknown } | null = null;
  #waiters = new Set<() => void>();

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  /** Scans soon, but after the caller has finished, so that responses are sent before listeners run. */
  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#options.clock.setTimeout(() => void this.#takeAll(), Math.max(0, this.#notBefore - this.#now()));
  }

  /** Resolves when no delivery is available, being handled or waiting for a retry by this process. */
  drain(): Promise<void> {
    return this.#until(() => this.#isQuiet() && (this.#closed || (!this.#wanted && this.#retries.size === 0)));
  }

  /** Takes no more deliveries; resolves when those taken are settled. */
  close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer();
    return this.#until(() => this.#isQuiet());
  }

  /** When the deliveries that this process handles or will retry were received, and when the next retry is due. */
  waiting(): { readonly received: readonly number[]; readonly retryAt: Moment | null } {
    const retries = [...this.#retries.values()];
    const running = [...this.#runs.values()].map(({ taken }) => taken);
    return {
      received: [...running, ...retries].map(({ receivedAt }) => receivedAt),
      retryAt: retries.length === 0 ? null : (Math.min(...retries.map(({ at }) => at)) as Moment),
    };
  }

  #now(): Moment {
    return momentNow(this.#options.clock);
  }

  #isQuiet(): boolean {
    return this.#active() === 0 && !this.#isScanning();
  }

  #isScanning(): boolean {
    return this.#scan !== null && this.#scan.until > this.#now();
  }

  /** The number of deliveries being handled; first frees the slots of deliveries whose time is up. */
  #active(): number {
    const now = this.#now();
    for (const [id, run] of this.#runs) {
      if (run.until > now) continue;
      this.#runs.delete(id);
      this.#options.onLost(run.taken);
    }
    return this.#runs.size;
  }

  #until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
    });
  }

  #checkWaiters(): void {
    for (const check of this.#waiters) check();
  }

  #scanNoLaterThan(at: Moment): void {
    // An overdue timer may belong to a request that has ended, and then never fires.
    const set = this.#timer !== null && this.#timer.at > this.#now() ? this.#timer.at : null;
    if (set === null || set > at) this.#scanAt(at);
  }

  #scanAt(at: Moment): void {
    const { clock } = this.#options;
    this.#stopTimer();
    if (this.#closed) return;
    const handle = clock.setTimeout(() => {
      this.#timer = null;
      void this.#takeAll();
    }, at - this.#now());
    this.#timer = { at, handle };
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#options.clock.clearTimeout(this.#timer.handle);
    this.#timer = null;
  }

  async #takeAll(): Promise<void> {
    if (this.#closed) return;
    if (this.#scan !== null && this.#isScanning()) {
      // A scan whose request has ended never finishes, so another one starts after its time limit.
      this.#scanAt(this.#scan.until);
      return;
    }
    const { store, concurrency, onError } = this.#options;
    const now = this.#now();
    if (this.#notBefore > now) {
      this.#scanNoLaterThan(this.#notBefore);
      return;
    }
    const pollMs = store.pollMs ?? DEFAULT_POLL_MS;
    const scan = { until: later(now, SCAN_LIMIT_MS) };
    this.#scan = scan;
    let next = pollMs > 0 ? later(now, pollMs) : NEVER;
    try {
      while (await this.#take(scan));
      if (this.#failures > 0) this.#options.onRecovery();
      this.#failures = 0;
    } catch (error) {
      onError(error);
      this.#wanted = true;
      const failedAt = this.#now();
      next = later(failedAt, Math.max(pollMs, pauseAfter(++this.#failures, BACKOFF)));
      // Prevents a busy loop when a delivery is already due.
      this.#notBefore = later(failedAt, PAUSE_MS);
    }
    if (this.#scan !== scan) return;
    this.#scan = null;
    // If no slot is free, the next listener that ends starts a scan.
    if (this.#failures === 0 && this.#active() < concurrency) {
      for (const { at } of this.#retries.values()) next = Math.min(next, at) as Moment;
    }
    if (next !== NEVER) this.#scanAt(next);
    this.#checkWaiters();
  }

  /** Fills the free slots; true if there may be more deliveries. */
  async #take(scan: { until: Moment }): Promise<boolean> {
    const { clock, dates, store, concurrency, leaseMs, longestWaitMs, onePerRecord } = this.#options;
    const limit = concurrency - this.#active();
    if (this.#closed || this.#scan !== scan) return false;
    // Without a free slot, the next listener that ends wakes the pump.
    this.#wanted = limit <= 0;
    if (this.#wanted) return false;
    const begun = this.#now();
    scan.until = later(begun, SCAN_LIMIT_MS);
    const now = dates.now();
    const request = { limit, now, leaseUntil: now + leaseMs, longestWaitMs, onePerRecord };
    const taken = await callStore(clock, "take", () => store.take(request));
    for (const delivery of taken) {
      this.#retries.delete(delivery.id);
      void this.#run(delivery);
    }
    if (taken.length >= limit) {
      this.#wanted = true;
      return true;
    }
    // A due delivery that was not handed out was taken by another process, so this process stops tracking it.
    for (const [id, { at }] of this.#retries) if (at <= begun) this.#retries.delete(id);
    return this.#wanted;
  }

  async #run(taken: TakenDelivery): Promise<void> {
    const { handle, limitMs, onePerRecord } = this.#options;
    // The lease expired although the listener is still working. This call of `take` has renewed it.
    if (this.#runs.has(taken.id)) return;
    const run = { taken, until: later(this.#now(), limitMs(taken)) };
    this.#runs.set(taken.id, run);
    const availableAt = await handle(taken);
    // If this run counted as lost, a later run of the same delivery may have replaced it.
    if (this.#runs.get(taken.id) === run) this.#runs.delete(taken.id);
    if (availableAt !== null && !this.#closed)
      this.#retries.set(taken.id, { at: availableAt, receivedAt: taken.receivedAt });
    // With `onePerRecord`, the record's next delivery may have waited for this one.
    if (this.#wanted || onePerRecord || (availableAt ?? NEVER) <= this.#now()) this.wake();
    else if (availableAt !== null) this.#scanNoLaterThan(availableAt);
    this.#checkWaiters();
  }
}
