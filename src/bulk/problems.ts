import { type ApiError, type InputError, isEducationAdminError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import type { RowProblem } from "./types.js";

/** What a refused write says, field by field where the service does. */
export function problemsOf(error: Error): readonly RowProblem[] {
  if (isEducationAdminError(error, "input")) {
    return (error as InputError).issues.map(({ path, message }) => ({ field: path, message }));
  }
  if (!isEducationAdminError(error, "api")) return [{ message: error.message }];
  const { errors, apiMessage, status } = error as ApiError;
  const fields = isPlainObject(errors) ? Object.entries(errors) : [];
  const problems = fields.flatMap(([field, messages]) =>
    [messages].flat().map((message) => ({ field, message: String(message) })),
  );
  return problems.length > 0 ? problems : [{ message: `${status} ${apiMessage ?? ""}`.trim() }];
}
