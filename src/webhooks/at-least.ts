import { ConfigurationError } from "../core/errors.js";

/** A number option, checked. */
export function atLeast(least: number, name: string, value: number): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new ConfigurationError(`Webhooks: ${name} is a number of at least ${least}`);
}
