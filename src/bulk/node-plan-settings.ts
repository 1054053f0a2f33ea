import { inputError } from "../core/call/request.js";
import { isPlainObject } from "../core/json.js";
import { nearestName } from "../core/nearest-name.js";
import { checkNames, didYouMean, type Names } from "../core/option-checks.js";
import type { Resource } from "../core/resource.js";
import { isDateFormat } from "./cells.js";
import { namesOf, pathsOf } from "./fields.js";
import { isPlace } from "./node-journal.js";
import { anyField, canClear, type Reading } from "./row.js";
import { stateOf, type Target, targetOf, whyNoCreate, whyNoUpdate } from "./target.js";
import type { CellFormats, ColumnReader, PlanOptions } from "./types.js";

/** How messages name what the caller has written: options of a program, or of the command. */
export interface Words {
  option(name: string): string;
  /** Reads a field from a column that is named otherwise. */
  column(field: string, column: string): string;
  /** Says that an option was switched off. */
  off(name: string): string;
}

/** For programs. */
export const CODE_WORDS: Words = {
  option: (name) => name,
  off: (name) => `the option ${name} is false`,
  column(field, column) {
    const name = field.includes(".") ? JSON.stringify(field) : field;
    return `pass columns: { ${name}: ${JSON.stringify(column)} }`;
  },
};

const NAMES: Names<PlanOptions<unknown>> = {
  to: 1,
  key: 1,
  columns: 1,
  formats: 1,
  find: 1,
  clear: 1,
  duplicates: 1,
  params: 1,
  do: 1,
  create: 1,
  update: 1,
  signal: 1,
  onProgress: 1,
};

const FORMATS: Names<CellFormats> = { date: 1, list: 1, decimal: 1 };

type Holds = (value: unknown) => boolean;

const isText: Holds = (value) => typeof value === "string";
const isFunction: Holds = (value) => typeof value === "function";
const texts: Holds = (value) => Array.isArray(value) && value.every(isText);
const namedTexts: Holds = (value) => isPlainObject(value) && texts(Object.values(value));
const isColumn: Holds = (value) =>
  isText(value) || (isPlainObject(value) && isText(value.from) && isFunction(value.read));
const CHOICE = [(value: unknown) => typeof value === "boolean", "must be true or false"] as const;
const RULES: Partial<Readonly<Record<keyof typeof NAMES, readonly [holds: Holds, rule: string]>>> = {
  columns: [
    (value) => isPlainObject(value) && Object.values(value).every(isColumn),
    "must be an object with the name of a column for each field, or { from, read }",
  ],
  formats: [isPlainObject, "must be an object"],
  find: [namedTexts, "must be an object with the name of a field for each field"],
  clear: [texts, "must be a list of fields"],
  duplicates: [(value) => value === "first", 'must be "first"'],
  params: [isPlainObject, "must be an object"],
  do: [isText, "must be the name of an action"],
  create: CHOICE,
  update: CHOICE,
  signal: [(value) => isFunction((value as AbortSignal | null)?.throwIfAborted), "must be an AbortSignal"],
  onProgress: [isFunction, "must be a function"],
};
const FORMAT_RULES: Readonly<Record<keyof CellFormats, readonly [holds: Holds, rule: string]>> = {
  date: [isDateFormat, "must have dd, MM and yyyy, such as dd-MM-yyyy"],
  list: [(value) => isText(value) && value !== "", "must be what separates the texts of a list"],
  decimal: [(value) => value === "." || value === ",", 'must be "." or ","'],
};

/** What the options of a plan say, checked. */
export interface PlanSettings extends Omit<Reading, "finders"> {
  readonly to: PlanOptions<unknown>["to"];
  readonly words: Words;
}

/** An error that names an option. */
export function wrong(words: Words, option: string, message: string): Error {
  return inputError("plan", [{ path: option === "" ? "" : words.option(option), message }]);
}

/**
 * Checks the options of a plan.
 * @throws InputError when one is wrong, or the resource cannot be written.
 */
export function settingsOf(
  resource: Resource,
  rows: unknown,
  options: PlanOptions<unknown>,
  words: Words,
): PlanSettings {
  const fail = (path: string, message: string) => wrong(words, path, message);
  if (!isPlainObject(options as unknown)) throw fail("options", "must be a plain object");
  checkNames(options, NAMES, fail);
  const check = (values: object, rules: object, where: string) => {
    for (const [name, [holds, rule]] of Object.entries(rules) as [string, readonly [Holds, string]][]) {
      const value = (values as Readonly<Record<string, unknown>>)[name];
      if (value !== undefined && !holds(value)) throw fail(where + name, rule);
    }
  };
  check(options, RULES, "");
  const { to, key, clear = [], params = {}, find = {}, formats = {} } = options;
  checkNames(formats, FORMATS, (path, message) => fail(`formats.${path}`, message));
  check(formats, FORMAT_RULES, "formats.");
  const columns = (options.columns ?? null) as Readonly<Record<string, string | ColumnReader>> | null;
  if (!isPlace(to)) throw fail("to", "must be the name of a file, or a journal");
  if (!isIterable(rows)) throw fail("rows", "must be iterable: an array, or readCsv(…)");
  const target = targetOf(resource, params, options.do as string | undefined, "plan");
  const keys = ([key ?? []] as unknown[]).flat() as string[];
  if (keys.length === 0 || keys.some((path) => typeof path !== "string")) throw fail("key", "must name a field");
  if (options.do !== undefined) {
    if (!stateOf(target.rows)) {
      const action = JSON.stringify(options.do);
      throw fail("do", `names the action ${action}, which ${target.name} do not have or whose state cannot be read`);
    }
    if (keys.join() !== "id") throw fail("key", "must be id for an action");
  }
  const named = {
    key: keys,
    columns: Object.keys(columns ?? {}),
    find: Object.keys(find),
    clear: clear as readonly string[],
  };
  for (const [option, paths] of Object.entries(named)) {
    for (const path of paths) {
      const problem = whyNoField(target, path);
      if (problem !== null) throw fail(option, `names ${JSON.stringify(path)}, which ${problem}`);
    }
  }
  for (const path of clear as readonly string[]) {
    const field = anyField(target, path);
    if (keys.includes(path)) throw fail("clear", `names the key ${path}`);
    if (field && !canClear(field)) throw fail("clear", `names ${path}, which the service does not take as empty`);
  }
  const amount = keys.find((path) => anyField(target, path)?.decimal);
  if (amount !== undefined) throw fail("key", `names ${amount}, an amount, which tells no records apart`);
  const whyNot = keys.includes("id") ? "rows with identifiers only correct records" : whyNoCreate(target.rows, keys);
  const noUpdate = whyNoUpdate(target.rows);
  if (options.do === undefined && whyNot !== null && noUpdate !== null) {
    throw fail("", `${target.name} can be neither created (${whyNot}) nor changed (${noUpdate})`);
  }
  const entries = Object.entries(columns ?? {});
  return {
    to,
    words,
    target,
    keys,
    columns: columns && {
      ...Object.fromEntries(keys.map((path) => [path, path])),
      ...Object.fromEntries(entries.map(([path, column]) => [path, typeof column === "string" ? column : column.from])),
    },
    readers: new Map(
      entries.flatMap(([path, column]) => (typeof column === "string" ? [] : [[path, column.read] as const])),
    ),
    formats,
    clear: new Set(clear as readonly string[]),
    whyNoCreate: options.create === false ? words.off("create") : whyNot,
    whyNoUpdate: options.update === false ? words.off("update") : noUpdate,
  };
}

function isIterable(rows: unknown): boolean {
  const given = rows as Partial<Iterable<unknown> & AsyncIterable<unknown>> | null | undefined;
  const method = given?.[Symbol.asyncIterator] ?? given?.[Symbol.iterator];
  return typeof rows === "object" && typeof method === "function";
}

/** Why a path is no field of the resource, in words; null if it is one. */
export function whyNoField(target: Target, path: string): string | null {
  if (path === "id" || anyField(target, path)) return null;
  return `is not a field of ${target.name}${didYouMean(path, fieldNames(target))}`;
}

/** The error for a column that is not named as a field, where no columns were given. */
export function noColumn({ target, words }: PlanSettings, column: string, where: string): Error | null {
  const problem = whyNoField(target, column);
  if (problem === null) return null;
  const nearest = nearestName(column, fieldNames(target));
  const advice = nearest
    ? ` To read that field from this column, ${words.column(nearest, column)}, with every other column to read`
    : "";
  return wrong(words, "", `${where} ${JSON.stringify(column)} ${problem}${advice}`);
}

function fieldNames({ rows }: Target): string[] {
  return [...pathsOf(rows.create?.body), ...pathsOf(rows.update?.body)];
}

/** The custom fields that paths name, by slug. */
export function customSlugs(paths: readonly string[]): string[] {
  return [...new Set(paths)].flatMap((path) => {
    const [top, slug] = namesOf(path);
    return top === "custom" && slug !== undefined ? slug : [];
  });
}
