import { type ApiError, type InputError, isEducationAdminError } from "../core/errors.js";
import { textsByField } from "../core/field-errors.js";
import { redact } from "../core/redact.js";
import type { ProblemText } from "./problem-text.js";
import type { PlanSummary, RowProblem } from "./types.js";

/** A problem of a row, found during planning. The plan does not store its `reason`. */
export type Problem = RowProblem & Partial<ProblemText>;

export class Reasons {
  readonly #counts = new Map<string, PlanSummary["reasons"][number]>();

  add(why: readonly Problem[]): void {
    const reasons = why.map(({ message, reason = message, column, field }) => {
      const name = column ?? field;
      return { message: reason, ...(name !== undefined && { column: name }) };
    });
    // A row may have the same problem with several records, but counts once.
    for (const [name, reason] of new Map(reasons.map((one) => [JSON.stringify(one), one]))) {
      this.#counts.set(name, { ...reason, count: (this.#counts.get(name)?.count ?? 0) + 1 });
    }
  }

  /** All reasons, most frequent first; equal counts stay in the order of the rows. */
  get all(): PlanSummary["reasons"] {
    return [...this.#counts.values()].sort((one, other) => other.count - one.count);
  }
}

/**
 * The problems that the service reports for a refused write, field by field if it names fields.
 * @param values the row's values, which are redacted: the service may repeat them, possibly in different case.
 */
export function problemsOf(error: Error, values: readonly string[]): readonly RowProblem[] {
  const clean = (text: string) => redact(text, values);
  return problemsIn(error).map(({ path, message }) => ({
    ...(path !== "" && { field: clean(path) }),
    message: clean(message),
  }));
}

function problemsIn(error: Error): InputError["issues"] {
  if (isEducationAdminError(error, "input")) return error.issues;
  if (!isEducationAdminError(error, "api")) return [{ path: "", message: error.message }];
  const { errors, apiMessage, status } = error as ApiError;
  const fields = [...textsByField(errors)].flatMap(([path, texts]) => texts.map((message) => ({ path, message })));
  return fields.length > 0 ? fields : [{ path: "", message: `${status} ${apiMessage ?? ""}`.trim() }];
}
