import { WebhookEventName } from "../../webhooks/events.js";
import { withoutUndefined } from "../data/given.js";
import { danglingIn, referencesInBodies, relatedIn } from "../data/references.js";
import type { Inquiry } from "./behavior.js";
import type { Values } from "./input.js";
import { notFound, Refusal, unprocessable } from "./refusal.js";

// A condition, in addition to the type, on fields whose name matches. Ignores null and missing fields.
type FieldRule = readonly [names: RegExp, message: string, holds: (value: unknown) => boolean];

const notNegative = (value: unknown) => !(Number(value) < 0);

// rule: an empty name, a malformed e-mail address or color, a negative price or capacity, a percentage above 100, and
// an end before its start are refused (422).
const RULES: readonly FieldRule[] = [
  [/^(name|title)$/, "must not be empty", (value) => String(value).trim() !== ""],
  [/^email$/, "is not an e-mail address", (value) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(String(value))],
  [/^color$/, "is not a color such as #336699", (value) => /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(String(value))],
  [/^capacity$/, "must be a whole number", Number.isInteger],
  [/^(cost|starting_price|capacity|(min|max)_participants)$/, "must not be negative", notNegative],
  [/^percentage$/, "must be from 0 to 100", (value) => Number(value) >= 0 && Number(value) <= 100],
];
// No document forbids these values, so they are refused only if the option `manners` has `doubts: "refused"`.
const DOUBTED: readonly FieldRule[] = [
  [/^units$/, "must not be negative", notNegative],
  [
    /^(unit_price|cost|amount|value|starting_price)$/,
    "must have at most two decimals",
    (value) => !/\.\d{3,}$/.test(String(value)),
  ],
  [/(^|_)name$/, "must have at most 1000 characters", (value) => String(value).length <= 1_000],
];

// The fields with the start and the end of a range, and the error for each field.
type Pair = readonly [least: string, most: string, low: string, high: string, mayBeEqual?: true];
const PAIRS: readonly Pair[] = [
  ["start_date_time", "end_date_time", "is not before", "is not after"],
  ["start_date", "end_date", "is after", "is before", true],
];
const DOUBTED_PAIRS: readonly Pair[] = [
  ["min_participants", "max_participants", "must not be above", "must not be below", true],
];

// The school chooses the names inside these fields, so the rules do not apply there.
const OWN_NAMES = new Set(["custom", "custom_associations", "properties"]);

type Errors = Record<string, string[]>;
type Doubts = Inquiry["manners"]["doubts"];

/** @throws Refusal 422 naming every field that breaks a rule. */
export function checkRules(body: Values, doubts: Doubts = "let through"): void {
  const errors: Errors = {};
  collect(body, "", errors, doubts === "refused");
  refuse(errors);
}

/** Like {@link checkRules}, for pairs of fields: if an update sends only one, the record supplies the other. */
export function checkPairs(body: Values, record: Values, doubts: Doubts = "let through"): void {
  const errors: Errors = {};
  collectPairs({ ...record, ...withoutUndefined(body) }, body, "", errors, doubts === "refused");
  refuse(errors);
}

function refuse(errors: Errors): void {
  if (Object.keys(errors).length > 0) throw new Refusal(422, "The request could not be processed", { errors });
}

function collect(value: Values, path: string, errors: Errors, isStrict: boolean): void {
  for (const [name, field] of Object.entries(value)) {
    if (field === null || field === undefined || OWN_NAMES.has(name)) continue;
    const at = Array.isArray(value) ? `${path}[${name}]` : joinPath(path, name);
    if (typeof field === "object") collect(field as Values, at, errors, isStrict);
    else {
      const rules = isStrict ? [...RULES, ...DOUBTED] : RULES;
      const broken = rules.find(([names, , holds]) => names.test(name) && !holds(field));
      if (broken) errors[at] = [...(errors[at] ?? []), broken[1]];
    }
  }
  collectPairs(value, value, path, errors, isStrict);
}

function collectPairs(value: Values, sent: Values, path: string, errors: Errors, isStrict: boolean): void {
  for (const [least, most, low, high, mayBeEqual] of isStrict ? [...PAIRS, ...DOUBTED_PAIRS] : PAIRS) {
    const [start, end] = [value[least], value[most]];
    if (sent[least] === undefined && sent[most] === undefined) continue;
    if (typeof start !== typeof end || (typeof start !== "string" && typeof start !== "number")) continue;
    if (start < (end as typeof start) || (start === end && mayBeEqual)) continue;
    const [field, message] = sent[most] === undefined ? [least, `${low} ${most}`] : [most, `${high} ${least}`];
    const at = joinPath(path, field);
    errors[at] = [...(errors[at] ?? []), message];
  }
}

function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

type Stored = Pick<Inquiry, "store">;

/** @throws Refusal 422 naming the field if a body refers to a record that does not exist. */
export function checkReferences(body: unknown, { store }: Stored): void {
  const missing = danglingIn(body, referencesInBodies(), store);
  if (missing) throw unprocessable(missing.path, "refers to a record that does not exist");
}

/** @throws Refusal 404 if the path names a parent record that does not exist: `invoices/{invoice_id}/payments`. */
export function checkPath({ params, store }: Stored & Pick<Inquiry, "params">): void {
  for (const [name, id] of Object.entries(params)) {
    const records = relatedIn(store, referencesInBodies()[name]);
    if (typeof id === "number" && records && !records.peek(id)) throw notFound();
  }
}

/** @throws Refusal 400 unless the content type is JSON. */
export function checkContentType(type: string | null): void {
  if (type !== null && /^application\/([\w.-]+\+)?json\b/i.test(type)) return;
  throw new Refusal(400, `The body must be sent as application/json${type === null ? "" : `, not as ${type}`}`);
}

/** @throws Refusal 422 for a request that no document forbids but that makes no sense. */
export function checkDoubts(inquiry: Inquiry): void {
  DOUBTS[inquiry.row.id]?.(inquiry);
}

const DOUBTS: Readonly<Record<string, (inquiry: Inquiry) => void>> = {
  "invoices.open": ({ params, store }) => {
    if (store.invoices.peek(params.id as number)?.invoice_items.length === 0) {
      throw unprocessable("invoice_items", "must have an item before the invoice is opened");
    }
  },
  "orders.create": ({ body }) => {
    const students = body.student_ids as readonly number[];
    const twice = students.findIndex((id, at) => students.indexOf(id) < at);
    if (twice >= 0) throw unprocessable(`student_ids[${twice}]`, "is already in the order");
  },
  "meetings.create": checkMeeting,
  "meetings.createForPlannedCourse": checkMeeting,
  "meetings.update": checkMeeting,
  "grades.create": ({ body, store }) => {
    const { gradeable_type: type, gradeable_id: id } = body as { gradeable_type: string; gradeable_id: number };
    const status =
      type === "Enrollment" ? store.enrollments.peek(id)?.status : store.programEnrollments.peek(id)?.state;
    if (status === "canceled") throw unprocessable("gradeable_id", "is a canceled enrollment");
  },
  "webhooks.create": checkWebhook,
  "webhooks.update": checkWebhook,
  "labels.create": checkLabel,
  "labels.update": checkLabel,
};

function checkMeeting({ body, params, store }: Inquiry): void {
  const record = store.meetings.peek(params.id as number);
  const of = (body.planned_course_id ?? params.planned_course_id ?? record?.planned_course_id) as number;
  const planned = store.plannedCourses.peek(of);
  if (!planned?.start_date) return;
  const last = planned.end_date ?? planned.start_date;
  for (const name of ["start_date_time", "end_date_time"]) {
    const day = typeof body[name] === "string" ? body[name].slice(0, 10) : planned.start_date;
    if (day < planned.start_date || day > last)
      throw unprocessable(name, "must be within the days of the planned course");
  }
}

function checkWebhook({ body }: Inquiry): void {
  const { url, events = [] } = body as { url?: string; events?: readonly string[] };
  if (url !== undefined && URL.canParse(url) && isPrivateHost(new URL(url).hostname)) {
    throw unprocessable("url", "must not be a private address, which the service cannot reach");
  }
  const unknown = events.findIndex((event) => !event.includes("*") && !WebhookEventName.is(event));
  if (unknown >= 0) throw unprocessable(`events[${unknown}]`, "is not a known event");
}

function checkLabel({ body, params, store }: Inquiry): void {
  const { name, model_type } = { ...store.labels.peek(params.id as number), ...withoutUndefined(body) } as Values;
  const equal = store.labels.find((row) => row.id !== params.id && row.name === name && row.model_type === model_type);
  if (equal) throw unprocessable("name", "is the name of another label of this kind");
}

// Loopback and private network addresses; a name without a dot is on a private network.
function isPrivateHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "");
  if (/^(10|127|0)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(name)) return true;
  return /^(::1?|f[cd][\da-f]{2}:.*|fe80:.*|::ffff:.*)$/i.test(name) || !/[.:]/.test(name) || name.endsWith(".local");
}
