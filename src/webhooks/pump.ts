import type { Clock } from "../core/clock.js";
import type { TakenDelivery, WebhookStore } from "./store.js";

/** What a pump needs. */
export interface PumpOptions {
  readonly store: WebhookStore;
  readonly clock: Clock;
  readonly concurrency: number;
  readonly leaseMs: number;
  /** Handles and settles one delivery; never rejects. Resolves to when it is due again, or null. */
  readonly handle: (taken: TakenDelivery) => Promise<number | null>;
  /** Told that taking failed. */
  readonly onError: (error: unknown) => void;
}

// How long a store that fails is left alone, and how often a store that does not say is looked at.
const DEFAULT_POLL_MS = 1_000;

/** Takes due deliveries out of a store, so many at a time, for as long as it is open. */
export class Pump {
  readonly #options: PumpOptions;
  /** When the deliveries this process put back are due again. */
  readonly #retries = new Map<string, number>();
  #active = 0;
  #looking = false;
  /** Something may be due that the look under way does not see. */
  #wanted = false;
  #closed = false;
  #timer: { readonly at: number; readonly handle: unknown } | null = null;
  #waiters: { readonly until: () => boolean; readonly resolve: () => void }[] = [];

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  /** Looks soon, but not before the caller had its turn: answers go out before listeners run. */
  wake(): void {
    if (this.#closed) return;
    this.#wanted = true;
    this.#lookAt(this.#options.clock.now());
  }

  /** Resolves once nothing is due, being handled or waiting to be tried again by this process. */
  drain(): Promise<void> {
    return this.#waitUntil(() => this.#isQuiet() && (this.#closed || (!this.#wanted && this.#retries.size === 0)));
  }

  /** Takes no more; resolves once what was taken is settled. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) this.#options.clock.clearTimeout(this.#timer.handle);
    this.#timer = null;
    return this.#waitUntil(() => this.#isQuiet());
  }

  #isQuiet(): boolean {
    return this.#active === 0 && !this.#looking;
  }

  #waitUntil(until: () => boolean): Promise<void> {
    if (until()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ until, resolve }));
  }

  #tellWaiters(): void {
    this.#waiters = this.#waiters.filter(({ until, resolve }) => {
      if (!until()) return true;
      resolve();
      return false;
    });
  }

  #lookAt(at: number): void {
    const { clock } = this.#options;
    if (this.#closed || (this.#timer && this.#timer.at <= at)) return;
    if (this.#timer) clock.clearTimeout(this.#timer.handle);
    const handle = clock.setTimeout(() => {
      this.#timer = null;
      void this.#look();
    }, at - clock.now());
    this.#timer = { at, handle };
  }

  async #look(): Promise<void> {
    if (this.#looking || this.#closed) return;
    this.#looking = true;
    const { clock, store, onError } = this.#options;
    const pollMs = store.pollMs ?? DEFAULT_POLL_MS;
    let next = pollMs > 0 ? clock.now() + pollMs : Number.POSITIVE_INFINITY;
    try {
      while (await this.#take());
    } catch (error) {
      onError(error);
      this.#wanted = true;
      next = clock.now() + (pollMs || DEFAULT_POLL_MS);
    }
    this.#looking = false;
    for (const at of this.#retries.values()) next = Math.min(next, at);
    if (Number.isFinite(next)) this.#lookAt(next);
    this.#tellWaiters();
  }

  /** Takes as much as there is room for; true when there may be more. */
  async #take(): Promise<boolean> {
    const { clock, store, concurrency, leaseMs } = this.#options;
    const limit = concurrency - this.#active;
    // Full: whichever listener ends first wakes the pump.
    if (limit <= 0 || this.#closed) return false;
    this.#wanted = false;
    const now = clock.now();
    const taken = await store.take({ limit, now, leaseUntil: now + leaseMs });
    for (const delivery of taken) {
      this.#retries.delete(delivery.id);
      void this.#run(delivery);
    }
    if (taken.length >= limit) {
      this.#wanted = true;
      return true;
    }
    // Due, but not there: another process was faster.
    for (const [id, at] of this.#retries) if (at <= now) this.#retries.delete(id);
    return this.#wanted;
  }

  async #run(delivery: TakenDelivery): Promise<void> {
    this.#active++;
    const dueAgain = await this.#options.handle(delivery);
    this.#active--;
    if (dueAgain !== null) {
      this.#retries.set(delivery.id, dueAgain);
      this.#lookAt(dueAgain);
    }
    if (this.#wanted) this.#lookAt(this.#options.clock.now());
    this.#tellWaiters();
  }
}
