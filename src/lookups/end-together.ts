import { onAbort, raceAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import { RequestTimeoutError } from "../core/errors.js";

/**
 * Runs all reads of one call. If one fails, the caller aborts or the time is up, all of them end.
 * @param operation the call's operation, which the timeout error names.
 * @param left milliseconds until the call must end; null or Infinity without a limit.
 * @throws RequestTimeoutError when the time is up.
 */
export async function endTogether<T>(
  operation: string,
  {
    clock,
    signal,
    left,
  }: { readonly clock: Clock; readonly signal: AbortSignal | undefined; readonly left: number | null },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw signal.reason;
  const stop = new AbortController();
  const unlisten = onAbort(signal, () => stop.abort(signal?.reason));
  const isLimited = left !== null && left !== Number.POSITIVE_INFINITY;
  const timer = isLimited ? clock.setTimeout(() => stop.abort(tooLate(operation)), Math.max(0, left)) : null;
  try {
    return await raceAbort(work(stop.signal), stop.signal);
  } catch (error) {
    stop.abort(error);
    throw error;
  } finally {
    unlisten();
    if (timer !== null) clock.clearTimeout(timer);
  }
}

function tooLate(operation: string): RequestTimeoutError {
  return new RequestTimeoutError(`${operation}: not all records were read within totalTimeout.`, {
    operation,
    scope: "total",
    outcome: null,
  });
}
