import { onAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import type { LimitStore, Priority, RateLimitUsage, Reservation, ReserveRequest } from "./rate-limit-store.js";

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
  /** Returns the permit: it counts until `windowMs` from now, or no longer when nothing was sent. Only the first call counts. */
  settle(sent: boolean): void;
}

/** Waiting is pointless: the permit would come after the deadline, or the queue is full. */
export interface Refusal {
  readonly refused: "deadline" | "queue_full";
  /** When the permit would come at the earliest; null when unknown. */
  readonly retryAt: number | null;
}

/** Why a call waits: for requests in flight, for room in the window, or for the end of a `Retry-After`. */
type WaitReason = "concurrency" | "window" | "rate_limited";

/** Options of `acquire`. */
export interface AcquireOptions {
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
  /** The position among all calls of the token. */
  readonly number: number;
  /** The store is being asked for it. */
  asked: boolean;
  resolve(permit: Permit | Refusal): void;
}

/** Why calls get no permit, and when the store is asked again. */
interface Hold {
  readonly reason: WaitReason;
  readonly retryAt: number | null;
  readonly until: number;
}

/** The calls of one client and priority that wait. They share one reason to wait: whatever blocks the first blocks the rest. */
class Queue {
  readonly limits: Pick<ReserveRequest, "requests" | "batchRequests" | "windowMs" | "priority">;
  /** Queues with equal limits share what the store says. */
  readonly kind: string;
  readonly waiters = new Set<Waiter>();
  /** Waiters that do not know yet why they wait, and whose deadline was not checked. */
  readonly fresh = new Set<Waiter>();
  /** Waiters that know of the wait for requests in flight, and not of one for the window. */
  readonly concurrent = new Set<Waiter>();
  /** The latest `retryAt` that every waiter's deadline was checked against. */
  checkedUntil = 0;

  constructor({ requests, windowMs, reserve }: RateLimit, priority: Priority) {
    // Batch calls always have one permit at least.
    const batchRequests = Math.max(1, requests - Math.floor(requests * reserve));
    this.limits = { requests, batchRequests, windowMs, priority };
    this.kind = `${priority} ${requests} ${batchRequests}`;
  }

  /** The first waiter for which the store is not being asked. */
  get next(): Waiter | undefined {
    for (const waiter of this.waiters) if (!waiter.asked) return waiter;
    return undefined;
  }

  remove(waiter: Waiter): void {
    this.waiters.delete(waiter);
    this.fresh.delete(waiter);
    this.concurrent.delete(waiter);
  }
}

/** One client at the rate limiter of its token. Its `requests`, `reserve`, `concurrency` and `queueLimit` bind its own calls only. */
export class ClientLimiter {
  readonly limit: RateLimit;
  readonly limiter: RateLimiter;
  readonly queues: Readonly<Record<Priority, Queue>>;
  /** Permits in flight with the end of their lease. */
  readonly inFlight = new Map<object, number>();
  /** Questions to the store that have no answer yet. */
  asking = 0;

  constructor(limiter: RateLimiter, limit: RateLimit) {
    this.limiter = limiter;
    this.limit = limit;
    this.queues = { interactive: new Queue(limit, "interactive"), batch: new Queue(limit, "batch") };
  }

  /** Calls that wait for a permit. */
  get queued(): number {
    return this.queues.interactive.waiters.size + this.queues.batch.waiters.size;
  }

  /** Requests that count in the token's window, and when the next one no longer does. */
  get usage(): RateLimitUsage {
    return this.limiter.usage ?? { used: this.inFlight.size, resetAt: null };
  }

  /** No more requests may be in flight. Forgets permits whose lease has ended. */
  isFull(now: number): boolean {
    const { concurrency } = this.limit;
    if (this.inFlight.size + this.asking < concurrency) return false;
    for (const [permit, end] of this.inFlight) if (end <= now) this.inFlight.delete(permit);
    return this.inFlight.size + this.asking >= concurrency;
  }

  /**
   * Waits for the permission to send a request.
   * @returns a permit, or why waiting for one is pointless.
   * @throws the signal's reason when that aborts.
   */
  acquire(options: AcquireOptions): Permit | Promise<Permit | Refusal> {
    return this.limiter.acquire(this, options);
  }

  /** Stops all calls of the token until a point in time: the service answered 429. */
  block(until: number): Promise<void> | undefined {
    return this.limiter.block(until);
  }
}

// How long to wait before asking a store again when only answers to other processes can make room.
const POLL_MS = 1_000;
const POLLS_PER_WINDOW = 8;

/**
 * Keeps the requests of one token within the limit. All its clients' requests count together, and each client waits at its own
 * limit on that count: interactive calls before batch calls, earlier before later, but never behind a client without room.
 * Nobody sends while the service's Retry-After lasts.
 */
export class RateLimiter {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #store: LimitStore;
  /** Clients with calls that wait, are in flight, or are being asked for. */
  readonly #clients = new Set<ClientLimiter>();
  /** What the store said last to each kind of queue, until it is asked again. */
  readonly #holds = new Map<string, Hold>();
  #queued = 0;
  #waiters = 0;
  #timer: unknown;

  constructor(key: string, clock: Clock, store: LimitStore) {
    this.#key = key;
    this.#clock = clock;
    this.#store = store;
  }

  /** Requests that count, and when the next one no longer does; null where the store cannot say. */
  get usage(): RateLimitUsage | null {
    return this.#store.usage(this.#key);
  }

  /** True when nothing is in flight, waiting or counted, so that this limiter can be dropped. */
  get idle(): boolean {
    const now = this.#clock.now();
    for (const { inFlight } of this.#clients) for (const end of inFlight.values()) if (end > now) return false;
    return this.#queued === 0 && (this.usage?.resetAt ?? null) === null;
  }

  /** The client whose limit this is; another one when it has nothing in flight and nothing waiting. */
  client(limit: RateLimit): ClientLimiter {
    for (const client of this.#clients) if (client.limit === limit) return client;
    return new ClientLimiter(this, limit);
  }

  /** {@link ClientLimiter.acquire} */
  acquire(client: ClientLimiter, options: AcquireOptions): Permit | Promise<Permit | Refusal> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const queue = client.queues[options.priority];
    const now = this.#clock.now();
    // Fast path: with empty queues and the count in this process, a permit needs neither a promise nor a listener.
    if (!this.#store.isShared && this.#queued === 0 && !client.isFull(now)) {
      const reservation = this.#store.reserve(this.#request(queue, options)) as Reservation;
      if (reservation.granted) return this.#permit(client, options, reservation.slot, 0);
    }
    if (client.queued >= client.limit.queueLimit) return Promise.resolve({ refused: "queue_full", retryAt: null });
    return new Promise((resolve, reject) => {
      const leave = () => {
        if (queue.waiters.has(waiter)) this.#queued--;
        queue.remove(waiter);
        stop();
        this.#forget(client);
        // A timer without a waiter would keep the process alive until the window has room.
        if (this.#queued === 0) this.#clock.clearTimeout(this.#timer);
      };
      const stop = onAbort(signal, () => {
        leave();
        reject(signal?.reason);
      });
      const waiter: Waiter = {
        ...options,
        since: now,
        number: ++this.#waiters,
        asked: false,
        resolve: (permit) => {
          leave();
          resolve(permit);
        },
      };
      queue.waiters.add(waiter);
      queue.fresh.add(waiter);
      this.#queued++;
      this.#clients.add(client);
      this.#grant();
    });
  }

  /** {@link ClientLimiter.block} */
  block(until: number): Promise<void> | undefined {
    const again = () => {
      this.#holds.clear();
      this.#grant();
    };
    const blocked = this.#store.block({ key: this.#key, now: this.#clock.now(), until });
    again();
    return blocked instanceof Promise ? blocked.then(again) : undefined;
  }

  /**
   * Forgets the permits in flight and what this process has counted, and drops every waiter: its promise settles only if its signal
   * aborts. What processes share stays.
   */
  reset(): void {
    this.#store.clear?.();
    this.#clock.clearTimeout(this.#timer);
    for (const { queues, inFlight } of this.#clients) {
      inFlight.clear();
      for (const queue of [queues.interactive, queues.batch]) for (const waiter of queue.waiters) queue.remove(waiter);
    }
    this.#queued = 0;
    this.#clients.clear();
    this.#holds.clear();
  }

  #request({ limits }: Queue, { leaseMs }: AcquireOptions): ReserveRequest {
    return { key: this.#key, now: this.#clock.now(), ...limits, leaseMs };
  }

  // Asks the store for every call that may go, all at once where it answers later.
  #grant(): void {
    for (;;) {
      const next = this.#next();
      if (!next) break;
      const { client, queue, waiter } = next;
      const asked = this.#store.reserve(this.#request(queue, waiter));
      if (asked instanceof Promise) {
        waiter.asked = true;
        client.asking++;
        void asked.then((reservation) => {
          waiter.asked = false;
          client.asking--;
          this.#answered(client, queue, waiter, reservation);
          this.#grant();
          this.#forget(client);
        });
      } else this.#answered(client, queue, waiter, asked);
    }
    this.#wait();
  }

  // The first interactive call, or else the first batch call, of all clients that have room.
  #next(): { client: ClientLimiter; queue: Queue; waiter: Waiter } | undefined {
    const now = this.#clock.now();
    for (const priority of ["interactive", "batch"] as const) {
      let first: ReturnType<RateLimiter["#next"]>;
      for (const client of this.#clients) {
        const queue = client.queues[priority];
        const waiter = queue.next;
        if (!waiter || (first && first.waiter.number < waiter.number)) continue;
        if (!this.#hold(client, priority, now)) first = { client, queue, waiter };
      }
      if (first) return first;
    }
    return undefined;
  }

  // What holds a client's interactive calls holds its batch calls; only the window may hold batch calls alone.
  #hold(client: ClientLimiter, priority: Priority, now: number): Hold | undefined {
    const { interactive, batch } = client.queues;
    const known = (queue: Queue) => {
      const hold = this.#holds.get(queue.kind);
      return hold && hold.until > now ? hold : undefined;
    };
    const hold = known(interactive) ?? (priority === "batch" ? known(batch) : undefined);
    if (hold || !client.isFull(now)) return hold;
    return { reason: "concurrency", retryAt: null, until: Math.min(Infinity, ...client.inFlight.values()) };
  }

  #answered(client: ClientLimiter, queue: Queue, waiter: Waiter, reservation: Reservation): void {
    const now = this.#clock.now();
    if (reservation.granted) {
      const permit = this.#permit(client, waiter, reservation.slot, now - waiter.since);
      // It may have been aborted or dropped while the store was asked.
      if (queue.waiters.has(waiter)) waiter.resolve(permit);
      else permit.settle(false);
      return;
    }
    const { reason, retryAt } = reservation;
    const until = retryAt ?? now + Math.min(POLL_MS, queue.limits.windowMs / POLLS_PER_WINDOW);
    this.#holds.set(queue.kind, { reason, retryAt, until: Math.max(until, now + 1) });
  }

  #permit(client: ClientLimiter, { leaseMs }: AcquireOptions, slot: string, waitedMs: number): Permit {
    const { windowMs } = client.limit;
    const permit: Permit = {
      waitedMs,
      settle: (sent) => {
        if (isSettled) return;
        isSettled = true;
        client.inFlight.delete(permit);
        const done = this.#store.settle({ key: this.#key, slot, now: this.#clock.now(), windowMs, sent });
        const again = () => {
          // The store could not tell when there is room, or there is room now.
          for (const [kind, { retryAt }] of this.#holds) if (retryAt === null || !sent) this.#holds.delete(kind);
          if (this.#queued > 0) this.#grant();
          this.#forget(client);
        };
        again();
        if (done instanceof Promise) void done.then(again);
      },
    };
    let isSettled = false;
    client.inFlight.set(permit, this.#clock.now() + leaseMs);
    this.#clients.add(client);
    return permit;
  }

  #forget(client: ClientLimiter): void {
    if (client.queued + client.inFlight.size + client.asking === 0) this.#clients.delete(client);
  }

  #wake(due: number): void {
    for (const [kind, { until }] of this.#holds) if (until <= due) this.#holds.delete(kind);
    this.#grant();
  }

  // Reports why calls wait, rejects those that would miss their deadline, and schedules the next question.
  #wait(): void {
    this.#clock.clearTimeout(this.#timer);
    const now = this.#clock.now();
    let wakeAt = Infinity;
    for (const client of this.#clients) {
      for (const priority of ["interactive", "batch"] as const) {
        const queue = client.queues[priority];
        const hold = queue.next && this.#hold(client, priority, now);
        if (!hold) continue;
        refuseLate(queue, hold.retryAt);
        report(queue, hold);
        wakeAt = Math.min(wakeAt, hold.until);
      }
    }
    if (this.#queued === 0 || wakeAt === Infinity) return;
    // By what was due then: the clock may have been set back.
    this.#timer = this.#clock.setTimeout(() => this.#wake(wakeAt), Math.max(1, wakeAt - now));
  }
}

// Each waiter is told at most twice: when it waits for concurrency, and for the window.
function report({ fresh, concurrent }: Queue, { reason, retryAt }: Hold): void {
  const isConcurrency = reason === "concurrency";
  const waiting = isConcurrency ? [...fresh] : [...fresh, ...concurrent];
  fresh.clear();
  if (!isConcurrency) concurrent.clear();
  for (const waiter of waiting) {
    if (isConcurrency) concurrent.add(waiter);
    waiter.onWait?.(reason, retryAt);
  }
}

// Rejects now what cannot start before its deadline. Checks a waiter again only when `retryAt` moves further away: a long
// queue would otherwise be walked for every new waiter.
function refuseLate(queue: Queue, retryAt: number | null): void {
  if (retryAt === null) return;
  const waiters = retryAt > queue.checkedUntil ? [...queue.waiters] : [...queue.fresh];
  queue.checkedUntil = Math.max(queue.checkedUntil, retryAt);
  for (const { deadline, resolve } of waiters) {
    if (deadline !== null && deadline < retryAt) resolve({ refused: "deadline", retryAt });
  }
}
