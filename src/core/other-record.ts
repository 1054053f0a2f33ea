import { ResponseFormatError } from "./errors.js";

/** The error for a response with a record that was not requested. It does not show whether a write succeeded. */
export function otherRecord(operation: string, id: unknown, attempts = 1): ResponseFormatError {
  const message = `${operation}: the response to the request for ${id} is another record; a cache or a proxy between you and the service may mix up responses.`;
  return new ResponseFormatError(message, { operation, attempts, status: 200, contentType: null, excerpt: "" });
}
