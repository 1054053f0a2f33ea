import type { Compile, Fits } from "../schema/compile.js";
import { check, type Mismatch } from "../schema/issues.js";
import { limitedSchema, strictSchema } from "../schema/strict-schema.js";
import type { Schema } from "../schema/traits.js";

// After this many records the time to compile (about a millisecond) is worth it.
const HOT_AFTER = 300;
// A record may hold a hundred thousand invented fields; the first ones are enough to see what is wrong.
const MOST_MISMATCHES = 1_000;

const NONE: readonly Mismatch[] = [];

/** In a larger page, ten times the largest that the service returns, not every record is looked at in full. */
export const MOST_RECORDS = 1_000;

// Like strict schemas: one for each schema, shared by all clients.
const validators: Readonly<Record<"report" | "strict", WeakMap<Schema, RecordValidator>>> = {
  report: /* @__PURE__ */ new WeakMap(),
  strict: /* @__PURE__ */ new WeakMap(),
};

/** The validator of a schema; `report` finds all differences, `strict` those that strict validation refuses. */
export function recordValidator(schema: Schema, kind: "report" | "strict", compile: Compile | null): RecordValidator {
  const found = validators[kind].get(schema) ?? new RecordValidator(schema, kind, compile);
  validators[kind].set(schema, found);
  return found;
}

/** Whether all records are as their schema says. False for so many that this is not asked of each. */
export function recordsFit(schema: Schema, records: readonly unknown[], compile: Compile | null): boolean {
  const validator = recordValidator(schema, "report", compile);
  return records.length <= MOST_RECORDS && records.every((record) => validator.mismatches(record).length === 0);
}

/** Finds in records what differs from their schema; it compiles the strict schema once it has checked many. */
export class RecordValidator {
  readonly #schema: Schema;
  readonly #kind: "report" | "strict";
  readonly #limited: Schema;
  readonly #compile: Compile | null;
  #fits: Fits | null = null;
  #checked = 0;

  /**
   * @param kind whether it finds all differences, or only those that strict validation refuses.
   * @param compile makes a fast check of a hot schema; null on platforms that may not generate code.
   */
  constructor(schema: Schema, kind: "report" | "strict", compile: Compile | null = null) {
    this.#schema = schema;
    this.#kind = kind;
    this.#compile = compile;
    this.#limited = limitedSchema(schema, kind);
  }

  /** The differences of a record; at most 1,000. */
  mismatches(record: unknown): readonly Mismatch[] {
    if (++this.#checked === HOT_AFTER) this.#fits = this.#compile?.(strictSchema(this.#schema, this.#kind)) ?? null;
    if (this.#fits?.(record)) return NONE;
    return check(this.#limited, record, MOST_MISMATCHES).mismatches;
  }
}
