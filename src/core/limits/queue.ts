import type { Clock } from "../clock.js";
import { GONE_AFTER_MS } from "../responder.js";
import type { Moment } from "../time.js";
import type { Priority, ReserveRequest } from "./rate-limit-store.js";

export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly concurrency: number;
  readonly queueLimit: number;
}

export interface Permit {
  /** Milliseconds that the call waited for the permit. */
  readonly waitedMs: number;
  /**
   * Releases the permit: the request counts for `windowMs` more, or not at all if it was not sent. Only the first call
   * has an effect.
   */
  settle(sent: boolean): void;
}

/** Why waiting is pointless: the permit would come after the deadline, or the queue is full. */
export interface Refusal {
  readonly refused: "deadline" | "queue_full";
  /** The earliest time at which the permit would be granted; null when unknown. */
  readonly retryAt: Moment | null;
}

/** Why a call waits: for requests in flight, for room in the window, or for the end of a `Retry-After`. */
type WaitReason = "concurrency" | "window" | "rate_limited";

export interface AcquireOptions {
  readonly priority: Priority;
  readonly signal: AbortSignal | undefined;
  /** The moment after which the caller no longer wants the permit; null for none. */
  readonly deadline: Moment | null;
  /** Milliseconds after which the request has ended, whatever happens. */
  readonly timeoutMs: number;
  /** Called when a wait begins, with the earliest time it can end (null when unknown). */
  readonly onWait?: ((reason: WaitReason, until: Moment | null) => void) | undefined;
}

/**
 * A call that waits for a permit. It has its own timer, checks whether it is its turn, and takes its permit itself;
 * other calls only wake it. Therefore no call depends on another call whose code may no longer run.
 */
export class Waiter {
  readonly options: AcquireOptions;
  readonly since: Moment;
  /** The position among all calls that use the token. */
  readonly number: number;
  /** True while this call is asking the store. */
  asked = false;
  /** True once the limiter was reset: this call never gets a permit. */
  dropped = false;
  refusal: Refusal | null = null;
  #wokenAt: Moment | null = null;
  #wake: () => void = () => undefined;

  constructor(options: AcquireOptions, since: Moment, number: number) {
    this.options = options;
    this.since = since;
    this.number = number;
  }

  wake(now: Moment): void {
    this.#wokenAt ??= now;
    this.#wake();
  }

  isGone(now: Moment): boolean {
    return this.#wokenAt !== null && now - this.#wokenAt >= GONE_AFTER_MS;
  }

  /** Waits until its timer fires or another call wakes it. */
  async sleep(clock: Clock, ms: number): Promise<void> {
    let timer: unknown;
    const passed = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, ms);
    });
    // On Workers, a promise that a finished request resolves may never settle, so the timer needs a promise of its own.
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([passed, woken]);
    clock.clearTimeout(timer);
    this.#wokenAt = null;
  }
}

/** Why calls get no permit, and when the store will be asked again. */
export interface Hold {
  readonly reason: WaitReason;
  readonly retryAt: Moment | null;
  readonly until: Moment;
}

/**
 * The waiting calls of one client and priority. They share one reason to wait: if the first is blocked, so are the
 * rest.
 */
export class Queue {
  readonly limits: Pick<ReserveRequest, "requests" | "batchRequests" | "windowMs" | "priority">;
  /** Identifies the limits: queues with equal limits share the store's reply. */
  readonly kind: string;
  readonly waiters = new Set<Waiter>();
  /** Number of waiters that are asking the store. */
  asked = 0;
  /** Waiters whose reason for waiting was not yet reported and whose deadline was not yet checked. */
  readonly fresh = new Set<Waiter>();
  /** Waiters that were reported as waiting for concurrency, but not yet as waiting for the window. */
  readonly concurrent = new Set<Waiter>();
  /** The latest `retryAt` against which the deadlines of all waiters were checked. */
  checkedUntil = Number.NEGATIVE_INFINITY;

  constructor({ requests, windowMs, reserve }: RateLimit, priority: Priority) {
    // Batch calls can always hold at least one permit.
    const batchRequests = Math.max(1, requests - Math.floor(requests * reserve));
    this.limits = { requests, batchRequests, windowMs, priority };
    this.kind = `${priority} ${requests} ${batchRequests}`;
  }

  /** Number of waiters that are not asking the store. */
  get waiting(): number {
    return this.waiters.size - this.asked;
  }

  remove(waiter: Waiter): void {
    if (this.waiters.delete(waiter) && waiter.asked) this.asked--;
    waiter.asked = false;
    this.fresh.delete(waiter);
    this.concurrent.delete(waiter);
  }
}

/** Reports why calls wait, at most twice per call: once for concurrency and once for the window. */
export function report({ fresh, concurrent }: Queue, { reason, retryAt }: Hold): void {
  const isConcurrency = reason === "concurrency";
  const waiting = isConcurrency ? [...fresh] : [...fresh, ...concurrent];
  fresh.clear();
  if (!isConcurrency) concurrent.clear();
  for (const waiter of waiting) {
    if (isConcurrency) concurrent.add(waiter);
    waiter.options.onWait?.(reason, retryAt);
  }
}

/** Refuses, at once, the calls that cannot start before their deadline. */
export function refuseLate(queue: Queue, retryAt: Moment | null, now: Moment): void {
  if (retryAt === null) return;
  // Walks through a long queue only when `retryAt` moves later, not for every new waiter.
  const waiters = retryAt > queue.checkedUntil ? [...queue.waiters] : [...queue.fresh];
  queue.checkedUntil = Math.max(queue.checkedUntil, retryAt);
  for (const waiter of waiters) {
    const { deadline } = waiter.options;
    if (deadline === null || deadline >= retryAt) continue;
    waiter.refusal = { refused: "deadline", retryAt };
    waiter.wake(now);
  }
}
