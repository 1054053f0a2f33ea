import { createHash } from "node:crypto";
import { isPlainObject } from "../../core/json.js";
import { fieldsOf, traitsOf, unwrapped } from "../../core/schema/traits.js";
import { type Values, valueAt } from "../fields.js";
import { noColumn, type PlanSettings, wrong } from "../node-plan-settings.js";
import type { PlanOptions } from "../types.js";
import { REPORT_COLUMNS } from "./header.js";
import { CsvRows, type GivenRow } from "./node-csv.js";

/**
 * The rows of a plan with their numbers, and their cells by the paths of fields.
 * @throws InputError when a column is not there or no field, or a row is no object.
 */
export async function* givenRows(
  rows: Iterable<object> | AsyncIterable<object>,
  settings: PlanSettings,
  signal: AbortSignal | undefined,
): AsyncGenerator<GivenRow, void, undefined> {
  const { columns, words } = settings;
  if (rows instanceof CsvRows) {
    let isFirst = true;
    for await (const given of rows.rows()) {
      signal?.throwIfAborted();
      if (isFirst) checkColumns(given.cells, settings);
      isFirst = false;
      yield { ...given, cells: picked(given.cells, columns ?? namedAsFields(given.cells)) };
    }
    return;
  }
  let row = 0;
  for await (const given of rows) {
    signal?.throwIfAborted();
    row++;
    if (!isPlainObject(given)) throw wrong(words, "", `row ${row} is not an object`);
    const cells = columns ? picked(given, columns) : flat(settings, given, row);
    yield { row, cells, in: plain(given, row, settings), problem: null };
  }
}

// Every row of a CSV file has the same columns, so the first row is enough.
function checkColumns(given: Values, settings: PlanSettings): void {
  const { columns, keys, words } = settings;
  for (const column of columns ? [] : Object.keys(namedAsFields(given))) {
    const error = noColumn(settings, column, "the column");
    if (error) throw error;
  }
  const wanted = columns ?? Object.fromEntries(keys.map((path) => [path, path]));
  for (const [path, column] of Object.entries(wanted)) {
    if (Object.hasOwn(given, column)) continue;
    const names = Object.keys(given).join(", ");
    const message = `names the column ${JSON.stringify(column)}, which the file does not have; it has ${names}`;
    throw wrong(words, columns && !(keys.includes(path) && column === path) ? `columns.${path}` : "key", message);
  }
}

function namedAsFields(given: Values): Readonly<Record<string, string>> {
  const names = Object.keys(given).filter((name) => !REPORT_COLUMNS.includes(name));
  return Object.fromEntries(names.map((name) => [name, name]));
}

// The cells that are wanted.
function picked(given: Values, columns: Readonly<Record<string, string>>): Values {
  const cells = Object.entries(columns).map(([path, column]) => [
    path,
    Object.hasOwn(given, column) ? given[column] : valueAt(given, column.split(".")),
  ]);
  return Object.fromEntries(cells) as Values;
}

// Columns named as fields; nested values of objects field by field.
function flat(settings: PlanSettings, given: Values, row: number): Values {
  const { create, update } = settings.target.rows;
  const bodies = [create?.body, update?.body].map(fieldsOf);
  const cells = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    const outer = bodies.find((fields) => Object.hasOwn(fields, name))?.[name];
    const kind = outer && traitsOf(unwrapped(outer)).kind;
    if (!(kind === "object" || kind === "record") || !isPlainObject(value)) return [[name, value]];
    return Object.entries(value).map(([below, part]) => [`${name}.${below}`, part]);
  });
  for (const [path] of cells) {
    const error = noColumn(settings, path, `row ${row}: the column`);
    if (error) throw error;
  }
  return Object.fromEntries(cells);
}

// Values from database drivers that JSON cannot represent.
function plain(given: Values, row: number, { words }: PlanSettings): Values {
  try {
    const written = JSON.stringify(given, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    return JSON.parse(written) as Values;
  } catch {
    // Its message would name fields of the row.
    throw wrong(words, "", `row ${row} cannot be kept as JSON, for example because it contains itself`);
  }
}

/** A digest of rows and of the options they are planned with. */
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

  // Functions by their source text: another function may read other values.
  #add(value: unknown): void {
    const text = JSON.stringify(value, (_, part: unknown) => (typeof part === "function" ? String(part) : part));
    this.#hash.update(`${text}\n`);
  }
}
