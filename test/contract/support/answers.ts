import { type ContractApi, enumerations, fieldsIn, records, unions } from "./contract-data.js";
import type { ContractType, Field, TypeWithNull } from "./contract-types.js";

/** A record as JSON. */
export type WireRecord = Record<string, unknown>;

/** A field somewhere in a record, such as `invoice_items[0].units`. */
export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly field: Field;
}

interface Filling {
  /** Leaves out fields that some renderings lack. */
  readonly minimal?: boolean;
  /** Uses null wherever the contract allows it. */
  readonly nulls?: boolean;
  /** Selects a value of each enumeration: its position in the list of values, modulo the length of that list. */
  readonly turn?: number;
}

/** The records of a name: the variants of a union, or the record with this name. */
export function variantsOf(name: string): string[] {
  const union = unions.get(name);
  return union ? Object.values(union.variants).flatMap(variantsOf) : [name];
}

/** Creates a record as the contract describes it. */
export function record(name: string, api: ContractApi, filling: Filling = {}): WireRecord {
  return shape(fieldsIn(lookUpRecord(name), api), api, filling);
}

/** Every field of a record and of the records within the record. */
export function leaves(name: string, api: ContractApi): Leaf[] {
  return leavesOf(fieldsIn(lookUpRecord(name), api), api, []);
}

/** The number of turns until every value of every enumeration in a record has occurred. */
export function turns(name: string, api: ContractApi): number {
  return Math.max(1, ...leaves(name, api).map(({ field }) => choicesOf(field)));
}

function choicesOf(field: Field): number {
  if (field.type.kind === "either") return field.type.of.length;
  return enumerationOf(field)?.values.length ?? 1;
}

/** The enumeration of a field, if it has one. */
export function enumerationOf({ type, constant }: Field): { values: string[]; closed: boolean } | undefined {
  if (constant !== null) return { values: [constant], closed: true };
  return type.kind === "name" ? enumerations.get(type.name) : undefined;
}

/** A value whose type is not the field's type. */
export function wrongValue({ type }: TypeWithNull): unknown {
  switch (type.kind) {
    case "integer":
      return 1.5;
    case "number":
    case "boolean":
    case "either":
      return {};
    case "array":
      return { 0: "x" };
    default:
      return 7;
  }
}

/** A copy with one field changed. */
export function withValue(source: WireRecord, path: Leaf["path"], value: unknown): WireRecord {
  const copy = structuredClone(source);
  const { owner, key } = find(copy, path);
  owner[key] = value;
  return copy;
}

/** A copy without one field. */
export function withoutField(source: WireRecord, path: Leaf["path"]): WireRecord {
  const copy = structuredClone(source);
  const { owner, key } = find(copy, path);
  delete owner[key];
  return copy;
}

/** Formats a path as errors do (`items[0].units`), or with `anyIndex` as drift events do (`items[].units`). */
export function formatPath(path: Leaf["path"], anyIndex = false): string {
  return path
    .map((key) => (typeof key === "number" ? `[${anyIndex ? "" : key}]` : `.${key}`))
    .join("")
    .slice(1);
}

function find(root: WireRecord, path: Leaf["path"]): { owner: WireRecord; key: string } {
  let owner = root;
  for (const key of path.slice(0, -1)) owner = owner[key] as WireRecord;
  return { owner, key: String(path.at(-1)) };
}

function leavesOf(fields: readonly Field[], api: ContractApi, base: Leaf["path"]): Leaf[] {
  return fields.flatMap((field) => {
    const path = [...base, field.name];
    const { type } = field;
    return [{ path, field }, ...leavesIn(type, api, path)];
  });
}

function leavesIn(type: ContractType, api: ContractApi, path: Leaf["path"]): Leaf[] {
  if (type.kind === "array") {
    return itemsOf(type.of).flatMap((item, index) => leavesIn(item.type, api, [...path, index]));
  }
  if (type.kind === "shape") return leavesOf(type.fields, api, path);
  const named = type.kind === "name" ? records.get(type.name) : undefined;
  return named ? leavesOf(fieldsIn(named, api), api, path) : [];
}

// The types of an array's items: one item, or one item for each variant of a union.
function itemsOf(of: TypeWithNull): TypeWithNull[] {
  if (of.type.kind !== "name" || !unions.has(of.type.name)) return [of];
  return variantsOf(of.type.name).map((name) => ({ ...of, type: { kind: "name", name } }));
}

function shape(fields: readonly Field[], api: ContractApi, filling: Filling): WireRecord {
  const there = fields.filter((field) => !(filling.minimal && field.optional));
  return Object.fromEntries(there.map((field) => [field.name, field.constant ?? value(field, api, filling)]));
}

function value({ type, nullable }: TypeWithNull, api: ContractApi, filling: Filling): unknown {
  if (nullable && filling.nulls) return null;
  switch (type.kind) {
    case "integer":
      return 4_294_967_297;
    case "number":
      return 2.5;
    case "string":
      return 'Zoë & "friends"\n{{tag}}';
    case "decimal":
      return "1234.50";
    case "datetime":
      return "2030-06-30T22:15:07.040Z";
    case "date":
      return "2030-06-30";
    case "boolean":
      return false;
    case "object":
      return { anything: [1, { deep: null }] };
    case "literals":
      return type.values[0];
    case "either": {
      const chosen = type.of[(filling.turn ?? 0) % type.of.length];
      return chosen && value({ type: chosen, nullable: false }, api, filling);
    }
    case "array":
      return itemsOf(type.of).map((item) => value(item, api, filling));
    case "shape":
      return shape(type.fields, api, filling);
    case "name":
      return byName(type.name, api, filling);
  }
}

function byName(name: string, api: ContractApi, filling: Filling): unknown {
  if (name === "CustomFields") return { text: "x", number: 1, flag: true, several: ["a"], empty: null };
  if (name === "CustomAssociations") return { rooms: { custom_object_slug: "room", custom_record_ids: [1] } };
  const enumeration = enumerations.get(name);
  if (enumeration) return enumeration.values[(filling.turn ?? 0) % enumeration.values.length];
  return shape(fieldsIn(lookUpRecord(name), api), api, filling);
}

function lookUpRecord(name: string): NonNullable<ReturnType<typeof records.get>> {
  const found = records.get(name);
  if (!found) throw new Error(`the contract names a record it does not describe: ${name}`);
  return found;
}
