import { ResponseValidationError } from "../errors.js";
import { notify, type Observers } from "../events.js";
import { NOT_SHOWN } from "../model.js";
import type { Operation } from "../operation.js";
import type { ListOptions, ValidationMode } from "../options.js";
import { formatPath, type Mismatch, toInputIssue } from "./issues.js";
import { Lens } from "./record-validator.js";

/** How the records of one answer are checked. */
export interface Inspection {
  readonly mode: ValidationMode;
  readonly onInvalid: NonNullable<ListOptions["onInvalid"]>;
}

/** Compares answers with the schemas. Never changes a value: what a caller reads is what the wire said. */
export class DriftInspector {
  readonly #observers: Observers;
  readonly #lenses = { report: new WeakMap<Operation, Lens>(), strict: new WeakMap<Operation, Lens>() };
  readonly #told = new Set<string>();
  #warned = false;

  constructor(observers: Observers) {
    this.#observers = observers;
  }

  /**
   * Looks at the record of a single answer.
   * @throws ResponseValidationError in strict mode.
   */
  record<T>(row: Operation, record: T, inspection: Inspection, attempts: number): T {
    this.#look(row, record, null, { ...inspection, onInvalid: "throw" }, attempts);
    return record;
  }

  /**
   * Looks at the records of a page; leaves out what `onInvalid: "skip"` says.
   * @throws ResponseValidationError in strict mode with `onInvalid: "throw"`.
   */
  records<T>(row: Operation, records: readonly T[], inspection: Inspection, attempts: number): readonly T[] {
    if (inspection.mode === "off") return records;
    let fitting: T[] | null = null;
    for (let index = 0; index < records.length; index++) {
      const record = records[index] as T;
      // A copy is made only once a record is left out.
      if (!this.#look(row, record, index, inspection, attempts)) fitting ??= records.slice(0, index);
      else fitting?.push(record);
    }
    return fitting ?? records;
  }

  // Tells whether the record is handed on.
  #look(row: Operation, record: unknown, index: number | null, inspection: Inspection, attempts: number): boolean {
    const { mode, onInvalid } = inspection;
    if (mode === "off" || !row.response) return true;
    const strict = mode === "strict";
    let lens = this.#lenses[mode].get(row);
    if (!lens) {
      lens = new Lens(row.response, mode);
      this.#lenses[mode].set(row, lens);
    }
    const mismatches = lens.look(record);
    if (mismatches.length === 0) return true;
    if (strict && onInvalid === "throw") throw validationError(row, record, index, mismatches, attempts);
    this.#report(row, mismatches);
    // In strict mode every record that does not fit is dealt with, so nothing may become expected.
    if (!strict) lens.expect(mismatches);
    return !(strict && onInvalid === "skip");
  }

  #report(row: Operation, mismatches: readonly Mismatch[]): void {
    for (const { path, kind, message } of mismatches) {
      const field = formatPath(path, true);
      const key = `${row.id} ${field} ${kind}`;
      // A server that invents a field name per record must not fill the memory.
      if (this.#told.has(key) || this.#told.size >= 10_000) continue;
      this.#told.add(key);
      if (this.#observers.drift) {
        notify(this.#observers, "drift", { operation: row.id, method: row.method, path: row.path, field, kind });
      } else if (!this.#warned && kind !== "unknown_field" && !(kind === "unknown_value" && message === NOT_SHOWN)) {
        // New fields, and values of lists that are known to be incomplete, are no news to somebody who did not ask.
        this.#warned = true;
        console.warn(
          `education-admin-sdk: ${row.id} answered a record that differs from its type (${field}: ${kind}). It was handed on as it came. ` +
            "Set the client option on.drift to see every difference; this is the only warning.",
        );
      }
    }
  }
}

function validationError(
  row: Operation,
  record: unknown,
  index: number | null,
  mismatches: readonly Mismatch[],
  attempts: number,
): ResponseValidationError {
  const found = (record as { id?: unknown } | null)?.id;
  // A text is none of the service's identifiers; a short one still helps to find the record.
  const id = typeof found === "number" || (typeof found === "string" && found.length <= 100) ? found : null;
  const issues = mismatches.map(toInputIssue);
  const where = [index === null ? null : `record ${index} of the page`, id === null ? null : `id ${id}`].filter(
    Boolean,
  );
  const what = issues
    .slice(0, 5)
    .map((issue) => (issue.path === "" ? issue.message : `${issue.path} ${issue.message}`));
  const more = issues.length > 5 ? ` and ${issues.length - 5} more` : "";
  return new ResponseValidationError(
    `${row.id}: the answer does not fit its schema${where.length > 0 ? ` (${where.join(", ")})` : ""}: ${what.join("; ")}${more}. ` +
      'Validation "report" hands such records on instead.',
    { operation: row.id, attempts, issues, index, id, raw: record },
  );
}
