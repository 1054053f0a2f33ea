import { onAbort, raceAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import { GONE_AFTER_MS, Responder } from "../responder.js";
import { later, type Moment, momentOf } from "../time.js";
import {
  type AcquireOptions,
  type Hold,
  type Permit,
  Queue,
  type RateLimit,
  type Refusal,
  refuseLate,
  report,
  Waiter,
} from "./queue.js";
import type { Claim, LimitStore, Priority, SlotRequest } from "./rate-limit-store.js";

/** A request in flight, or one for which the store is being asked. */
interface InFlight {
  readonly responder: Responder;
  /** When the request must have ended, even if its call never reports so. */
  readonly end: Moment;
}

// Time that a request may take beyond its time limit, for example to report a 429 to a store that hangs.
const END_LATE_MS = 6_000;

/**
 * One client of the rate limiter that belongs to its token. Its `requests`, `reserve`, `concurrency` and `queueLimit`
 * apply only to its own calls.
 */
export class ClientLimiter {
  readonly limit: RateLimit;
  readonly limiter: RateLimiter;
  readonly queues: Readonly<Record<Priority, Queue>>;
  readonly inFlight = new Set<InFlight>();

  constructor(limiter: RateLimiter, limit: RateLimit) {
    this.limiter = limiter;
    this.limit = limit;
    this.queues = { interactive: new Queue(limit, "interactive"), batch: new Queue(limit, "batch") };
  }

  /** Number of calls that wait for a permit, except those that are asking the store. */
  get queued(): number {
    return this.queues.interactive.waiting + this.queues.batch.waiting;
  }

  /** True if no further request may be in flight. Forgets requests that have ended. */
  isFull(now: Moment): boolean {
    const { concurrency } = this.limit;
    if (this.inFlight.size < concurrency) return false;
    for (const each of this.inFlight) if (each.end <= now || each.responder.isGone(now)) this.inFlight.delete(each);
    return this.inFlight.size >= concurrency;
  }

  /** Checks whether the calls in flight are still running. @returns when to check again. */
  askInFlight(now: Moment): Moment {
    let until = later(now, GONE_AFTER_MS);
    for (const { responder, end } of this.inFlight) {
      responder.call(now);
      if (end < until) until = end;
    }
    return until;
  }

  /**
   * Waits for the permission to send a request.
   * @returns a permit, or why waiting for one is pointless.
   * @throws the signal's reason when the signal aborts.
   */
  acquire(options: AcquireOptions): Permit | Promise<Permit | Refusal> {
    return this.limiter.acquire(this, options);
  }

  /** Stops all calls that use the token for a number of milliseconds, because the service answered 429. */
  block(ms: number): Promise<void> | undefined {
    return this.limiter.block(ms);
  }
}

// How long to wait before asking a store again when room appears only once other processes get their responses.
const POLL_MS = 1_000;
const POLLS_PER_WINDOW = 8;

/**
 * Keeps the requests of one token within the limit. The requests of all clients that use the token count together, and
 * each client waits when that count reaches its own limit. Interactive calls go before batch calls, and earlier calls
 * before later ones, but no call waits behind a client that has no room. No client sends during the service's
 * Retry-After.
 */
export class RateLimiter {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #store: LimitStore;
  /** Clients with calls that are waiting or in flight. */
  readonly #clients = new Set<ClientLimiter>();
  /** The store's last refusal of each kind of queue, until the store is asked again. */
  readonly #holds = new Map<string, Hold>();
  #queued = 0;
  #waiters = 0;

  constructor(key: string, clock: Clock, store: LimitStore) {
    this.#key = key;
    this.#clock = clock;
    this.#store = store;
  }

  /** Number of requests that count, and when the next one stops counting. */
  get usage(): ReturnType<LimitStore["usage"]> {
    return this.#store.usage(this.#key);
  }

  /** True when nothing is in flight, waiting or counted, so that this limiter can be dropped. */
  get idle(): boolean {
    return this.#clients.size === 0 && this.usage.resetAt === null;
  }

  /** The client with this limit; a new one if that client has no calls in flight or waiting. */
  client(limit: RateLimit): ClientLimiter {
    for (const client of this.#clients) if (client.limit === limit) return client;
    return new ClientLimiter(this, limit);
  }

  acquire(client: ClientLimiter, options: AcquireOptions): Permit | Promise<Permit | Refusal> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const queue = client.queues[options.priority];
    const now = momentOf(this.#clock);
    let isTurn = this.#isFree(client, queue, now);
    // If this process keeps the count, a permit needs neither a promise nor a listener.
    if (isTurn && !this.#store.isShared) {
      const claim = this.#store.reserve(this.#request(queue, options)) as Claim;
      if (claim.granted) return this.#permit(client, this.#enter(client, options), claim.slot, 0);
      isTurn = false;
    }
    if (!isTurn && client.queued >= client.limit.queueLimit) {
      return Promise.resolve({ refused: "queue_full", retryAt: null });
    }
    return this.#wait(client, queue, new Waiter(options, now, ++this.#waiters));
  }

  block(ms: number): Promise<void> | undefined {
    const again = () => {
      this.#holds.clear();
      this.#wakeNext();
    };
    const blocked = this.#store.block(this.#key, ms);
    again();
    return blocked instanceof Promise ? blocked.then(again) : undefined;
  }

  /**
   * Forgets the permits in flight and the count that this process keeps, and drops every waiter: a waiter's promise
   * settles only if its signal aborts. Counts that processes share are kept.
   */
  reset(): void {
    this.#store.clear?.();
    const now = momentOf(this.#clock);
    for (const client of this.#clients) {
      client.inFlight.clear();
      for (const queue of Object.values(client.queues)) {
        for (const waiter of queue.waiters) {
          waiter.dropped = true;
          this.#remove(queue, waiter);
          waiter.wake(now);
        }
      }
    }
    this.#clients.clear();
    this.#holds.clear();
  }

  // True if a call that is not waiting yet may be sent at once.
  #isFree(client: ClientLimiter, queue: Queue, now: Moment): boolean {
    if (client.isFull(now)) return false;
    if (this.#queued === 0) return true;
    if (this.#hold(client, queue, now)) return false;
    const next = this.#next(now)?.options.priority;
    return next === undefined || (next === "batch" && queue.limits.priority === "interactive");
  }

  #request({ limits }: Queue, { timeoutMs }: AcquireOptions): SlotRequest {
    return { key: this.#key, ...limits, leaseMs: limits.windowMs + timeoutMs };
  }

  // Runs entirely in the waiting call's code.
  async #wait(client: ClientLimiter, queue: Queue, waiter: Waiter): Promise<Permit | Refusal> {
    const { signal } = waiter.options;
    const stop = onAbort(signal, () => {
      this.#remove(queue, waiter);
      waiter.wake(momentOf(this.#clock));
    });
    try {
      for (;;) {
        // True on the first pass, and after another call wrongly assumed that this one had ended.
        if (!queue.waiters.has(waiter)) this.#add(client, queue, waiter);
        const ms = this.#delay(client, queue, waiter);
        if (waiter.refusal) return waiter.refusal;
        const permit = ms === 0 ? await this.#take(client, queue, waiter) : await waiter.sleep(this.#clock, ms);
        if (permit) return permit;
        if (signal?.aborted) throw signal.reason;
        if (waiter.dropped) return await raceAbort(new Promise<never>(() => undefined), signal);
      }
    } finally {
      stop();
      const mayBeFirst = signal?.aborted || this.#first(queue, momentOf(this.#clock)) === waiter;
      this.#remove(queue, waiter);
      this.#forget(client);
      this.#wakeNext(mayBeFirst ? queue : undefined);
    }
  }

  // Milliseconds until a waiter checks again; 0 if it is its turn. The first waiter of a queue checks when its hold
  // ends, and wakes the next one. In case the code of an earlier waiter no longer runs, the others also check without
  // being woken, only later: the more calls wait, the later.
  #delay(client: ClientLimiter, queue: Queue, waiter: Waiter): number {
    const now = momentOf(this.#clock);
    const patience = this.#first(queue, now) === waiter ? 0 : GONE_AFTER_MS + this.#queued;
    const hold = this.#hold(client, queue, now);
    if (hold) {
      this.#tell(queue, hold, now);
      const until = hold.reason === "concurrency" ? client.askInFlight(now) : hold.until;
      return Math.max(1, until - now) + patience;
    }
    const next = this.#next(now);
    if (next === waiter) return 0;
    next?.wake(now);
    return Math.max(GONE_AFTER_MS, patience);
  }

  #take(client: ClientLimiter, queue: Queue, waiter: Waiter): Permit | undefined | Promise<Permit | undefined> {
    const { options } = waiter;
    const request = this.#enter(client, options);
    const asked = this.#store.reserve(this.#request(queue, options));
    if (!(asked instanceof Promise)) return this.#useClaim(client, queue, waiter, request, asked);
    waiter.asked = true;
    queue.asked++;
    // Lets other waiters ask the store in the meantime.
    this.#wakeNext();
    const pendingPermit = asked.then((claim) => {
      if (waiter.asked) queue.asked--;
      waiter.asked = false;
      return this.#useClaim(client, queue, waiter, request, claim);
    });
    return raceAbort(pendingPermit, options.signal).catch((reason) => {
      void pendingPermit.then((permit) => permit?.settle(false));
      throw reason;
    });
  }

  #useClaim(client: ClientLimiter, queue: Queue, waiter: Waiter, request: InFlight, claim: Claim): Permit | undefined {
    const now = momentOf(this.#clock);
    if (claim.granted) {
      const permit = this.#permit(client, request, claim.slot, Math.round(now - waiter.since));
      if (!waiter.dropped) return permit;
      permit.settle(false);
      return undefined;
    }
    client.inFlight.delete(request);
    const { reason, retryAt } = claim;
    const { windowMs } = queue.limits;
    const until = retryAt ?? later(now, Math.min(POLL_MS, windowMs / POLLS_PER_WINDOW));
    this.#holds.set(queue.kind, { reason, retryAt, until: later(now, Math.max(1, Math.min(until - now, windowMs))) });
    for (const each of this.#clients) {
      for (const held of Object.values(each.queues)) {
        const hold = held.waiters.size > 0 && this.#hold(each, held, now);
        if (hold) this.#tell(held, hold, now);
      }
    }
    this.#wakeNext();
    return undefined;
  }

  #tell(queue: Queue, hold: Hold, now: Moment): void {
    refuseLate(queue, hold.retryAt, now);
    report(queue, hold);
  }

  #wakeNext(queue?: Queue): void {
    if (this.#queued === 0) return;
    const now = momentOf(this.#clock);
    (this.#next(now) ?? (queue && this.#first(queue, now)))?.wake(now);
  }

  // The first interactive call among all clients that have room; if there is none, their first batch call.
  #next(now: Moment): Waiter | undefined {
    for (const priority of ["interactive", "batch"] as const) {
      let next: Waiter | undefined;
      for (const client of this.#clients) {
        const queue = client.queues[priority];
        const waiter = this.#first(queue, now);
        if (waiter && (!next || waiter.number < next.number) && !this.#hold(client, queue, now)) next = waiter;
      }
      if (next) return next;
    }
    return undefined;
  }

  // The first waiter that is not asking the store. Drops waiters whose call has ended.
  #first(queue: Queue, now: Moment): Waiter | undefined {
    let hasGone = false;
    for (const waiter of queue.waiters) {
      if (waiter.asked) continue;
      if (!waiter.isGone(now)) {
        // Many waiters may have ended. Waking all of them shows, one wait later, which ones have.
        if (hasGone) for (const each of queue.waiters) each.wake(now);
        return waiter;
      }
      hasGone = true;
      this.#remove(queue, waiter);
    }
    return undefined;
  }

  // A hold on a client's interactive calls also holds its batch calls. Batch calls alone are held only by a full
  // window.
  #hold(client: ClientLimiter, queue: Queue, now: Moment): Hold | undefined {
    for (const { kind } of [client.queues.interactive, queue]) {
      const hold = this.#holds.get(kind);
      if (hold && hold.until > now) return hold;
    }
    return client.isFull(now) ? { reason: "concurrency", retryAt: null, until: now } : undefined;
  }

  #enter(client: ClientLimiter, { timeoutMs }: AcquireOptions): InFlight {
    const request = { responder: new Responder(), end: later(momentOf(this.#clock), timeoutMs + END_LATE_MS) };
    client.inFlight.add(request);
    this.#clients.add(client);
    return request;
  }

  #permit(client: ClientLimiter, request: InFlight, slot: string, waitedMs: number): Permit {
    let isSettled = false;
    return {
      waitedMs,
      settle: (sent) => {
        if (isSettled) return;
        isSettled = true;
        client.inFlight.delete(request);
        const done = this.#store.settle({ key: this.#key, slot, windowMs: client.limit.windowMs, sent });
        const again = () => {
          // A hold no longer applies if it has no known end, or if the slot became free at once because nothing was
          // sent.
          for (const [kind, { retryAt }] of this.#holds) if (retryAt === null || !sent) this.#holds.delete(kind);
          this.#wakeNext();
          this.#forget(client);
        };
        again();
        if (done instanceof Promise) void done.then(again);
      },
    };
  }

  #add(client: ClientLimiter, queue: Queue, waiter: Waiter): void {
    queue.waiters.add(waiter);
    queue.fresh.add(waiter);
    this.#queued++;
    this.#clients.add(client);
  }

  #remove(queue: Queue, waiter: Waiter): void {
    if (queue.waiters.has(waiter)) this.#queued--;
    queue.remove(waiter);
  }

  #forget(client: ClientLimiter): void {
    if (client.queued + client.inFlight.size === 0) this.#clients.delete(client);
  }
}
