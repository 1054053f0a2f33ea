import type { Clock } from "../../core/clock.js";
import { raceTimeout } from "../../core/time.js";

/** Settles like the work, or resolves to `time_up` after `ms` milliseconds; the work itself continues. */
export function withTimeLimit<Value>(clock: Clock, ms: number, work: PromiseLike<Value>): Promise<Value | "time_up"> {
  return raceTimeout<Value | "time_up">(clock, ms, work, () => "time_up");
}

// Far longer than a store needs, and shorter than the lease of a delivery.
const STORE_TIMEOUT_MS = 10_000;

/**
 * Calls a store, which may throw, reject or never respond.
 * @throws Error with the code STORE_TIMEOUT if it takes longer than 10 seconds.
 */
export async function callStore<Value>(clock: Clock, what: string, call: () => Promise<Value>): Promise<Value> {
  return raceTimeout(clock, STORE_TIMEOUT_MS, (async () => call())(), () => {
    const error = new Error(`The store did not respond to ${what} within ${STORE_TIMEOUT_MS} ms`);
    throw Object.assign(error, { code: "STORE_TIMEOUT" });
  });
}
