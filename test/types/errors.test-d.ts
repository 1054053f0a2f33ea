// Compiled but never run. The compiler complains unless each line is an error exactly where the comment beside it says
// so.
import {
  ApiError,
  ConnectionError,
  EducationAdminError,
  type ErrorCode,
  InputError,
  isEducationAdminError,
  NotFoundError,
  RateLimitError,
  RequestTimeoutError,
  ResponseValidationError,
} from "../../src/index.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<T extends true>(): T;

export function narrowing(error: unknown): void {
  // @ts-expect-error the type is unknown until it is narrowed
  error.code;
  if (isEducationAdminError(error)) holds<Same<typeof error.code, ErrorCode>>();
  if (error instanceof EducationAdminError) holds<Same<typeof error.operation, string | null>>();
  if (error instanceof NotFoundError) holds<Same<typeof error.status, number>>();
  if (error instanceof ApiError) holds<Same<typeof error.errors, unknown>>();
  if (error instanceof RateLimitError) holds<Same<typeof error.resetAt, Date | null>>();
  if (error instanceof ConnectionError) holds<Same<typeof error.outcome, "not_sent" | "unknown" | null>>();
  if (error instanceof RequestTimeoutError) holds<Same<typeof error.scope, "attempt" | "total">>();
  if (error instanceof ResponseValidationError) holds<Same<typeof error.id, string | number | null>>();
  if (error instanceof InputError) for (const { path, message } of error.issues) path.concat(message);
  // @ts-expect-error not a code
  isEducationAdminError(error, "http");
}
