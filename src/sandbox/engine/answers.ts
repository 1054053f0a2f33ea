import { API_PREFIX, type Operation } from "../../core/operation.js";
import { statusText } from "../../core/status-text.js";
import type { SandboxManners } from "../data/manners.js";
import type { AnyRecord, Inquiry } from "./behaviour.js";
import { type Fault, isBodiless } from "./fault.js";
import type { Values } from "./input.js";
import { errorBody, Refusal } from "./refusal.js";
import { required } from "./shaping.js";

/** What the sandbox answers. @internal */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A value to write as JSON, text to write unchanged, or null for an empty body. */
  readonly body: { readonly json: unknown } | { readonly text: string } | null;
  /** The value as it is a turn later, when requests that came at the same time were carried out as well. */
  readonly late?: () => unknown;
}

const NAMES = { "401": "Unauthorized", "403": "Forbidden", "404": "Not Found" } as const;

/** The refusal of a key, with the status that the manners give it. @internal */
export function forbidden(status: keyof typeof NAMES, why: string): Refusal {
  return new Refusal(Number(status), status === "404" ? NAMES[status] : `${NAMES[status]}: ${why}`);
}

/** The refusal of a request beyond the rate limit. @internal */
export function tooMany(seconds: number, { retryAfter }: SandboxManners, now: number): Refusal {
  const date = (time: number) => new Date(time).toUTCString();
  const forms = { seconds: String(seconds), "a date": date(now + seconds * 1_000), "0": "0" };
  const headers = retryAfter === "absent" ? {} : { "retry-after": forms[retryAfter] };
  return new Refusal(429, "Too Many Requests", { headers });
}

// Public documents name these.
const HIDING_CREATES: readonly string[] = ["leads.create", "orders.create", "users.create"];

/** The response to what was refused. @internal */
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

/** One record, as the response to a read or a write. @internal */
export function singleAnswer(
  { row, behaviour, manners }: Inquiry,
  result: object,
  status: number,
  shown: (record: object) => object,
): Answer {
  const isUpdate = row.method === "PUT";
  if (isUpdate && manners.written === "nothing") return { status: 204, headers: {}, body: null };
  const whole = shown(result);
  const json = isUpdate && manners.written === "required fields" ? required(whole as Values, row.response) : whole;
  const { id } = result as { id?: unknown };
  const isNew = row.method === "POST" && row.status === 201;
  const path = `/${API_PREFIX.main}/${row.path}/${String(id)}`;
  const headers = isNew && manners.location === "sent" ? { location: path } : {};
  const { written: collection, show = (record: AnyRecord) => record } = behaviour;
  if (!isNew || manners.created === "its record" || !collection) return { status, headers, body: { json } };
  const late = () => {
    const newest = collection.get(collection.nextId - 1);
    return newest && typeof id === "number" && newest.id > id ? shown(show(newest)) : json;
  };
  return { status, headers, body: { json }, late };
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
  const page = { text: `<!doctype html><title>${chosen} ${text}</title><h1>${text}</h1>` };
  const json = body === undefined ? errorBody(code, message ?? text, errors) : body;
  return { status: chosen, headers, body: html ? page : isBodiless(chosen) ? null : { json } };
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
