import { checkOptions, type Fail, flag, must, type OptionTable } from "../../core/option-checks.js";
import { checkOperation } from "./calls.js";
import type { Fault, WebhookFault } from "./fault.js";
import { isBodiless } from "./fault-answer.js";

const isText = (value: unknown) => typeof value === "string";
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isFrom = (value: unknown, least: number, most = Number.POSITIVE_INFINITY) =>
  typeof value === "number" && value >= least && value <= most;
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const text = must<string>(isText, "must be text");
const times = must<number>(
  (value) => isFrom(value, 1) && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
  "must be a whole number from 1, or Infinity",
);
const delay = must<number>((value) => isFrom(value, 0), "must be a number of milliseconds from 0, or Infinity");
const DRIFTS: readonly unknown[] = [true, false, "extra", "missing", "null", "type", "value"];

const FAULT: OptionTable<Omit<Fault, "operation">> = {
  when: [must((value) => typeof value === "function", "must be a function")],
  times: [times],
  count: [times],
  probability: [must((value) => isFrom(value, 0, 1), "must be a number from 0 to 1")],
  status: [
    must((value) => Number.isInteger(value) && isFrom(value, 200, 599), "must be a whole number from 200 to 599"),
  ],
  message: [text],
  errors: [
    must((value) => isObject(value) && Object.values(value).every(isTexts), "must have a list of texts for each field"),
  ],
  body: [must((value) => JSON.stringify(value) !== undefined, "must be a value that can be written as JSON")],
  retryAfter: [
    must(
      (value) =>
        isText(value) ||
        isFrom(value, 0, Number.MAX_VALUE) ||
        (value instanceof Date && !Number.isNaN(value.getTime())),
      "must be a number of seconds from 0, a date, or text",
    ),
  ],
  headers: [must(areHeaders, "contains an invalid header name or value, or is no object")],
  delayMs: [delay],
  cut: [
    must(
      (value) => typeof value === "boolean" || (isFrom(value, 0, 1) && value !== 1),
      "must be true, false or a number from 0 to below 1",
    ),
  ],
  reset: [flag],
  html: [flag],
  drift: [must((value) => DRIFTS.includes(value), `must be true or one of ${DRIFTS.slice(2).join(", ")}`)],
  applied: [flag],
  appliedAfterMs: [must((value) => isFrom(value, 0, Number.MAX_VALUE), "must be a number of milliseconds from 0")],
};

const WEBHOOK_FAULT: OptionTable<WebhookFault> = {
  event: [text],
  times: [times],
  count: [times],
  delayMs: [delay],
  duplicate: [
    must(
      (value) => typeof value === "boolean" || (Number.isInteger(value) && isFrom(value, 0)),
      "must be true, false or a whole number from 0",
    ),
  ],
  reorder: [flag],
  drop: [flag],
};

function areHeaders(value: unknown): boolean {
  try {
    new Headers(Object.entries(value as object).map(([name, text]) => [name, text ?? ""] as [string, string]));
    return isObject(value);
  } catch {
    return false;
  }
}

/** @throws RangeError for a field that does not exist or has a value it cannot have. @internal */
export function checkFault(fault: Fault): void {
  checkFields(fault, { operation: [text], ...FAULT });
  const { operation, status, body, errors, html, message, reset, applied, appliedAfterMs } = fault;
  if (operation !== undefined) checkOperation(operation, "operation ");
  if (html && status !== undefined && isBodiless(status))
    throw new RangeError(`a response with status ${status} has no body, so it cannot be an HTML page`);
  const isWritten = errors !== undefined || message !== undefined;
  if ((body !== undefined || isWritten) && (html || reset))
    throw new RangeError("a fault with html or reset cannot have a body, errors or a message");
  if (body !== undefined && isWritten)
    throw new RangeError("a fault can have a body, or errors and a message, but not both");
  if (applied !== undefined && appliedAfterMs !== undefined)
    throw new RangeError("applied means appliedAfterMs: 0; give only one");
}

/** @throws RangeError for a field that does not exist or has a value it cannot have. @internal */
export function checkWebhookFault(fault: WebhookFault): void {
  checkFields(fault, WEBHOOK_FAULT);
}

const fail: Fail = (field, rule) => new RangeError(`a fault's ${field} ${rule}`);

function checkFields(fault: Fault | WebhookFault, table: Parameters<typeof checkOptions>[1]): void {
  if (!isObject(fault)) throw new RangeError("a fault must be an object");
  checkOptions(fault, table, fail);
  if (fault.times !== undefined && fault.count !== undefined)
    throw new RangeError("times and count mean the same; give only one");
}
