import { onAbort, raceAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import { later, type Moment, momentOf } from "../time.js";
import { type Hold, Queue, type RateLimit, refuseLate, report } from "./queue.js";
import type { Claim, LimitStore, Priority, SlotRequest } from "./rate-limit-store.js";
import { GONE_AFTER_MS, type Place, type Refusal, type Ticket } from "./ticket.js";

export interface Permit {
  /** Milliseconds that the call waited for the permit. */
  readonly waitedMs: number;
  /**
   * Releases the permit: the request counts for another `windowMs`, or not at all if it was not sent. Only the first
   * call has an effect.
   */
  settle(sent: boolean): void;
}

// Milliseconds by which a request may exceed its time limit, for example to report a 429 to a store that hangs.
const END_LATE_MS = 6_000;

/** The calls of one client in the rate limiter of its token. The client's limits apply only to these calls. */
export class ClientLimiter implements Place {
  readonly limit: RateLimit;
  readonly limiter: RateLimiter;
  readonly queues: Readonly<Record<Priority, Queue>>;
  /** Calls that have a request in flight or wait for the store's reply. */
  readonly inFlight = new Set<Ticket>();

  constructor(limiter: RateLimiter, limit: RateLimit) {
    this.limiter = limiter;
    this.limit = limit;
    this.queues = { interactive: new Queue(limit, "interactive"), batch: new Queue(limit, "batch") };
  }

  /** Number of calls that wait for a permit, except those that wait for the store's reply. */
  get queued(): number {
    return this.queues.interactive.waiting + this.queues.batch.waiting;
  }

  /** True if no further request may be in flight. Forgets requests that have ended. */
  isFull(now: Moment): boolean {
    const { concurrency } = this.limit;
    if (this.inFlight.size < concurrency) return false;
    for (const each of this.inFlight) if (each.end <= now || each.isGone(now)) this.inFlight.delete(each);
    return this.inFlight.size >= concurrency;
  }

  /** Checks whether the calls in flight are still running. @returns when to check again. */
  askInFlight(now: Moment): Moment {
    let until = later(now, GONE_AFTER_MS);
    for (const ticket of this.inFlight) {
      ticket.ping(now);
      if (ticket.end < until) until = ticket.end;
    }
    return until;
  }

  /**
   * Waits for permission to send a request.
   * @returns a permit, or why waiting is pointless.
   * @throws the signal's reason when the signal aborts.
   */
  acquire(ticket: Ticket): Permit | Promise<Permit | Refusal> {
    return this.limiter.acquire(this, ticket);
  }

  keep(ticket: Ticket): void {
    this.limiter.keep(this, ticket);
  }

  leave(ticket: Ticket): void {
    this.limiter.leave(this, ticket);
  }

  block(ms: number): Promise<void> | undefined {
    return this.limiter.block(ms);
  }
}

// How long to wait before calling a shared store again, if it does not know when a slot becomes free.
const POLL_MS = 1_000;
const POLLS_PER_WINDOW = 8;

/**
 * Keeps the requests of one token within the limit. The requests of all clients that use the token count together, and
 * each client waits when that count reaches its own limit. Interactive calls go before batch calls, and earlier calls
 * before later ones, but no call waits behind a call whose client has reached its own limit. A call keeps its place
 * across attempts and pauses. No client sends during the service's Retry-After.
 */
export class RateLimiter {
  readonly #key: string;
  readonly #clock: Clock;
  readonly #store: LimitStore;
  /** Clients with calls that are waiting or in flight. */
  readonly #clients = new Set<ClientLimiter>();
  /** The store's last refusal for each kind of queue, until the store is called again. */
  readonly #holds = new Map<string, Hold>();
  #queued = 0;
  #tickets = 0;

  constructor(key: string, clock: Clock, store: LimitStore) {
    this.#key = key;
    this.#clock = clock;
    this.#store = store;
  }

  /** Number of requests that count against the limit, and when the next one stops counting. */
  get usage(): ReturnType<LimitStore["usage"]> {
    return this.#store.usage(this.#key);
  }

  /** True when nothing is in flight, waiting or counted, so that this limiter can be dropped. */
  get idle(): boolean {
    return this.#clients.size === 0 && this.usage.resetAt === null;
  }

  /** The client with this limit, if it has calls in flight or waiting; otherwise a new one. */
  client(limit: RateLimit): ClientLimiter {
    for (const client of this.#clients) if (client.limit === limit) return client;
    return new ClientLimiter(this, limit);
  }

  acquire(client: ClientLimiter, ticket: Ticket): Permit | Promise<Permit | Refusal> {
    const { signal, priority } = ticket.call;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const queue = client.queues[priority];
    const now = momentOf(this.#clock);
    if (ticket.place !== client) {
      ticket.place?.leave(ticket);
      ticket.place = client;
      ticket.number = ++this.#tickets;
    }
    ticket.since = ticket.notBefore > now ? ticket.notBefore : now;
    ticket.isNew = true;
    ticket.refusal = null;
    let isTurn = ticket.notBefore <= now && this.#isFree(client, queue, now);
    // If this process keeps the count, a permit needs neither a promise nor a listener.
    if (isTurn && !this.#store.isShared) {
      const claim = this.#store.reserve(this.#request(queue, ticket)) as Claim;
      if (claim.granted) {
        this.#enter(client, ticket);
        return this.#permit(client, ticket, claim.slot, now);
      }
      isTurn = false;
    }
    if (!isTurn && !ticket.isLetIn && client.queued >= client.limit.queueLimit) {
      return Promise.resolve({ refused: "queue_full", retryAt: null });
    }
    return this.#wait(client, queue, ticket);
  }

  keep(client: ClientLimiter, ticket: Ticket): void {
    this.#add(client, client.queues[ticket.call.priority], ticket);
  }

  leave(client: ClientLimiter, ticket: Ticket): void {
    if (!this.#remove(client.queues[ticket.call.priority], ticket)) return;
    this.#forget(client);
    this.#wakeNext();
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
   * Forgets the permits in flight and the count that this process keeps, and drops every waiting call: its promise
   * settles only if its signal aborts. Counts that processes share are kept.
   */
  reset(): void {
    this.#store.clear?.();
    const now = momentOf(this.#clock);
    for (const client of this.#clients) {
      client.inFlight.clear();
      for (const queue of Object.values(client.queues)) {
        for (const ticket of queue.tickets) {
          ticket.dropped = true;
          this.#remove(queue, ticket);
          ticket.wake(now);
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
    const next = this.#next(now)?.call.priority;
    return next === undefined || (next === "batch" && queue.limits.priority === "interactive");
  }

  #request({ limits }: Queue, { call: { timeoutMs } }: Ticket): SlotRequest {
    return { key: this.#key, ...limits, leaseMs: limits.windowMs + timeoutMs };
  }

  // Runs only in the waiting call's own code: other calls' code may no longer run (see `Ticket`).
  async #wait(client: ClientLimiter, queue: Queue, ticket: Ticket): Promise<Permit | Refusal> {
    const { signal } = ticket.call;
    ticket.isLetIn = true;
    const stop = onAbort(signal, () => {
      this.#remove(queue, ticket);
      ticket.wake(momentOf(this.#clock));
    });
    try {
      for (;;) {
        ticket.respond();
        if (signal?.aborted) throw signal.reason;
        if (ticket.dropped) return await raceAbort(new Promise<never>(() => undefined), signal);
        // Also adds back a call that another call wrongly assumed to have ended.
        this.#add(client, queue, ticket);
        const ms = this.#delay(client, queue, ticket);
        if (ticket.refusal) return ticket.refusal;
        const permit = ms === 0 ? await this.#take(client, queue, ticket) : await ticket.sleep(this.#clock, ms);
        if (permit) return permit;
      }
    } finally {
      stop();
      ticket.respond();
      const mayBeFirst = signal?.aborted || this.#first(queue, momentOf(this.#clock)) === ticket;
      this.#remove(queue, ticket);
      this.#forget(client);
      this.#wakeNext(mayBeFirst ? queue : undefined);
    }
  }

  // Milliseconds until a call checks again; 0 if it is its turn. The first call of a queue checks when the queue may
  // send again, and wakes the next call. The other calls check later, in case the code of an earlier call no longer
  // runs: the more calls wait, the later.
  #delay(client: ClientLimiter, queue: Queue, ticket: Ticket): number {
    const now = momentOf(this.#clock);
    if (ticket.notBefore > now) return ticket.notBefore - now;
    // A wait is reported only after the pause of a retry, which the `retry` event has already reported.
    if (ticket.isNew) queue.fresh.add(ticket);
    ticket.isNew = false;
    const patience = this.#first(queue, now) === ticket ? 0 : GONE_AFTER_MS + this.#queued;
    const hold = this.#hold(client, queue, now);
    if (hold) {
      this.#tell(queue, hold, now);
      const until = hold.reason === "concurrency" ? client.askInFlight(now) : hold.until;
      return Math.max(1, until - now) + patience;
    }
    const next = this.#next(now);
    if (next === ticket) return 0;
    next?.wake(now);
    return Math.max(GONE_AFTER_MS, patience);
  }

  #take(client: ClientLimiter, queue: Queue, ticket: Ticket): Permit | undefined | Promise<Permit | undefined> {
    this.#enter(client, ticket);
    const asked = this.#store.reserve(this.#request(queue, ticket));
    if (!(asked instanceof Promise)) return this.#useClaim(client, queue, ticket, asked);
    ticket.asked = true;
    queue.asked++;
    // Other calls may use the store before this reply arrives.
    this.#wakeNext();
    const pendingPermit = asked.then((claim) => {
      if (ticket.asked) queue.asked--;
      ticket.asked = false;
      return this.#useClaim(client, queue, ticket, claim);
    });
    return raceAbort(pendingPermit, ticket.call.signal).catch((reason) => {
      void pendingPermit.then((permit) => permit?.settle(false));
      throw reason;
    });
  }

  #useClaim(client: ClientLimiter, queue: Queue, ticket: Ticket, claim: Claim): Permit | undefined {
    const now = momentOf(this.#clock);
    if (claim.granted) {
      const permit = this.#permit(client, ticket, claim.slot, now);
      if (!ticket.dropped) return permit;
      permit.settle(false);
      return undefined;
    }
    client.inFlight.delete(ticket);
    const { reason, retryAt } = claim;
    const { windowMs } = queue.limits;
    const until = retryAt ?? later(now, Math.min(POLL_MS, windowMs / POLLS_PER_WINDOW));
    this.#holds.set(queue.kind, { reason, retryAt, until: later(now, Math.max(1, Math.min(until - now, windowMs))) });
    for (const each of this.#clients) {
      for (const held of Object.values(each.queues)) {
        const hold = held.size > 0 && this.#hold(each, held, now);
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
  #next(now: Moment): Ticket | undefined {
    for (const priority of ["interactive", "batch"] as const) {
      let next: Ticket | undefined;
      for (const client of this.#clients) {
        const queue = client.queues[priority];
        const ticket = this.#first(queue, now);
        if (ticket && (!next || ticket.number < next.number) && !this.#hold(client, queue, now)) next = ticket;
      }
      if (next) return next;
    }
    return undefined;
  }

  // The first call that may request a permit now. Drops calls that have ended.
  #first(queue: Queue, now: Moment): Ticket | undefined {
    const silent: Ticket[] = [];
    const first = queue.first(now, silent);
    for (const ticket of silent) this.#remove(queue, ticket);
    // Other calls may have ended too. Wakes all of them: those that do not respond in time have ended.
    if (silent.length > 0) for (const ticket of queue.tickets) ticket.wake(now);
    return first;
  }

  // A hold on a client's interactive calls also applies to its batch calls, but not the reverse.
  #hold(client: ClientLimiter, queue: Queue, now: Moment): Hold | undefined {
    for (const { kind } of [client.queues.interactive, queue]) {
      const hold = this.#holds.get(kind);
      if (hold && hold.until > now) return hold;
    }
    return client.isFull(now) ? { reason: "concurrency", retryAt: null, until: now } : undefined;
  }

  #enter(client: ClientLimiter, ticket: Ticket): void {
    ticket.end = later(momentOf(this.#clock), ticket.call.timeoutMs + END_LATE_MS);
    client.inFlight.add(ticket);
    this.#clients.add(client);
  }

  #permit(client: ClientLimiter, ticket: Ticket, slot: string, now: Moment): Permit {
    const waitedMs = Math.round(now - ticket.since);
    ticket.waitedMs += waitedMs;
    ticket.isLetIn = true;
    let isSettled = false;
    return {
      waitedMs,
      settle: (sent) => {
        if (isSettled) return;
        isSettled = true;
        client.inFlight.delete(ticket);
        const done = this.#store.settle({ key: this.#key, slot, windowMs: client.limit.windowMs, sent });
        const again = () => {
          // A hold without a known end lasts until a request ends. An unsent request frees its slot at once, so every
          // hold ends.
          for (const [kind, { retryAt }] of this.#holds) if (retryAt === null || !sent) this.#holds.delete(kind);
          this.#wakeNext();
          this.#forget(client);
        };
        again();
        if (done instanceof Promise) void done.then(again);
      },
    };
  }

  #add(client: ClientLimiter, queue: Queue, ticket: Ticket): void {
    if (queue.add(ticket)) this.#queued++;
    this.#clients.add(client);
  }

  #remove(queue: Queue, ticket: Ticket): boolean {
    const wasThere = queue.remove(ticket);
    if (wasThere) this.#queued--;
    return wasThere;
  }

  #forget(client: ClientLimiter): void {
    if (client.queued + client.inFlight.size === 0) this.#clients.delete(client);
  }
}
