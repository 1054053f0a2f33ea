import { createHash } from "node:crypto";
import { isPlainObject } from "../../core/json.js";
import { fieldsOf, traitsOf, unwrap } from "../../core/schema/traits.js";
import { valueAt } from "../../work/fields/path.js";
import { testerOf } from "../../work/fields/tester.js";
import { momentCell } from "../../workbook/numbers.js";
import { TypedCell } from "../../workbook/typed-cell.js";
import type { Values } from "../fields.js";
import { type PlanSettings, planOptionError } from "../node-plan-settings.js";
import { noColumn } from "../plan-columns.js";
import { anyField } from "../target.js";
import type { PlanOptions } from "../types.js";
import { cellKind, cellMeant, isEmpty, readCell } from "./cells.js";
import { columnName, REPORT_COLUMNS, showNames } from "./header.js";
import { FileRows, type GivenRow } from "./node-file-rows.js";

/**
 * The rows that meet `where`, with their numbers and their cells by field path.
 * @throws InputError if a column is missing or is not a field, or a row is not an object.
 */
export async function* givenRows(
  rows: Iterable<object> | AsyncIterable<object>,
  settings: PlanSettings,
  readZone: () => Promise<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<GivenRow, void, undefined> {
  const { columns, words, set } = settings;
  const isWanted = await rowFilter(settings, readZone);
  if (rows instanceof FileRows) {
    const wanted = new Set(
      Object.values(wantedColumns(settings)).flatMap((column) => [column, ...column.split("+")].map(columnName)),
    );
    const header = {
      isWanted: wanted.size > 0 ? (name: string) => wanted.has(name) : null,
      check: (names: readonly string[]) => checkColumns(names, settings),
    };
    for await (const given of rows.rows(header)) {
      signal?.throwIfAborted();
      // Skips empty rows, such as those that a report adds for records that no row names.
      const isEmptyRow = Object.entries(given.cells).every(
        ([name, cell]) => cell === "" || REPORT_COLUMNS.includes(name),
      );
      if (given.problem === null && (isEmptyRow || isWanted?.(given.cells) === false)) continue;
      yield {
        ...given,
        cells: { ...pickCells(given.cells, columns ?? fieldColumns(Object.keys(given.cells))), ...set },
      };
    }
    return;
  }
  let row = 0;
  for await (const given of rows) {
    signal?.throwIfAborted();
    row++;
    if (!isPlainObject(given)) throw planOptionError(words, "", `row ${row} is not an object`);
    if (isWanted?.(given) === false) continue;
    const cells = columns ? pickCells(given, columns) : cellsByField(settings, given, row);
    yield { row, cells: { ...cells, ...set }, in: toJson(given, row, settings), problem: null };
  }
}

async function rowFilter(settings: PlanSettings, readZone: () => Promise<string>) {
  const { where, target, formats } = settings;
  if (!where) return null;
  const zone = where.needsZone ? await readZone() : "UTC";
  const now = target.transport.settings.clock.now();
  const fields = new Map(where.tests.map(({ field: { path, names } }) => [path, anyField(target, names.join("."))]));
  const tester = testerOf(where, { now, zone }, (columns, { path, kind }) => {
    const field = kind === "unknown" ? null : fields.get(path);
    const cell = cellMeant(cellOf(columns as Values, path), formats, field);
    const read = field && !isEmpty(cell) ? readCell(cell, field.schema, formats, cellKind(formats, field)) : {};
    return "value" in read ? read.value : cell instanceof TypedCell ? cell.text : cell;
  });
  return (columns: Values) => tester.holds(columns);
}

function wantedColumns({ columns, keys, set }: PlanSettings): Readonly<Record<string, string>> {
  const wanted = columns ?? Object.fromEntries(keys.map((path) => [path, path]));
  return Object.fromEntries(Object.entries(wanted).filter(([path]) => !Object.hasOwn(set, path)));
}

function checkColumns(names: readonly string[], settings: PlanSettings): void {
  const { columns, keys, words, where, set } = settings;
  for (const column of columns ? [] : Object.keys(fieldColumns(names))) {
    const error = noColumn(settings, column, "the column");
    if (error) throw error;
  }
  const missing = (column: string) =>
    `names the column ${JSON.stringify(column)}, which is not in the file; the file has ${showNames(names)}${hint}`;
  // A header hardly ever contains e-mail addresses or numbers.
  const hint = names.some((name) => /@|^\d+$/.test(name))
    ? `. If it has no header, pass ${words.option("header")}`
    : "";
  const isThere = (column: string) =>
    columnsIn(column, (one) => names.includes(one)).every((one) => names.includes(one));
  for (const [path, column] of Object.entries(wantedColumns(settings))) {
    if (isThere(column)) continue;
    throw planOptionError(
      words,
      columns && !(keys.includes(path) && column === path) ? `columns.${path}` : "key",
      missing(column),
    );
  }
  const unknown = where?.tests.find(({ field: { path } }) => !names.includes(columnName(path)));
  if (unknown) throw planOptionError(words, "where", missing(unknown.field.path));
  const read = columns ?? fieldColumns(names);
  checkReach(settings, [...Object.keys(read), ...Object.keys(set)]);
  const twice = Object.keys(set).find((path) => read[path] !== undefined && isThere(read[path]));
  if (twice !== undefined) throw planOptionError(words, "set", `names ${twice}, although the file has a column for it`);
}

// If an option names a field that no column fills, a column is probably missing.
function checkReach({ words, clear, find }: PlanSettings, paths: readonly string[]): void {
  for (const [option, named] of [["clear", clear] as const, ["find", find] as const]) {
    const path = named.find((one) => !paths.includes(one));
    if (path !== undefined) throw planOptionError(words, option, `names ${path}, for which no column has values`);
  }
}

function fieldColumns(names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.filter((name) => !REPORT_COLUMNS.includes(name)).map((name) => [name, name]));
}

function pickCells(given: Values, columns: Readonly<Record<string, string>>): Values {
  return Object.fromEntries(Object.entries(columns).map(([path, column]) => [path, cellOf(given, column)])) as Values;
}

/** The cell of a row in a column, or the value at a path of a row that is an object. */
export function cellOf(given: Values, column: string): unknown {
  const name = Object.hasOwn(given, column) ? column : columnName(column);
  if (Object.hasOwn(given, name)) return given[name];
  const parts = columnsIn(column, (one) => Object.hasOwn(given, one));
  if (parts.length > 1) return joinCells(parts.map((one) => given[one]));
  return valueAt(given, column.split("."));
}

function joinCells(cells: readonly unknown[]): unknown {
  const [first, second, ...more] = cells;
  const isMoment = first instanceof TypedCell && second instanceof TypedCell && more.length === 0;
  if (isMoment && first.type === "day" && second.type === "clock") return momentCell(`${first.text}T${second.text}`);
  return cells.flatMap((cell) => String(cell ?? "").trim() || []).join(" ");
}

/** Splits a name at `+`, unless a column has the whole name or a part is not a column. */
function columnsIn(column: string, isThere: (name: string) => boolean): readonly string[] {
  const [whole, parts] = [columnName(column), column.split("+").map(columnName)];
  return !isThere(whole) && parts.every(isThere) ? parts : [whole];
}

/** Splits nested objects into cells by field path. */
export function cellsByField(settings: PlanSettings, given: Values, row: number): Values {
  const { create, update } = settings.target.rows;
  const bodies = [create?.body, update?.body].map(fieldsOf);
  const cells = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const outer = bodies.find((fields) => Object.hasOwn(fields, name))?.[name];
    const kind = outer && traitsOf(unwrap(outer)).kind;
    if (!(kind === "object" || kind === "record") || !isPlainObject(value)) return [[name, value]];
    return Object.entries(value).map(([below, part]) => [`${name}.${below}`, part]);
  });
  for (const [path] of cells) {
    const error = noColumn(settings, path, `row ${row}: the column`);
    if (error) throw error;
  }
  return Object.fromEntries(cells);
}

// Converts values of database drivers that JSON cannot represent.
function toJson(given: Values, row: number, { words }: PlanSettings): Values {
  try {
    const written = JSON.stringify(given, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    return JSON.parse(written) as Values;
  } catch {
    // Drops the original error, whose message would contain field names of the row.
    throw planOptionError(words, "", `row ${row} cannot be kept as JSON, for example because it contains itself`);
  }
}

export class InputDigest {
  readonly #hash = createHash("sha256");

  constructor({ target }: PlanSettings, { to: _, signal, onProgress, ...options }: PlanOptions<unknown>) {
    this.#add([target.transport.baseUrl, target.api, target.name, options]);
  }

  add({ row, in: given, problem }: GivenRow): void {
    this.#add([row, given, problem]);
  }

  get text(): string {
    return this.#hash.copy().digest("hex").slice(0, 16);
  }

  // Adds functions as source text, so that a changed function changes the digest.
  #add(value: unknown): void {
    const text = JSON.stringify(value, (_, part: unknown) => (typeof part === "function" ? String(part) : part));
    this.#hash.update(`${text}\n`);
  }
}
