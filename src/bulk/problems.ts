import { type ApiError, type InputError, isEducationAdminError } from "../core/errors.js";
import { textsByField } from "../core/field-errors.js";
import { redact } from "../core/redact.js";
import type { RowProblem } from "./types.js";

/**
 * What a refused write says, field by field where the service does.
 * @param values of the row; the service may repeat them, in small letters or capitals too.
 */
export function problemsOf(error: Error, values: readonly string[]): readonly RowProblem[] {
  const sent = values.flatMap((value) => [value, value.toLowerCase(), value.toUpperCase()]);
  const clean = (text: string) => redact(text, sent);
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
