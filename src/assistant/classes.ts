import type { FieldClass } from "../core/field-class.js";
import { isPlainObject } from "../core/json.js";
import { fieldsOf, type Schema, traitsOf, variantNames } from "../core/schema/traits.js";
import { fieldClasses } from "../generated/field-classes.js";
import * as schemas from "../generated/schemas.js";
import { itemOf, valueAt } from "../work/fields/path.js";
import type { Shown } from "./types.js";

const NAMED: Readonly<Partial<Record<FieldClass, Shown>>> = {
  name: "names",
  contact: "contact",
  number: "numbers",
  note: "notes",
  custom: "custom",
};

let byField: ReadonlyMap<Schema, ReadonlyMap<string, FieldClass>> | undefined;

/** The class of a field of a record; null if its schema lacks the field or the field contains other records. */
export function classOf(schema: Schema, field: string): FieldClass | null {
  byField ??= new Map(
    Object.entries(fieldClasses).map(([name, classes]) => [
      (schemas as Readonly<Record<string, unknown>>)[name] as Schema,
      new Map(
        Object.entries(classes).flatMap(([one, fields]) =>
          fields.split(" ").map((each) => [each, one as FieldClass] as const),
        ),
      ),
    ]),
  );
  return byField.get(schema)?.get(field) ?? null;
}

export class Sight {
  readonly #shown: ReadonlySet<string>;

  constructor(show: readonly Shown[]) {
    this.#shown = new Set(show);
  }

  shows(one: FieldClass | null): boolean {
    if (one === "identifier" || one === "plain") return true;
    const named = one && NAMED[one];
    return named !== null && named !== undefined && this.#shown.has(named);
  }

  /** The value at a path of a record, with hidden values replaced by the name of their class; undefined if absent. */
  at(schema: Schema, record: unknown, path: readonly string[]): unknown {
    const [field = "", ...below] = path;
    if (!isPlainObject(record) || !Object.hasOwn(record, field)) return undefined;
    const form = formOf(schema, record);
    return form ? this.#value(form, field, record[field], below) : "[unknown record hidden]";
  }

  #value(schema: Schema, field: string, value: unknown, below: readonly string[]): unknown {
    const inner = fieldsOf(schema)[field];
    if (value === null || value === undefined) return null;
    const item = inner && itemOf(inner);
    if (item && isRecord(item)) return this.#records(item, value, below);
    const found = classOf(schema, field);
    if (!this.shows(found) || !fits(item, value)) return `[${found ?? "unknown field"} hidden]`;
    return valueAt(value, below);
  }

  #records(schema: Schema, value: unknown, below: readonly string[]): unknown {
    const [name = "", ...rest] = below;
    if (Array.isArray(value))
      return /^\d+$/.test(name)
        ? this.#records(schema, value[Number(name)], rest)
        : value.map((item) => this.#records(schema, item, below));
    if (!isPlainObject(value)) return value === null || value === undefined ? value : "[unknown field hidden]";
    const form = formOf(schema, value);
    if (form === null) return "[unknown record hidden]";
    if (below.length > 0) return this.at(form, value, below);
    return Object.fromEntries(
      Object.keys(fieldsOf(form))
        .filter((name) => Object.hasOwn(value, name))
        .map((name) => [name, this.at(form, value, [name])]),
    );
  }
}

export function isRecord(schema: Schema): boolean {
  return ["object", "variants"].includes(traitsOf(schema).kind);
}

function formOf(schema: Schema, value: Readonly<Record<string, unknown>>): Schema | null {
  const traits = traitsOf(schema);
  if (traits.kind !== "variants") return schema;
  const { discriminator, options } = traits;
  return (
    options.find((one) => variantNames({ discriminator, options: [one] }).includes(String(value[discriminator]))) ??
    null
  );
}

// If the type of a value does not match its field, the value could be anything, so it is hidden.
function fits(schema: Schema | undefined, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => fits(schema, item));
  const kind = schema ? traitsOf(schema).kind : "other";
  if (kind === "number") return typeof value === "number" || value === null || /^-?[\d.]{1,20}$/.test(String(value));
  if (kind === "boolean") return typeof value === "boolean" || value === null;
  return kind === "record" || kind === "anything" || kind === "union" || typeof value !== "object" || value === null;
}
