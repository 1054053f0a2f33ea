import { raceAbort } from "../abort.js";
import { wait } from "../clock.js";
import { ConfigurationError } from "../errors.js";
import type { Permit } from "../limits/rate-limiter.js";
import { RateLimiters, type RateLimitState } from "../limits/rate-limiters.js";
import type { Refusal, Ticket } from "../limits/ticket.js";
import type { Settings } from "../settings.js";
import { later, momentOf } from "../time.js";
import { Keys, type KeyUse } from "./keys.js";
import { Refusals, type RefusedOperation } from "./refusals.js";

/** Whether a client's calls succeed, and how many wait. It contains no values of records and no key. */
export interface ClientHealth {
  /**
   * Operations whose last call got a 401 or 403, or a 404 although the path names no record; those refused longest come
   * first.
   */
  readonly refused: readonly RefusedOperation[];
  /** Number of calls that wait for the rate limit or for their next attempt. */
  readonly waiting: number;
  /** When the rate limit next lets a call through; null if no call waits or no request counts in the window. */
  readonly waitsUntil: Date | null;
}

/** Everything that a call needs to send one request. */
export interface Turn {
  /** Null without a key. */
  readonly token: string | null;
  /** Null for a client without a limit. */
  readonly permit: Permit | null;
}

// For a key that is no longer valid, the service may answer 404 instead of 401.
const MAY_REFUSE_KEY: readonly number[] = [401, 403, 404];

/** Makes a client's calls wait for the key, for a permit and for the end of a pause. */
export class Line {
  readonly #settings: Settings;
  readonly keys: Keys;
  readonly refusals: Refusals;
  readonly #limiters: RateLimiters;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.keys = new Keys(settings.apiKey, settings.clock);
    this.refusals = new Refusals(settings.clock);
    const { host } = new URL(settings.baseUrl);
    this.#limiters = new RateLimiters({ ...settings, host, limit: settings.rateLimit });
  }

  get state(): RateLimitState {
    return this.#limiters.state(this.keys.current);
  }

  get health(): ClientHealth {
    const { queued, resetAt } = this.state;
    return { refused: this.refusals.list(), waiting: queued, waitsUntil: queued > 0 ? resetAt : null };
  }

  /**
   * Waits until a call may send a request.
   * @throws the error of the key function, or the signal's reason.
   */
  async turn(ticket: Ticket): Promise<Turn | Refusal> {
    const { clock, rateLimit } = this.#settings;
    // A pause also delays the key function, whose failure may be the reason for the pause. A call with a key waits in
    // the queue instead, where it keeps its place.
    if (!rateLimit || this.keys.current === undefined) {
      await wait(clock, ticket.notBefore - momentOf(clock), ticket.call.signal);
    }
    for (;;) {
      const known = this.keys.token(ticket);
      const token = known instanceof Promise ? await known : known;
      if (!rateLimit) return { token, permit: null };
      const limiter = this.#limiters.of(token);
      const asked =
        limiter instanceof Promise ? limiter.then((found) => found.acquire(ticket)) : limiter.acquire(ticket);
      if (!(asked instanceof Promise)) return { token, permit: asked };
      const permit = await asked;
      if ("refused" in permit) return permit;
      if (this.keys.current === token) return { token, permit };
      // The key was renewed during the wait, so the permit for the old key is given back.
      permit.settle(false);
    }
  }

  /**
   * Keeps the place of a call until its next attempt.
   * @param ms the pause before that attempt; null after a 429, because `block` has already set it.
   */
  pause(ticket: Ticket, ms: number | null): void {
    if (ms !== null) ticket.notBefore = later(momentOf(this.#settings.clock), ms);
    ticket.place?.keep(ticket);
  }

  /** Stops all calls that use the token for `ms` milliseconds, because the service responded to this call with 429. */
  async block(ticket: Ticket, token: string | null, ms: number): Promise<void> {
    const limiter = await this.#limiters.of(token);
    // Computed before the block: if the block ended first, later calls would be sent before this one.
    ticket.notBefore = later(momentOf(this.#settings.clock), ms);
    const blocked = limiter.block(ms);
    if (blocked) await raceAbort(blocked, ticket.call.signal);
  }

  /** Gets another key after a refusal. @returns true if the request must be repeated with that key. */
  async renew(use: KeyUse, ticket: Ticket, refused: string | null, status: number): Promise<boolean> {
    if (!MAY_REFUSE_KEY.includes(status)) return false;
    try {
      ticket.isRenewed = (await this.keys.renewToken(use, refused, status, ticket)) !== null;
      return ticket.isRenewed;
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const { message, cause } = error;
      throw new ConfigurationError(`${message}. The function was called because the service answered ${status}`, {
        cause,
      });
    }
  }
}
