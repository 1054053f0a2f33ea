// Option checks. Each throws a ConfigurationError that names the option.
import { ConfigurationError } from "../core/errors.js";

export function atLeast(least: number, name: string, value: number): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new ConfigurationError(`Webhooks: ${name} must be a number of at least ${least}`);
}

export function oneOf<const Word extends string>(words: readonly Word[], name: string, value: unknown): Word {
  const word = words.find((one) => one === value);
  if (word !== undefined) return word;
  throw new ConfigurationError(`Webhooks: ${name} must be one of ${words.map((one) => `"${one}"`).join(", ")}`);
}

export function checkFunction(name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new ConfigurationError(`Webhooks: ${name} must be a function`);
}

/** Calls a function that returns the time. Rejects NaN, because deliveries of any age would then pass. */
export function timeOf(name: string, now: () => number): number {
  const time: unknown = now();
  if (typeof time === "number" && Number.isFinite(time)) return time;
  throw new ConfigurationError(`Webhooks: ${name} must return milliseconds since the epoch, as Date.now does`);
}

export function checkMethods(name: string, value: unknown, methods: readonly string[]): void {
  const missing = methods.filter((method) => typeof (value as Record<string, unknown> | null)?.[method] !== "function");
  if (missing.length === 0) return;
  throw new ConfigurationError(`Webhooks: ${name} must be an object with the methods ${missing.join(", ")}`);
}

export function checkNames(what: string, value: unknown, known: readonly string[]): asserts value is object {
  if (!isObject(value)) throw new ConfigurationError(`Webhooks: ${what} must be an object`);
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new ConfigurationError(
    `Webhooks: ${what} cannot contain ${unknown.join(", ")}; the known options are ${known.join(", ")}`,
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
