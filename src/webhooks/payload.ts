import { isPlainObject } from "../core/json.js";
import { WebhookPayloadError } from "./errors.js";
import type { WebhookEvent } from "./events.js";

export const DEFAULT_MAX_DEPTH = 64;

/**
 * Parses the body of a delivery: `{ tenant_id, educator, event, event_data }`. In the older form, these fields are
 * inside `notification`, and `entity_id` and `entity_type` become the `id` and `type` of `event_data`. Unknown events
 * and fields are accepted. If absent or null, `event_data` becomes an empty object, and `tenant_id` and `educator`
 * become empty strings. The content of `event_data` is not checked. Verify the body first.
 * @param options.maxDepth how deeply objects and arrays may be nested; default 64.
 * @throws WebhookPayloadError if the body has neither form or is nested too deeply.
 */
export function parseWebhook(body: string | Uint8Array, options: { maxDepth?: number } = {}): WebhookEvent {
  // Decoding bytes removes a byte order mark, so it is removed from text, too.
  const text = typeof body === "string" ? body.replace(/^\uFEFF/, "") : decode(body);
  const maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  if (deeperThan(text, maxDepth)) {
    throw new WebhookPayloadError("too_deep", `The webhook body is nested more than ${maxDepth} levels deep`);
  }
  const parsed = parse(text);
  if (!isPlainObject(parsed)) throw new WebhookPayloadError("not_an_object", "The webhook body is not an object");
  const payload = unwrap(parsed);
  if (typeof payload.event !== "string" || payload.event === "") {
    throw new WebhookPayloadError("no_event_name", "The webhook body has no event name in its `event` field");
  }
  if (payload.event_data === undefined || payload.event_data === null) {
    const { entity_id, entity_type, ...others } = payload;
    return checkEvent({ ...others, event_data: entityOf(entity_id, entity_type) });
  }
  return checkEvent(payload);
}

function checkEvent(payload: Record<string, unknown>): WebhookEvent {
  if (!isPlainObject(payload.event_data)) {
    throw new WebhookPayloadError(
      "malformed_event_data",
      "The `event_data` field of the webhook body is not an object",
    );
  }
  for (const field of ["tenant_id", "educator"]) {
    payload[field] ??= "";
    if (typeof payload[field] !== "string") {
      throw new WebhookPayloadError("malformed_tenant", `The \`${field}\` field of the webhook body is not text`);
    }
  }
  return payload as unknown as WebhookEvent;
}

/**
 * Unwraps the older form `{ notification: … }`. Fields next to `notification` are kept unless `notification` has a
 * field of the same name.
 */
function unwrap(parsed: Record<string, unknown>): Record<string, unknown> {
  const { notification, ...beside } = parsed;
  return parsed.event === undefined && isPlainObject(notification) ? { ...beside, ...notification } : parsed;
}

/** The `event_data` of the older form; empty without `entity_id` and `entity_type`. */
function entityOf(id: unknown, type: unknown): Record<string, unknown> {
  const idOk = id === undefined || id === null || typeof id === "number" || typeof id === "string";
  const typeOk = type === undefined || type === null || typeof type === "string";
  if (!idOk || !typeOk) {
    throw new WebhookPayloadError(
      "malformed_event_data",
      "The entity_id or entity_type of the webhook body has the wrong type",
    );
  }
  return { ...(id === undefined || id === null ? {} : { id }), ...(type ? { type } : {}) };
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
    // The parser's error quotes the body, so it must not become the cause.
    throw new WebhookPayloadError("not_json", "The webhook body is not JSON");
  }
}

// Called before parsing, because deep nesting can overflow the stack of a recursive parser.
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
