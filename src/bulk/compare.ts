import { fingerprint } from "../core/fingerprint.js";
import { isPlainObject } from "../core/json.js";
import { fieldsOf, type Schema } from "../core/schema/traits.js";
import { notesOf } from "../operations.js";
import {
  canonical,
  current,
  type Field,
  fieldAt,
  flatten,
  namesOf,
  same as sameValue,
  type Unsent,
  unsentFields,
  type Values,
} from "./fields.js";
import type { Fact, PlannedRow } from "./lines.js";
import type { SameField } from "./sight.js";
import type { StepSettings } from "./step.js";
import { anyField, recordSchema, type Target, targetOfRow } from "./target.js";

export function comparisonsFor(
  target: Target,
  keys: readonly string[],
): Pick<StepSettings, "same" | "movedFields" | "unseenObject" | "currentValue" | "print"> {
  const rowsFor = (row: PlannedRow) => targetOfRow(target, row).rows;
  const fields = new Map<string, ReturnType<typeof fieldOf>>();
  const fieldFor = (row: PlannedRow, path: string) => {
    const name = `${row.missing ?? ""} ${row.do} ${path}`;
    const known = fields.get(name);
    if (known !== undefined) return known;
    const rows = rowsFor(row);
    const field = fieldOf(rows, row.do, path, recordSchema(rows));
    fields.set(name, field);
    return field;
  };
  const same: SameField = (row, path, expected, record) => {
    // Keys are compared separately as text, because a service may have changed their form.
    if (row.do === "create" && keys.includes(path)) return true;
    if (isPlainObject(expected)) {
      return Object.entries(flatten({ [path]: expected })).every(([below, value]) => same(row, below, value, record));
    }
    const field = fieldFor(row, path);
    if (!field?.read) return true;
    return sameValue(field, expected, current(record, field));
  };
  return {
    same,
    movedFields: (row, before, after) => movedIn(target, row, before, after),
    unseenObject: (row, record) => unseenIn(target, row, record),
    print(row, record) {
      // For actions, leaves out fields that no request body contains, such as an invoice number: actions may set them.
      const kept = unsentFieldsOf(target, row, record).filter(
        ({ path }) => !rowsFor(row).action || anyField(target, path),
      );
      const texts = kept.map((field) => {
        const text = canonical(current(record, field), field, null);
        return text === "" ? "" : JSON.stringify([field.path, field.isComputed || text]);
      });
      return fingerprint(texts.sort().join("")).slice(-8);
    },
    currentValue(row, path, record) {
      const field = fieldFor(row, path);
      return field?.read && record[field.read[0] ?? ""] !== undefined ? current(record, field) : undefined;
    },
  };
}

// Omits empty fields for an action, which may fill them in, for example with a date or a number.
function unsentFieldsOf(target: Target, row: PlannedRow, record: Values): readonly Unsent[] {
  const { rows } = targetOfRow(target, row);
  const { send = {} } = row;
  const { derived = {} } = rows.update ? notesOf(rows.update) : {};
  const all = unsentFields([rows.update?.body, rows.create?.body], recordSchema(rows), send, record);
  return all.filter((field) =>
    rows.action ? current(record, field) !== null : !derived[field.path]?.some((source) => Object.hasOwn(send, source)),
  );
}

/** The fields that a row does not send and that differ between two versions of its record. */
export function movedIn(target: Target, row: PlannedRow, before: Values, after: Values): NonNullable<Fact["side"]> {
  const moved = unsentFieldsOf(target, row, before).flatMap((field) => {
    // A field that is missing from one of the responses does not prove a change.
    if ([before, after].some((record) => record[field.read[0] ?? ""] === undefined)) return [];
    const [was, is] = [current(before, field), current(after, field)];
    const isSame = sameValue(field, was, is) && sameValue(field, is, was);
    const isKept = field.isComputed && canonical(is, field, was) !== "";
    return isSame || isKept ? [] : [[field.path, [was, is]] as const];
  });
  return Object.fromEntries(moved);
}

/**
 * Finds an object field that the row sends only in part and the record does not show: the service might replace the
 * whole object with that part. Null if there is none.
 */
function unseenIn(target: Target, row: PlannedRow, record: Values): string | null {
  const { rows } = targetOfRow(target, row);
  for (const path of row.do === "update" && !rows.action ? Object.keys(row.send ?? {}) : []) {
    const [top, below] = namesOf(path);
    const [name] = fieldAt(rows.update?.body, recordSchema(rows), top)?.read ?? [];
    if (below !== undefined && name !== undefined && record[name] === undefined) return name;
  }
  return null;
}

/** The field that a path writes, and where a record shows it. For an action, the field that shows its effect. */
function fieldOf(rows: Target["rows"], what: PlannedRow["do"], path: string, schema: Schema | undefined): Field | null {
  if (!rows.action) return fieldAt(what === "update" ? rows.update?.body : rows.create?.body, schema, path);
  const shown = fieldsOf(schema)[path];
  return shown ? { path, schema: shown, read: [path], decimal: false } : null;
}

/** The fields whose values in a response differ from those sent: the service may report success and ignore a field. */
export function differences(
  { rows }: Target,
  send: Values,
  data: Values,
  method: "create" | "update",
): Pick<Fact, "differs"> {
  const response = (method === "update" && rows.action ? rows.action : rows[method])?.response;
  const differs: Record<string, readonly [unknown, unknown]> = {};
  for (const [path, value] of Object.entries(send)) {
    const field = fieldOf(rows, method, path, response);
    if (!field?.read || data[field.read[0] ?? ""] === undefined) continue;
    const got = current(data, field);
    if (!sameValue(field, value, got)) differs[path] = [value, got];
  }
  return Object.keys(differs).length > 0 ? { differs } : {};
}
