import { onAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import type { WaitEvent } from "../events.js";
import type { LimitStore, Priority, RateLimitUsage, Reservation, ReserveRequest } from "./rate-limit-store.js";

/** The budget of one client, filled in. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly concurrency: number;
  readonly queueLimit: number;
}

/** Permission to send one request. */
export interface Permit {
  /** Milliseconds waited for it. */
  readonly waitedMs: number;
  /** Returns the place: it is free `windowMs` from now, or at once when nothing was sent. Only the first call counts. */
  settle(sent: boolean): void;
}

/** Waiting is pointless: the turn would come after the deadline, or the queue is full. */
export interface Refusal {
  readonly refused: "deadline" | "queue_full";
  /** When the turn would come at the earliest; null when unknown. */
  readonly retryAt: number | null;
}

/** Options of `acquire`. */
export interface AcquireOptions {
  readonly priority: Priority;
  readonly signal: AbortSignal | undefined;
  /** Point in time after which the caller no longer wants the permit; null for none. */
  readonly deadline: number | null;
  /** Milliseconds after which a permit that was never settled ends. */
  readonly leaseMs: number;
  /** Called when a wait begins, with the earliest time it can end (null when unknown). */
  readonly onWait?: ((reason: WaitEvent["reason"], until: number | null) => void) | undefined;
}

interface Waiter extends AcquireOptions {
  readonly since: number;
  resolve(permit: Permit | Refusal): void;
}

const FULL = { granted: false, reason: "concurrency", retryAt: null } as const;

/** The calls of one priority that wait: what holds the first one holds all of them. */
class Queue {
  readonly waiters = new Set<Waiter>();
  /** Waiters that were not told yet why they wait, and whose deadline was not compared. */
  readonly fresh = new Set<Waiter>();
  /** Waiters that were told of requests in flight, and not of the window. */
  readonly concurrent = new Set<Waiter>();
  /** The latest time that all waiters were compared with their deadlines. */
  checkedUntil = 0;
  /** Why the first waiter got no permit, and when to ask again. */
  hold: { readonly reason: WaitEvent["reason"]; readonly retryAt: number | null } | null = null;

  remove(waiter: Waiter): void {
    this.waiters.delete(waiter);
    this.fresh.delete(waiter);
    this.concurrent.delete(waiter);
  }
}

// How long to wait before asking a store again when only answers to other processes can free a place.
const POLL_MS = 1_000;

/**
 * Limits the requests of one token to one host: at most `requests` in any window, at most `concurrency` in flight,
 * interactive requests before batch, none while the service's Retry-After lasts. Where the limits of its callers differ, the
 * strictest holds.
 */
export class RateLimiter {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #store: LimitStore;
  readonly #interactive = new Queue();
  readonly #batch = new Queue();
  /** Permits in flight with the end of their lease. */
  readonly #inFlight = new Map<number, number>();
  #limit = NO_LIMIT;
  #permits = 0;
  #timer: unknown;
  #granting = false;
  #grantAgain = false;

  constructor(key: string, clock: Clock, store: LimitStore) {
    this.#key = key;
    this.#clock = clock;
    this.#store = store;
  }

  /** Requests waiting for a permit. */
  get queued(): number {
    return this.#interactive.waiters.size + this.#batch.waiters.size;
  }

  /** Places taken and when the next one is free; null where the store cannot say. */
  get usage(): RateLimitUsage {
    return this.#store.usage(this.#key) ?? { used: this.#inFlight.size, resetAt: null };
  }

  /** True when nothing is in flight, waiting or remembered, so that this limiter can be dropped. */
  get idle(): boolean {
    return this.queued === 0 && this.#inFlight.size === 0 && this.usage.resetAt === null;
  }

  /** The limit in force. */
  get limit(): RateLimit {
    return this.#limit;
  }

  /** Adds a client with a limit. */
  join(limit: RateLimit): void {
    this.#limit = strictest(this.#limit, limit);
  }

  /**
   * Waits for the permission to send a request.
   * @returns a permit, or why waiting for one is pointless.
   * @throws the signal's reason when that aborts.
   */
  acquire(options: AcquireOptions): Permit | Promise<Permit | Refusal> {
    const { signal, priority } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const permit = this.#acquireAtOnce(options);
    if (permit) return permit;
    if (this.queued >= this.#limit.queueLimit) return Promise.resolve({ refused: "queue_full", retryAt: null });
    return new Promise((resolve, reject) => {
      const queue = priority === "interactive" ? this.#interactive : this.#batch;
      const leave = () => {
        queue.remove(waiter);
        stop();
        // A timer without a waiter would keep the process alive until the window is free.
        if (this.queued === 0) this.#clock.clearTimeout(this.#timer);
      };
      const stop = onAbort(signal, () => {
        leave();
        reject(signal?.reason);
      });
      const waiter: Waiter = {
        ...options,
        since: this.#clock.now(),
        resolve: (permit) => {
          leave();
          resolve(permit);
        },
      };
      queue.waiters.add(waiter);
      queue.fresh.add(waiter);
      void this.#grantAll();
    });
  }

  /** Refuses every request until a point in time: the service answered 429. */
  block(until: number): Promise<void> | undefined {
    const blocked = this.#store.block({ key: this.#key, now: this.#clock.now(), until });
    void this.#grantAll();
    return blocked instanceof Promise ? blocked.then(() => void this.#grantAll()) : undefined;
  }

  /**
   * Forgets the permits in flight and what this process has counted, and drops every waiter: its promise settles only if its signal
   * aborts. What processes share stays.
   */
  reset(): void {
    this.#store.clear?.();
    this.#clock.clearTimeout(this.#timer);
    for (const queue of [this.#interactive, this.#batch]) for (const waiter of queue.waiters) queue.remove(waiter);
    this.#inFlight.clear();
  }

  // Fast path: with an empty queue and the count in this process, a permit needs neither a promise nor a listener.
  #acquireAtOnce(options: AcquireOptions): Permit | null {
    if (this.#store.isShared || this.#granting || this.queued > 0 || this.#isFull()) return null;
    const reservation = this.#store.reserve(this.#reserveRequest(options)) as Reservation;
    return reservation.granted ? this.#permit(options, reservation.slot, 0) : null;
  }

  #isFull(): boolean {
    const { concurrency } = this.#limit;
    if (this.#inFlight.size < concurrency) return false;
    const now = this.#clock.now();
    for (const [permit, end] of this.#inFlight) if (end <= now) this.#inFlight.delete(permit);
    return this.#inFlight.size >= concurrency;
  }

  #reserveRequest({ priority, leaseMs }: AcquireOptions): ReserveRequest {
    const { requests, windowMs, reserve } = this.#limit;
    return {
      key: this.#key,
      now: this.#clock.now(),
      requests,
      // At least one place must stay for batch requests.
      batchRequests: Math.max(1, requests - Math.floor(requests * reserve)),
      priority,
      windowMs,
      leaseMs,
    };
  }

  // One run at a time, so that a store is asked in the order of the queue.
  async #grantAll(): Promise<void> {
    if (this.#granting) {
      this.#grantAgain = true;
      return;
    }
    this.#granting = true;
    try {
      do {
        this.#grantAgain = false;
        await this.#grantWaiters();
      } while (this.#grantAgain);
    } finally {
      this.#granting = false;
    }
  }

  async #grantWaiters(): Promise<void> {
    this.#interactive.hold = null;
    this.#batch.hold = null;
    for (;;) {
      const queue = [this.#interactive, this.#batch].find(({ waiters, hold }) => waiters.size > 0 && !hold);
      if (!queue) break;
      const waiter = queue.waiters.values().next().value as Waiter;
      const asked = this.#isFull() ? FULL : this.#store.reserve(this.#reserveRequest(waiter));
      const reservation = asked instanceof Promise ? await asked : asked;
      if (reservation.granted) {
        const permit = this.#permit(waiter, reservation.slot, this.#clock.now() - waiter.since);
        // It may have been aborted or dropped while the store was asked.
        if (queue.waiters.has(waiter)) waiter.resolve(permit);
        else permit.settle(false);
        continue;
      }
      queue.hold = reservation;
      // What holds interactive calls holds batch calls; only the window may hold batch calls alone.
      if (queue === this.#interactive) this.#batch.hold = reservation;
    }
    this.#wait();
  }

  #permit({ leaseMs }: AcquireOptions, slot: string, waitedMs: number): Permit {
    const permit = ++this.#permits;
    this.#inFlight.set(permit, this.#clock.now() + leaseMs);
    let settled = false;
    return {
      waitedMs,
      settle: (sent) => {
        if (settled) return;
        settled = true;
        this.#inFlight.delete(permit);
        const { windowMs } = this.#limit;
        const done = this.#store.settle({ key: this.#key, slot, now: this.#clock.now(), windowMs, sent });
        if (done instanceof Promise) void done.then(() => this.#grantAll());
        else if (this.queued > 0) void this.#grantAll();
      },
    };
  }

  // Tells the waiters why they wait, refuses those for whom that is too long, and sets the timer of the next try.
  #wait(): void {
    this.#clock.clearTimeout(this.#timer);
    const now = this.#clock.now();
    let wakeAt = Number.POSITIVE_INFINITY;
    for (const queue of [this.#interactive, this.#batch]) {
      const { hold, waiters } = queue;
      if (!hold || waiters.size === 0) continue;
      refuseLate(queue, hold.retryAt);
      report(queue, hold);
      const poll = hold.reason === "concurrency" ? Math.min(...this.#inFlight.values()) : now + POLL_MS;
      wakeAt = Math.min(wakeAt, hold.retryAt ?? poll);
    }
    if (this.queued === 0 || wakeAt === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimeout(() => void this.#grantAll(), Math.max(1, wakeAt - now));
  }
}

const NO_LIMIT: RateLimit = {
  requests: Number.POSITIVE_INFINITY,
  windowMs: 0,
  reserve: 0,
  concurrency: Number.POSITIVE_INFINITY,
  queueLimit: Number.POSITIVE_INFINITY,
};

function strictest(one: RateLimit, other: RateLimit): RateLimit {
  return {
    requests: Math.min(one.requests, other.requests),
    windowMs: Math.max(one.windowMs, other.windowMs),
    reserve: Math.max(one.reserve, other.reserve),
    concurrency: Math.min(one.concurrency, other.concurrency),
    queueLimit: Math.min(one.queueLimit, other.queueLimit),
  };
}

// Each waiter is told at most twice: when it waits for concurrency, and for the window.
function report({ fresh, concurrent }: Queue, { reason, retryAt }: NonNullable<Queue["hold"]>): void {
  const isConcurrency = reason === "concurrency";
  const waiting = isConcurrency ? [...fresh] : [...fresh, ...concurrent];
  fresh.clear();
  if (!isConcurrency) concurrent.clear();
  for (const waiter of waiting) {
    if (isConcurrency) concurrent.add(waiter);
    waiter.onWait?.(reason, retryAt);
  }
}

// Rejects now what cannot start before its deadline. Compares a waiter again only when the place moves further away: a long
// queue would otherwise be walked for every new waiter.
function refuseLate(queue: Queue, retryAt: number | null): void {
  if (retryAt === null) return;
  const waiters = retryAt > queue.checkedUntil ? [...queue.waiters] : [...queue.fresh];
  queue.checkedUntil = Math.max(queue.checkedUntil, retryAt);
  for (const { deadline, resolve } of waiters) {
    if (deadline !== null && deadline < retryAt) resolve({ refused: "deadline", retryAt });
  }
}
