import type { Clock } from "../core/clock.js";
import type { TakenDelivery, WebhookStore } from "./store.js";
import { callStore } from "./time-limit.js";

/** What a pump needs. */
export interface PumpOptions {
  readonly store: WebhookStore;
  readonly clock: Clock;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly onePerRecord: boolean;
  /** Handles and settles one delivery; never rejects. Resolves to when it is available again, or null. */
  readonly handle: (taken: TakenDelivery) => Promise<number | null>;
  /** Most milliseconds `handle` takes for a delivery, unless its timers were stopped. */
  readonly limitMs: (taken: TakenDelivery) => number;
  /** Called for a delivery that was not settled within its limit; its slot is free again. */
  readonly onLost: (taken: TakenDelivery) => void;
  /** Called when taking failed. */
  readonly onError: (error: unknown) => void;
}

// The pause after a failure of the store, and between two looks where the store does not name one.
const DEFAULT_POLL_MS = 1_000;
// A look takes at most the time limit of one call of the store; past this it was stopped with its request.
const LOOK_LIMIT_MS = 15_000;

interface Run {
  readonly taken: TakenDelivery;
  /** When it counts as lost, in milliseconds since the epoch. */
  readonly until: number;
}

/**
 * Takes available deliveries out of a store, a limited number at a time, until it is closed. Some runtimes stop the
 * timers and promises of a request once the request has ended. So every wake sets a timer of its own, and what should
 * have ended by the clock counts as ended.
 */
export class Pump {
  readonly #options: PumpOptions;
  readonly #runs = new Set<Run>();
  /** When the deliveries this process put back are available again. */
  readonly #retries = new Map<string, number>();
  #look: { until: number } | null = null;
  /** There may be deliveries that the look in progress does not see. */
  #wanted = false;
  #closed = false;
  #timer: { readonly at: number; readonly handle: unknown } | null = null;
  #waiters = new Set<() => void>();

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  /** Looks soon, but after the caller: answers go out before listeners run. */
  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#options.clock.setTimeout(() => void this.#takeAll(), 0);
  }

  /** Resolves once nothing is available, being handled or waiting to be tried again by this process. */
  drain(): Promise<void> {
    return this.#until(() => this.#isQuiet() && (this.#closed || (!this.#wanted && this.#retries.size === 0)));
  }

  /** Takes no more; resolves once what was taken is settled. */
  close(): Promise<void> {
    this.#closed = true;
    this.#stopTimer();
    return this.#until(() => this.#isQuiet());
  }

  #isQuiet(): boolean {
    return this.#active() === 0 && !this.#isLooking();
  }

  #isLooking(): boolean {
    return this.#look !== null && this.#look.until > this.#options.clock.now();
  }

  /** How many deliveries are being handled; frees the slots of those that should have ended. */
  #active(): number {
    const now = this.#options.clock.now();
    for (const run of this.#runs) {
      if (run.until > now) continue;
      this.#runs.delete(run);
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

  #lookNoLaterThan(at: number): void {
    // A timer whose time has passed may belong to a request that has ended.
    const set = this.#timer !== null && this.#timer.at > this.#options.clock.now() ? this.#timer.at : null;
    if (set === null || set > at) this.#lookAt(at);
  }

  #lookAt(at: number): void {
    const { clock } = this.#options;
    this.#stopTimer();
    if (this.#closed) return;
    const handle = clock.setTimeout(() => {
      this.#timer = null;
      void this.#takeAll();
    }, at - clock.now());
    this.#timer = { at, handle };
  }

  #stopTimer(): void {
    if (this.#timer !== null) this.#options.clock.clearTimeout(this.#timer.handle);
    this.#timer = null;
  }

  async #takeAll(): Promise<void> {
    if (this.#closed) return;
    if (this.#look !== null && this.#isLooking()) {
      // In case the look in progress never ends: its request may have.
      this.#lookAt(this.#look.until);
      return;
    }
    const { clock, store, onError } = this.#options;
    const pollMs = store.pollMs ?? DEFAULT_POLL_MS;
    const look = { until: clock.now() + LOOK_LIMIT_MS };
    this.#look = look;
    let next = pollMs > 0 ? clock.now() + pollMs : Number.POSITIVE_INFINITY;
    try {
      while (await this.#take(look));
    } catch (error) {
      onError(error);
      this.#wanted = true;
      next = clock.now() + (pollMs || DEFAULT_POLL_MS);
    }
    if (this.#look !== look) return;
    this.#look = null;
    for (const at of this.#retries.values()) next = Math.min(next, at);
    if (Number.isFinite(next)) this.#lookAt(next);
    this.#checkWaiters();
  }

  /** Takes as much as there is room for; true when there may be more. */
  async #take(look: { until: number }): Promise<boolean> {
    const { clock, store, concurrency, leaseMs, onePerRecord } = this.#options;
    const limit = concurrency - this.#active();
    // With every slot in use, the next listener that ends wakes the pump.
    if (limit <= 0 || this.#closed || this.#look !== look) return false;
    this.#wanted = false;
    const now = clock.now();
    look.until = now + LOOK_LIMIT_MS;
    const request = { limit, now, leaseUntil: now + leaseMs, onePerRecord };
    const taken = await callStore(clock, "take", () => store.take(request));
    for (const delivery of taken) {
      this.#retries.delete(delivery.id);
      void this.#run(delivery);
    }
    if (taken.length >= limit) {
      this.#wanted = true;
      return true;
    }
    // Its time has come, but it is not there: another process took it.
    for (const [id, at] of this.#retries) if (at <= now) this.#retries.delete(id);
    return this.#wanted;
  }

  async #run(taken: TakenDelivery): Promise<void> {
    const { clock, handle, limitMs, onePerRecord } = this.#options;
    // Its lease ended while its listener still works, and this call of `take` has renewed it.
    for (const run of this.#runs) if (run.taken.id === taken.id) return;
    const run = { taken, until: clock.now() + limitMs(taken) };
    this.#runs.add(run);
    const availableAt = await handle(taken);
    this.#runs.delete(run);
    if (availableAt !== null && !this.#closed) this.#retries.set(taken.id, availableAt);
    // The next delivery of the record may have waited for this one.
    if (this.#wanted || onePerRecord || (availableAt ?? Number.POSITIVE_INFINITY) <= clock.now()) this.wake();
    else if (availableAt !== null) this.#lookNoLaterThan(availableAt);
    this.#checkWaiters();
  }
}
