import { ConfigurationError } from "./errors.js";

/** A client's `apiKey` option; null sends no `Authorization`. */
export type ApiKey = string | (() => string | Promise<string>) | null;

// What an HTTP header allows after "Bearer ": visible ASCII without white space.
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Trims a token and checks that a header can carry it.
 * @param source subject and verb of the error's sentence, where the token is not the option itself.
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

/**
 * The bearer token of a client: fixed, or fetched once, shared by concurrent calls, and renewed once after a 401 or 403. Null
 * for a client without a key.
 */
export class Credentials {
  readonly #fetchToken: (() => string | Promise<string>) | null = null;
  #token: string | null | undefined;
  #pending: Promise<string> | null = null;
  /** By operation, and by this object for any operation, when a call last succeeded, and with which token. */
  readonly #worked = new WeakMap<object, { readonly token: string | null; readonly at: number }>();

  /** @param apiKey the option; a text was checked. */
  constructor(apiKey: ApiKey) {
    if (typeof apiKey === "function") this.#fetchToken = apiKey;
    else this.#token = apiKey;
  }

  /** The token in use; undefined when the key function was not called yet. */
  get current(): string | null | undefined {
    return this.#token;
  }

  /** The token in use; calls the key function when there is none yet. */
  token(): string | null | Promise<string> {
    return this.#token === undefined ? this.#refresh() : this.#token;
  }

  /**
   * The token to repeat a refused request with, or null when there is no other. Calls the key function once for all
   * requests that were refused with the same token.
   */
  async renewed(refused: string | null): Promise<string | null> {
    if (!this.#fetchToken) return null;
    const token = this.#token && this.#token !== refused ? this.#token : await this.#refresh();
    return token === refused ? null : token;
  }

  /** Remembers that a call succeeded. */
  worked(operation: object, token: string | null, at: number): void {
    const success = { token, at };
    this.#worked.set(operation, success).set(this, success);
  }

  /**
   * When a token that was refused last succeeded: anywhere for a 401, in the same operation for a 403, which may mean that
   * the token never had the right to this one. Null if it never did.
   */
  workedAt(operation: object, refused: string | null, status: number): number | null {
    const success = this.#worked.get(status === 401 ? this : operation);
    return (status === 401 || status === 403) && success?.token === refused ? success.at : null;
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
    const checked = checkToken(token, "The apiKey function returned");
    this.#token = checked;
    return checked;
  }
}
