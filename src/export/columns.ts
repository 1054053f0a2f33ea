import type { InputIssue } from "../core/error-details.js";
import { InputError } from "../core/errors.js";
import { fingerprint } from "../core/fingerprint.js";
import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { memberOf } from "../work/member.js";
import type { JoinedSchemas } from "./joined-schemas.js";

/** What an export is written as. */
export type ExportFormat = "ndjson" | "csv";

/** Where a column's value is in a record: `number`, `address.city`, `custom.colour`. */
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
 * The columns of an export: paths, or names with a path or a function each. A function must give the same value for the
 * same record whenever it runs, because an export may be continued by another process, if the functions' texts are the same:
 * what else a function depends on is not compared.
 */
export type ExportColumns<T> =
  | readonly ColumnPath<T>[]
  | Readonly<Record<string, ColumnPath<T> | ((record: T) => unknown)>>;

/** One column of an export. */
export interface Column {
  readonly header: string;
  /** Where its value is; null for a function. */
  readonly path: string | null;
  /** Tells functions apart by their texts; absent for a path. */
  readonly code?: string;
  /** Whether the schema says that it holds text, which stays as it is even if it looks like a number: `2.10`. */
  readonly isText?: boolean;
  read(record: unknown): unknown;
}

/**
 * Makes the columns a caller asks for.
 * @param schema of the records, to find misspelt paths.
 * @param joined schemas of the records that `with` adds, by name.
 * @param issues collects what is wrong.
 * @param operation of the list, for errors of functions.
 * @param format that the values of functions must fit.
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
      message: "must be an array of paths, or an object of names with paths or functions",
    });
  }
  return wanted.map(([header, from]) => {
    if (Object.prototype.toString.call(from) === "[object AsyncFunction]") {
      issues.push({ path: `columns.${header}`, message: `is an async function; ${AT_ONCE}` });
    }
    if (typeof from === "function") return functionColumn(header, from as Column["read"], operation, format);
    const problem = typeof from === "string" ? pathProblem(from, schema, joined) : "must be a path";
    if (problem !== null) {
      const message = `${problem}; a function can read fields that the library does not know`;
      issues.push({ path: `columns.${header}`, message });
    }
    return columnOf(schema, joined, String(from), header);
  });
}

/** The columns of a schema and of what `with` adds: one per field, nested records field by field, arrays and free objects whole. */
export function schemaColumns(schema: Schema, joined: JoinedSchemas): Column[] {
  const added = [...joined].flatMap(([name, schemas]) => schemas.flatMap((one) => pathsOf(one, `${name}.`)));
  return [...new Set([...pathsOf(schema, ""), ...added])].map((path) => columnOf(schema, joined, path));
}

/** The columns of records without a schema: every name that one of them has, in the order of appearance. */
export function columnsOfRecords(records: readonly unknown[]): Column[] {
  const names = new Set(records.flatMap((record) => Object.keys(isPlainObject(record) ? record : {})));
  // Read as names, not as paths: a name may contain a dot.
  return [...names].map(nameColumn);
}

/** A column for a field of that very name. */
export function nameColumn(name: string): Column {
  return { header: name, path: name, read: (record) => memberOf(record, name) };
}

const AT_ONCE = "a column's function must return its value at once";

function functionColumn(header: string, from: Column["read"], operation: string, format: ExportFormat): Column {
  const columnError = (message: string, cause?: unknown) =>
    new InputError(`${operation}: columns.${header} ${message}.`, [{ path: `columns.${header}`, message }], {
      operation,
      // The records were read already.
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
        throw columnError("returned a value that JSON cannot hold; see its cause", cause);
      }
    }
    if (typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function") {
      // Nobody waits for it, and a rejection that nobody handles would end the process.
      Promise.resolve(value).catch(() => undefined);
      throw columnError(`returned a promise; ${AT_ONCE}`);
    }
    return value;
  };
  return { header, path: null, code: fingerprint(String(from)), read };
}

function columnOf(schema: Schema | undefined, joined: JoinedSchemas, path: string, header = path): Column {
  const names = path.split(".");
  const isText = schemasAt(path, schema, joined).some(
    (leaf) => traitsOf(unwrap(leaf)).kind === "text" && formatOf(unwrap(leaf)) !== "decimal",
  );
  return { header, path, isText, read: (record) => names.reduce(memberOf, record) };
}

/** The schemas of what is at a path; none where nothing is known of it. */
export function schemasAt(path: string, schema: Schema | undefined, joined: JoinedSchemas): Schema[] {
  const [first = "", ...rest] = path.split(".");
  const fieldIn = (outer: Schema | undefined, name: string) => outer && fieldsOf(unwrap(outer))[name];
  const leaves = (joined.get(first) ?? [fieldIn(schema, first)]).map((outer) => rest.reduce(fieldIn, outer));
  return leaves.filter((leaf) => leaf !== undefined);
}

function pathsOf(schema: Schema, prefix: string): string[] {
  return Object.entries(fieldsOf(schema)).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    return isRecord(field) ? pathsOf(unwrap(field), `${path}.`) : [path];
  });
}

// An object whose fields are not all known would lose those that the schema does not name.
function isRecord(schema: Schema): boolean {
  const traits = traitsOf(unwrap(schema));
  return traits.kind === "object" && !traits.open && Object.keys(traits.fields).length > 0;
}

/**
 * Says why a path leads to no value of any record; null if it may lead to one. Open parts, such as custom fields, and
 * records without a schema have any names.
 * @param schema of the records; undefined where none is known.
 * @param joined schemas of the records that `with` adds, by name.
 */
export function pathProblem(path: string, schema: Schema | undefined, joined: JoinedSchemas): string | null {
  const names = path.split(".");
  if (names.includes("")) return "must be a path, such as address.city";
  return schema ? problemBelow(schema, names, 0, joined) : null;
}

function problemBelow(schema: Schema, names: readonly string[], at: number, joined?: JoinedSchemas): string | null {
  const name = names[at];
  if (name === undefined) return null;
  const traits = traitsOf(unwrap(schema));
  const parent = names.slice(0, at).join(".");
  switch (traits.kind) {
    case "object": {
      const schemas = joined?.get(name);
      if (schemas) return problemBelowAll(schemas, names, at + 1);
      const field = Object.hasOwn(traits.fields, name) ? traits.fields[name] : undefined;
      if (field) return problemBelow(field, names, at + 1);
      if (traits.open) return null;
      const known = [...Object.keys(traits.fields), ...(joined?.keys() ?? [])];
      return `is not a field of the record${didYouMean(name, known, parent === "" ? "" : `${parent}.`)}`;
    }
    case "variants":
    case "union": {
      if (traits.kind === "variants" && traits.open) return null;
      return problemBelowAll(traits.options, names, at);
    }
    case "array":
      if (/^\d+$/.test(name)) return problemBelow(traits.item, names, at + 1);
      return `names no value: ${parent} is an array, whose values have numbers, ${parent}.0`;
    case "text":
    case "number":
    case "boolean":
    case "enumeration":
      return `names no value: ${parent} has no fields`;
    default:
      return null;
  }
}

/** Says why a path leads to no value in any of several forms of a record; null if it may lead to one. */
function problemBelowAll(schemas: readonly Schema[], names: readonly string[], at: number): string | null {
  const problems = schemas.map((schema) => problemBelow(schema, names, at));
  return problems.includes(null) ? null : (problems[0] ?? null);
}
