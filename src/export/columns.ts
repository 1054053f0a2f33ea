import type { InputIssue } from "../core/error-details.js";
import { InputError } from "../core/errors.js";
import { fingerprint } from "../core/fingerprint.js";
import { isPlainObject } from "../core/json.js";
import { fieldsOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { type FieldKind, fieldOf, memberOf, parsePath, valueAt } from "../work/fields/path.js";
import type { JoinedSchemas } from "./joined-schemas.js";

/** The file format of an export. */
export type ExportFormat = "ndjson" | "csv" | "xlsx";

/** Path of a value in a record, such as `number`, `address.city` or `custom.color`. */
export type ColumnPath<T> =
  | {
      [Name in keyof T & string]: NonNullable<T[Name]> extends readonly unknown[]
        ? Name
        : NonNullable<T[Name]> extends object
          ? Name | `${Name}.${keyof NonNullable<T[Name]> & string}`
          : Name;
    }[keyof T & string]
  | (string & {});

/**
 * The columns of an export: a list of paths, or an object that maps column names to paths or functions. A function must
 * always return the same value for the same record, because another process may continue the export if its functions
 * have the same source text. Values that a function reads from elsewhere are not compared.
 */
export type ExportColumns<T> =
  | readonly ColumnPath<T>[]
  | Readonly<Record<string, ColumnPath<T> | ((record: T) => unknown)>>;

export interface Column {
  readonly header: string;
  /** Path of the value in the record; null for a function. */
  readonly path: string | null;
  /** Fingerprint of a function's source text; absent for a path. */
  readonly code?: string;
  readonly kind: FieldKind;
  /** True for a path that the caller named. */
  readonly isNamed?: true;
  read(record: unknown): unknown;
}

/**
 * Makes the columns that a caller requested.
 * @param schema the records' schema, for finding misspelled paths.
 * @param operation the list's operation, for errors in functions.
 * @param format the format that must be able to represent the values of functions.
 */
export function givenColumns(
  given: unknown,
  schema: Schema | undefined,
  joined: JoinedSchemas,
  issues: InputIssue[],
  operation: string,
  format: ExportFormat,
): Column[] {
  const wanted: [header: string, from: unknown][] = Array.isArray(given)
    ? given.map((path) => [String(path), path])
    : Object.entries(isPlainObject(given) ? given : {});
  if (wanted.length === 0) {
    issues.push({
      path: "columns",
      message: "must be an array of paths, or an object that maps names to paths or functions",
    });
  }
  return wanted.map(([header, from]) => {
    if (Object.prototype.toString.call(from) === "[object AsyncFunction]") {
      issues.push({ path: `columns.${header}`, message: `is an async function; ${AT_ONCE}` });
    }
    if (typeof from === "function") return functionColumn(header, from as Column["read"], operation, format);
    const found = typeof from === "string" ? parsePath(from, schema, joined) : { problem: "must be a path" };
    if ("problem" in found) {
      const message = `${found.problem}; a function can read fields that the library does not know`;
      issues.push({ path: `columns.${header}`, message });
    }
    return { ...columnOf(schema, joined, String(from), header), isNamed: true };
  });
}

/**
 * The columns of a schema and of the records that `with` adds: one per field, nested records field by field, arrays and
 * free-form objects whole.
 */
export function schemaColumns(schema: Schema, joined: JoinedSchemas): Column[] {
  const added = [...joined].flatMap(([name, schemas]) => schemas.flatMap((one) => pathsOf(one, `${name}.`)));
  return [...new Set([...pathsOf(schema, ""), ...added])].map((path) => columnOf(schema, joined, path));
}

/** The columns of records without a schema: all their field names, in order of first appearance. */
export function columnsOfRecords(records: readonly unknown[]): Column[] {
  const names = new Set(records.flatMap((record) => Object.keys(isPlainObject(record) ? record : {})));
  // Names may contain dots, so they are not paths.
  return [...names].map(nameColumn);
}

export function nameColumn(name: string): Column {
  return { header: name, path: name, kind: "unknown", read: (record) => memberOf(record, name) };
}

const AT_ONCE = "a column's function must return its value synchronously";

function functionColumn(header: string, from: Column["read"], operation: string, format: ExportFormat): Column {
  const columnError = (message: string, cause?: unknown) =>
    new InputError(`${operation}: columns.${header} ${message}.`, [{ path: `columns.${header}`, message }], {
      operation,
      // Records have been read by now, so `not_sent` would be wrong.
      outcome: null,
      cause,
    });
  const read = (record: unknown): unknown => {
    let value: unknown;
    try {
      value = from(record);
    } catch (cause) {
      throw columnError("threw an error; see its cause", cause);
    }
    if (value instanceof Date && Number.isNaN(value.getTime())) throw columnError("returned an invalid Date");
    if (typeof value === "object" || (typeof value === "bigint" && format === "ndjson")) {
      try {
        JSON.stringify(value);
      } catch (cause) {
        throw columnError("returned a value that JSON cannot represent; see its cause", cause);
      }
    }
    if (typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function") {
      // Nothing awaits this promise, and an unhandled rejection would end the process.
      Promise.resolve(value).catch(() => undefined);
      throw columnError(`returned a promise; ${AT_ONCE}`);
    }
    return value;
  };
  return { header, path: null, kind: "unknown", code: fingerprint(String(from)), read };
}

function columnOf(schema: Schema | undefined, joined: JoinedSchemas, path: string, header = path): Column {
  const found = parsePath(path, schema, joined);
  const { kind, names } = "field" in found ? found.field : fieldOf(path, path.split("."), undefined);
  return { header, path, kind, read: (record) => valueAt(record, names) };
}

function pathsOf(schema: Schema, prefix: string): string[] {
  return Object.entries(fieldsOf(schema)).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    return isRecord(field) ? pathsOf(unwrap(field), `${path}.`) : [path];
  });
}

// An open object is written whole: one column per known field would drop the fields that the schema does not name.
function isRecord(schema: Schema): boolean {
  const traits = traitsOf(unwrap(schema));
  return traits.kind === "object" && !traits.open && Object.keys(traits.fields).length > 0;
}
