import { ConfigurationError } from "../core/errors.js";
import { type Check, must } from "../core/option-checks.js";

export function atLeast(least: number): Check<number> {
  return must((value) => Number.isFinite(value) && (value as number) >= least, `must be a number of at least ${least}`);
}

/** Returns the time. Throws if it is not a finite number: with NaN, deliveries of any age would be accepted. */
export function timeOf(name: string, now: () => number): number {
  const time: unknown = now();
  if (typeof time === "number" && Number.isFinite(time)) return time;
  throw new ConfigurationError(`Webhooks: ${name} must return milliseconds since the epoch, as Date.now does`);
}
