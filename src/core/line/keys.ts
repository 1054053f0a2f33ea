import { raceAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import { type ApiKey, checkToken, NoKeyYet } from "../credentials.js";
import { ConfigurationError, isEducationAdminError } from "../errors.js";
import { GONE_AFTER_MS, type Ticket } from "../limits/ticket.js";
import { later, type Moment, momentOf, raceTimeout } from "../time.js";

/** The parts of a request that matter when its key is refused. */
export interface KeyUse {
  readonly operation: object;
  /** True for a raw request, which has an operation object of its own. */
  readonly raw?: boolean | undefined;
}

/** A call to the key function. */
interface Asked {
  readonly token: Promise<string>;
  /** The ticket of the call that needed a key. */
  readonly by: Ticket;
}

interface Success {
  readonly token: string | null;
  readonly at: number;
}

/** A pause during which the key function is not called. */
interface Pause {
  /** How many times in a row the key function was called without making a refused call succeed. */
  readonly inVain: number;
  readonly end: Moment;
}

// After a 403 or 404, the key function may still return the old key, so it is called again, with growing pauses.
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;

/**
 * The bearer token of a client: fixed, or fetched once, shared by concurrent calls, and fetched again after a refusal.
 * Null for a client without a key.
 */
export class Keys {
  readonly #fetchToken: (() => string | Promise<string>) | null = null;
  readonly #clock: Clock;
  #token: string | null | undefined;
  #asked: Asked | null = null;
  /** The numbers of the last call to the key function and of the call that returned the current token. */
  #lastCall = 0;
  #givenBy = 0;
  /** The last success of each operation; under the key `this`, the last success of any operation. */
  readonly #successes = new WeakMap<object, Success>();
  /** The last success of a raw request. */
  #byHand: Success | undefined;
  /** The pauses by kind of refusal: a missing right or record must not delay the renewal of an expired key. */
  readonly #pauses = new Map<string, Pause>();

  /** @param apiKey the option; if it is a string, it must have been checked. */
  constructor(apiKey: ApiKey, clock: Clock) {
    this.#clock = clock;
    if (typeof apiKey === "function") this.#fetchToken = apiKey;
    else this.#token = apiKey;
  }

  /** The token in use; undefined before the key function was first called. */
  get current(): string | null | undefined {
    return this.#token;
  }

  /** The token in use; calls the key function when there is none yet. */
  token(ticket: Ticket): string | null | Promise<string> {
    return this.#token === undefined ? this.#refresh(ticket) : this.#token;
  }

  /**
   * The token with which to repeat a refused request; null if there is no other token. Calls the key function once for
   * all requests that were refused with the same token: after every 401; and, once the last pause is over, after a 403,
   * or after a 404 for an operation that has worked with this token. Pauses double from one second to five minutes
   * until a repeated call succeeds.
   * @param status 401, 403 or 404.
   */
  async renewToken(use: KeyUse, refused: string | null, status: number, ticket: Ticket): Promise<string | null> {
    const success = use.raw ? this.#byHand : this.#successes.get(use.operation);
    const hasWorked = success?.token === refused;
    if (!this.#fetchToken || (status === 404 && !hasWorked)) return null;
    if (this.#token && this.#token !== refused) return this.#token;
    const refresh =
      status === 401 ? this.#refresh(ticket) : this.#refreshUnlessPaused(`${status} ${hasWorked}`, ticket);
    const token = await refresh;
    return token === refused ? null : token;
  }

  async #refreshUnlessPaused(kind: string, ticket: Ticket): Promise<string | null> {
    const pause = this.#pauses.get(kind);
    if (pause && momentOf(this.#clock) < pause.end) return null;
    try {
      return await this.#refresh(ticket);
    } finally {
      // An aborted call sets no pause: it may not have waited for the function. Calls that were refused together count
      // once, because they read the same pause.
      if (!ticket.call.signal?.aborted) {
        const inVain = pause?.inVain ?? 0;
        const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** inVain);
        this.#pauses.set(kind, { inVain: inVain + 1, end: later(momentOf(this.#clock), ms) });
      }
    }
  }

  /** Remembers that a call succeeded. If the call was refused before with another token, this ends all pauses. */
  noteSuccess({ operation, raw }: KeyUse, token: string | null, { isRenewed }: Ticket): void {
    const success = { token, at: this.#clock.now() };
    this.#successes.set(operation, success).set(this, success);
    if (raw) this.#byHand = success;
    if (isRenewed) this.#pauses.clear();
  }

  /**
   * The time of a refused token's last success: in any operation for a 401, in the same operation for a 403 or 404,
   * because the token may never have been allowed to call this operation. Null if it never succeeded.
   */
  workedAt(operation: object, refused: string | null, status: number): number | null {
    const success = this.#successes.get(status === 401 ? this : operation);
    return status > 400 && status < 405 && success?.token === refused ? success.at : null;
  }

  // Calls wait for one shared result of the key function. If the function takes too long, or the call that started it
  // no longer runs, a waiting call discards the result, and the function is called again.
  async #refresh(ticket: Ticket): Promise<string> {
    const clock = this.#clock;
    const { timeoutMs, signal } = ticket.call;
    const end = later(momentOf(clock), timeoutMs);
    for (;;) {
      ticket.respond();
      const known = this.#asked;
      const asked = known ?? { token: this.#ask(), by: ticket };
      this.#asked = asked;
      const now = momentOf(clock);
      if (known) asked.by.ping(now);
      const left = end - now;
      let token: string | null | undefined;
      try {
        const turn = known ? Math.min(left, GONE_AFTER_MS) : left;
        token = await raceTimeout(clock, turn, raceAbort(asked.token, signal), () => null);
      } finally {
        // An abort ends only this caller's wait: others may still wait for the same result.
        const isOver = token !== null && !signal?.aborted;
        if ((isOver || asked.by.isSilent(momentOf(clock))) && this.#asked === asked) this.#asked = null;
      }
      if (token !== null) return token;
      if (momentOf(clock) < end) continue;
      if (this.#asked === asked) this.#asked = null;
      throw new ConfigurationError(`The apiKey function did not settle within timeout (${timeoutMs} ms)`);
    }
  }

  async #ask(): Promise<string> {
    const clock = this.#clock;
    const number = ++this.#lastCall;
    let token: unknown;
    try {
      // A test's clock must not skip any waits while the function runs.
      token = await (clock.during ? clock.during(async () => this.#fetchToken?.()) : this.#fetchToken?.());
    } catch (cause) {
      if (cause instanceof NoKeyYet) throw cause;
      // A school's error message names the school and contains no secret; the message of the caller's function might.
      const why = isEducationAdminError(cause, "school") ? `: ${cause.message}` : "; see the cause";
      throw new ConfigurationError(`The apiKey function failed${why}`, { cause });
    }
    const checked = checkToken(token, "The apiKey function returned");
    // A discarded call to the key function may still return. Its key counts only if no later call has returned a key.
    if (number < this.#givenBy) return this.#token ?? checked;
    this.#givenBy = number;
    this.#token = checked;
    return checked;
  }
}
