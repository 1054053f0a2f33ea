/**
 * Only for Node, whose fetch rejects a response with status 407 without naming the status, and a response with more
 * than five content encodings. In the second case it leaves the connection open and the body without an error listener:
 * a later connection error then crashes the process.
 */

import { diagnostics } from "./trace-channels.js";

// The limit in Node's fetch: https://github.com/nodejs/undici, lib/web/fetch.
const MOST_ENCODINGS = 5;
const ENCODING = "content-encoding";

interface HeadersMessage {
  readonly request: { readonly origin?: unknown; abort?(reason: Error): void };
  readonly response: { readonly statusCode?: unknown; readonly headers: readonly unknown[] };
}

let origins: Set<string> | null = null;

/** Closes the connection of a response from this origin that the platform's fetch would refuse and leave open. */
export function protectFetch(origin: string): void {
  if (origins === null) {
    origins = new Set();
    diagnostics()?.subscribe?.("undici:request:headers", (message) => closeIfRefused(message as HeadersMessage));
  }
  origins.add(origin);
}

// Runs before fetch can refuse the response and leave its connection open.
function closeIfRefused({ request, response: { statusCode, headers } }: HeadersMessage): void {
  if (!origins?.has(String(request.origin))) return;
  const refuse = (code: string, what: string) => {
    request.abort?.(Object.assign(new Error(`The response has ${what}`), { code }));
  };
  if (statusCode === 407) {
    refuse("HTTP_407", "status 407");
    return;
  }
  let encodings = 0;
  for (let at = 0; at < headers.length; at += 2) {
    // Header names are buffers or strings. Most are ruled out by their length; converting every name to a string would
    // take longer than the rest of this function.
    const name = headers[at] as { readonly length: number };
    if (name.length === ENCODING.length && String(name).toLowerCase() === ENCODING) {
      encodings += String(headers[at + 1]).split(",").length;
    }
  }
  if (encodings > MOST_ENCODINGS) refuse("CONTENT_ENCODINGS", `${encodings} content encodings`);
}
