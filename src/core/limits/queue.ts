import type { Clock } from "../clock.js";
import { GONE_AFTER_MS } from "../responder.js";
import type { Moment } from "../time.js";
import type { Priority, ReserveRequest } from "./rate-limit-store.js";

/** The limits of one client, filled in. */
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
  /** Releases the permit: it counts for `windowMs` more, or not at all if nothing was sent. Only the first call has an effect. */
  settle(sent: boolean): void;
}

/** Waiting is pointless: the permit would come after the deadline, or the queue is full. */
export interface Refusal {
  readonly refused: "deadline" | "queue_full";
  /** The earliest time of the permit; null when unknown. */
  readonly retryAt: Moment | null;
}

/** Why a call waits: for requests in flight, for room in the window, or for the end of a `Retry-After`. */
type WaitReason = "concurrency" | "window" | "rate_limited";

/** Options of `acquire`. */
export interface AcquireOptions {
  readonly priority: Priority;
  readonly signal: AbortSignal | undefined;
  /** After it the caller no longer wants the permit; null for none. */
  readonly deadline: Moment | null;
  /** Milliseconds after which the request has ended by itself. */
  readonly timeoutMs: number;
  /** Called when a wait begins, with the earliest time it can end (null when unknown). */
  readonly onWait?: ((reason: WaitReason, until: Moment | null) => void) | undefined;
}

/**
 * A call that waits for a permit. It has a timer of its own, looks for itself whether it may go, and takes its permit; others only
 * wake it. So nothing waits for a call whose code no longer runs.
 */
export class Waiter {
  readonly options: AcquireOptions;
  readonly since: Moment;
  /** The position among all calls of the token. */
  readonly number: number;
  /** It is asking the store. */
  asked = false;
  /** The limiter was reset: it never gets a permit. */
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

  /** Waits for its own timer, or until it is woken. */
  async sleep(clock: Clock, ms: number): Promise<void> {
    let timer: unknown;
    const passed = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, ms);
    });
    // Another promise: what a call resolves that ends at once may never arrive, and then nothing could follow from the timer.
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([passed, woken]);
    clock.clearTimeout(timer);
    this.#wokenAt = null;
  }
}

/** Why calls get no permit, and when the store is asked again. */
export interface Hold {
  readonly reason: WaitReason;
  readonly retryAt: Moment | null;
  readonly until: Moment;
}

/** The calls of one client and priority that wait. They share one reason to wait: whatever blocks the first blocks the rest. */
export class Queue {
  readonly limits: Pick<ReserveRequest, "requests" | "batchRequests" | "windowMs" | "priority">;
  /** Queues with equal limits share what the store says. */
  readonly kind: string;
  readonly waiters = new Set<Waiter>();
  /** How many of them ask the store. */
  asked = 0;
  /** Waiters that were not told yet why they wait and whose deadline was not checked. */
  readonly fresh = new Set<Waiter>();
  /** Waiters that were told of the wait for concurrency but not of one for the window. */
  readonly concurrent = new Set<Waiter>();
  /** The latest `retryAt` that every waiter's deadline was checked against. */
  checkedUntil = Number.NEGATIVE_INFINITY;

  constructor({ requests, windowMs, reserve }: RateLimit, priority: Priority) {
    // Batch calls always get at least one permit.
    const batchRequests = Math.max(1, requests - Math.floor(requests * reserve));
    this.limits = { requests, batchRequests, windowMs, priority };
    this.kind = `${priority} ${requests} ${batchRequests}`;
  }

  /** Waiters that do not ask the store. */
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

/** Reports why calls wait. Each learns it at most twice: when it waits for concurrency, and for the window. */
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

/** Refuses now what cannot start before its deadline. */
export function refuseLate(queue: Queue, retryAt: Moment | null, now: Moment): void {
  if (retryAt === null) return;
  // Walks a long queue only when `retryAt` moves later, not for every new waiter.
  const waiters = retryAt > queue.checkedUntil ? [...queue.waiters] : [...queue.fresh];
  queue.checkedUntil = Math.max(queue.checkedUntil, retryAt);
  for (const waiter of waiters) {
    const { deadline } = waiter.options;
    if (deadline === null || deadline >= retryAt) continue;
    waiter.refusal = { refused: "deadline", retryAt };
    waiter.wake(now);
  }
}
