import { type Clock, steadyNow } from "../clock.js";

/** Which requests go first when the rate window is nearly used up. */
export type Priority = "interactive" | "batch";

/** What a store is asked when a request needs a place in the window. */
export interface ReserveRequest {
  /** Host and hash of the token: whose budget it is. It does not contain the token. */
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of the asking process. */
  readonly now: number;
  /** Most places of the window. */
  readonly requests: number;
  /** Most places that batch requests may hold at once; the rest of the window is kept for interactive requests. */
  readonly batchRequests: number;
  readonly priority: Priority;
  readonly windowMs: number;
  /** Milliseconds after which a place that was never settled counts as answered: its process has died. */
  readonly leaseMs: number;
}

/** A store's answer: a place, or when to ask again. */
export type Reservation =
  | {
      readonly granted: true;
      readonly slot: string;
      /** Places of the window taken now, this one included; a process that loses the store then keeps to its share. */
      readonly used?: number | undefined;
    }
  | {
      readonly granted: false;
      /** When to ask again; null when a place only becomes free once a request in flight is answered. */
      readonly retryAt: number | null;
      /** The window is used up, or the service answered 429. */
      readonly reason: "window" | "rate_limited";
    };

/** What a store is told when a request was answered or not sent. */
export interface Settlement {
  readonly key: string;
  readonly slot: string;
  readonly now: number;
  readonly windowMs: number;
  /** False when the request was never sent: its place is free at once. */
  readonly sent: boolean;
}

/** What a store is told when the service answered 429. */
export interface RateLimitBlock {
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of the asking process. */
  readonly now: number;
  /** When requests may go out again, by the same clock. */
  readonly until: number;
}

/**
 * Where the places of rate windows are kept. The default is the memory of the process; implement it on a database to
 * share one budget between processes. Each method must be atomic for its key. A store that throws, answers something
 * else or takes longer than 5 seconds is replaced by the memory of the process, with one warning, and asked again each
 * tenth of a window until it answers.
 */
export interface RateLimitStore {
  /** How many processes share it: until it has answered once, each keeps to this part of the limit. Default 1. */
  readonly processes?: number | undefined;
  /**
   * Takes a place if fewer than `requests` are taken, the key is not blocked and, for a batch request, batch requests
   * hold fewer than `batchRequests`.
   */
  reserve(request: ReserveRequest): Reservation | PromiseLike<Reservation>;
  /** Notes that a request was answered: its place is free `windowMs` later, or at once when it was not sent. */
  settle(settlement: Settlement): void | PromiseLike<void>;
  /** Refuses every request until a point in time; a later block wins, an earlier one changes nothing. */
  block(block: RateLimitBlock): void | PromiseLike<void>;
  /** Places taken now and when the next one is free, for `client.rateLimit`; leave it out if that costs a round trip. */
  usage?(request: { readonly key: string; readonly now: number }): RateLimitUsage;
}

/** How much of a window is used. */
export interface RateLimitUsage {
  readonly used: number;
  /** When the next place is free or a block ends; null when nothing is taken. */
  readonly resetAt: number | null;
}

/** A store as a rate limiter uses it: it always answers, at once or later. */
export interface LimitStore {
  /** True when the budget is meant to be kept outside this process. */
  readonly isShared: boolean;
  reserve(request: ReserveRequest): Reservation | Promise<Reservation>;
  settle(settlement: Settlement): void | Promise<void>;
  block(block: RateLimitBlock): void | Promise<void>;
  /** Places taken and when the next one is free; null where the store cannot say. */
  usage(key: string): RateLimitUsage | null;
  /** Forgets all windows; absent where processes share them. */
  clear?(): void;
}

interface Place {
  readonly priority: Priority;
  /** When it is free: the end of its lease while in flight, of the window once answered. */
  readonly until: number;
}

interface Window {
  readonly inFlight: Map<string, Place>;
  /** Answered places, the first to become free first. Entries before `head` are free. */
  readonly answered: Place[];
  head: number;
  /** Of all places taken, those of batch requests. */
  batch: number;
  blockedUntil: number;
  lastNow: number;
  nextLease: number;
}

/** Keeps windows in the memory of this process. */
export class MemoryRateLimitStore implements RateLimitStore {
  readonly #windows = new Map<string, Window>();
  #slots = 0;

  reserve({ key, now, requests, batchRequests, priority, leaseMs }: ReserveRequest): Reservation {
    const window = this.#window(key, now);
    if (window.blockedUntil > now) return { granted: false, retryAt: window.blockedUntil, reason: "rate_limited" };
    const used = taken(window);
    const missing = Math.max(used - requests, priority === "batch" ? window.batch - batchRequests : -1);
    if (missing >= 0)
      return { granted: false, retryAt: freeAt(window, used, requests, batchRequests, priority), reason: "window" };
    const slot = String(++this.#slots);
    const until = now + leaseMs;
    window.inFlight.set(slot, { priority, until });
    window.nextLease = Math.min(window.nextLease, until);
    if (priority === "batch") window.batch++;
    return { granted: true, slot };
  }

  settle({ key, slot, now, windowMs, sent }: Settlement): void {
    const window = this.#window(key, now);
    const place = window.inFlight.get(slot);
    if (!place) return;
    window.inFlight.delete(slot);
    if (sent) insert(window, { priority: place.priority, until: now + windowMs });
    else if (place.priority === "batch") window.batch--;
  }

  block({ key, until }: Omit<RateLimitBlock, "now">): void {
    const window = this.#window(key, null);
    window.blockedUntil = Math.max(window.blockedUntil, until);
  }

  usage({ key, now }: { readonly key: string; readonly now: number }): RateLimitUsage {
    const window = this.#window(key, now);
    const next = window.answered[window.head]?.until ?? null;
    return { used: taken(window), resetAt: window.blockedUntil > now ? window.blockedUntil : next };
  }

  /** Forgets all windows and blocks. */
  clear(): void {
    this.#windows.clear();
  }

  // The window as it is now, without the places that have become free; without a time, as it was last.
  #window(key: string, now: number | null): Window {
    let window = this.#windows.get(key);
    if (!window) {
      window = {
        inFlight: new Map(),
        answered: [],
        head: 0,
        batch: 0,
        blockedUntil: 0,
        lastNow: 0,
        nextLease: Infinity,
      };
      this.#windows.set(key, window);
    }
    if (now === null) return window;
    if (now < window.lastNow) shift(window, now - window.lastNow);
    window.lastNow = now;
    if (window.nextLease <= now) endLeases(window, now);
    for (let first = window.answered[window.head]; first && first.until <= now; first = window.answered[window.head]) {
      if (first.priority === "batch") window.batch--;
      window.head++;
    }
    if (window.head > 512) {
      window.answered.splice(0, window.head);
      window.head = 0;
    }
    return window;
  }
}

function taken(window: Window): number {
  return window.inFlight.size + window.answered.length - window.head;
}

// When a place is free for a request; null when that depends on requests in flight.
function freeAt(
  window: Window,
  used: number,
  requests: number,
  batchRequests: number,
  priority: Priority,
): number | null {
  let total = used;
  let batch = window.batch;
  for (let at = window.head; at < window.answered.length; at++) {
    const place = window.answered[at] as Place;
    total--;
    if (place.priority === "batch") batch--;
    if (total < requests && (priority === "interactive" || batch < batchRequests)) return place.until;
  }
  return null;
}

// In order: clients that share a key may have windows of different lengths.
function insert({ answered, head }: Window, place: Place): void {
  let at = answered.length;
  while (at > head && (answered[at - 1] as Place).until > place.until) at--;
  if (at === answered.length) answered.push(place);
  else answered.splice(at, 0, place);
}

// A request whose platform ended without settling it would keep its place for ever.
function endLeases(window: Window, now: number): void {
  window.nextLease = Infinity;
  for (const [slot, { priority, until }] of window.inFlight) {
    if (until <= now) {
      window.inFlight.delete(slot);
      if (priority === "batch") window.batch--;
    } else window.nextLease = Math.min(window.nextLease, until);
  }
}

// The system clock was set back: shift every deadline with it.
function shift(window: Window, ms: number): void {
  for (let at = window.head; at < window.answered.length; at++) {
    const { priority, until } = window.answered[at] as Place;
    window.answered[at] = { priority, until: until + ms };
  }
  for (const [slot, { priority, until }] of window.inFlight) window.inFlight.set(slot, { priority, until: until + ms });
  window.nextLease += ms;
  window.blockedUntil += ms;
}

/** The memory of this process. Its windows end on time even if the system clock is set back. */
export function localStore(clock: Clock, memory: MemoryRateLimitStore = new MemoryRateLimitStore()): LimitStore {
  const shown = (time: number | null) => (time === null ? null : clock.now() + time - steadyNow(clock));
  return {
    isShared: false,
    reserve: (request) => {
      const reservation = memory.reserve({ ...request, now: steadyNow(clock) });
      return reservation.granted ? reservation : { ...reservation, retryAt: shown(reservation.retryAt) };
    },
    settle: (settlement) => memory.settle({ ...settlement, now: steadyNow(clock) }),
    block: ({ key, now, until }) => memory.block({ key, until: steadyNow(clock) + until - now }),
    usage: (key) => {
      const { used, resetAt } = memory.usage({ key, now: steadyNow(clock) });
      return { used, resetAt: shown(resetAt) };
    },
    clear: () => memory.clear(),
  };
}
