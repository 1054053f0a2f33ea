import type { Clock } from "../clock.js";
import { later, type Moment, momentOf } from "../time.js";

/** Which requests go first when the rate window is nearly used up. */
export type Priority = "interactive" | "batch";

/** A request for a slot in the window. */
export interface ReserveRequest {
  /** Identifies the rate limit by host and a hash of the token; does not contain the token. */
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of the calling process. */
  readonly now: number;
  /** Number of slots in the window. */
  readonly requests: number;
  /** Number of slots that batch requests may hold; the rest of the window is kept for interactive requests. */
  readonly batchRequests: number;
  readonly priority: Priority;
  readonly windowMs: number;
  /** Milliseconds after which an unsettled slot becomes free, because its process must have died. */
  readonly leaseMs: number;
}

/** A store's reply: a slot, or when to try again. */
export type Reservation =
  | {
      readonly granted: true;
      readonly slot: string;
      /**
       * Slots of the window that are taken now, including this one. While the store fails, a process keeps to its share
       * of the limit, which it computes from this number.
       */
      readonly used?: number | undefined;
    }
  | {
      readonly granted: false;
      /** When to try again; null if a slot becomes free only when a request in flight ends. */
      readonly retryAt: number | null;
      /** The window is used up, or the service responded 429. */
      readonly reason: "window" | "rate_limited";
    };

/** A report to a store: a request got its response or was not sent. */
export interface Settlement {
  readonly key: string;
  readonly slot: string;
  readonly now: number;
  readonly windowMs: number;
  /** False if the request was never sent: its slot becomes free immediately. */
  readonly sent: boolean;
}

/** A report to a store: the service responded 429. */
export interface RateLimitBlock {
  readonly key: string;
  /** Milliseconds since the epoch, by the clock of the calling process. */
  readonly now: number;
  /** When requests may be sent again, measured like `now`. */
  readonly until: number;
}

/**
 * Keeps the slots of rate-limit windows. The default keeps them in the memory of the process; implement this interface
 * on a database to share one budget between processes. Each method must be atomic for its key. A store that throws,
 * gives an invalid reply or takes longer than 5 seconds is replaced by the memory of the process, with one warning, and
 * is tried again every tenth of a window until it replies.
 */
export interface RateLimitStore {
  /**
   * Number of processes that share the store: until the store's first reply, each keeps to an equal share of the limit.
   * Default 1.
   */
  readonly processes?: number | undefined;
  /**
   * Takes a slot if fewer than `requests` are taken, the key is not blocked and, for a batch request, batch requests
   * hold fewer than `batchRequests`.
   */
  reserve(request: ReserveRequest): Reservation | PromiseLike<Reservation>;
  /**
   * Settles a slot whose request got its response or was not sent: the slot becomes free `windowMs` later, or
   * immediately if the request was not sent.
   */
  settle(settlement: Settlement): void | PromiseLike<void>;
  /** Refuses every request until a point in time. A block that ends earlier than the present block changes nothing. */
  block(block: RateLimitBlock): void | PromiseLike<void>;
  /**
   * Number of slots taken now and when the next one becomes free, for `client.rateLimit`; omit this method if it would
   * cost a round trip.
   */
  usage?(request: { readonly key: string; readonly now: number }): RateLimitUsage;
}

/** How much of a window is used. */
export interface RateLimitUsage {
  readonly used: number;
  /** When the next slot becomes free or a block ends; null when nothing is taken. */
  readonly resetAt: number | null;
}

/** A store's reply to a rate limiter: a slot, or when to try again. */
export type Claim =
  | { readonly granted: true; readonly slot: string }
  | { readonly granted: false; readonly retryAt: Moment | null; readonly reason: "window" | "rate_limited" };

/** A request for a slot, without the time of the request. */
export type SlotRequest = Omit<ReserveRequest, "now">;

/** A store as a rate limiter sees it: it uses times that never go back, never fails, and may be synchronous. */
export interface LimitStore {
  /** True if slots are counted outside this process, even while that store is down. */
  readonly isShared: boolean;
  reserve(request: SlotRequest): Claim | Promise<Claim>;
  settle(settlement: Omit<Settlement, "now">): void | Promise<void>;
  /** Refuses every request for a number of milliseconds. */
  block(key: string, ms: number): void | Promise<void>;
  usage(key: string): { readonly used: number; readonly resetAt: Moment | null };
  /** Forgets all windows; absent if processes share them. */
  clear?(): void;
}

interface Slot {
  readonly batch: boolean;
  /** When the slot becomes free: at the end of its lease while in flight, at the end of the window once settled. */
  readonly until: number;
}

/** The slots for one key. Time never goes back: each time is the caller's time plus `shift`. */
interface Window {
  readonly inFlight: Map<string, Slot>;
  /** Settled slots, ordered by the time at which they become free. Those before `head` are already free. */
  readonly answered: Slot[];
  head: number;
  /** Number of slots that batch requests hold. */
  batch: number;
  blockedUntil: number;
  now: number;
  shift: number;
}

/** Keeps windows in the memory of this process. */
export class MemoryRateLimitStore implements RateLimitStore {
  readonly #windows = new Map<string, Window>();
  #slots = 0;

  reserve({ key, now, requests, batchRequests, priority, leaseMs }: ReserveRequest): Reservation {
    const window = this.#window(key, now);
    const { answered, shift } = window;
    if (window.blockedUntil > window.now) {
      return { granted: false, retryAt: window.blockedUntil - shift, reason: "rate_limited" };
    }
    const isBatch = priority === "batch";
    let total = countTaken(window);
    let { batch, head } = window;
    const isFull = () => total >= requests || (isBatch && batch >= batchRequests);
    if (isFull()) {
      let freed: Slot | undefined;
      while (isFull()) {
        freed = answered[head++];
        if (!freed) break;
        total--;
        if (freed.batch) batch--;
      }
      return { granted: false, retryAt: freed ? freed.until - shift : null, reason: "window" };
    }
    const slot = String(++this.#slots);
    window.inFlight.set(slot, { batch: isBatch, until: window.now + leaseMs });
    if (isBatch) window.batch++;
    return { granted: true, slot };
  }

  settle({ key, slot, now, windowMs, sent }: Settlement): void {
    const window = this.#window(key, now);
    const { inFlight, answered, head } = window;
    const settled = inFlight.get(slot);
    if (!settled) return;
    inFlight.delete(slot);
    if (sent) {
      const until = window.now + windowMs;
      let at = answered.length;
      // Inserts the slot in order, because clients that share a key may have windows of different lengths.
      while (at > head && (answered[at - 1] as Slot).until > until) at--;
      answered.splice(at, 0, { batch: settled.batch, until });
    } else if (settled.batch) window.batch--;
  }

  block({ key, until }: Omit<RateLimitBlock, "now">): void {
    const window = this.#window(key, null);
    window.blockedUntil = Math.max(window.blockedUntil, until + window.shift);
  }

  usage({ key, now }: { readonly key: string; readonly now: number }): RateLimitUsage {
    const window = this.#window(key, now);
    const { answered, blockedUntil, shift } = window;
    const end = blockedUntil > window.now ? blockedUntil : answered[window.head]?.until;
    return { used: countTaken(window), resetAt: end === undefined ? null : end - shift };
  }

  /** Forgets all windows and blocks. */
  clear(): void {
    this.#windows.clear();
  }

  // The current window, without the slots that have become free; without a time, the window as of the last call.
  #window(key: string, now: number | null): Window {
    let window = this.#windows.get(key);
    if (!window) {
      window = { inFlight: new Map(), answered: [], head: 0, batch: 0, blockedUntil: 0, now: 0, shift: 0 };
      this.#windows.set(key, window);
    }
    if (now === null) return window;
    // If the clock was moved back, the window's time continues from the last call.
    window.shift = Math.max(window.shift, window.now - now);
    window.now = now + window.shift;
    const { inFlight, answered } = window;
    const isOver = ({ batch, until }: Slot) => {
      if (until > window.now) return false;
      if (batch) window.batch--;
      return true;
    };
    // If the platform ended a request without settling it, the request would otherwise keep its slot forever.
    for (const [name, slot] of inFlight) if (isOver(slot)) inFlight.delete(name);
    while (window.head < answered.length && isOver(answered[window.head] as Slot)) window.head++;
    if (window.head > 512) {
      answered.splice(0, window.head);
      window.head = 0;
    }
    return window;
  }
}

function countTaken({ inFlight, answered, head }: Window): number {
  return inFlight.size + answered.length - head;
}

export function localStore(clock: Clock, memory: MemoryRateLimitStore = new MemoryRateLimitStore()): LimitStore {
  return {
    isShared: false,
    reserve: (request) => memory.reserve({ ...request, now: momentOf(clock) }) as Claim,
    settle: (settlement) => memory.settle({ ...settlement, now: momentOf(clock) }),
    block: (key, ms) => memory.block({ key, until: later(momentOf(clock), ms) }),
    usage: (key) => memory.usage({ key, now: momentOf(clock) }) as ReturnType<LimitStore["usage"]>,
    clear: () => memory.clear(),
  };
}
