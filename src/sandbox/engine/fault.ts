import { copyOf } from "../../core/copy.js";
import { isPlainObject } from "../../core/json.js";
import { callable, checkOptions, type Fail, flag, must, type OptionTable, whole } from "../../core/option-checks.js";
import type { Open } from "../../core/schema/model.js";
import type { OperationId } from "../../generated/operation-id.js";
import type { WebhookPattern } from "../../webhooks/events.js";
import { Random } from "../data/random.js";
import { checkOperation, type SandboxInput } from "./calls.js";

/** A fault or a scripted response, and the requests to which it applies. Fields can be combined. */
export interface Fault<Id extends OperationId = OperationId> {
  /** Only the operation with this id, such as `invoices.list`. Default: every request. */
  readonly operation?: Id | undefined;
  /**
   * Only requests whose input this function accepts: `when: ({ body }) => body.email === "a@school.example"`. The input
   * has the types of `operation`. A fault with `when` never applies to requests that belong to no operation.
   */
  when?(input: SandboxInput<Id>): boolean;
  /** The number of requests to which the fault applies. Default 1; `Infinity` for all. */
  readonly times?: number | undefined;
  /** The same as `times`. */
  readonly count?: number | undefined;
  /**
   * The probability that the fault applies to a matching request, from 0 to 1. Default 1. The sandbox's `seed`
   * determines which requests it applies to.
   */
  readonly probability?: number | undefined;
  /**
   * Responds with this status and the error body instead of carrying out the request. With 200, the error body is sent
   * as a success, as the service sometimes does; its `code` is then 422.
   */
  readonly status?: number | undefined;
  /** `errors` of the error body, by field: `{ email: ["is taken"] }`. Without `status`, the status is 422. */
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  /** `message` of the error body. Default: the name of the status. Without `status`, the status is 422. */
  readonly message?: string | undefined;
  /** The whole body, sent as JSON, instead of the error body. Without `status`, the status is 200. */
  readonly body?: unknown;
  /** `Retry-After` of the response: seconds, a date, or any text. Without `status`, the status is 429. */
  readonly retryAfter?: number | string | Date | undefined;
  /** Response headers to add or replace; null removes a header: `{ total: null }` for a list without its total. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /**
   * Milliseconds of the sandbox's time before the response begins. With `Infinity` there is no response. If the caller
   * gives up first, the request is not carried out, unless `applied` or `appliedAfterMs` is set.
   */
  readonly delayMs?: number | undefined;
  /** Breaks the connection after this share of the response body: at least 0 and less than 1; true means a half. */
  readonly cut?: boolean | number | undefined;
  /** True to break the connection before the response. */
  readonly reset?: boolean | undefined;
  /** True to respond with an HTML page, as a proxy does. Without `status`, the status is 502. */
  readonly html?: boolean | undefined;
  /**
   * Changes the records of the response as a new version of the service might: adds a field (`extra` or true), removes
   * one (`missing`), or sets one to null (`null`), to another type (`type`) or to an unknown value (`value`).
   */
  readonly drift?: boolean | DriftFault | undefined;
  /**
   * Carries out the request on arrival, although the response reports a failure or, with `delayMs`, comes too late: the
   * caller does not learn of the write. Default false: a fault with its own response does not carry out the request,
   * and a fault with `delayMs` carries it out after the delay if the caller is still waiting. Has no effect in a fault
   * that only has `cut` or `drift`.
   */
  readonly applied?: boolean | undefined;
  /**
   * Carries out the request this many milliseconds of the sandbox's time after its arrival, even if the caller has
   * given up or received a failure by then, as a slow service would. If the fault has no response of its own, the
   * response follows the write. `reset()` cancels the write. 0 is the same as `applied`; pass only one of them.
   */
  readonly appliedAfterMs?: number | undefined;
}

/** The ways in which a response can differ from its schema. */
export type DriftFault = "extra" | "missing" | "null" | "type" | "value";

/** A fault in webhook deliveries, and the deliveries to which it applies. */
export interface WebhookFault {
  /** Only deliveries of events that match this pattern. Default: all. */
  readonly event?: Open<WebhookPattern> | undefined;
  /** The number of deliveries to which the fault applies. Default 1; `Infinity` for all. */
  readonly times?: number | undefined;
  /** The same as `times`. */
  readonly count?: number | undefined;
  /** Milliseconds of the sandbox's time before the delivery is sent. */
  readonly delayMs?: number | undefined;
  /** The number of extra copies, sent with the same id; true for one. */
  readonly duplicate?: boolean | number | undefined;
  /** True to send the delivery after the next delivery. */
  readonly reorder?: boolean | undefined;
  /** True to never send the delivery. */
  readonly drop?: boolean | undefined;
}

const isText = (value: unknown) => typeof value === "string";
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isFrom = (value: unknown, least: number, most = Number.POSITIVE_INFINITY) =>
  typeof value === "number" && value >= least && value <= most;

const areErrors = (value: unknown) => isPlainObject(value) && Object.values(value).every(isTexts);
const isWait = (value: unknown) =>
  isText(value) || isFrom(value instanceof Date ? value.getTime() : value, 0, Number.MAX_VALUE);
const isShare = (value: unknown) => typeof value === "boolean" || (isFrom(value, 0, 1) && value !== 1);
const isAmount = (value: unknown) => typeof value === "boolean" || (Number.isInteger(value) && isFrom(value, 0));

const text = must<string>(isText, "must be text");
const times = must<number>(
  (value) => isFrom(value, 1) && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
  "must be a positive whole number, or Infinity",
);
const delay = must<number>((value) => isFrom(value, 0), "must be a non-negative number of milliseconds, or Infinity");
const DRIFTS: readonly unknown[] = [true, false, "extra", "missing", "null", "type", "value"];

const FAULT: OptionTable<Fault> = {
  operation: [text],
  when: [callable],
  times: [times],
  count: [times],
  probability: [must((value) => isFrom(value, 0, 1), "must be a number from 0 to 1")],
  status: [whole(200, 599)],
  message: [text],
  errors: [must(areErrors, "must be an object with a list of strings for each field")],
  body: [must((value) => JSON.stringify(value) !== undefined, "must be a value that can be written as JSON")],
  retryAfter: [must(isWait, "must be a non-negative number of seconds, a date, or text")],
  headers: [must(areHeaders, "contains an invalid header name or value, or is not an object")],
  delayMs: [delay],
  cut: [must(isShare, "must be true, false or a number of at least 0 and less than 1")],
  reset: [flag],
  html: [flag],
  drift: [must((value) => DRIFTS.includes(value), `must be true or one of ${DRIFTS.slice(2).join(", ")}`)],
  applied: [flag],
  appliedAfterMs: [
    must((value) => isFrom(value, 0, Number.MAX_VALUE), "must be a non-negative number of milliseconds"),
  ],
};

const WEBHOOK_FAULT: OptionTable<WebhookFault> = {
  event: [text],
  times: [times],
  count: [times],
  delayMs: [delay],
  duplicate: [must(isAmount, "must be true, false, 0 or a positive whole number")],
  reorder: [flag],
  drop: [flag],
};

function areHeaders(value: unknown): boolean {
  try {
    new Headers(Object.entries(value as object).map(([name, text]) => [name, text ?? ""] as [string, string]));
    return isPlainObject(value);
  } catch {
    return false;
  }
}

const fail: Fail = (field, rule) => new RangeError(`a fault's ${field} ${rule}`);

/** @throws RangeError for an unknown field or an invalid value. @internal */
export function checkFault(fault: Fault): void {
  checkFields(fault, FAULT);
  const { operation, status, body, errors, html, message, reset, applied, appliedAfterMs } = fault;
  if (operation !== undefined) checkOperation(operation, "operation ");
  if (html && status !== undefined && isBodiless(status))
    throw new RangeError(`a response with status ${status} has no body, so it cannot be an HTML page`);
  const isWritten = errors !== undefined || message !== undefined;
  if ((body !== undefined || isWritten) && (html || reset))
    throw new RangeError("a fault with `html` or `reset` cannot have a body, errors or a message");
  if (body !== undefined && isWritten)
    throw new RangeError("a fault can have a body, or errors and a message, but not both");
  if (applied !== undefined && appliedAfterMs !== undefined)
    throw new RangeError("`applied` means `appliedAfterMs: 0`; pass only one");
}

/** @throws RangeError for an unknown field or an invalid value. @internal */
export function checkWebhookFault(fault: WebhookFault): void {
  checkFields(fault, WEBHOOK_FAULT);
}

function checkFields(fault: Fault | WebhookFault, table: Parameters<typeof checkOptions>[1]): void {
  if (!isPlainObject(fault)) throw new RangeError("a fault must be an object");
  checkOptions(fault, table, fail);
  if (fault.times !== undefined && fault.count !== undefined)
    throw new RangeError("`times` and `count` mean the same; pass only one");
}

/** @internal */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

interface Armed {
  readonly fault: Fault;
  left: number;
  hits: number;
}

/** The faults of a sandbox, which make requests fail or script their responses. */
export class Faults {
  readonly #seed: number;
  #random: Random;
  #armed: Armed[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
  }

  /**
   * Applies each fault to the next matching request, or to the next `times` requests. If several faults match a
   * request, the one added first applies. A fault without an effect, `{ operation }`, lets its request through.
   * @throws RangeError for an unknown field or operation, or for a value out of range; then no fault is added.
   * @example
   * sandbox.faults.next({ operation: "invoices.list", retryAfter: 287 });
   * sandbox.faults.next({ operation: "accounts.create", status: 422, errors: { email: ["is taken"] } });
   * sandbox.faults.next({ operation: "orders.get", status: 503 }, { operation: "orders.get" }, { operation: "orders.get", reset: true });
   * sandbox.faults.next({ probability: 0.1, count: Infinity, status: 503 });
   */
  next<Id extends OperationId = OperationId>(...faults: readonly Fault<Id>[]): void {
    for (const fault of faults) checkFault(fault);
    for (const fault of faults) {
      this.#armed.push({ fault: copyFault(fault as Fault), left: fault.times ?? fault.count ?? 1, hits: 0 });
    }
  }

  /** Faults that are not used up. With `times: Infinity`, a fault remains until `clear`. */
  get pending(): readonly Fault[] {
    return this.#armed.map(({ fault }) => copyOf(fault));
  }

  /**
   * Faults that should have been applied by the end of a test: those not used up or, with `times: Infinity` and a
   * `probability` of 1, never applied.
   * @internal
   */
  get unused(): readonly Fault[] {
    const isMissed = ({ fault: { probability = 1 }, left, hits }: Armed) =>
      left === Number.POSITIVE_INFINITY ? hits === 0 && probability === 1 : left > 0;
    return this.#armed.filter(isMissed).map(({ fault }) => fault);
  }

  /** Removes every fault. */
  clear(): void {
    this.#armed = [];
    this.#random = new Random(this.#seed);
  }

  /** @internal */
  take(operation: string | null, input: () => SandboxInput | null): Fault | null {
    for (const armed of this.#armed) {
      const { fault } = armed;
      const { operation: wanted, probability = 1 } = fault;
      if (wanted !== undefined && wanted !== operation) continue;
      if (fault.when) {
        const given = input();
        if (given === null || fault.when(given) !== true) continue;
      }
      if (probability < 1 && !this.#random.chance(probability)) continue;
      armed.left--;
      armed.hits++;
      if (armed.left <= 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return armed.fault;
    }
    return null;
  }
}

// Copies a fault, so that later changes by the caller have no effect. A body is copied as `JSON.stringify` writes it.
function copyFault({ body, ...fault }: Fault): Fault {
  return { ...copyOf(fault), ...(body !== undefined && { body: JSON.parse(JSON.stringify(body)) as unknown }) };
}

/** @internal */
export function applyDrift(value: unknown, kind: boolean | DriftFault): unknown {
  if (Array.isArray(value)) return value.map((record) => applyDrift(record, kind));
  if (typeof value !== "object" || value === null) return value;
  const record: Record<string, unknown> = { ...value };
  const fields = Object.keys(record).filter((name) => name !== "id");
  const text = fields.find((name) => typeof record[name] === "string");
  const field = text ?? fields[0] ?? "id";
  if (kind === "missing") delete record[field];
  else if (kind === "null") record[field] = null;
  else if (kind === "type") record[field] = text === undefined ? "1" : 1;
  else if (kind === "value") {
    record[fields.find((name) => /(status|state|_type|scheme|currency)$/.test(name)) ?? text ?? "id"] = "unheard_of";
  } else record.added_by_the_service = true;
  return record;
}
