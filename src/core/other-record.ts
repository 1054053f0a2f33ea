import { ResponseFormatError } from "./errors.js";

/** The error for a read that was answered with another record: a cache or a proxy may mix up responses. */
export function otherRecord(operation: string, id: number | string): ResponseFormatError {
  const message = `${operation} was answered with another record than ${id}, for which it asked: a cache or a proxy between you and the service may mix up responses.`;
  return new ResponseFormatError(message, { operation, attempts: 1, status: 200, contentType: null, excerpt: "" });
}
