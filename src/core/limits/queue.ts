import type { Moment } from "../time.js";
import type { Priority, ReserveRequest } from "./rate-limit-store.js";
import type { Ticket, WaitReason } from "./ticket.js";

export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly concurrency: number;
  readonly queueLimit: number;
}

/** Why calls get no permit, and until when the store is not called again. */
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
  /** Calls that were added in the order of their numbers. */
  readonly #inOrder = new Set<Ticket>();
  /** Calls that were added after a call with a higher number, sorted by number. */
  #returned = new Set<Ticket>();
  #highest = 0;
  /** Number of calls that wait for the store's reply. */
  asked = 0;
  /** Calls whose reason for waiting was not yet reported and whose deadline was not yet checked. */
  readonly fresh = new Set<Ticket>();
  /** Calls whose wait was reported with the reason `concurrency`, but not yet with another reason. */
  readonly concurrent = new Set<Ticket>();
  /** The latest `retryAt` against which the deadlines of all calls were checked. */
  checkedUntil = Number.NEGATIVE_INFINITY;

  constructor({ requests, windowMs, reserve }: RateLimit, priority: Priority) {
    const batchRequests = Math.max(1, requests - Math.floor(requests * reserve));
    this.limits = { requests, batchRequests, windowMs, priority };
    this.kind = `${priority} ${requests} ${batchRequests}`;
  }

  get tickets(): Ticket[] {
    return [...this.#returned, ...this.#inOrder];
  }

  get size(): number {
    return this.#returned.size + this.#inOrder.size;
  }

  get waiting(): number {
    return this.size - this.asked;
  }

  /** Adds a call at the position of its number. @returns false if the queue already contains it. */
  add(ticket: Ticket): boolean {
    if (this.#inOrder.has(ticket) || this.#returned.has(ticket)) return false;
    if (ticket.number > this.#highest) {
      this.#highest = ticket.number;
      this.#inOrder.add(ticket);
    } else this.#returned = new Set([...this.#returned, ticket].sort((one, other) => one.number - other.number));
    return true;
  }

  remove(ticket: Ticket): boolean {
    if (!this.#inOrder.delete(ticket) && !this.#returned.delete(ticket)) return false;
    if (ticket.asked) this.asked--;
    ticket.asked = false;
    this.fresh.delete(ticket);
    this.concurrent.delete(ticket);
    return true;
  }

  /** The first call that may request a permit now. @param silent receives the calls before it that do not respond. */
  first(now: Moment, silent: Ticket[]): Ticket | undefined {
    const returned = firstOf(this.#returned, now, silent);
    const inOrder = firstOf(this.#inOrder, now, silent);
    return returned && (!inOrder || returned.number < inOrder.number) ? returned : inOrder;
  }
}

function firstOf(tickets: Iterable<Ticket>, now: Moment, silent: Ticket[]): Ticket | undefined {
  for (const ticket of tickets) {
    if (ticket.asked || ticket.notBefore > now) continue;
    if (!ticket.isSilent(now)) return ticket;
    silent.push(ticket);
  }
  return undefined;
}

/** Reports why calls wait, at most twice per call: once as `concurrency` and once for another reason. */
export function report({ fresh, concurrent }: Queue, { reason, retryAt }: Hold): void {
  const isConcurrency = reason === "concurrency";
  const waiting = isConcurrency ? [...fresh] : [...fresh, ...concurrent];
  fresh.clear();
  if (!isConcurrency) concurrent.clear();
  for (const ticket of waiting) {
    if (isConcurrency) concurrent.add(ticket);
    ticket.call.onWait?.(reason, retryAt);
  }
}

/** Refuses, at once, the calls that cannot start before their deadline. */
export function refuseLate(queue: Queue, retryAt: Moment | null, now: Moment): void {
  if (retryAt === null) return;
  const waiting = retryAt > queue.checkedUntil ? queue.tickets : [...queue.fresh];
  queue.checkedUntil = Math.max(queue.checkedUntil, retryAt);
  for (const ticket of waiting) {
    const { deadline } = ticket.call;
    if (deadline === null || deadline >= retryAt) continue;
    ticket.refusal = { refused: "deadline", retryAt };
    ticket.wake(now);
  }
}
