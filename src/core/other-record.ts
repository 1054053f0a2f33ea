import { ResponseFormatError } from "./errors.js";

/** The error for a response with a record that was not requested. Whether a write succeeded is then unknown. */
export function otherRecord(operation: string, id: unknown, attempts = 1): ResponseFormatError {
  const problem = `the response to the request for ${id} is another record; a cache or a proxy between you and the service may mix up responses`;
  return formatError(operation, problem, attempts);
}

/**
 * Refuses a list with a record that has no identifier: a copy of the list would lack the record and treat it as
 * deleted.
 */
export function checkIds<T>(operation: string, records: readonly T[], isId = Number.isSafeInteger): readonly T[] {
  if (records.every((record) => isId((record as { readonly id?: unknown } | null)?.id))) return records;
  throw formatError(operation, "the response has a record without an identifier", 1);
}

function formatError(operation: string, problem: string, attempts: number): ResponseFormatError {
  const details = { operation, attempts, status: 200, contentType: null, excerpt: "" };
  return new ResponseFormatError(`${operation}: ${problem}.`, details);
}
