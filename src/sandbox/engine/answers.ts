import { API_PREFIX, type Operation } from "../../core/operation.js";
import { statusText } from "../../core/status-text.js";
import type { SandboxManners } from "../data/manners.js";
import type { AnyRecord, Inquiry } from "./behavior.js";
import { type Fault, isBodiless } from "./fault.js";
import type { Values } from "./input.js";
import { errorBody, Refusal } from "./refusal.js";
import { requiredFields } from "./shaping.js";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A value to send as JSON, text to send unchanged, or null for an empty body. */
  readonly body: { readonly json: unknown } | { readonly text: string } | null;
  /** Computes the JSON to send; called one turn of the event loop later, after concurrent requests were carried out. */
  readonly late?: () => unknown;
}

const NAMES = { "401": "Unauthorized", "403": "Forbidden", "404": "Not Found" } as const;

export function forbidden(status: keyof typeof NAMES, why: string, challenge: Refusal["headers"] = {}): Refusal {
  const headers = status === "401" ? challenge : {};
  return new Refusal(Number(status), status === "404" ? NAMES[status] : `${NAMES[status]}: ${why}`, { headers });
}

export function tooMany(seconds: number, { retryAfter }: SandboxManners, now: number): Refusal {
  const date = (time: number) => new Date(time).toUTCString();
  const forms = { seconds: String(seconds), "a date": date(now + seconds * 1_000), "0": "0" };
  const headers = retryAfter === "absent" ? {} : { "retry-after": forms[retryAfter] };
  return new Refusal(429, "Too Many Requests", { headers });
}

// The operations for which public documents describe a 200 response with an error body.
const HIDING_CREATES: readonly string[] = ["leads.create", "orders.create", "users.create"];

export function refusedAnswer(refusal: Refusal, row: Operation | undefined, manners: SandboxManners): Answer {
  const { status, message, headers } = refusal;
  if (status < 400) return { status, headers, body: null };
  const json = errorBody(status, message, manners.errors === "an empty list" ? [] : refusal.errors);
  const isHidden = status === 422 && manners.refusedCreates === "200" && HIDING_CREATES.includes(row?.id ?? "");
  if (isHidden) return { status: 200, headers, body: { json } };
  if (manners.errors === "no body") return { status, headers, body: null };
  if (manners.errors === "HTML") return { status, headers, body: { text: `<!doctype html><h1>${status}</h1>` } };
  return { status, headers, body: { json } };
}

export function singleAnswer(
  { row, behavior, manners }: Inquiry,
  result: object,
  status: number,
  shown: (record: object) => object,
): Answer {
  const isUpdate = row.method === "PUT";
  if (isUpdate && manners.written === "nothing") return { status: 204, headers: {}, body: null };
  const whole = shown(result);
  const json =
    isUpdate && manners.written === "required fields" ? requiredFields(whole as Values, row.response) : whole;
  const { id } = result as { id?: unknown };
  const isNew = row.method === "POST" && row.status === 201;
  const path = `/${API_PREFIX.main}/${row.path}/${String(id)}`;
  const headers = isNew && manners.location === "sent" ? { location: path } : {};
  const { written: collection, show = (record: AnyRecord) => record } = behavior;
  if (!isNew || manners.created === "its record" || !collection) return { status, headers, body: { json } };
  const late = () => {
    const newest = collection.get(collection.nextId - 1);
    return newest && typeof id === "number" && newest.id > id ? shown(show(newest)) : json;
  };
  return { status, headers, body: { json }, late };
}

export function hasOwnAnswer({ reset, html, status, retryAfter, errors, message, body }: Fault): boolean {
  const parts = [status, retryAfter, errors, message, body];
  return reset === true || html === true || parts.some((part) => part !== undefined);
}

function statusOf({ html, retryAfter, body }: Fault): number {
  if (html) return 502;
  if (retryAfter !== undefined) return 429;
  return body === undefined ? 422 : 200;
}

/** @throws TypeError, as the platform's fetch does, for a broken connection. */
export function refusedBy(fault: Fault): Answer {
  const { reset, retryAfter, html, errors, message, body } = fault;
  if (reset) throw brokenConnection();
  const chosen = fault.status ?? statusOf(fault);
  const headers: Record<string, string> = {};
  if (retryAfter !== undefined) {
    headers["retry-after"] = retryAfter instanceof Date ? retryAfter.toUTCString() : String(retryAfter);
  }
  const text = statusText(chosen) || (chosen >= 500 ? statusText(500) : "Request failed");
  // With a success code in the error body, the client would report a failure of the service.
  const code = chosen < 300 ? 422 : chosen;
  const page = { text: `<!doctype html><title>${chosen} ${text}</title><h1>${text}</h1>` };
  const json = body === undefined ? errorBody(code, message ?? text, errors) : body;
  return { status: chosen, headers, body: html ? page : isBodiless(chosen) ? null : { json } };
}

// The error that the platform's fetch throws if the peer closes the connection.
function brokenConnection(): TypeError {
  return new TypeError("fetch failed", { cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }) });
}

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
