/** What a store is asked for when a request wants a place in the window. */
export interface ReserveRequest {
  /** Host and hash of the token: whose budget it is. Holds no token. */
  readonly key: string;
  /** Milliseconds since the epoch, of the asking process. */
  readonly now: number;
  /** Most places that may be taken in the window for this request to get one. */
  readonly requests: number;
  readonly windowMs: number;
  /** Milliseconds after which a place that was never settled counts as answered: its process has died. */
  readonly leaseMs: number;
}

/** A store's answer: a place, or when to ask again. */
export type Reservation =
  | { readonly granted: true; readonly slot: string }
  | {
      readonly granted: false;
      /** When asking again makes sense; null when a place only frees up once a request under way is answered. */
      readonly retryAt: number | null;
      /** The window is used up, or the service answered 429. */
      readonly reason: "window" | "rate_limited";
    };

/**
 * Where the places of rate windows are kept. The default is the memory of the process; implement it on Redis or a
 * database to share one budget between processes. Each method must be atomic for its key.
 */
export interface RateLimitStore {
  /** Takes a place in the window if fewer than `requests` are taken and the key is not blocked. */
  reserve(request: ReserveRequest): Reservation | Promise<Reservation>;
  /**
   * Tells that the request of a place was answered, or, with `sent: false`, never left. A place is free again
   * `windowMs` after its answer, at once when it was never used.
   */
  settle(settlement: {
    readonly key: string;
    readonly slot: string;
    readonly now: number;
    readonly windowMs: number;
    readonly sent: boolean;
  }): void | Promise<void>;
  /** Refuses everybody until a point in time; a later block wins, an earlier one changes nothing. */
  block(block: { readonly key: string; readonly until: number }): void | Promise<void>;
  /** Places taken now and when the next one frees up, for `client.rateLimit`; leave it out if that costs a round trip. */
  usage?(request: { readonly key: string; readonly now: number }): {
    readonly used: number;
    readonly resetAt: number | null;
  };
}

interface Window {
  readonly underWay: Set<string>;
  // When the answered places free up, ascending: answers come in the order of the clock.
  readonly frees: number[];
  // Entries before this index are gone; the array is cut when half of it is.
  head: number;
  blockedUntil: number;
}

/** Keeps windows in the memory of this process. */
export class MemoryRateLimitStore implements RateLimitStore {
  readonly #windows = new Map<string, Window>();
  #slots = 0;

  reserve({ key, now, requests }: ReserveRequest): Reservation {
    const window = this.#window(key, now);
    if (window.blockedUntil > now) return { granted: false, retryAt: window.blockedUntil, reason: "rate_limited" };
    const used = taken(window);
    if (used < requests) {
      const slot = String(++this.#slots);
      window.underWay.add(slot);
      return { granted: true, slot };
    }
    const retryAt = window.frees[window.head + (used - requests)] ?? null;
    return { granted: false, retryAt, reason: "window" };
  }

  settle({ key, slot, now, windowMs, sent }: Parameters<RateLimitStore["settle"]>[0]): void {
    const window = this.#window(key, now);
    if (window.underWay.delete(slot) && sent) window.frees.push(now + windowMs);
  }

  block({ key, until }: Parameters<RateLimitStore["block"]>[0]): void {
    const window = this.#window(key, 0);
    window.blockedUntil = Math.max(window.blockedUntil, until);
  }

  usage({ key, now }: { key: string; now: number }): { used: number; resetAt: number | null } {
    const window = this.#window(key, now);
    const next = window.frees[window.head] ?? null;
    return { used: taken(window), resetAt: window.blockedUntil > now ? window.blockedUntil : next };
  }

  #window(key: string, now: number): Window {
    let window = this.#windows.get(key);
    if (!window) {
      window = { underWay: new Set(), frees: [], head: 0, blockedUntil: 0 };
      this.#windows.set(key, window);
    }
    while ((window.frees[window.head] ?? Number.POSITIVE_INFINITY) <= now) window.head++;
    if (window.head > 512 && window.head * 2 > window.frees.length) {
      window.frees.splice(0, window.head);
      window.head = 0;
    }
    return window;
  }
}

function taken(window: Window): number {
  return window.underWay.size + window.frees.length - window.head;
}
