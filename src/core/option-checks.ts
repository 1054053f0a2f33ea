import { ConfigurationError } from "./errors.js";
import { isPlainObject } from "./json.js";
import { nearestName } from "./nearest-name.js";

/** Makes the error for an option that breaks a rule. */
export type Fail = (option: string, rule: string) => Error;

export const configurationError: Fail = (option, rule) => new ConfigurationError(`The option ${option} ${rule}`);

/** Makes errors whose messages begin with `what`, the name of a function or a part of the library. */
export function failuresOf(what: string): Fail {
  return (option, rule) => new ConfigurationError(`${what}: ${option} ${rule}`);
}

/** The names of all options; a record, so that the compiler reports a missing name. */
export type Names<Options> = Readonly<Record<keyof Options, unknown>>;

/** Checks the value of an option and returns it in the form that the library uses. */
export type Check<Value, Used = Value> = (option: string, value: Value, fail: Fail) => Used;

/** For each option, its check and, if it has one, its default. */
export type OptionTable<Options> = {
  readonly [Name in keyof Options]-?: readonly [
    check: Check<Exclude<Options[Name], undefined>, unknown>,
    otherwise?: Exclude<Options[Name], undefined> | null,
  ];
};

type AnyTable = Readonly<Record<string, readonly [check: Check<never, unknown>, otherwise?: unknown]>>;

export type Checked<Table> = {
  readonly [Name in keyof Table]?: Table[Name] extends readonly [Check<never, infer Used>, ...unknown[]] ? Used : never;
};

export type Filled<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends readonly [Check<never, infer Used>, ...infer Default]
    ? Used | (Default extends readonly [infer Otherwise] ? Otherwise : undefined)
    : never;
};

/**
 * Checks options against their table; leaves out options that are undefined.
 * @param more names to allow in addition to those in the table.
 */
export function checkOptions<Table extends AnyTable>(
  options: object,
  table: Table,
  fail: Fail,
  prefix = "",
  more?: object,
): Checked<Table> {
  checkNames(options, more ? { ...table, ...more } : table, fail, prefix);
  const checked: Record<string, unknown> = {};
  for (const [name, [check]] of Object.entries(table)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) checked[name] = check(prefix + name, value as never, fail);
  }
  return checked as Checked<Table>;
}

/** Like {@link checkOptions}, but fills in the defaults from the table. */
export function readOptions<Table extends AnyTable>(
  options: object,
  table: Table,
  fail: Fail,
  prefix = "",
  more?: object,
): Filled<Table> {
  const defaults = Object.entries(table).map(([name, [, otherwise]]) => [name, otherwise]);
  return { ...Object.fromEntries(defaults), ...checkOptions(options, table, fail, prefix, more) };
}

/** Checks options and fills in the defaults. @throws ConfigurationError naming `what` and the option. */
export function optionsOf<Table extends AnyTable>(what: string, options: object, table: Table): Filled<Table> {
  return readOptions(options, table, failuresOf(what));
}

/**
 * Refuses options that are not a plain object, and unknown options, for which it suggests the most similar known name.
 * Without this check, an option that a JavaScript caller misspells would silently do nothing.
 */
export function checkNames(options: object, known: object, fail: Fail, prefix = ""): void {
  record(prefix.slice(0, -1) || "options", options, fail);
  for (const name of Object.keys(options)) {
    // The values of known names are not read: they may be getters with side effects.
    if (Object.hasOwn(known, name) || (options as Readonly<Record<string, unknown>>)[name] === undefined) continue;
    throw fail(`${prefix}${name}`, `is unknown${didYouMean(name, Object.keys(known), prefix)}`);
  }
}

/** The question that follows an unknown name in a message; empty if no known name is similar. */
export function didYouMean(name: string, known: readonly string[], prefix = ""): string {
  const nearest = nearestName(name, known);
  return nearest === null ? "" : `; did you mean "${prefix}${nearest}"?`;
}

export function must<Value>(holds: (value: unknown) => boolean, rule: string): Check<Value> {
  return (option, value, fail) => {
    if (!holds(value)) throw fail(option, rule);
    return value;
  };
}

/** A check that accepts any value, for an option that is checked where it is used. */
export function acceptAny<Value>(_option: string, value: Value): Value {
  return value;
}

export const flag: Check<boolean> = /* @__PURE__ */ must(
  (value) => typeof value === "boolean",
  "must be true or false",
);

/** Checks that an option is a positive number of milliseconds or Infinity. */
export const positive: Check<number> = /* @__PURE__ */ must(
  (value) => typeof value === "number" && value > 0,
  "must be a number of milliseconds above 0",
);

/** Like {@link positive}, but refuses Infinity: platforms fire a timer with an infinite delay at once. */
export const finite: Check<number> = /* @__PURE__ */ must(
  (value) => Number.isFinite(value) && (value as number) > 0,
  "must be a finite number of milliseconds above 0",
);

export function callable<Value>(option: string, value: Value, fail: Fail): Value {
  if (typeof value !== "function") throw fail(option, "must be a function");
  return value;
}

export function whole(least: number, most = Number.MAX_SAFE_INTEGER): Check<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return must(
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
    `must be a whole number ${range}`,
  );
}

export function oneOf<Value extends string>(...allowed: readonly Value[]): Check<Value> {
  return must((value) => allowed.includes(value as Value), `must be one of ${allowed.join(", ")}`);
}

export function methods<T>(...names: readonly (keyof T & string)[]): Check<T> {
  return must(
    (value) => names.every((name) => typeof (value as T | null)?.[name] === "function"),
    `must have the methods ${names.join(", ").replace(/,(?=[^,]*$)/, " and")}`,
  );
}

/** Refuses anything but a plain object, for example a Map, whose entries would be lost. */
export function record<T extends object>(option: string, value: T, fail: Fail, orElse = ""): T {
  if (!isPlainObject(value as unknown)) throw fail(option, `must be a plain object${orElse}`);
  return value;
}

export function group<T extends object>(option: string, value: T, known: Names<T>, fail: Fail, orElse = ""): T {
  checkNames(record(option, value, fail, orElse), known, fail, `${option}.`);
  return value;
}
