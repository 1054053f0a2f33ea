import { WebhookPayloadError } from "./errors.js";
import type { WebhookEvent } from "./events.js";

/** How deep objects and arrays of a payload may be nested, when nothing else is said. */
export const DEFAULT_MAX_DEPTH = 64;

/**
 * Reads the body of a delivery: an object with an event name and, if it comes, an object as `event_data`. Unknown
 * events and fields pass; where `event_data` is absent or null it is an empty object. Verify the body first.
 * @param options.maxDepth levels of objects and arrays; default 64.
 * @throws WebhookPayloadError when the body is something else.
 */
export function parseWebhook(body: string | Uint8Array, options: { maxDepth?: number } = {}): WebhookEvent {
  const text = typeof body === "string" ? body : decode(body);
  const maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  if (deeperThan(text, maxDepth)) {
    throw new WebhookPayloadError("too_deep", `The webhook body is nested more than ${maxDepth} levels deep`);
  }
  const payload = parse(text);
  if (!isObject(payload)) throw new WebhookPayloadError("not_an_object", "The webhook body is JSON, but not an object");
  if (typeof payload.event !== "string" || payload.event === "") {
    throw new WebhookPayloadError("no_event_name", "The webhook body has no event name in its field event");
  }
  payload.event_data ??= {};
  if (!isObject(payload.event_data)) {
    throw new WebhookPayloadError("malformed_event_data", "The field event_data of the webhook body is not an object");
  }
  return payload as unknown as WebhookEvent;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new WebhookPayloadError("not_json", "The webhook body is not UTF-8 text");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, so it is not passed on as a cause.
    throw new WebhookPayloadError("not_json", "The webhook body is not JSON");
  }
}

// Looked at before parsing, because a parser that calls itself can run out of stack.
function deeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inText) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inText = false;
    } else if (char === 0x22) inText = true;
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > limit) return true;
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
  return false;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
