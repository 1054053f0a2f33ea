import type { InputIssue } from "../../core/error-details.js";
import { InputError } from "../../core/errors.js";

export function inputError(what: string, issues: readonly InputIssue[]): InputError {
  const text = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  return new InputError(`${what}: ${text}. Nothing was sent.`, issues);
}
