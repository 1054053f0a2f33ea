import { isPlainObject } from "../core/json.js";
import { fieldsOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import type { AnyRecord } from "../doctor/reader.js";
import { type FieldShape, kindsAt, schemaAt } from "../work/kinds.js";

/** The smallest number of records to report on: the values of fewer records could identify a person. */
export const LEAST = 5;

/**
 * Measures which kinds of values each field has, and how often. Only values of flags and enumerations are included.
 * @param least fields that are not in the model, and values that are not in its enumerations, are included if at least
 * this many records have them.
 */
export function shapeOf(records: readonly AnyRecord[], schema: Schema, least: number): Record<string, FieldShape> {
  const shapes: Record<string, FieldShape> = {};
  for (const path of pathsOf(records, schema, least)) {
    const [outer = ""] = path.split(".");
    const owners = path === outer ? records : records.filter((record) => isPlainObject(record[outer]));
    const shape = fieldShape(owners, path, schema, least);
    if (shape) shapes[path] = shape;
  }
  return shapes;
}

function fieldShape(owners: readonly AnyRecord[], path: string, schema: Schema, least: number): FieldShape | null {
  const counts = new Map<string, number>();
  const count = (kind: string, by: number) => counts.set(kind, (counts.get(kind) ?? 0) + by);
  for (const kind of owners.map(kindsAt(path, schema))) count(kind, 1);
  for (const [kind, times] of [...counts]) {
    const isFlag = kind === "=true" || kind === "=false";
    const isKnown = isFlag || !kind.startsWith("=") || valuesOf(schemaAt(schema, path)).includes(kind.slice(1));
    if (isKnown || times >= least) continue;
    counts.delete(kind);
    count("other", times);
  }
  const sorted = [...counts].sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1));
  const [first, ...others] = sorted;
  if (!first) return null;
  const told = others.map(([kind, times]) => {
    const share = Math.round((100 * times) / owners.length);
    return [kind, times < least || share === 0 ? "few" : share] as const;
  });
  return { most: first[0], ...Object.fromEntries(told.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function valuesOf(schema: Schema | undefined): readonly string[] {
  const traits = schema && traitsOf(unwrap(schema));
  return traits?.kind === "enumeration" ? traits.values : [];
}

// The fields in the model and those in the records, including the fields of an address and the school's own fields.
function pathsOf(records: readonly AnyRecord[], schema: Schema, least: number): string[] {
  const times = new Map<string, number>();
  const see = (record: AnyRecord, known: Readonly<Record<string, unknown>>, prefix: string) => {
    for (const [name, value] of Object.entries(record)) {
      // A field name in any other form could contain anything.
      if (!Object.hasOwn(known, name) && !/^[a-z][a-z0-9_]{0,39}$/.test(name)) continue;
      const path = prefix + name;
      times.set(path, (times.get(path) ?? 0) + 1);
      if (prefix === "" && isPlainObject(value) && name !== "custom_associations") {
        const { [name]: inner } = fieldsOf(schema);
        see(value, fieldsOf(inner && unwrap(inner)), `${name}.`);
      }
    }
  };
  const known = fieldsOf(schema);
  for (const record of records) see(record, known, "");
  const observed = [...times].filter(([path, count]) => count >= least || schemaAt(schema, path)).map(([path]) => path);
  return [...new Set([...Object.keys(known), ...observed])].filter((path) => path !== "id").sort();
}
