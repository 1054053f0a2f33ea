import { didYouMean } from "../../core/option-checks.js";
import type { OperationId } from "../../generated/operation-id.js";
import { checkOperation } from "./calls.js";
import type { Fault, WebhookFault } from "./fault.js";
import { isBodiless } from "./fault-answer.js";

/** What the value of a field must pass, and what is said of one that does not. */
type Rule = readonly [accepts: (value: unknown) => boolean, message: string];

const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isNumber = (value: unknown, least: number, most = Number.POSITIVE_INFINITY) =>
  typeof value === "number" && value >= least && value <= most;
const isDuration = (value: unknown) => isNumber(value, 0, Number.MAX_VALUE);

const TEXT: Rule = [isText, "must be text"];
const FLAG: Rule = [isFlag, "must be true or false"];
const TIMES: Rule = [
  (value) => isNumber(value, 1) && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
  "must be a whole number from 1, or Infinity",
];
const DELAY: Rule = [(value) => isNumber(value, 0), "must be a number of milliseconds from 0, or Infinity"];
const DRIFTS: readonly unknown[] = [true, false, "extra", "missing", "null", "type", "value"];

const FAULT: Readonly<Record<Exclude<keyof Fault, "operation">, Rule>> = {
  when: [(value) => typeof value === "function", "must be a function"],
  times: TIMES,
  count: TIMES,
  probability: [(value) => isNumber(value, 0, 1), "must be a number from 0 to 1"],
  status: [(value) => Number.isInteger(value) && isNumber(value, 200, 599), "must be a whole number from 200 to 599"],
  message: TEXT,
  errors: [
    (value) => isObject(value) && Object.values(value as object).every(isTexts),
    "must have a list of texts for each field",
  ],
  body: [(value) => JSON.stringify(value) !== undefined, "must be a value that can be written as JSON"],
  retryAfter: [
    (value) => isText(value) || isDuration(value) || (value instanceof Date && !Number.isNaN(value.getTime())),
    "must be a number of seconds from 0, a date, or text",
  ],
  headers: [
    (value) => isObject(value) && areHeaders(value),
    "contains an invalid header name or value, or is no object",
  ],
  delayMs: DELAY,
  cut: [
    (value) => isFlag(value) || (isNumber(value, 0, 1) && value !== 1),
    "must be true, false or a number from 0 to below 1",
  ],
  reset: FLAG,
  html: FLAG,
  drift: [(value) => DRIFTS.includes(value), `must be true or one of ${DRIFTS.slice(2).join(", ")}`],
  applied: FLAG,
  appliedAfterMs: [isDuration, "must be a number of milliseconds from 0"],
};

const WEBHOOK_FAULT: Readonly<Record<keyof WebhookFault, Rule>> = {
  event: TEXT,
  times: TIMES,
  count: TIMES,
  delayMs: DELAY,
  duplicate: [
    (value) => isFlag(value) || (Number.isInteger(value) && isNumber(value, 0)),
    "must be true, false or a whole number from 0",
  ],
  reorder: FLAG,
  drop: FLAG,
};

function areHeaders(value: unknown): boolean {
  try {
    const headers = Object.entries(value as object).map(([name, text]) => [name, text ?? ""] as [string, string]);
    new Headers(headers);
    return true;
  } catch {
    return false;
  }
}

/** @throws RangeError for a field that does not exist or has a value it cannot have. @internal */
export function checkFault<Id extends OperationId>(fault: Fault<Id>): void {
  checkFields(fault, { operation: TEXT, ...FAULT });
  const { operation, status, body, errors, html, message, reset, applied, appliedAfterMs } = fault;
  if (operation !== undefined) checkOperation(operation, "operation ");
  if (html && status !== undefined && isBodiless(status))
    throw new RangeError(`a response with status ${status} has no body, so it cannot be an HTML page`);
  const scripted = body !== undefined || errors !== undefined || message !== undefined;
  if (scripted && (html || reset))
    throw new RangeError("a fault with html or reset cannot have a body, errors or a message");
  if (body !== undefined && (errors !== undefined || message !== undefined)) {
    throw new RangeError("a fault can have a body, or errors and a message, but not both");
  }
  if (applied !== undefined && appliedAfterMs !== undefined) {
    throw new RangeError("applied means appliedAfterMs: 0; give only one");
  }
}

/** @throws RangeError for a field that does not exist or has a value it cannot have. @internal */
export function checkWebhookFault(fault: WebhookFault): void {
  checkFields(fault, WEBHOOK_FAULT);
}

function checkFields(fault: object, rules: Readonly<Record<string, Rule>>): void {
  if (typeof fault !== "object" || fault === null) throw new RangeError("a fault must be an object");
  for (const [name, value] of Object.entries(fault)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw new RangeError(`a fault has no field "${name}"${didYouMean(name, Object.keys(rules))}`);
    const [accepts, message] = rule;
    if (value !== undefined && !accepts(value)) throw new RangeError(`a fault's ${name} ${message}`);
  }
  const { times, count } = fault as Fault;
  if (times !== undefined && count !== undefined) throw new RangeError("times and count mean the same; give only one");
}
