import { copyOf } from "../../core/copy.js";
import type { OperationId } from "../../generated/operation-id.js";
import { Random } from "../data/random.js";
import type { SandboxInput } from "./calls.js";
import { checkFault, type DriftFault, type Fault } from "./fault.js";

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
   * Applies a fault to the next matching request, or to the next several. If several faults match a request, the one
   * added first applies. A fault without an effect, `{ operation }`, lets its request through.
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

  /** The fault for a request; null if there is none. @internal */
  take(operation: string | null, input: () => SandboxInput | null): Fault | null {
    for (const armed of this.#armed) {
      const { fault } = armed;
      const { operation: wanted, probability = 1 } = fault;
      if (wanted !== undefined && wanted !== operation) continue;
      if (fault.when && !accepts(fault, input())) continue;
      if (probability < 1 && !this.#random.chance(probability)) continue;
      armed.left--;
      armed.hits++;
      if (armed.left <= 0) this.#armed = this.#armed.filter((other) => other !== armed);
      return armed.fault;
    }
    return null;
  }
}

// Copies a fault, so that later changes by the caller have no effect. Copies a body as `JSON.stringify` writes it.
function copyFault({ body, ...fault }: Fault): Fault {
  return { ...copyOf(fault), ...(body !== undefined && { body: JSON.parse(JSON.stringify(body)) as unknown }) };
}

function accepts(fault: Fault, input: SandboxInput | null): boolean {
  return input !== null && fault.when?.(input) === true;
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
