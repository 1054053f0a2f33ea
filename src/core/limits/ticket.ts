import { type Clock, LONGEST_TIMER_MS } from "../clock.js";
import type { Moment } from "../time.js";
import type { Priority } from "./rate-limit-store.js";

/** A call that does not respond within this many milliseconds after another call woke or pinged it counts as ended. */
export const GONE_AFTER_MS = 1_000;

/** Why a call waits: for requests in flight, for room in the window, or for the end of a `Retry-After`. */
export type WaitReason = "concurrency" | "window" | "rate_limited";

/** Why waiting is pointless: the permit would come after the deadline, or the queue is full. */
export interface Refusal {
  readonly refused: "deadline" | "queue_full";
  /** The earliest time at which the permit could be granted; null when unknown. */
  readonly retryAt: Moment | null;
}

export interface TicketOptions {
  readonly priority: Priority;
  /** Aborts when the caller's signal does, or when `totalTimeout` has passed. */
  readonly signal: AbortSignal | undefined;
  /** When the call must end; null without `totalTimeout`. */
  readonly deadline: Moment | null;
  /** Milliseconds after which a request, or a wait for the key function, has certainly ended. */
  readonly timeoutMs: number;
  /** Called when a wait begins, with the earliest time at which it can end (null if unknown). */
  readonly onWait?: ((reason: WaitReason, until: Moment | null) => void) | undefined;
}

/** The client of a rate limiter in which a call has its place. */
export interface Place {
  /** Keeps the place of a call that pauses before its next attempt. */
  keep(ticket: Ticket): void;
  /** Gives up the place of a call that has ended or needs another limiter. */
  leave(ticket: Ticket): void;
}

/**
 * One call among those of a client that wait for the key, for a permit or for the end of a pause. A call has one ticket
 * for all its attempts. It waits with a timer of its own; other calls only wake it, or ping it to check that its code
 * still runs. On platforms such as Workers, the code that handles an incoming request never runs again once that
 * request has ended.
 */
export class Ticket {
  readonly call: TicketOptions;
  /** Number of requests sent. */
  requests = 0;
  retries = 0;
  /** Milliseconds spent waiting for permits and between attempts. */
  waitedMs = 0;
  /** True if the last refused request was repeated with another key. */
  isRenewed = false;

  place: Place | null = null;
  /** The position among all calls of the limiter that `place` belongs to. */
  number = 0;
  /** True once the call has had a permit or waited for one; a full queue then no longer refuses it. */
  isLetIn = false;
  /** The end of the pause before the next attempt. */
  notBefore = 0 as Moment;

  /** When the current wait for a permit began. */
  since = 0 as Moment;
  /** True while the reason for this wait is unreported. */
  isNew = true;
  /** True while this call waits for the store's reply. */
  asked = false;
  /** True once the limiter was reset: this call never gets a permit. */
  dropped = false;
  refusal: Refusal | null = null;
  /** When the request in flight must have ended, even if the call never reports that. */
  end = 0 as Moment;

  #pingedAt: Moment | null = null;
  #isReached = false;
  #onPing: () => void = () => undefined;
  #wake: () => void = () => undefined;

  /** Must be called by the call itself: only then does the platform run the replies to pings as part of that call. */
  constructor(call: TicketOptions) {
    this.call = call;
    this.#listen();
  }

  /** Responds to a ping or a wake; called by the call's own code. */
  respond(): void {
    if (this.#pingedAt === null) return;
    this.#pingedAt = null;
    this.#listen();
  }

  /** Lets the call's code respond, if it still runs. */
  ping(now: Moment): void {
    if (this.#pingedAt !== null) return;
    this.#pingedAt = now;
    this.#isReached = false;
    this.#onPing();
    // If the pinging call ends now, this does not run, and the ping does not count: it may never arrive.
    void Promise.resolve().then(() => {
      this.#isReached = true;
    });
  }

  /** Wakes the call from its sleep; the call responds when its code continues. */
  wake(now: Moment): void {
    if (this.#pingedAt === null) this.#isReached = false;
    this.#pingedAt ??= now;
    this.#wake();
  }

  /**
   * True if the call was woken or pinged and has not responded: either it has ended, or the call that woke or pinged it
   * has.
   */
  isSilent(now: Moment): boolean {
    return this.#pingedAt !== null && now - this.#pingedAt >= GONE_AFTER_MS;
  }

  /** True if the call was pinged and has ended. */
  isGone(now: Moment): boolean {
    return this.#isReached && this.isSilent(now);
  }

  async sleep(clock: Clock, ms: number): Promise<void> {
    let timer: unknown;
    const passed = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS));
    });
    // On Workers, a promise that a finished request resolves may never settle, so the timer needs a promise of its own.
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([passed, woken]);
    clock.clearTimeout(timer);
  }

  #listen(): void {
    const pinged = new Promise<void>((resolve) => {
      this.#onPing = resolve;
    });
    void pinged.then(() => this.respond());
  }
}
