import type { Compile, Fits } from "../schema/compile.js";
import { parse } from "../schema/issues.js";
import { limitedSchema, strictSchema } from "../schema/strict-schema.js";
import type { Schema } from "../schema/traits.js";

// After this many records, compiling the schema (about a millisecond) is worthwhile.
const HOT_AFTER = 300;

/** Maximum number of records of a page that are checked in full: ten times the largest page of the service. */
export const MOST_RECORDS = 1_000;

// All clients share one validator per schema.
const validators: Readonly<Record<"report" | "strict", WeakMap<Schema, RecordValidator>>> = {
  report: /* @__PURE__ */ new WeakMap(),
  strict: /* @__PURE__ */ new WeakMap(),
};

/** The validator of a schema. `report` finds all differences, `strict` only those that strict validation refuses. */
export function recordValidator(schema: Schema, kind: "report" | "strict", compile: Compile | null): RecordValidator {
  const found = validators[kind].get(schema) ?? new RecordValidator(schema, kind, compile);
  validators[kind].set(schema, found);
  return found;
}

/** True if all records match their schema. False, without a check, if there are too many. */
export function recordsFit(schema: Schema, records: readonly unknown[], compile: Compile | null): boolean {
  const validator = recordValidator(schema, "report", compile);
  return records.length <= MOST_RECORDS && records.every((record) => validator.fits(record));
}

/** Checks records against their schema; compiles the strict schema after it has checked many of them. */
export class RecordValidator {
  /** Like the strict schema, but describes at most 100 differences in an array. */
  readonly limited: Schema;
  readonly #schema: Schema;
  readonly #kind: "report" | "strict";
  readonly #compile: Compile | null;
  #fits: Fits | null = null;
  #checked = 0;

  /** @param compile makes a fast check of a frequently used schema; null on platforms that forbid generated code. */
  constructor(schema: Schema, kind: "report" | "strict", compile: Compile | null = null) {
    this.#schema = schema;
    this.#kind = kind;
    this.#compile = compile;
    this.limited = limitedSchema(schema, kind);
  }

  fits(record: unknown): boolean {
    if (++this.#checked === HOT_AFTER) this.#fits = this.#compile?.(strictSchema(this.#schema, this.#kind)) ?? null;
    return this.#fits ? this.#fits(record) : parse(this.limited, record).success;
  }
}
