import { onAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import {
  type AcquireOptions,
  type Hold,
  type Permit,
  Queue,
  type RateLimit,
  type Refusal,
  refuseLate,
  report,
  type Waiter,
} from "./queue.js";
import type { LimitStore, Priority, RateLimitUsage, Reservation, ReserveRequest } from "./rate-limit-store.js";

/** A call that may be next. */
interface Next {
  readonly client: ClientLimiter;
  readonly queue: Queue;
  readonly waiter: Waiter;
}

/** One client at the rate limiter of its token. Its `requests`, `reserve`, `concurrency` and `queueLimit` bind its own calls only. */
export class ClientLimiter {
  readonly limit: RateLimit;
  readonly limiter: RateLimiter;
  readonly queues: Readonly<Record<Priority, Queue>>;
  /** Permits in flight with the end of their lease. */
  readonly inFlight = new Map<object, number>();
  /** Pending requests to the store. */
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

// How long to wait before asking a store again when only responses to other processes can make room.
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
  /** Clients with calls that are waiting, in flight, or pending at the store. */
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

  /** Requests that count, and when the next one no longer does. */
  get usage(): RateLimitUsage {
    return this.#store.usage(this.#key);
  }

  /** True when nothing is in flight, waiting or counted, so that this limiter can be dropped. */
  get idle(): boolean {
    return this.#clients.size === 0 && this.usage.resetAt === null;
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

  // Asks the store for a permit for every call that may go, in parallel if the store is asynchronous. Then reports why the others
  // wait, rejects those that would miss their deadline, and schedules the next attempt.
  #grant(): void {
    const held: [Queue, Hold][] = [];
    for (let next = this.#next(held); next; next = this.#next(held)) {
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
    this.#clock.clearTimeout(this.#timer);
    let wakeAt = Infinity;
    for (const [queue, hold] of held) {
      refuseLate(queue, hold.retryAt);
      report(queue, hold);
      wakeAt = Math.min(wakeAt, hold.until);
    }
    if (this.#queued === 0 || wakeAt === Infinity) return;
    this.#timer = this.#clock.setTimeout(
      () => {
        // By what was due then: the clock may have been set back.
        for (const [kind, { until }] of this.#holds) if (until <= wakeAt) this.#holds.delete(kind);
        this.#grant();
      },
      Math.max(1, wakeAt - this.#clock.now()),
    );
  }

  // The first interactive call, or else the first batch call, of all clients that have room; notes the queues that have none.
  #next(held: [Queue, Hold][]): Next | undefined {
    held.length = 0;
    const now = this.#clock.now();
    for (const priority of ["interactive", "batch"] as const) {
      let first: Next | undefined;
      for (const client of this.#clients) {
        const queue = client.queues[priority];
        const waiter = queue.next;
        if (!waiter) continue;
        const hold = this.#hold(client, queue, now);
        if (hold) held.push([queue, hold]);
        else if (!first || waiter.number < first.waiter.number) first = { client, queue, waiter };
      }
      if (first) return first;
    }
    return undefined;
  }

  // Whatever blocks a client's interactive calls blocks its batch calls too; only the window may block batch calls alone.
  #hold(client: ClientLimiter, queue: Queue, now: number): Hold | undefined {
    for (const { kind } of [client.queues.interactive, queue]) {
      const hold = this.#holds.get(kind);
      if (hold && hold.until > now) return hold;
    }
    if (!client.isFull(now)) return undefined;
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
    const permit: Permit = {
      waitedMs,
      settle: (sent) => {
        if (isSettled) return;
        isSettled = true;
        client.inFlight.delete(permit);
        const done = this.#store.settle({
          key: this.#key,
          slot,
          now: this.#clock.now(),
          windowMs: client.limit.windowMs,
          sent,
        });
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
}
