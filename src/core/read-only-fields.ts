import type * as z from "zod/mini";
import type { InputIssue } from "./error-details.js";
import type { Operation } from "./operation.js";

/**
 * Says more about a field of a body that the operation only returns: `address` is read-only, `address_attributes` is
 * what to send. The other issues stay as they are.
 */
export function explainReadOnly(row: Operation, issue: InputIssue): InputIssue {
  const { path } = issue;
  const sent = fieldsOf(row.body);
  if (sent === null || path in sent || !(path in (fieldsOf(row.response) ?? {}))) return issue;
  const counterpart = `${path}_attributes`;
  const instead = counterpart in sent ? `send ${counterpart}` : "leave it out";
  return { path, message: `is read-only here; ${instead}` };
}

function fieldsOf(schema: unknown): object | null {
  return (schema as z.ZodMiniObject | undefined)?.shape ?? null;
}
