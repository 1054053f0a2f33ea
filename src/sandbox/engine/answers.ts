import { API_PREFIX, type Operation } from "../../core/operation.js";
import type { SandboxManners } from "../data/manners.js";
import type { AnyRecord, Inquiry } from "./behaviour.js";
import type { Answer } from "./fault-answer.js";
import type { Values } from "./input.js";
import { errorBody, Refusal } from "./refusal.js";
import { required } from "./shaping.js";

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
