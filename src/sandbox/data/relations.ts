import type { Schema } from "../../core/schema/model.js";
import { fieldsOf, isOptional, traitsOf, unwrap } from "../../core/schema/traits.js";
import type { Collection, Columns, Identified } from "./collection.js";
import type { PartDefaults, RelatedByName, Wanted, Wants } from "./domain.js";
import { longName } from "./given.js";
import { isNullable } from "./mannered.js";
import { KINDS, relatedIn } from "./references.js";
import type { Store } from "./store.js";

export interface RelationOptions<T extends Identified> {
  readonly name: string;
  readonly schema: Schema;
  readonly columns: Columns<T>;
  readonly targets: RelatedByName;
  readonly wants: Wants<T>;
  readonly parts: PartDefaults<T>;
  readonly store: Store;
}

type Fields = Record<string, unknown>;

const GONE = Symbol("gone");

/**
 * Adds the fields of a record that must agree with other records. If a computed identifier refers to no suitable
 * record, the field becomes null if the schema allows null and the seed has no condition on the field; otherwise it
 * refers to another suitable record, made if necessary.
 */
export class Relations<T extends Identified> {
  readonly #options: RelationOptions<T>;
  readonly #fields: Readonly<Record<string, Schema>>;
  // The names of the fields with a single identifier; those with a condition in the seed come first.
  readonly #single: readonly string[];
  readonly #nested: readonly string[];
  readonly #selfReference: string;

  constructor(options: RelationOptions<T>) {
    this.#options = options;
    this.#fields = fieldsOf(options.schema);
    const { name, columns, targets, wants } = options;
    const refers = (field: string) => field in targets || kindField(field, columns) !== undefined;
    const wanted = Object.keys(wants).filter((field) => field in columns);
    const others = Object.keys(columns).filter((field) => !(field in wants));
    this.#single = [...wanted, ...others].filter((field) => refers(field) && !field.endsWith("_ids"));
    this.#nested = Object.keys(columns).filter((field) => {
      const schema = this.#fields[field];
      const kind = schema && traitsOf(unwrap(schema)).kind;
      return kind === "array" || kind === "object";
    });
    this.#selfReference = `${name.replace(/s$/, "")}_id`;
  }

  /**
   * @param make makes the record from the given fields; its other fields are computed when read.
   * @param create true to add missing records; false to use the identifiers that they would get.
   */
  complete(given: Fields, make: (fields: Fields) => Readonly<T>, create: boolean): Fields {
    const fields: Fields = {};
    for (const [name, value] of Object.entries(given)) fields[longName(name, this.#options.columns)] = value;
    this.#relate(fields, make, create);
    for (const field of this.#nested) {
      const { [field]: value, ...others } = fields;
      if (field in fields) fields[field] = this.#fillParts(field, value, make(others), create);
    }
    for (const field of this.#nested) {
      if (field in fields) continue;
      const row = make(fields);
      const value = row[field as keyof T];
      const kept = this.#withoutMissing(value, this.#fields[field] as Schema, { row, path: field, at: 0, create });
      if (kept !== value) fields[field] = kept === GONE ? null : kept;
    }
    return fields;
  }

  #relate(fields: Fields, make: (fields: Fields) => Readonly<T>, create: boolean): void {
    const { columns, wants } = this.#options;
    for (const field of this.#single) {
      if (field in fields) continue;
      const row = make(fields);
      const id = row[field as keyof T];
      if (typeof id !== "number") continue;
      const kind = kindField(field, columns);
      const records = this.#recordsOf(field, kind && String(row[kind as keyof T]));
      if (!records) continue;
      const wanted = wants[field]?.(row, fields as Partial<T>);
      const isKindGiven = kind !== undefined && kind in fields;
      const isThere = (found: Readonly<Identified> | undefined) => found !== undefined && fits(found, wanted);
      if (isThere(records.peek(id))) {
        // Store the computed kind: fields completed later must not change it.
        if (kind && !(kind in fields)) fields[kind] = row[kind as keyof T];
        continue;
      }
      if (wanted === null || (wanted === undefined && !isKindGiven && isNullable(this.#fields[field]))) {
        fields[field] = null;
        if (kind && !(kind in fields) && isNullable(this.#fields[kind])) fields[kind] = null;
      } else {
        fields[field] = chooseRecord(records, row.id, wanted, create);
      }
    }
  }

  #recordsOf(field: string, kind: string | undefined): Collection<Identified> | undefined {
    const { targets, store } = this.#options;
    return relatedIn(store, kind === undefined ? targets[field] : KINDS[kind]);
  }

  // Fills in the missing fields of given nested records: with the seed's defaults, else with null or an empty list.
  #fillParts(field: string, value: unknown, row: Readonly<T>, create: boolean): unknown {
    const schema = unwrap(this.#fields[field] as Schema);
    const traits = traitsOf(schema);
    const defaults = this.#options.parts[field as keyof T];
    const fill = (part: unknown, item: Schema, at: number): unknown => {
      if (typeof part !== "object" || part === null || traitsOf(item).kind !== "object") return part;
      const givenPart = { ...defaults?.(row, at), ...(part as Fields) };
      return {
        ...blanks(item, givenPart),
        ...givenPart,
        ...this.#neededReferences(field, givenPart, row.id + at, create),
      };
    };
    if (traits.kind === "array") {
      const item = unwrap(traits.item);
      return Array.isArray(value) ? value.map((part, at) => fill(part, item, at)) : value;
    }
    return fill(value, schema, 0);
  }

  #neededReferences(field: string, part: Fields, turn: number, create: boolean): Fields {
    const needed: Fields = {};
    for (const name of Object.keys(this.#options.wants)) {
      const [outer, inner] = name.split(".");
      if (outer !== field || inner === undefined || inner in part) continue;
      const records = this.#recordsOf(inner, undefined);
      if (records) needed[inner] = chooseRecord(records, turn, {}, create);
    }
    return needed;
  }

  // Removes or replaces the references to missing records in a computed value.
  #withoutMissing(value: unknown, schema: Schema, place: Place<T>): unknown {
    const traits = traitsOf(unwrap(schema));
    const { targets, store } = this.#options;
    if (Array.isArray(value) && traits.kind === "array") {
      const ids = relatedIn(store, targets[place.path.replace(/^.*\./, "")]);
      const items = ids
        ? value.filter((id) => typeof id !== "number" || ids.peek(id))
        : value
            .map((item, at) => this.#withoutMissing(item, traits.item, { ...place, at }))
            .filter((item) => item !== GONE);
      return items.length === value.length && items.every((item, at) => item === value[at]) ? value : items;
    }
    if (typeof value !== "object" || value === null || traits.kind !== "object") return value;
    let kept = value as Fields;
    for (const [name, part] of Object.entries(value)) {
      const path = `${place.path}.${name}`;
      const inner = traits.fields[name];
      if (!inner || name === this.#selfReference) continue;
      const records = typeof part === "number" ? relatedIn(store, targets[name]) : undefined;
      let now: unknown = part;
      if (!records) now = this.#withoutMissing(part, inner, { ...place, path });
      else if (!records.peek(part as number)) {
        if (path in this.#options.wants) now = chooseRecord(records, place.row.id + place.at, {}, place.create);
        else if (isNullable(inner)) now = null;
        else return GONE;
      }
      if (now !== part) kept = { ...kept, [name]: now };
    }
    return kept;
  }
}

interface Place<T> {
  readonly row: Readonly<T>;
  readonly path: string;
  readonly at: number;
  readonly create: boolean;
}

// The field that names the kind of record: `commentable_type` for `commentable_id`.
function kindField(field: string, columns: object): string | undefined {
  const kind = field.replace(/_id$/, "_type");
  return kind !== field && kind in columns ? kind : undefined;
}

function fits(row: Readonly<Identified>, wanted: Wanted | null | undefined): boolean {
  return !wanted?.fits || wanted.fits(row as never);
}

// Rotates through the existing records, so that new records refer to all of them evenly.
function chooseRecord(
  records: Collection<Identified>,
  turn: number,
  wanted: Wanted | undefined,
  create: boolean,
): number {
  const { slots } = records;
  for (let step = 0; step < slots; step++) {
    const row = records.row((turn - 1 + step) % slots);
    if (row && fits(row, wanted)) return row.id;
  }
  return create ? records.insert(wanted?.fields).id : records.nextId;
}

function blanks(schema: Schema, part: Fields): Fields {
  const found: Fields = {};
  for (const [name, field] of Object.entries(fieldsOf(schema))) {
    if (name in part || isOptional(field)) continue;
    const { kind } = traitsOf(field);
    if (kind === "nullable") found[name] = null;
    if (kind === "array") found[name] = [];
  }
  return found;
}
