import { ResponseFormatError } from "./errors.js";

/** The error for a read whose response is another record: a cache or a proxy may mix up responses. */
export function otherRecord(operation: string, id: number | string): ResponseFormatError {
  const message = `${operation}: the response to the request for ${id} is another record; a cache or a proxy between you and the service may mix up responses.`;
  return new ResponseFormatError(message, { operation, attempts: 1, status: 200, contentType: null, excerpt: "" });
}
