import { didYouMean } from "../../core/option-checks.js";
import type { OperationId } from "../../generated/operation-id.js";
import { allOperations } from "../../operations.js";
import type { Fault, WebhookFault } from "./fault.js";
import { isBodiless } from "./fault-answer.js";

const DRIFTS: readonly unknown[] = [true, false, "extra", "missing", "null", "type", "value"];

type Check = (value: unknown) => string | null;

const isText: Check = (value) => (typeof value === "string" ? null : "must be text");
const isFlag: Check = (value) => (typeof value === "boolean" ? null : "must be true or false");
const isTimes: Check = (value) =>
  typeof value === "number" && (value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value > 0))
    ? null
    : "must be a whole number from 1, or Infinity";
const isDelay: Check = (value) =>
  typeof value === "number" && value >= 0 ? null : "must be a number of milliseconds from 0, or Infinity";
const isFunction: Check = (value) => (typeof value === "function" ? null : "must be a function");
const isRecord: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? null : "must be an object";

const FAULT: Readonly<Record<keyof Fault, Check>> = {
  operation: (value) => {
    if (typeof value !== "string") return "must be the id of an operation";
    if (allOperations.some(({ id }) => id === value)) return null;
    const known = allOperations.map(({ id }) => id);
    return `"${value}" is not the id of an operation${didYouMean(value, known)}`;
  },
  when: isFunction,
  times: isTimes,
  count: isTimes,
  probability: (value) =>
    typeof value === "number" && value >= 0 && value <= 1 ? null : "must be a number from 0 to 1",
  status: (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= 200 && value <= 599
      ? null
      : "must be a whole number from 200 to 599",
  message: isText,
  errors: (value) => {
    const isTexts = (texts: unknown) => Array.isArray(texts) && texts.every((text) => typeof text === "string");
    if (isRecord(value) !== null || !Object.values(value as object).every(isTexts)) {
      return "must have a list of texts for each field";
    }
    return null;
  },
  body: (value) => (JSON.stringify(value) === undefined ? "must be a value that can be written as JSON" : null),
  retryAfter: (value) => {
    if (typeof value === "string" || (value instanceof Date && !Number.isNaN(value.getTime()))) return null;
    return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY
      ? null
      : "must be a number of seconds from 0, a date, or text";
  },
  headers: (value) => {
    try {
      new Headers(value as HeadersInit);
      return isRecord(value);
    } catch {
      return "contains an invalid header name or value";
    }
  },
  delayMs: isDelay,
  cut: (value) =>
    typeof value === "boolean" || (typeof value === "number" && value >= 0 && value < 1)
      ? null
      : "must be true, false or a number from 0 to below 1",
  reset: isFlag,
  html: isFlag,
  drift: (value) => (DRIFTS.includes(value) ? null : `must be true or one of ${DRIFTS.slice(2).join(", ")}`),
  applied: isFlag,
  appliedAfterMs: (value) =>
    typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY
      ? null
      : "must be a number of milliseconds from 0",
};

const WEBHOOK_FAULT: Readonly<Record<keyof WebhookFault, Check>> = {
  event: isText,
  times: isTimes,
  count: isTimes,
  delayMs: isDelay,
  duplicate: (value) =>
    typeof value === "boolean" || (typeof value === "number" && Number.isInteger(value) && value >= 0)
      ? null
      : "must be true, false or a whole number from 0",
  reorder: isFlag,
  drop: isFlag,
};

/** @throws RangeError for a field that does not exist or has a value it cannot have. @internal */
export function checkFault<Id extends OperationId>(fault: Fault<Id>): void {
  checkFields(fault, FAULT);
  const { body, errors, html, message, reset, applied, appliedAfterMs } = fault;
  const { status } = fault;
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

function checkFields(fault: object, checks: Readonly<Record<string, Check>>): void {
  if (typeof fault !== "object" || fault === null) throw new RangeError("a fault must be an object");
  for (const [name, value] of Object.entries(fault)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) throw new RangeError(`a fault has no field "${name}"${didYouMean(name, Object.keys(checks))}`);
    const problem = value === undefined ? null : check(value);
    if (problem !== null) throw new RangeError(`${name} ${problem}`);
  }
  const { times, count } = fault as Fault;
  if (times !== undefined && count !== undefined) throw new RangeError("times and count mean the same; give only one");
}
