import type { ResponseValidation, ResponseValidator } from "../drift/response-validator.js";
import type { Observers } from "../events.js";
import { otherRecord } from "../other-record.js";
import { redact } from "../redact.js";
import type { Mismatch } from "../schema/issues.js";
import { holdsRecords } from "./body.js";
import type { EndedCall } from "./ended-call.js";
import { sensitiveValues } from "./sensitive-values.js";
import { tell } from "./trace.js";

const OTHER_RECORD: Mismatch = {
  path: ["id"],
  kind: "other_record",
  message: "is not that of the requested record",
};
const NO_RECORD: Mismatch = { path: [], kind: "missing_field", message: "it holds no record" };

/**
 * Handles data that differs from its schema or must be parsed with a caller's schema; returns the data for the caller.
 * @throws ResponseValidationError in strict mode.
 */
export async function judge(
  { request, token, attempts }: EndedCall,
  data: unknown,
  validator: ResponseValidator,
  on: Observers,
): Promise<unknown> {
  const { operation, params, validate, settings, trace } = request;
  const { validation: mode, onInvalid } = settings;
  let values: string[] | undefined;
  const clean = (text: string) => {
    values ??= sensitiveValues(request, token);
    return redact(text, values);
  };
  const report: ResponseValidation["report"] = (event) => tell(on, trace, "drift", event);
  const how: ResponseValidation = { mode, onInvalid, attempts, report, clean };
  if (data === undefined) return validator.judge(operation, data, null, [NO_RECORD], how);
  if (validate) return validate(operation, data, how, validator);
  if (holdsRecords(operation)) return validator.records(operation, data as readonly unknown[], how);
  const record = validator.record(operation, data as { id?: unknown }, how);
  // Compares only identifiers of the same type: another type is already reported as drift.
  if (operation.path.endsWith("{id}") && typeof record.id === typeof params.id && record.id !== params.id) {
    if (mode === "strict") throw otherRecord(operation.id, params.id, attempts);
    validator.judge(operation, record, null, [OTHER_RECORD], how);
  }
  return record;
}
