import { ConfigurationError } from "./errors.js";
import { readSecret } from "./secret.js";

/** A client's `apiKey` option; null sends no `Authorization`. */
export type ApiKey = string | (() => string | Promise<string>) | null;

// The characters that an HTTP header allows after "Bearer ": visible ASCII without white space.
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Reads a token and checks that it is allowed in a header.
 * @param source start of the error message, such as `The apiKey function returned`. Default: the option `apiKey`.
 * @throws ConfigurationError, which never contains the token.
 */
export function checkToken(token: unknown, source?: string): string {
  const secret = readSecret(token);
  if (secret === null && !(typeof token === "string" && token.trim())) {
    throw new ConfigurationError(
      source
        ? `${source} no API key`
        : "No API key: pass the option apiKey or, in Node, set the environment variable EDUCATION_ADMIN_API_KEY",
    );
  }
  if (secret === null || !TOKEN.test(secret)) {
    throw new ConfigurationError(
      `${source ?? "The option apiKey contains"} an API key with whitespace or characters that are not allowed in a header; pass the key alone, without "Bearer " before it`,
    );
  }
  return secret;
}

/** Thrown by a school's key function while there is no key yet: calls are retried as if the connection had failed. */
export class NoKeyYet extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}
