import { raceAbort } from "../../core/abort.js";
import { wait } from "../../core/clock.js";
import type { SandboxClock } from "./clock.js";
import type { RecordedRequest } from "./recorded-request.js";

/** Milliseconds before every response, or a function that decides for each request. */
export type SandboxLatency = number | ((request: RecordedRequest) => number);

/** @throws RangeError for a latency that is no number of milliseconds from 0. @internal */
export function checkLatency(ms: unknown): void {
  if (typeof ms === "number" && ms >= 0 && ms < Number.POSITIVE_INFINITY) return;
  throw new RangeError("latency must be a number of milliseconds from 0, or a function that returns one");
}

/** The latency of one request. @throws RangeError where the function gives no number of milliseconds. @internal */
export function latencyOf(latency: SandboxLatency, request: RecordedRequest): number {
  if (typeof latency !== "function") return latency;
  const ms = latency(request);
  checkLatency(ms);
  return ms;
}

/** Waits on the sandbox's clock; with `Infinity` until the caller gives up. @internal */
export async function delay(clock: SandboxClock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms === Number.POSITIVE_INFINITY) await forever(signal);
  else await wait(clock, ms, signal);
}

/** Rejects when the signal aborts, and settles in no other way. @internal */
export function forever(signal: AbortSignal): Promise<never> {
  return raceAbort(new Promise<never>(() => undefined), signal);
}
