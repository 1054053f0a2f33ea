import type { OperationId } from "../../generated/operation-id.js";
import { Random } from "../data/random.js";
import { checkFault } from "./check-fault.js";

/** What goes wrong with which requests, or how they are answered. Fields may be combined. */
export interface Fault {
  /** Only this operation, by id: `invoices.list`. Default: every request. */
  readonly operation?: OperationId | undefined;
  /** How many requests it hits before it is used up. Default 1; `Infinity` never ends. */
  readonly times?: number | undefined;
  /** The same as `times`. */
  readonly count?: number | undefined;
  /** How likely it hits a request it fits, 0 to 1. Default 1. The sandbox's `seed` decides which requests are hit. */
  readonly probability?: number | undefined;
  /**
   * Answers this status with the error body instead of carrying the request out. 200 gives the error body in a
   * success, which the service does too.
   */
  readonly status?: number | undefined;
  /** `errors` of the error body, by field: `{ email: ["is taken"] }`. With no `status`, the status is 422. */
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  /** `message` of the error body. Default: the words that go with the status. With no `status`, the status is 422. */
  readonly message?: string | undefined;
  /** The whole body, as JSON, instead of the error body. With no `status`, the status is 200. */
  readonly body?: unknown;
  /** `Retry-After` of the answer: seconds, a date, or any text. With no `status`, the status is 429. */
  readonly retryAfter?: number | string | Date | undefined;
  /** More headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds of the sandbox's time before the answer begins. `Infinity` never answers. */
  readonly delayMs?: number | undefined;
  /** Ends the answer's body after this share of it, as a connection that breaks: 0 to below 1; true for a half. */
  readonly cut?: boolean | number | undefined;
  /** Breaks the connection before anything is answered. */
  readonly reset?: boolean | undefined;
  /** Answers a page of HTML, as proxies do; its status is `status`, else 502. */
  readonly html?: boolean | undefined;
  /**
   * Changes the records of the answer as a service that moves on does: one field more (`extra`, also for true), one
   * less (`missing`), null where a value was (`null`), a number for a text (`type`), an unknown value (`value`).
   */
  readonly drift?: boolean | DriftFault | undefined;
  /**
   * Carries the request out although the answer says otherwise: a write of which the caller never learns. Default
   * false for `status`, `reset` and `html`; the others always carry it out.
   */
  readonly applied?: boolean | undefined;
}

/** Ways in which an answer can differ from its schema. */
export type DriftFault = "extra" | "missing" | "null" | "type" | "value";

interface Armed {
  readonly fault: Fault;
  left: number;
  hits: number;
}

/** Faults on demand. */
export class Faults {
  readonly #seed: number;
  #random: Random;
  #armed: Armed[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new Random(seed);
  }

  /**
   * Disturbs the next request that fits, or the next several. Faults are asked in the order they were given; the first
   * that fits and hits is the one that happens.
   * @throws RangeError for a field or an operation that does not exist, and for a value out of its range.
   * @example
   * sandbox.faults.next({ operation: "invoices.list", retryAfter: 287 });
   * sandbox.faults.next({ operation: "accounts.create", status: 422, errors: { email: ["is taken"] } });
   * sandbox.faults.next({ probability: 0.1, count: Infinity, status: 503 });
   */
  next(fault: Fault): void {
    checkFault(fault);
    this.#armed.push({ fault, left: fault.times ?? fault.count ?? 1, hits: 0 });
  }

  /** Faults that wait for a request. One that never ends stays among them until `clear`. */
  get pending(): readonly Fault[] {
    return this.#armed.map(({ fault }) => fault);
  }

  /** Faults that should have hit by the end of a test and did not; one left to chance may miss. @internal */
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

  /** The fault that hits a request; null when none does. @internal */
  take(operation: string | null): Fault | null {
    for (const armed of this.#armed) {
      const { operation: wanted, probability = 1 } = armed.fault;
      if (wanted !== undefined && wanted !== operation) continue;
      if (probability < 1 && !this.#random.chance(probability)) continue;
      armed.left--;
      armed.hits++;
      if (armed.left <= 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return armed.fault;
    }
    return null;
  }
}

/** Changes an answer's records in one way. @internal */
export function drifted(value: unknown, kind: boolean | DriftFault): unknown {
  if (Array.isArray(value)) return value.map((record) => drifted(record, kind));
  if (typeof value !== "object" || value === null) return value;
  const record: Record<string, unknown> = { ...value };
  const fields = Object.keys(record).filter((name) => name !== "id");
  const text = fields.find((name) => typeof record[name] === "string");
  switch (kind) {
    case "missing":
      delete record[text ?? fields[0] ?? "id"];
      break;
    case "null":
      record[text ?? fields[0] ?? "id"] = null;
      break;
    case "type":
      record[text ?? fields[0] ?? "id"] = text === undefined ? "1" : 1;
      break;
    case "value":
      record[fields.find((name) => /(status|state|_type|scheme|currency)$/.test(name)) ?? text ?? "id"] = "unheard_of";
      break;
    default:
      record.added_by_the_service = true;
  }
  return record;
}
