import { EducationAdminError } from "./errors.js";

/** The stack at a point in the caller's code; formatted only when it is read. */
export interface CallerFrames {
  readonly stack?: string | undefined;
}

/** Notes where the caller's code is. */
export function callerFrames(): CallerFrames {
  return new Error();
}

/**
 * Appends the frames of the caller to an error's stack: engines lose them between a promise-like value and the request
 * that fails later.
 * @returns the error.
 */
export function withCallerFrames(error: unknown, { stack }: CallerFrames): unknown {
  if (!(error instanceof EducationAdminError) || typeof stack !== "string" || typeof error.stack !== "string")
    return error;
  const frames = stack.slice(stack.indexOf("\n") + 1);
  if (stack.includes("\n") && !error.stack.includes(frames)) {
    Object.defineProperty(error, "stack", { value: `${error.stack}\n${frames}`, configurable: true, writable: true });
  }
  return error;
}
