import { WebhookEventName } from "../../webhooks/events.js";
import type { Inquiry } from "./behaviour.js";
import type { Values } from "./input.js";
import { Refusal, unprocessable } from "./refusal.js";
import { checkRules, type FieldRule, given, notNegative } from "./rules.js";

const LONGEST_NAME = 1_000;
const AMOUNTS = ["unit_price", "cost", "amount", "value", "starting_price"];

/** @throws Refusal 400 for a body that does not say that it is JSON. @internal */
export function checkContentType(type: string | null): void {
  if (type !== null && /^application\/([\w.-]+\+)?json\b/i.test(type)) return;
  throw new Refusal(400, `The body must be sent as application/json, not as ${type ?? "anything"}`);
}

/** @throws Refusal 422 for what no document forbids and no one means. @internal */
export function checkDoubts(inquiry: Inquiry): void {
  checkRules(inquiry.body, doubtOf);
  DOUBTS[inquiry.row.id]?.(inquiry);
}

function doubtOf(name: string): FieldRule | undefined {
  if (name === "units") return notNegative;
  if (AMOUNTS.includes(name))
    return (value) => (/\.\d{3,}$/.test(String(value)) ? "must have at most two decimals" : null);
  if (!/(^|_)name$/.test(name)) return undefined;
  return (value) => (String(value).length > LONGEST_NAME ? `must have at most ${LONGEST_NAME} characters` : null);
}

const DOUBTS: Readonly<Record<string, (inquiry: Inquiry) => void>> = {
  "invoices.open": ({ params, store }) => {
    if (store.invoices.peek(params.id as number)?.invoice_items.length === 0) {
      throw unprocessable("invoice_items", "must have an item before the invoice is opened");
    }
  },
  "plannedCourses.create": checkParticipants,
  "plannedCourses.update": checkParticipants,
  "programEditions.create": checkParticipants,
  "programEditions.update": checkParticipants,
  "orders.create": ({ body }) => {
    const students = body.student_ids as readonly number[];
    const twice = students.findIndex((id, at) => students.indexOf(id) < at);
    if (twice >= 0) throw unprocessable(`student_ids[${twice}]`, "is in the order already");
  },
  "meetings.create": checkMeeting,
  "meetings.createForPlannedCourse": checkMeeting,
  "meetings.update": checkMeeting,
  "grades.create": ({ body, store }) => {
    const { gradeable_type: type, gradeable_id: id } = body as { gradeable_type: string; gradeable_id: number };
    const status =
      type === "Enrollment" ? store.enrollments.peek(id)?.status : store.programEnrollments.peek(id)?.state;
    if (status === "canceled") throw unprocessable("gradeable_id", "is an enrollment that was canceled");
  },
  "webhooks.create": checkWebhook,
  "webhooks.update": checkWebhook,
  "labels.create": checkLabel,
  "labels.update": checkLabel,
};

function checkParticipants({ body, params, behaviour }: Inquiry): void {
  const record = behaviour.written?.peek(params.id as number);
  const { min_participants: min, max_participants: max } = { ...record, ...given(body) } as Values;
  if (typeof min !== "number" || typeof max !== "number" || min <= max) return;
  throw unprocessable("max_participants", "must not be below min_participants");
}

function checkMeeting({ body, params, store }: Inquiry): void {
  const record = store.meetings.peek(params.id as number);
  const of = (body.planned_course_id ?? params.planned_course_id ?? record?.planned_course_id) as number;
  const planned = store.plannedCourses.peek(of);
  const day = (name: string) => (typeof body[name] === "string" ? body[name].slice(0, 10) : undefined);
  const [start, end] = [day("start_date_time"), day("end_date_time")];
  if (!planned?.start_date) return;
  const last = planned.end_date ?? planned.start_date;
  if (start !== undefined && (start < planned.start_date || start > last)) {
    throw unprocessable("start_date_time", "must be within the days of the planned course");
  }
  if (end !== undefined && (end < planned.start_date || end > last)) {
    throw unprocessable("end_date_time", "must be within the days of the planned course");
  }
}

function checkWebhook({ body }: Inquiry): void {
  const { url, events = [] } = body as { url?: string; events?: readonly string[] };
  if (url !== undefined && URL.canParse(url) && isPrivateHost(new URL(url).hostname)) {
    throw unprocessable("url", "must not be a private address, which the service cannot reach");
  }
  const unknown = events.findIndex((event) => !event.includes("*") && !WebhookEventName.is(event));
  if (unknown >= 0) throw unprocessable(`events[${unknown}]`, "is not an event that is known");
}

function checkLabel({ body, params, store }: Inquiry): void {
  const record = store.labels.peek(params.id as number);
  const { name, model_type } = { ...record, ...given(body) } as Values;
  const equal = store.labels.find((row) => row.id !== params.id && row.name === name && row.model_type === model_type);
  if (equal) throw unprocessable("name", "is the name of another label of this kind");
}

// The machine itself, and the ranges of private networks; a name with no dot is one of a private network.
function isPrivateHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "");
  if (/^(10|127|0)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(name)) return true;
  return /^(::1?|f[cd][\da-f]{2}:.*|fe80:.*|::ffff:.*)$/i.test(name) || !/[.:]/.test(name) || name.endsWith(".local");
}
