import { statusText } from "../../core/status-text.js";
import type { Fault } from "./fault.js";
import { errorBody } from "./refusal.js";

/** What the sandbox answers. @internal */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A value to write as JSON, text to write unchanged, or null for an empty body. */
  readonly body: { readonly json: unknown } | { readonly text: string } | null;
  /** The value as it is a turn later, when requests that came at the same time were carried out as well. */
  readonly late?: () => unknown;
}

/** Whether a fault has a response of its own instead of that of the operation. @internal */
export function hasOwnAnswer({ reset, html, status, retryAfter, errors, message, body }: Fault): boolean {
  const parts = [status, retryAfter, errors, message, body];
  return reset === true || html === true || parts.some((part) => part !== undefined);
}

// The status of a fault that does not set one.
function statusOf({ html, retryAfter, body }: Fault): number {
  if (html) return 502;
  if (retryAfter !== undefined) return 429;
  return body === undefined ? 422 : 200;
}

/** The response of a fault that has its own. @throws TypeError as the platform's fetch, for a broken connection. @internal */
export function refusedBy(fault: Fault): Answer {
  const { reset, retryAfter, html, errors, message, body } = fault;
  if (reset) throw brokenConnection();
  const chosen = fault.status ?? statusOf(fault);
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) {
    headers["retry-after"] = retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter);
  }
  const text = statusText(chosen) || (chosen >= 500 ? statusText(500) : "Request failed");
  // An error body never names a success: the client would take such a code for a failure of the service.
  const code = chosen < 300 ? 422 : chosen;
  if (html) {
    return {
      status: chosen,
      headers,
      body: { text: `<!doctype html><title>${chosen} ${text}</title><h1>${text}</h1>` },
    };
  }
  return {
    status: chosen,
    headers,
    body: isBodiless(chosen) ? null : { json: body === undefined ? errorBody(code, message ?? text, errors) : body },
  };
}

/** Whether a response with this status has no body. @internal */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

// The error of the platform's fetch when the peer closes the connection.
function brokenConnection(): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) });
}

/** The first part of a body, after which the connection breaks. @internal */
export function cutStream(text: string, share: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  const part = bytes.slice(0, Math.floor(bytes.length * share));
  let sent = part.length === 0;
  return new ReadableStream({
    pull(controller) {
      if (sent) return controller.error(new TypeError("terminated", { cause: brokenConnection().cause }));
      sent = true;
      controller.enqueue(part);
    },
  });
}
