import type { Clock } from "../../core/clock.js";

/** Resolves as the work does, or to `time_up` once it has taken `ms` milliseconds; the work itself goes on. */
export async function withTimeLimit<Value>(
  clock: Clock,
  ms: number,
  work: PromiseLike<Value>,
): Promise<Value | "time_up"> {
  let timer: unknown;
  const timeUp = new Promise<"time_up">((resolve) => {
    timer = clock.setTimeout(() => resolve("time_up"), ms);
  });
  try {
    return await Promise.race([work, timeUp]);
  } finally {
    clock.clearTimeout(timer);
  }
}

// Far longer than a store needs, and shorter than the lease of a delivery.
const STORE_TIMEOUT_MS = 10_000;

/**
 * Calls a store, which may throw, reject or never answer.
 * @throws Error with the code STORE_TIMEOUT when it takes longer than 10 seconds.
 */
export async function callStore<Value>(clock: Clock, what: string, call: () => Promise<Value>): Promise<Value> {
  const value = await withTimeLimit(clock, STORE_TIMEOUT_MS, (async () => call())());
  if (value === "time_up") {
    const error = new Error(`The store did not answer ${what} within ${STORE_TIMEOUT_MS} ms`);
    throw Object.assign(error, { code: "STORE_TIMEOUT" });
  }
  return value as Value;
}
