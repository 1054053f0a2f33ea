import { raceAbort } from "../../core/abort.js";
import { wait } from "../../core/clock.js";
import type { RecordedRequest } from "./calls.js";
import type { SandboxClock } from "./clock.js";

/** The delay before each response in milliseconds, or a function that returns it for a request. */
export type SandboxLatency = number | ((request: RecordedRequest) => number);

/** @internal */
export const LATENCY_RULE = "must be a non-negative number of milliseconds, or a function that returns one";

/** @throws RangeError unless the function returns a non-negative number of milliseconds. @internal */
export function latencyOf(latency: SandboxLatency, request: RecordedRequest): number {
  const ms: unknown = typeof latency === "function" ? latency(request) : latency;
  if (isLatency(ms)) return ms;
  throw new RangeError(`latency ${LATENCY_RULE}`);
}

/** @internal */
export function isLatency(ms: unknown): ms is number {
  return typeof ms === "number" && ms >= 0 && ms < Number.POSITIVE_INFINITY;
}

/** Waits on the sandbox's clock; `Infinity` waits until the caller gives up. @internal */
export async function delay(clock: SandboxClock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) await forever(signal);
  else await wait(clock, ms, signal);
}

/** @internal */
export function forever(signal: AbortSignal): Promise<never> {
  return raceAbort(new Promise<never>(() => undefined), signal);
}
