import { onAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import { localStore, sharedStore } from "./limit-store.js";
import type {
  LimitStore,
  Priority,
  RateLimitStore,
  RateLimitUsage,
  Reservation,
  ReserveRequest,
} from "./rate-limit-store.js";

/** The budget of one client, filled in. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly concurrency: number;
  readonly queueLimit: number;
}

/** Why a request has to wait. */
export type WaitReason = "window" | "concurrency" | "rate_limited";

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
  readonly limit: RateLimit;
  readonly priority: Priority;
  readonly signal: AbortSignal | undefined;
  /** Point in time after which the caller no longer wants the permit; null for none. */
  readonly deadline: number | null;
  /** Milliseconds after which a permit that was never settled ends. */
  readonly leaseMs: number;
  /** Called when a wait begins, with the earliest time it can end (null when unknown). */
  readonly onWait?: ((reason: WaitReason, until: number | null) => void) | undefined;
}

interface Waiter extends AcquireOptions {
  readonly since: number;
  readonly order: number;
  resolve(answer: Permit | Refusal): void;
}

interface Hold {
  readonly reason: WaitReason;
  readonly until: number | null;
}

/** Waiters with the same priority and the same limits: what one has to wait for, all have to wait for. */
interface Lane {
  readonly priority: Priority;
  readonly limit: RateLimit;
  readonly waiters: Set<Waiter>;
  /** Waiters whose reason was not reported and whose deadline was not compared yet. */
  readonly fresh: Set<Waiter>;
  /** Waiters that were reported to wait for requests in flight, and not for the window yet. */
  readonly concurrent: Set<Waiter>;
  /** The latest time that all waiters were compared with their deadlines. */
  checkedUntil: number;
}

// How long to wait before asking a store again when only answers to other processes can free a place.
const POLL_MS = 1_000;

/**
 * Limits the requests of one token to one host: at most `requests` in any window, at most `concurrency` in flight,
 * interactive requests before batch, none while the service's Retry-After lasts.
 */
export class RateLimiter {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #store: LimitStore;
  readonly #lanes = new Map<string, Lane>();
  /** Permits in flight with the end of their lease. */
  readonly #inFlight = new Map<number, number>();
  #permits = 0;
  #waiters = 0;
  #timer: unknown;
  #granting = false;
  #grantAgain = false;

  /** @param store shares the budget with other processes; null keeps it in this one. */
  constructor(key: string, clock: Clock, store: RateLimitStore | null = null) {
    this.#key = key;
    this.#clock = clock;
    this.#store = store ? sharedStore(clock, store) : localStore(clock);
  }

  /** Requests waiting for a permit. */
  get queued(): number {
    let queued = 0;
    for (const { waiters } of this.#lanes.values()) queued += waiters.size;
    return queued;
  }

  /** Places taken and when the next one is free; null where the store cannot say. */
  get usage(): RateLimitUsage {
    return this.#store.usage(this.#key) ?? { used: this.#inFlight.size, resetAt: null };
  }

  /** True when nothing is in flight, waiting or remembered, so that this limiter can be dropped. */
  get idle(): boolean {
    return this.queued === 0 && this.#inFlight.size === 0 && this.usage.resetAt === null;
  }

  /**
   * Waits for the permission to send a request.
   * @returns a permit, or why waiting for one is pointless.
   * @throws the signal's reason when that aborts.
   */
  acquire(options: AcquireOptions): Permit | Promise<Permit | Refusal> {
    const { signal, limit } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const permit = this.#acquireAtOnce(options);
    if (permit) return permit;
    if (this.queued >= limit.queueLimit) return Promise.resolve({ refused: "queue_full", retryAt: null });
    return new Promise((resolve, reject) => {
      const lane = this.#laneOf(options);
      const leave = () => {
        lane.waiters.delete(waiter);
        lane.fresh.delete(waiter);
        lane.concurrent.delete(waiter);
        stop();
        // A timer without a waiter would keep the process alive until the window is free.
        if (lane.waiters.size === 0 && this.queued === 0) this.#clock.clearTimeout(this.#timer);
      };
      const stop = onAbort(signal, () => {
        leave();
        reject(signal?.reason);
      });
      const waiter: Waiter = {
        ...options,
        since: this.#clock.now(),
        order: ++this.#waiters,
        resolve: (answer) => {
          leave();
          resolve(answer);
        },
      };
      lane.waiters.add(waiter);
      lane.fresh.add(waiter);
      void this.#grantAll();
    });
  }

  /** Refuses every request until a point in time: the service answered 429. */
  block(until: number): Promise<void> | undefined {
    const blocked = this.#store.block({ key: this.#key, now: this.#clock.now(), until });
    void this.#grantAll();
    return blocked instanceof Promise ? blocked.then(() => void this.#grantAll()) : undefined;
  }

  /** Forgets the permits in flight and drops every waiter: its promise settles only if its signal aborts. */
  reset(): void {
    this.#clock.clearTimeout(this.#timer);
    for (const { waiters } of this.#lanes.values()) waiters.clear();
    this.#lanes.clear();
    this.#inFlight.clear();
  }

  // Fast path: with an empty queue and the count in this process, a permit needs neither a promise nor a listener.
  #acquireAtOnce(options: AcquireOptions): Permit | null {
    if (this.#store.isShared || this.#granting || this.queued > 0 || this.#isFull(options.limit)) return null;
    const reservation = this.#store.reserve(this.#reserveRequest(options)) as Reservation;
    return reservation.granted ? this.#permit(options, reservation.slot, 0) : null;
  }

  #isFull({ concurrency }: RateLimit): boolean {
    if (this.#inFlight.size < concurrency) return false;
    const now = this.#clock.now();
    for (const [permit, end] of this.#inFlight) if (end <= now) this.#inFlight.delete(permit);
    return this.#inFlight.size >= concurrency;
  }

  #reserveRequest({ limit, priority, leaseMs }: AcquireOptions): ReserveRequest {
    const { requests, windowMs } = limit;
    return {
      key: this.#key,
      now: this.#clock.now(),
      requests,
      // At least one place must stay for batch requests.
      batchRequests: Math.max(1, requests - Math.floor(requests * limit.reserve)),
      priority,
      windowMs,
      leaseMs,
    };
  }

  #laneOf({ priority, limit }: AcquireOptions): Lane {
    const key = `${priority} ${limit.requests} ${limit.reserve} ${limit.windowMs} ${limit.concurrency}`;
    let lane = this.#lanes.get(key);
    if (!lane) {
      lane = { priority, limit, waiters: new Set(), fresh: new Set(), concurrent: new Set(), checkedUntil: 0 };
      this.#lanes.set(key, lane);
    }
    return lane;
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
    const held = new Map<Lane, Hold>();
    for (;;) {
      const lane = this.#nextLane(held);
      if (!lane) break;
      const waiter = first(lane.waiters) as Waiter;
      if (this.#isFull(lane.limit)) {
        held.set(lane, { reason: "concurrency", until: null });
        continue;
      }
      const asked = this.#store.reserve(this.#reserveRequest(waiter));
      const reservation = asked instanceof Promise ? await asked : asked;
      if (reservation.granted) {
        const permit = this.#permit(waiter, reservation.slot, this.#clock.now() - waiter.since);
        // It may have been aborted or dropped while the store was asked.
        if (lane.waiters.has(waiter)) waiter.resolve(permit);
        else permit.settle(false);
        continue;
      }
      held.set(lane, { reason: reservation.reason, until: reservation.retryAt });
    }
    this.#hold(held);
  }

  // Interactive before batch, earlier before later. A lane that is held does not stop one with a larger limit.
  #nextLane(held: ReadonlyMap<Lane, Hold>): Lane | null {
    let next: Lane | null = null;
    for (const lane of this.#lanes.values()) {
      if (lane.waiters.size === 0 || holdOf(lane, held)) continue;
      if (next === null || isBefore(lane, next)) next = lane;
    }
    return next;
  }

  #permit({ limit, leaseMs }: AcquireOptions, slot: string, waitedMs: number): Permit {
    const permit = ++this.#permits;
    this.#inFlight.set(permit, this.#clock.now() + leaseMs);
    let settled = false;
    return {
      waitedMs,
      settle: (sent) => {
        if (settled) return;
        settled = true;
        this.#inFlight.delete(permit);
        const { windowMs } = limit;
        const done = this.#store.settle({ key: this.#key, slot, now: this.#clock.now(), windowMs, sent });
        if (done instanceof Promise) void done.then(() => this.#grantAll());
        else if (this.queued > 0) void this.#grantAll();
      },
    };
  }

  // Tells the waiters why they wait, refuses those for whom that is too long, and sets the timer of the next try.
  #hold(held: ReadonlyMap<Lane, Hold>): void {
    this.#clock.clearTimeout(this.#timer);
    let wakeAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    for (const lane of this.#lanes.values()) {
      if (lane.waiters.size === 0) continue;
      const hold = holdOf(lane, held);
      if (!hold) continue;
      const { reason, until } = hold;
      this.#refuseLate(lane, until);
      this.#report(lane, hold);
      const poll = reason === "concurrency" ? this.#nextLease() : now + POLL_MS;
      wakeAt = Math.min(wakeAt, until ?? poll);
    }
    if (this.queued === 0 || wakeAt === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.setTimeout(() => void this.#grantAll(), Math.max(1, wakeAt - now));
  }

  // Once for requests in flight and once for the window, which takes minutes; a long queue is walked no more often.
  #report(lane: Lane, { reason, until }: Hold): void {
    const waiting = reason === "concurrency" ? [...lane.fresh] : [...lane.fresh, ...lane.concurrent];
    lane.fresh.clear();
    if (reason !== "concurrency") lane.concurrent.clear();
    for (const waiter of waiting) {
      if (reason === "concurrency") lane.concurrent.add(waiter);
      waiter.onWait?.(reason, until);
    }
  }

  #nextLease(): number {
    return Math.min(...this.#inFlight.values());
  }

  // A caller who needs the answer before the next place is free learns that now, not after a useless wait.
  #refuseLate(lane: Lane, until: number | null): void {
    if (until === null) return;
    // Waiters that were compared need no second comparison until the place moves further away: a long queue would
    // otherwise be walked for every new waiter.
    const waiters = until > lane.checkedUntil ? [...lane.waiters] : [...lane.fresh];
    lane.checkedUntil = Math.max(lane.checkedUntil, until);
    for (const waiter of waiters) {
      if (waiter.deadline !== null && waiter.deadline < until) waiter.resolve({ refused: "deadline", retryAt: until });
    }
  }
}

// Why a lane has to wait: what holds one lane holds every lane whose limits are not larger.
function holdOf(lane: Lane, held: ReadonlyMap<Lane, Hold>): Hold | null {
  const own = held.get(lane);
  if (own) return own;
  for (const [other, hold] of held) {
    if (hold.reason === "rate_limited") return hold;
    const smaller =
      hold.reason === "concurrency"
        ? lane.limit.concurrency <= other.limit.concurrency
        : lane.limit.requests <= other.limit.requests &&
          (other.priority === "interactive" || lane.priority === "batch");
    if (smaller && lane.limit.reserve >= other.limit.reserve) return hold;
  }
  return null;
}

function isBefore(lane: Lane, other: Lane): boolean {
  if (lane.priority !== other.priority) return lane.priority === "interactive";
  return (first(lane.waiters)?.order ?? 0) < (first(other.waiters)?.order ?? 0);
}

function first<T>(items: ReadonlySet<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
