import { ResponseValidationError } from "../errors.js";
import type { DriftEvent, Observers } from "../events.js";
import type { Operation } from "../operation.js";
import type { ValidationMode } from "../options.js";
import { printableName } from "../printable.js";
import type { Compile } from "../schema/compile.js";
import { check, formatPath, isRefused, type Mismatch, toInputIssue } from "../schema/issues.js";
import type { Schema } from "../schema/traits.js";
import type { CallSettings } from "../settings.js";
import { MOST_RECORDS, type RecordValidator, recordValidator } from "./record-validator.js";

// Limits the work for a record with very many unknown fields: the first few show the problem.
const MOST_MISMATCHES = 1_000;
// Once this many records of a page have had new differences, the search for more stops: if the service has changed,
// all records differ in the same fields.
const MOST_DIFFERING = 100;
// The most records of one page that `onInvalid: "skip"` leaves out.
const MOST_REFUSED = 1_000;
// Limits the memory for reported differences: a server may invent a new field name for every record.
const MOST_REPORTED = 10_000;
const LONGEST_ID = 100;

export interface ResponseValidation {
  readonly mode: ValidationMode;
  readonly onInvalid: CallSettings["onInvalid"];
  readonly attempts: number;
  readonly report: (event: DriftEvent) => void;
  /** Removes sensitive values from text that errors quote. */
  readonly clean: (text: string) => string;
}

/**
 * Validates the data of a response whose operation has no schema, and returns the data for the caller.
 * @throws ResponseValidationError in strict mode.
 */
export type ResponseParser = (
  operation: Operation,
  data: unknown,
  validation: ResponseValidation,
  validator: ResponseValidator,
) => Promise<unknown>;

/**
 * Compares responses with their schemas, and reports or refuses differences. It never changes a value: callers read
 * what the service sent. Browsers load this code when the first difference occurs.
 */
export class ResponseValidator {
  readonly #observers: Observers;
  readonly #compile: Compile | null;
  readonly #reported = new Set<string>();
  #warned = false;

  constructor(observers: Observers, compile: Compile | null = null) {
    this.#observers = observers;
    this.#compile = compile;
  }

  /** Validates a single record; `onInvalid` does not apply. @throws ResponseValidationError in strict mode. */
  record<T>(operation: Operation, record: T, validation: ResponseValidation): T {
    const { response } = operation;
    if (validation.mode === "off" || !response) return record;
    this.#verdict(operation, response, record, null, { ...validation, onInvalid: "throw" });
    return record;
  }

  /**
   * Validates the records of a page and returns those for the caller: all, unless `onInvalid` is `skip`. After 1,000
   * records, or 100 with new differences, strict validation looks only for differences that it refuses, and the other
   * modes stop.
   * @throws ResponseValidationError in strict mode with `throw`, and with `skip` after 1,000 refused records.
   */
  records<T>(operation: Operation, records: readonly T[], validation: ResponseValidation): readonly T[] {
    const { response } = operation;
    const { mode, onInvalid } = validation;
    if (mode === "off" || !response) return records;
    let settings = validation;
    let accepted: T[] | null = null;
    let differing = 0;
    let refused = 0;
    for (const [index, record] of records.entries()) {
      const isSaturated = differing >= MOST_DIFFERING || index >= MOST_RECORDS;
      // Strict validation promises that every record was checked.
      if (isSaturated && mode !== "strict") break;
      const known = this.#reported.size;
      const verdict = this.#verdict(operation, response, record, index, settings, isSaturated ? "strict" : "report");
      if (this.#reported.size > known) differing++;
      if (verdict !== "refused") {
        accepted?.push(record);
        continue;
      }
      if (onInvalid === "skip") accepted ??= records.slice(0, index);
      if (++refused >= MOST_REFUSED) settings = { ...validation, onInvalid: "throw" };
    }
    return accepted ?? records;
  }

  /**
   * Decides what to do with a value that differs from its schema. Reports the differences unless it throws.
   * @param index position of the value on its page; null if it is the whole response.
   * @throws ResponseValidationError in strict mode with `throw`.
   */
  judge(
    operation: Operation,
    value: unknown,
    index: number | null,
    mismatches: readonly Mismatch[],
    validation: ResponseValidation,
  ): "differs" | "refused" {
    const refused = validation.mode === "strict" && mismatches.some(isRefused);
    if (refused && validation.onInvalid === "throw")
      throw validationError(operation, value, index, mismatches, validation);
    this.#report(operation, mismatches, validation);
    return refused ? "refused" : "differs";
  }

  #verdict(
    operation: Operation,
    schema: Schema,
    record: unknown,
    index: number | null,
    validation: ResponseValidation,
    kind: "report" | "strict" = "report",
  ): "fits" | "differs" | "refused" {
    const mismatches = mismatchesOf(recordValidator(schema, kind, this.#compile), record);
    return mismatches.length === 0 ? "fits" : this.judge(operation, record, index, mismatches, validation);
  }

  #report(operation: Operation, mismatches: readonly Mismatch[], { report, clean }: ResponseValidation): void {
    const { id, method, path: template } = operation;
    for (const mismatch of mismatches) {
      if (this.#reported.size >= MOST_REPORTED) return;
      const { kind } = mismatch;
      const path = namedPath(mismatch.path);
      const key = `${id} ${formatPath(path, true)} ${kind}`;
      if (this.#reported.has(key)) continue;
      this.#reported.add(key);
      const field = formatPath(cleanPath(path, clean), true);
      report({ operation: id, method, path: template, field, kind });
      if (!this.#observers.drift && !this.#warned && isRefused(mismatch)) {
        this.#warned = true;
        console.warn(
          `education-admin-sdk: ${id} returned a record that differs from its type (${field}: ${kind}). It was returned unchanged. ` +
            "Set the client option on.drift to see every difference; this warning is not repeated.",
        );
      }
    }
  }
}

export function mismatchesOf(validator: RecordValidator, record: unknown): readonly Mismatch[] {
  return validator.fits(record) ? [] : check(validator.limited, record, MOST_MISMATCHES).mismatches;
}

function namedPath(path: readonly PropertyKey[]): readonly PropertyKey[] {
  return path.map((key) => (typeof key === "string" ? printableName(key) : key));
}

// Redacts field names, because a response may use a sent value as one.
function cleanPath(path: readonly PropertyKey[], clean: ResponseValidation["clean"]): readonly PropertyKey[] {
  return path.map((key) => (typeof key === "string" ? clean(key) : key));
}

function validationError(
  operation: Operation,
  record: unknown,
  index: number | null,
  mismatches: readonly Mismatch[],
  { attempts, clean }: ResponseValidation,
): ResponseValidationError {
  const id = idOf(record, clean);
  const done = operation.method !== "GET";
  const issues = mismatches
    .filter(isRefused)
    .map((mismatch) => toInputIssue({ ...mismatch, path: cleanPath(namedPath(mismatch.path), clean) }));
  const where = [index === null ? null : `record ${index} of the page`, id === null ? null : `id ${id}`].filter(
    (part) => part !== null,
  );
  const what = issues
    .slice(0, 5)
    .map((issue) => (issue.path === "" ? issue.message : `${issue.path} ${issue.message}`));
  const more = issues.length > 5 ? ` and ${issues.length - 5} more` : "";
  return new ResponseValidationError(
    `${operation.id}: the response does not match its schema${where.length > 0 ? ` (${where.join(", ")})` : ""}: ${what.join("; ")}${more}. ` +
      `${done ? "The service has processed the request; do not send it again. " : ""}Validation "report" returns such records instead.`,
    { operation: operation.id, attempts, issues, index, id, raw: record, outcome: done ? "done" : null },
  );
}

// The service's identifiers are numbers. Short text in place of a number still helps to find the record, but it may
// repeat a sent value.
function idOf(record: unknown, clean: (text: string) => string): number | string | null {
  const id = (record as { id?: unknown } | null)?.id;
  if (typeof id === "string") return id.length <= LONGEST_ID ? clean(id) : null;
  return typeof id === "number" ? id : null;
}
