import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import type { ColumnType, SqlValue } from "../sql/dialect.js";

export type Columns = Readonly<Record<string, ColumnType>>;

// No columns are added beyond this number, in case records have arbitrary field names.
const MOST_ADDED = 200;

/** Column names that the table itself uses; a field of that name is stored in `record` only. */
const RESERVED_NAMES: ReadonlySet<string> = /* @__PURE__ */ new Set(["record", "gone_at"]);

/** The name of a list's table: `planned_courses` for `plannedCourses`. */
export function tableOf(list: string): string {
  return list.replaceAll(".", "_").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function columnsOf(schema: Schema | undefined): Columns {
  const columns: Record<string, ColumnType> = {};
  for (const [name, field] of Object.entries(fieldsOf(schema))) {
    if (isColumnName(name)) columns[name] = typeOf(name, field);
  }
  return columns;
}

function typeOf(name: string, field: Schema): ColumnType {
  const schema = unwrap(field);
  const traits = traitsOf(schema);
  if (traits.kind === "boolean") return "boolean";
  if (traits.kind === "number") return formatOf(schema) === "integer" ? "integer" : "number";
  if (traits.kind === "enumeration") return "text";
  if (traits.kind !== "text") return "json";
  const types: Readonly<Record<string, ColumnType>> = { decimal: "decimal", date: "date", "date-time": "time" };
  return types[formatOf(schema) ?? ""] ?? namedType(name);
}

// The service documents some dates and times as plain text, so the field's name determines the type.
function namedType(name: string): ColumnType {
  if (/_(at|date_time)$/.test(name)) return "time";
  return /(^|_)date$/.test(name) ? "date" : "text";
}

/** The columns to add to the table for fields of these records. */
export function addedColumns(records: Iterable<Readonly<Record<string, unknown>>>, known: Columns): Columns {
  const added: Record<string, ColumnType> = {};
  let room = MOST_ADDED - Object.keys(known).length;
  for (const record of records) {
    for (const name in record) {
      if (name in known || name in added || !isColumnName(name) || room <= 0) continue;
      added[name] = "json";
      room--;
    }
  }
  return added;
}

// Excludes capital letters, which databases treat differently, and longer names, which Postgres truncates.
function isColumnName(name: string): boolean {
  return /^[a-z][a-z0-9_]{0,59}$/.test(name) && !RESERVED_NAMES.has(name) && !name.startsWith("mirror_");
}

const DECIMAL = /^-?\d{1,100}(\.\d{1,100})?$/;
const DATE = /^[12]\d{3}-\d{2}-\d{2}$/;
const TIME = /^[12]\d{3}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-5]):?[0-5]\d)$/;

/**
 * The value of a column; null if the record has no value, or a value of another type, which is only stored in `record`.
 */
export function columnValue(type: ColumnType, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  switch (type) {
    case "json":
      return JSON.stringify(value);
    case "integer":
      return Number.isSafeInteger(value) ? (value as number) : null;
    case "number":
      return Number.isFinite(value) ? (value as number) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "text":
      return typeof value === "string" ? value : null;
    case "decimal":
      return typeof value === "string" && DECIMAL.test(value) ? value : null;
    case "date":
      // The service sends some dates with a time; keep only the day.
      return typeof value === "string" && (DATE.test(value) || TIME.test(value)) && isDate(value)
        ? value.slice(0, 10)
        : null;
    case "time":
      return typeof value === "string" && TIME.test(value) && isDate(value) ? value : null;
  }
}

// True if the date exists. Rarely uses `Date`, because parsing every date would make copying rows 10% slower.
function isDate(text: string): boolean {
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  if (month < 1 || month > 12 || day < 1) return false;
  // Day 0 of the next month is the last day of this month.
  return day <= 28 || day <= new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
}
