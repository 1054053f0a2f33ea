import { isPlainObject } from "../core/json.js";
import { fieldsOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import type { AnyRecord } from "../doctor/reader.js";
import { batchOf, type FieldShape, kindsAt, LEAST, schemaAt, shareOf } from "../work/kinds.js";

const MANY = 200;
const STEP = 5;

/** Rounds a small number of records down to whole batches, so that comparing two twins reveals no person. */
export function roundedCount(total: number): number {
  return total - (total % batchOf(total));
}

/**
 * Measures which kinds of values each field has, and how often. Only values of flags and enumerations are included.
 * @param least fields that are not in the model, and values that are not in its enumerations, are included if at least
 * this many records have them.
 * @param total number of records in a list of persons; null for other lists. With fewer than five, only kinds of values
 * are kept; with fewer than 200, the last batch of records is left out.
 */
export function shapeOf(
  all: readonly AnyRecord[],
  schema: Schema,
  least: number,
  total: number | null,
): Record<string, FieldShape> {
  const isSmall = total !== null && total < MANY;
  const isFew = isSmall && total < LEAST;
  const oldest = [...all].sort((a, b) => Number(a.id) - Number(b.id));
  const records = isSmall && !isFew ? oldest.slice(0, roundedCount(Math.min(total, all.length))) : all;
  const shapes: Record<string, FieldShape> = {};
  for (const path of pathsOf(records, schema, least)) {
    const [outer = ""] = path.split(".");
    const owners = path === outer ? records : records.filter((record) => isPlainObject(record[outer]));
    const shape = fieldShape(owners, path, schema, least, isSmall ? STEP : 1);
    const hasValues = shape !== null && [shape.most, ...Object.keys(shape)].some((kind) => kind.startsWith("="));
    if (shape && !(isFew && hasValues)) shapes[path] = shape;
  }
  return shapes;
}

function fieldShape(
  owners: readonly AnyRecord[],
  path: string,
  schema: Schema,
  least: number,
  step: number,
): FieldShape | null {
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
  const told = others.map(([kind, times]) => [kind, shareOf(times, owners.length, step, least)] as const);
  return { most: first[0], ...Object.fromEntries(told.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function valuesOf(schema: Schema | undefined): readonly string[] {
  const traits = schema && traitsOf(unwrap(schema));
  return traits?.kind === "enumeration" ? traits.values : [];
}

// The fields in the model and in the records, including those of an address and the school's own fields.
function pathsOf(records: readonly AnyRecord[], schema: Schema, least: number): string[] {
  const times = new Map<string, number>();
  const see = (record: AnyRecord, known: Readonly<Record<string, unknown>>, prefix: string) => {
    for (const [name, value] of Object.entries(record)) {
      // A field name in any other form might contain personal data.
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
