import { inputError } from "../core/call/request.js";
import { isPlainObject } from "../core/json.js";
import { placeholders } from "../core/operation.js";
import {
  acceptAny,
  type Check,
  callable,
  checkOptions,
  flag,
  must,
  type OptionTable,
  readOptions,
} from "../core/option-checks.js";
import type { Resource } from "../core/resource.js";
import type { Condition } from "../work/fields/condition.js";
import { fieldOf } from "../work/fields/path.js";
import { isZone } from "../work/zone.js";
import { Change, recordCondition } from "./change.js";
import { BulkError } from "./errors.js";
import type { Values } from "./fields.js";
import { unusedFormats } from "./file/cells.js";
import { DOUBTS } from "./file/damage.js";
import { RUN_DOUBTS, type whyUnlikely } from "./file/last-time.js";
import { FileRows } from "./file/node-file-rows.js";
import { type DayOrders, isFormat } from "./file/times.js";
import { conditionIn } from "./find.js";
import { isPlace } from "./node-journal.js";
import { whyNoField } from "./plan-columns.js";
import { canClear, type Reading } from "./row.js";
import type { Service } from "./service.js";
import { anyField, kindField, stateOf, type Target, targetOf, whyNoCreate, whyNoUpdate } from "./target.js";
import type { CellFormats, ChangeOption, ColumnReader, PlanOptions } from "./types.js";

/** The wording with which messages refer to options, for a program or for the command line. */
export interface Words {
  /** The name with which messages begin. Default: plan. */
  readonly caller?: string;
  option(name: string): string;
  /** Advice to read a field from a column with another name. */
  column(field: string, column: string): string;
  /** Describes an option that was switched off. */
  off(name: string): string;
}

export const CODE_WORDS: Words = {
  option: (name) => name,
  off: (name) => `the option ${name} is false`,
  column(field, column) {
    const name = field.includes(".") ? JSON.stringify(field) : field;
    return `pass columns: { ${name}: ${JSON.stringify(column)} }`;
  },
};

const isText = (value: unknown) => typeof value === "string";
const isColumn = (value: unknown) =>
  isText(value) || (isPlainObject(value) && isText(value.from) && typeof value.read === "function");
const texts = (value: unknown) => Array.isArray(value) && value.every(isText);
const namedTexts = (value: unknown) => isPlainObject(value) && texts(Object.values(value));

const CELL_FORMATS = {
  date: [
    /* @__PURE__ */ must<string>((value) => isFormat(value, "day"), "must have dd, MM and yyyy, such as dd-MM-yyyy"),
  ],
  dateTime: [
    /* @__PURE__ */ must<string>(
      (value) => isFormat(value, "time"),
      "must have dd, MM, yyyy, HH and mm, such as dd-MM-yyyy HH:mm",
    ),
  ],
  timeZone: [/* @__PURE__ */ must<string>(isZone, "must be a time zone, such as Europe/Amsterdam")],
  yes: [/* @__PURE__ */ must<string>(isText, "must be a word")],
  no: [/* @__PURE__ */ must<string>(isText, "must be a word")],
  list: [
    /* @__PURE__ */ must<string>(
      (value) => isText(value) && value !== "",
      "must be the separator between the texts of a list",
    ),
  ],
  decimal: [/* @__PURE__ */ must<"." | ",">((value) => value === "." || value === ",", 'must be "." or ","')],
  empty: [/* @__PURE__ */ must<readonly string[]>(texts, "must be a list of texts")],
  words: [
    /* @__PURE__ */ must<Readonly<Record<string, string>>>(
      (value) => isPlainObject(value) && texts(Object.values(value)),
      "must be an object that maps whole cells to other texts",
    ),
  ],
} satisfies OptionTable<CellFormats>;

const formats: Check<CellFormats> = (option, value, fail) => {
  if (!isPlainObject(value)) throw fail(option, "must be an object");
  checkOptions(value, CELL_FORMATS, fail, `${option}.`);
  return value;
};

const ALLOWED: readonly string[] = [...DOUBTS, ...RUN_DOUBTS];

interface MissingOption {
  readonly where: string;
  readonly do: string;
  readonly set?: Values | undefined;
}

export type MissingSettings = MissingOption & { readonly condition: Condition };

type Columns = Readonly<Record<string, string | ColumnReader>>;

const PLAN_OPTIONS = {
  to: [acceptAny],
  key: [acceptAny<unknown>],
  columns: [
    /* @__PURE__ */ must<Columns>(
      (value) => isPlainObject(value) && Object.values(value).every(isColumn),
      "must be an object with the name of a column for each field, or { from, read }",
    ),
    null,
  ],
  formats: [formats, {}],
  find: [
    /* @__PURE__ */ must<object>(
      namedTexts,
      "must be an object that maps each reference to a field of the referenced record",
    ),
    {},
  ],
  clear: [/* @__PURE__ */ must<readonly string[]>(texts, "must be a list of fields"), []],
  where: [/* @__PURE__ */ must<string>(isText, "must be a condition, such as status=active")],
  set: [/* @__PURE__ */ must<Values>(isPlainObject, "must be an object with a value for each field"), {}],
  allow: [
    /* @__PURE__ */ must<readonly string[]>(
      (value) => texts(value) && (value as readonly string[]).every((name) => ALLOWED.includes(name)),
      `may list only ${/* @__PURE__ */ ALLOWED.join(", ")}`,
    ),
    [],
  ],
  duplicates: [/* @__PURE__ */ must((value) => value === "first", 'must be "first"')],
  missing: [
    /* @__PURE__ */ must<MissingOption>(
      (value) =>
        isPlainObject(value) &&
        isText(value.where) &&
        isText(value.do) &&
        (value.do === "update") === isPlainObject(value.set) &&
        Object.keys(value).every((name) => ["where", "do", "set"].includes(name)),
      "must have a condition `where` and `do`: list, delete, an action, or update with the values `set`",
    ),
  ],
  params: [/* @__PURE__ */ must<Values>(isPlainObject, "must be an object"), {}],
  do: [/* @__PURE__ */ must<string>(isText, "must be the name of an action")],
  allowAlike: [flag, false],
  again: [flag, false],
  create: [flag, true],
  update: [flag, true],
  signal: [
    /* @__PURE__ */ must(
      (value) => typeof (value as AbortSignal | null)?.throwIfAborted === "function",
      "must be an AbortSignal",
    ),
  ],
  onProgress: [callable],
} satisfies OptionTable<PlanOptions<unknown>>;

export type PlanSettings = ReturnType<typeof settingsOf>;

/** The time zone of local times and of days in conditions. @throws InputError if it is unknown. */
export async function zoneFor({ formats, words }: PlanSettings, service: Pick<Service, "zone">): Promise<string> {
  const zone = formats.timeZone ?? (await service.zone());
  if (zone !== null) return zone;
  throw planOptionError(words, "formats.timeZone", "must be given: the school's time zone cannot be read");
}

export function planOptionError(words: Words, option: string, message: string): Error {
  return inputError(words.caller ?? "plan", [{ path: option === "" ? "" : words.option(option), message }]);
}

/**
 * Checks the options of a plan.
 * @throws InputError if one is invalid, or the resource cannot be written.
 */
export function settingsOf(resource: Resource, rows: unknown, options: PlanOptions<unknown>, words: Words) {
  const fail = (path: string, message: string) => planOptionError(words, path, message);
  const { key, clear, params, find, formats, columns, where, set, allow, missing, ...read } = readOptions(
    options,
    PLAN_OPTIONS,
    fail,
  );
  const { to } = options;
  if (!isPlace(to)) throw fail("to", "must be the name of a file, or a journal");
  const change = rows instanceof Change ? rows : null;
  if (!change && !isIterable(rows))
    throw fail("rows", "must be iterable: an array, readSheet(…), readCsv(…) or change(…)");
  const unfit =
    change && Object.entries(options).find(([name, value]) => value !== undefined && !OF_CHANGES.includes(name));
  if (unfit) throw fail(unfit[0], "cannot be used with a change, which selects its records with `where`");
  const target = targetOf(resource, params, read.do, words.caller ?? "plan", missing?.do);
  const keys = ([change ? "id" : (key ?? [])] as unknown[]).flat() as string[];
  if (keys.length === 0 || keys.some((path) => typeof path !== "string")) throw fail("key", "must name a field");
  if (read.do !== undefined) {
    if (!stateOf(target.rows)) {
      const action = JSON.stringify(read.do);
      throw fail("do", `names the action ${action}, which ${target.name} do not have or whose effect no field shows`);
    }
    if (keys.join() !== "id") throw fail("key", 'must be "id" if the option do names an action');
  }
  const named = {
    key: keys,
    columns: Object.keys(columns ?? {}),
    find: Object.keys(find),
    set: Object.keys(set),
    clear,
    "missing.set": Object.keys(missing?.set ?? {}),
  };
  for (const [option, paths] of Object.entries(named)) {
    for (const path of paths) {
      const problem = whyNoField(target, path, keys);
      if (problem !== null) throw fail(option, `names ${JSON.stringify(path)}, which ${problem}`);
    }
  }
  for (const path of clear) {
    const field = anyField(target, path);
    if (keys.includes(path)) throw fail("clear", `names the key ${path}`);
    if (field && !canClear(field)) throw fail("clear", `names ${path}, which the service does not accept empty`);
  }
  const amount = keys.find((path) => anyField(target, path)?.decimal);
  if (amount !== undefined) throw fail("key", `names ${amount}: amounts do not identify records`);
  const telling = keys.filter((path) => !kindField(target, path));
  if (telling.length === 0)
    throw fail("key", `names ${keys.join()}, which many records have in common: add another field to the key`);
  const whyNot = keys.includes("id") ? "rows with identifiers create no records" : whyNoCreate(target.rows, telling);
  const noUpdate = whyNoUpdate(target.rows);
  if (read.do === undefined && whyNot !== null && noUpdate !== null) {
    throw fail("", `${target.name} can be neither created (${whyNot}) nor changed (${noUpdate})`);
  }
  const entries = Object.entries(columns ?? {}).map(([path, column]) =>
    typeof column === "string" ? { path, from: column, read: undefined } : { path, ...column },
  );
  // A column has the kind of the field that it fills, unless a function of the caller reads it.
  const columnField = (column: string) => {
    const { path = column, read } = entries.find(({ from }) => from === column) ?? {};
    const field = read ? null : anyField(target, path);
    return { field: fieldOf(column, path.split("."), field?.schema) };
  };
  const conditionOf = (text: string) => {
    const whereError = (message: string) => fail("where", message);
    return change ? recordCondition(text, target, whereError) : conditionIn(text, columnField, whereError);
  };
  const cleared = new Set<string>(clear);
  if (missing) {
    const why = whyNoMissing(target, missing.do, read.do);
    if (why !== null) throw fail("missing", why);
  }
  return {
    resource,
    options,
    to,
    words,
    target,
    keys,
    allowAlike: read.allowAlike,
    again: read.again,
    missing: missing
      ? { ...missing, condition: recordCondition(missing.where, target, (text) => fail("missing.where", text)) }
      : null,
    change,
    columns: columns && {
      ...Object.fromEntries(keys.map((path) => [path, path])),
      ...Object.fromEntries(entries.map(({ path, from }) => [path, from])),
    },
    readers: new Map(entries.flatMap(({ path, read }) => (read ? [[path, read] as const] : []))),
    formats: formats as CellFormats,
    clear,
    // In a change, null clears a field.
    clears: (path: string) => change !== null || cleared.has(path),
    find: Object.keys(find),
    whyNoCreate: !read.create ? words.off("create") : whyNot,
    whyNoUpdate: !read.update ? words.off("update") : noUpdate,
    updateIsOff: !read.update,
    isFile: rows instanceof FileRows,
    allowed: new Set(allow),
    where: where === undefined ? null : conditionOf(where),
    set,
  };
}

/** Refuses a column whose cells with days above 12 show that its format has day and month in the wrong order. */
export function checkOrder({ words, columns, formats, allowed }: PlanSettings, { wrong }: DayOrders): void {
  if (wrong === null || allowed.has("day_order")) return;
  const { path, other, against } = wrong;
  const which = /[Hh]/.test(other) ? "dateTime" : "date";
  throw planOptionError(
    words,
    `formats.${which}`,
    `does not fit the column ${JSON.stringify(columns?.[path] ?? path)}: ${against} of its cells can only be read as ${other}, and none only as ${formats[which]}. Nothing was planned. Pass ${other}, or ${words.option("allow")} day_order to plan the other rows`,
  );
}

/** Refuses rows that are probably not the intended ones, unless the option `allow` accepts them. */
export function checkLikely({ words, allowed, isFile }: PlanSettings, doubts: ReturnType<typeof whyUnlikely>): void {
  // A program may pass no rows on purpose, but a file without rows is probably not the intended one.
  const unlikely = doubts.find(({ doubt }) => !allowed.has(doubt) && !(doubt === "no_rows" && !isFile));
  if (!unlikely) return;
  const { why, doubt } = unlikely;
  throw new BulkError(
    "unlikely",
    `Nothing was planned or sent: ${why} If this is intended, pass ${words.option("allow")} ${doubt}.`,
  );
}

/** The formats that no cell of a plan needs. @param paths of the columns. @param kinds of the custom fields. */
export function formatsUnusedBy(
  { formats, target, where, find }: PlanSettings,
  paths: Iterable<string>,
  kinds: Reading["kinds"],
): readonly string[] {
  const compared = where?.tests.map(({ field }) => field.names.join(".")) ?? [];
  const fields = [...paths, ...compared].flatMap((path) => anyField(target, path) ?? []);
  // Conditions on rows, or on records that are looked up, may use the time zone.
  const isZoned = where !== null || find.length > 0;
  return unusedFormats(formats, fields, kinds).filter((name) => name !== "timeZone" || !isZoned);
}

const OF_CHANGES: readonly string[] = [
  "to",
  "where",
  "again",
  "params",
  "signal",
  "onProgress",
] satisfies ChangeOption[];

function whyNoMissing(target: Target, what: string, action: string | undefined): string | null {
  const { name, rows, params } = target;
  if (action !== undefined) return "cannot be combined with an action on each row";
  if (!rows.list || !placeholders(rows.list).every((one) => one in params))
    return `needs one list of ${name}: name its path parameters in the option params`;
  if (what === "list") return null;
  if (what === "delete") return rows.delete ? null : `cannot delete: the service deletes no ${name}`;
  if (what === "update") {
    const why = whyNoUpdate(rows);
    return why && `cannot update: ${why}`;
  }
  if (target.missing && stateOf(target.missing.rows)) return null;
  return `names the action ${JSON.stringify(what)}, which ${name} do not have or whose effect no field shows`;
}

function isIterable(rows: unknown): boolean {
  const given = rows as Partial<Iterable<unknown> & AsyncIterable<unknown>> | null | undefined;
  const method = given?.[Symbol.asyncIterator] ?? given?.[Symbol.iterator];
  return typeof rows === "object" && typeof method === "function";
}
