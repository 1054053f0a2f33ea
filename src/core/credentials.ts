import { ConfigurationError } from "./errors.js";

/** A client's `apiKey` option. */
export type ApiKey = string | (() => string | Promise<string>);

// What an HTTP header allows after "Bearer ": visible ASCII without white space.
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Trims a token and checks that a header can carry it.
 * @param source subject and verb of the error's sentence.
 * @throws ConfigurationError that never contains the token.
 */
export function checkToken(token: unknown, source: string): string {
  const trimmed = typeof token === "string" ? token.trim() : "";
  if (trimmed === "") {
    throw new ConfigurationError(
      `${source} no API key: pass the option apiKey or, in Node, set the environment variable EDUCATION_ADMIN_API_KEY`,
    );
  }
  if (!TOKEN.test(trimmed)) {
    throw new ConfigurationError(
      `${source} an API key with whitespace or characters that are not allowed in a header; pass the key alone, without "Bearer " before it`,
    );
  }
  return trimmed;
}

/** The bearer token of a client: fixed, or fetched once, shared by concurrent calls, and renewed once after a 401 or 403. */
export class Credentials {
  readonly #fetchToken: (() => string | Promise<string>) | null;
  #token: string | null = null;
  #pending: Promise<string> | null = null;

  constructor(apiKey: ApiKey) {
    if (typeof apiKey === "function") {
      this.#fetchToken = apiKey;
    } else {
      this.#fetchToken = null;
      this.#token = checkToken(apiKey, "The option apiKey contains");
    }
  }

  /** The token in use; null when the key function was not called yet. */
  get current(): string | null {
    return this.#token;
  }

  /** The token in use; calls the key function when there is none yet. */
  token(): string | Promise<string> {
    return this.#token ?? this.#refresh();
  }

  /**
   * The token to repeat a refused request with, or null when there is no other. Calls the key function once for all
   * requests that were refused with the same token.
   */
  async renewed(refused: string): Promise<string | null> {
    if (!this.#fetchToken) return null;
    const token = this.#token !== null && this.#token !== refused ? this.#token : await this.#refresh();
    return token === refused ? null : token;
  }

  #refresh(): Promise<string> {
    this.#pending ??= this.#ask().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #ask(): Promise<string> {
    let token: unknown;
    try {
      token = await this.#fetchToken?.();
    } catch (cause) {
      throw new ConfigurationError("The apiKey function failed; see the cause", { cause });
    }
    this.#token = checkToken(token, "The apiKey function returned");
    return this.#token;
  }
}
