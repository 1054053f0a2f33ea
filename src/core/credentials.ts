import { ConfigurationError } from "./errors.js";

/** A client's `apiKey` option. */
export type ApiKey = string | (() => string | Promise<string>);

// What may stand in an HTTP header after "Bearer ": visible ASCII without white space.
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Trims a token and checks that it can stand in a header.
 * @throws ConfigurationError that never echoes the token.
 */
export function checkToken(token: unknown, source: string): string {
  const trimmed = typeof token === "string" ? token.trim() : "";
  if (trimmed === "") {
    throw new ConfigurationError(
      `${source} gave no API key: pass the option apiKey or, in Node, set the environment variable EDUCATION_ADMIN_API_KEY`,
    );
  }
  if (!TOKEN.test(trimmed)) {
    throw new ConfigurationError(
      `${source} gave an API key with white space or characters that cannot stand in a header; look for a line break or a copied quotation mark`,
    );
  }
  return trimmed;
}

/** The bearer token of a client: fixed, or fetched once for all calls that wait and once more when it was refused. */
export class Credentials {
  readonly #fetchToken: (() => string | Promise<string>) | null;
  #token: string | null = null;
  #pending: Promise<string> | null = null;

  constructor(apiKey: ApiKey) {
    if (typeof apiKey === "function") {
      this.#fetchToken = apiKey;
    } else {
      this.#fetchToken = null;
      this.#token = checkToken(apiKey, "The option apiKey");
    }
  }

  /** The token in use; null when the key function was not asked yet. */
  get current(): string | null {
    return this.#token;
  }

  /** The token in use; asks the key function when there is none yet. */
  token(): string | Promise<string> {
    return this.#token ?? this.#refresh();
  }

  /**
   * The token to repeat a refused request with, or null when the refused one is still the only one. Asks the key
   * function once for all requests that were refused with the same token.
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
      throw new ConfigurationError("The apiKey function failed, so nothing was sent; see the cause", { cause });
    }
    this.#token = checkToken(token, "The apiKey function");
    return this.#token;
  }
}

/** Short hash to tell texts apart, not to protect them: two 32-bit FNV-1a runs with different starts. */
export function fingerprint(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit ^ (i & 0xff), 0x01000193);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}
