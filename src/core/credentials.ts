import { raceAbort } from "./abort.js";
import type { Clock } from "./clock.js";
import { ConfigurationError, isEducationAdminError } from "./errors.js";
import { GONE_AFTER_MS, Responder } from "./responder.js";
import { later, momentOf, raceTimeout } from "./time.js";

/** A client's `apiKey` option; null sends no `Authorization`. */
export type ApiKey = string | (() => string | Promise<string>) | null;

// The characters that an HTTP header allows after "Bearer ": visible ASCII without white space.
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Trims a token and checks that a header can carry it.
 * @param source subject and verb of the error's sentence if the token is not the option itself.
 * @throws ConfigurationError that never contains the token.
 */
export function checkToken(token: unknown, source?: string): string {
  const trimmed = typeof token === "string" ? token.trim() : "";
  if (trimmed === "") {
    throw new ConfigurationError(
      source
        ? `${source} no API key`
        : "No API key: pass the option apiKey or, in Node, set the environment variable EDUCATION_ADMIN_API_KEY",
    );
  }
  if (!TOKEN.test(trimmed)) {
    throw new ConfigurationError(
      `${source ?? "The option apiKey contains"} an API key with whitespace or characters that are not allowed in a header; pass the key alone, without "Bearer " before it`,
    );
  }
  return trimmed;
}

/** Thrown by a school's key function while there is no key yet: calls are retried as if the connection had failed. */
export class NoKeyYet extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** How long a call waits for the key function. */
export interface Patience {
  readonly clock: Clock;
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
}

/** A call of the key function. */
interface Asked {
  readonly token: Promise<string>;
  /** Responder of the call that called the key function. */
  readonly responder: Responder;
}

/**
 * The bearer token of a client: fixed, or fetched once, shared by concurrent calls, and renewed once after a 401 or 403. Null
 * for a client without a key.
 */
export class Credentials {
  readonly #fetchToken: (() => string | Promise<string>) | null = null;
  #token: string | null | undefined;
  #asked: Asked | null = null;
  /** Per operation: when a call last succeeded, and with which token. Under this object: the same for any operation. */
  readonly #successes = new WeakMap<object, { readonly token: string | null; readonly at: number }>();
  /** Per operation: the new token with which it was refused again. */
  readonly #forbidden = new WeakMap<object, string | null>();

  /** @param apiKey the option; text must have been checked. */
  constructor(apiKey: ApiKey) {
    if (typeof apiKey === "function") this.#fetchToken = apiKey;
    else this.#token = apiKey;
  }

  /** The token in use; undefined before the key function was first called. */
  get current(): string | null | undefined {
    return this.#token;
  }

  /** The token in use; calls the key function when there is none yet. */
  token(patience: Patience): string | null | Promise<string> {
    return this.#token === undefined ? this.#refresh(patience) : this.#token;
  }

  /**
   * The token for repeating a refused request, or null when there is no other. Calls the key function once for all
   * requests that were refused with the same token, but not after a new token was refused as well: then the right is
   * missing.
   */
  async renewToken(
    operation: object,
    refused: string | null,
    status: number,
    patience: Patience,
  ): Promise<string | null> {
    if (!this.#fetchToken || (status === 403 && this.#forbidden.get(operation) === refused)) return null;
    const token = this.#token && this.#token !== refused ? this.#token : await this.#refresh(patience);
    if (status === 403) this.#forbidden.set(operation, token);
    return token === refused ? null : token;
  }

  /** Remembers that a call succeeded. */
  noteSuccess(operation: object, token: string | null, at: number): void {
    const success = { token, at };
    this.#successes.set(operation, success).set(this, success);
    this.#forbidden.delete(operation);
  }

  /**
   * When a refused token last succeeded: in any operation for a 401, in the same operation for a 403 or 404, because
   * the token may never have had the right to this one. Null if it never succeeded.
   */
  workedAt(operation: object, refused: string | null, status: number): number | null {
    const success = this.#successes.get(status === 401 ? this : operation);
    return status > 400 && status < 405 && success?.token === refused ? success.at : null;
  }

  // Calls share one use of the key function. If it takes too long, or the call that started it no longer runs, a
  // waiting call discards it and the next one calls the function again.
  async #refresh({ clock, ms, signal }: Patience): Promise<string> {
    const end = later(momentOf(clock), ms);
    for (;;) {
      const known = this.#asked;
      const asked = known ?? { token: this.#ask(clock), responder: new Responder() };
      this.#asked = asked;
      const now = momentOf(clock);
      if (known) asked.responder.call(now);
      const left = end - now;
      let token: string | null | undefined;
      try {
        const turn = known ? Math.min(left, GONE_AFTER_MS) : left;
        token = await raceTimeout(clock, turn, raceAbort(asked.token, signal), () => null);
      } finally {
        // An abort ends this caller's wait only.
        const isOver = token !== null && !signal?.aborted;
        if ((isOver || asked.responder.isSilent(momentOf(clock))) && this.#asked === asked) this.#asked = null;
      }
      if (token !== null) return token;
      if (momentOf(clock) < end) continue;
      if (this.#asked === asked) this.#asked = null;
      throw new ConfigurationError(`The apiKey function did not settle within timeout (${ms} ms)`);
    }
  }

  async #ask(clock: Clock): Promise<string> {
    let token: unknown;
    try {
      // A test's clock must not skip the time that the function takes.
      token = await (clock.during ? clock.during(async () => this.#fetchToken?.()) : this.#fetchToken?.());
    } catch (cause) {
      if (cause instanceof NoKeyYet) throw cause;
      // The school's error names the school and holds no secret, which an error of the caller's function might.
      const why = isEducationAdminError(cause, "school") ? `: ${cause.message}` : "; see the cause";
      throw new ConfigurationError(`The apiKey function failed${why}`, { cause });
    }
    const checked = checkToken(token, "The apiKey function returned");
    this.#token = checked;
    return checked;
  }
}
