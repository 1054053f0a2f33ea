import { ConfigurationError } from "./errors.js";
import { isPlainObject } from "./json.js";
import { nearestName } from "./nearest-name.js";

/** Makes the error for an option that breaks a rule. */
export type Fail = (option: string, rule: string) => Error;

/** Makes the error for an option of a client. */
export const configurationError: Fail = (option, rule) => new ConfigurationError(`The option ${option} ${rule}`);

/** The names of all options; a record, so that the compiler finds an option that is missing in it. */
export type Names<Options> = Readonly<Record<keyof Options, 1>>;

/**
 * Refuses unknown options, with the nearest known name. JavaScript callers have no compiler: a misspelt option would
 * silently do nothing.
 */
export function checkNames(options: object, known: Readonly<Record<string, 1>>, fail: Fail, prefix = ""): void {
  for (const name of Object.keys(options)) {
    // The values of known names are not read: they may be getters that have work to do.
    if (Object.hasOwn(known, name) || (options as Readonly<Record<string, unknown>>)[name] === undefined) continue;
    throw fail(`${prefix}${name}`, `is unknown${didYouMean(name, Object.keys(known), prefix)}`);
  }
}

/** The question that follows an unknown name; empty when no known name is near. */
export function didYouMean(name: string, known: readonly string[], prefix = ""): string {
  const nearest = nearestName(name, known);
  return nearest === null ? "" : `; did you mean "${prefix}${nearest}"?`;
}

/** Checks that an option is a plain object. Maps, arrays and others are not: their entries would be lost. */
export function record<T extends object>(option: string, value: T, fail: Fail, orElse = ""): T {
  if (!isPlainObject(value as unknown)) throw fail(option, `must be a plain object${orElse}`);
  return value;
}

/** Checks that an option is a plain object of known options. */
export function group<T extends object>(option: string, value: T, known: Names<T>, fail: Fail, orElse = ""): T {
  checkNames(record(option, value, fail, orElse), known, fail, `${option}.`);
  return value;
}

/** Checks an option that is true or false; absent means false. */
export function flag(option: string, value: boolean | undefined): boolean {
  if (value !== undefined && typeof value !== "boolean") throw configurationError(option, "must be true or false");
  return value ?? false;
}

/** Checks that an option is a number of milliseconds. */
export function positive(option: string, value: number, fail: Fail): number {
  if (!(typeof value === "number" && value > 0)) throw fail(option, "must be a number of milliseconds above 0");
  return value;
}

/** Checks that an option is a whole number within bounds. */
export function whole(option: string, value: number, least: number, most: number, fail: Fail): number {
  if (!(Number.isInteger(value) && value >= least && value <= most)) {
    throw fail(option, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

/** Checks that an option has one of the values allowed. */
export function oneOf<T extends string>(option: string, value: T, allowed: readonly T[], fail: Fail): T {
  if (!allowed.includes(value)) throw fail(option, `must be one of ${allowed.join(", ")}`);
  return value;
}
