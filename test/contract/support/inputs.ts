import * as schemas from "../../../src/schemas.js";
import { type ContractUnion, enumerations, payloads, unions } from "./contract-data.js";
import type { ContractType, Field, TypeWithNull } from "./contract-types.js";

/** A valid value of a field, and the form in which it is sent. */
export interface Accepted {
  readonly give: unknown;
  readonly wire: unknown;
}

/** An invalid value of a field, and the position of the fault within the value, such as `[0].units`. */
export interface Refused {
  readonly give: unknown;
  readonly at: string;
}

const TEXT = 'Zoë\'s "course" & more, {{tag}} <b>\nsecond line';
const CUSTOM_FIELDS = { text: "x", number: 1.5, flag: false, day: "2030-06-30", several: ["a", "b"], empty: null };
const MOMENT = "2030-06-30T22:15:07.040Z";

const isId = (name: string) => /(^|_)ids?$/.test(name);

// In a path, a text may be any text, even if the name ends in `id`.
const nameOf = ({ name, inPath, type }: Field) => (inPath && type.kind === "string" ? "" : name);

/** Values of a field that the library must send, each with the form in which it is sent. */
export function acceptedValues(field: Field): Accepted[] {
  if (field.constant !== null) return [unchangedValue(field.constant)];
  const values = acceptedOf(field, nameOf(field));
  return field.notEmpty ? values.filter(({ give }) => !isEmpty(give)) : values;
}

/** Values of a field that the library must refuse before it sends anything. */
export function refusedValues(field: Field): Refused[] {
  if (field.constant !== null) return ["no_such_value", "", 7, true, null].map(refusedWhole);
  const values = refusedOf(field, nameOf(field));
  return field.notEmpty ? [...values, refusedWhole([])] : values;
}

/**
 * Values of a filter that the library must send. A filter that accepts several values also accepts a single one, but
 * never an empty list, which would request all records.
 */
export function acceptedFilter(field: Field): Accepted[] {
  const { type } = field;
  if (type.kind !== "array") return acceptedValues(field);
  const single = acceptedOf(type.of, field.name).map(({ give, wire }) => ({ give, wire: [wire] }));
  return [...acceptedValues(field).filter(({ give }) => !isEmpty(give)), ...single];
}

/** Values of a filter that the library must refuse. Excludes single valid values for filters that accept several. */
export function refusedFilter(field: Field): Refused[] {
  const { type } = field;
  if (type.kind !== "array") return refusedValues(field);
  const good = acceptedOf(type.of, field.name).map(({ give }) => give);
  return [
    refusedWhole([]),
    ...refusedValues(field).filter(({ give }) => !good.some((value) => String(value) === String(give))),
  ];
}

// Valid texts for fields whose format the service checks in some operations.
const ADDRESSES: Readonly<Record<string, string>> = {
  email: "o'brien+x@example.com",
  url: "https://example.com/hook?a=b",
};

function acceptedOf({ type, nullable }: TypeWithNull, name: string): Accepted[] {
  const values = acceptedByType(type, name);
  return nullable ? [...values, unchangedValue(null)] : values;
}

function acceptedByType(type: ContractType, name: string): Accepted[] {
  switch (type.kind) {
    case "integer":
      return [type.min ?? 1, 7, type.max ?? 2_147_483_648].map(unchangedValue);
    case "number":
      return [8, 0.25].map(unchangedValue);
    case "string":
      // The library accepts an identifier that is text also as a number.
      if (isId(name)) return [unchangedValue("7"), { give: 7, wire: "7" }];
      // The service documents no format, so the type is text. These texts are dates or times, because the library
      // refuses others.
      if (/^(start_|end_)?date(_from|_until)?$/.test(name))
        return [unchangedValue("2030-06-30"), unchangedValue("2030-06-30T22:15:07.040Z")];
      return ADDRESSES[name] ? [unchangedValue(ADDRESSES[name])] : [unchangedValue("x"), unchangedValue(TEXT)];
    case "decimal":
      return ["12.50", "0", "-3.333"].map(unchangedValue);
    case "datetime":
      return [
        unchangedValue(MOMENT),
        { give: new Date(MOMENT), wire: MOMENT },
        { give: "2030-06-30T22:15:07Z", wire: "2030-06-30T22:15:07.000Z" },
      ];
    case "date":
      return [unchangedValue("2030-06-30"), { give: new Date(MOMENT), wire: "2030-06-30" }];
    case "boolean":
      return [true, false].map(unchangedValue);
    case "object":
      return [{}, { anything: { deep: [1] } }].map(unchangedValue);
    case "literals":
      return type.values.map(unchangedValue);
    case "either":
      return type.of.flatMap((option) => acceptedByType(option, name));
    case "array": {
      const items = acceptedOf(type.of, name);
      return [unchangedValue([]), list(items.slice(0, 1)), list(items)];
    }
    case "shape":
      return acceptedShapes(type.fields);
    case "name":
      return acceptedByName(type.name);
  }
}

/** Values of an enumeration or payload that the library must send; for a union, the values of each variant. */
export function acceptedByName(name: string): Accepted[] {
  const union = unions.get(name);
  if (union) return Object.values(union.variants).flatMap(acceptedByName);
  if (name === "CustomFields") return [{}, CUSTOM_FIELDS].map(unchangedValue);
  if (name === "CustomAssociationsPayload") return [{}, { rooms: [1, 2], none: [] }].map(unchangedValue);
  const enumeration = enumerations.get(name);
  // An enumeration that is not closed accepts any text.
  if (enumeration)
    return [
      ...enumeration.values.map(unchangedValue),
      enumeration.closed ? castOf(name) : unchangedValue("no_such_value"),
    ];
  return acceptedShapes(payload(name));
}

// A cast value, which the service may accept although its description does not list the value.
function castOf(name: string): Accepted {
  const { cast } = (schemas as unknown as Record<string, schemas.Enumeration<string>>)[name] ?? {};
  return { give: cast?.("a_value_of_tomorrow"), wire: "a_value_of_tomorrow" };
}

// Objects with only the required fields, then with each value of each field in addition, then with all fields together.
function acceptedShapes(fields: readonly Field[]): Accepted[] {
  const needed = requiredOf(fields);
  const alone = fields.flatMap((field) =>
    acceptedValues(field).map(({ give, wire }) => ({
      give: { ...needed.give, [field.name]: give },
      wire: { ...needed.wire, [field.name]: wire },
    })),
  );
  const all = fields.map((field) => [field.name, acceptedValues(field)[0]] as const);
  return [
    needed,
    ...alone,
    {
      give: Object.fromEntries(all.map(([name, value]) => [name, value?.give])),
      wire: Object.fromEntries(all.map(([name, value]) => [name, value?.wire])),
    },
  ];
}

function refusedOf({ type, nullable }: TypeWithNull, name: string): Refused[] {
  const values = refusedByType(type, name);
  return nullable ? values : [...values, refusedWhole(null)];
}

function refusedByType(type: ContractType, name: string): Refused[] {
  switch (type.kind) {
    case "integer": {
      const { min = isId(name) ? 1 : undefined, max } = type;
      const outside = [...(min === undefined ? [] : [min - 1]), ...(max === undefined ? [] : [max + 1])];
      return [...outside, 1.5, Number.NaN, "7", true, {}].map(refusedWhole);
    }
    case "number":
      return ["8.5", Number.NaN, Number.POSITIVE_INFINITY, true, {}].map(refusedWhole);
    case "string":
      return isId(name) ? ["", "abc", "1.5", 1.5, true].map(refusedWhole) : [7, true, {}, ["x"]].map(refusedWhole);
    case "decimal":
      return [12.5, 12, "", "12,50", "1e3", "abc", true].map(refusedWhole);
    case "datetime":
      return ["2030-06-30", "2030-06-30T22:15:07.040", "2030-02-30T00:00:00.000Z", "", 1, new Date(Number.NaN)].map(
        refusedWhole,
      );
    case "date":
      return [MOMENT, "2030-6-30", "2030-02-30", "30-06-2030", "", 1, new Date(Number.NaN)].map(refusedWhole);
    case "boolean":
      return ["true", 1, {}].map(refusedWhole);
    case "object":
      return ["x", 7, ["x"]].map(refusedWhole);
    case "literals":
      return ["no_such_value", 7].map(refusedWhole);
    case "either": {
      const kinds = type.of.map(({ kind }) => kind);
      return [{}, ...(kinds.includes("integer") ? [1.5] : [7])].map(refusedWhole);
    }
    case "array": {
      const good = acceptedOf(type.of, name)[0]?.give;
      const items = refusedOf(type.of, name).map(({ give, at }) => ({ give: [good, give], at: `[1]${at}` }));
      return ["x", 7, { 0: good }].map(refusedWhole).concat(items);
    }
    case "shape":
      return refusedShapes(type.fields);
    case "name":
      return refusedByName(type.name);
  }
}

function refusedByName(name: string): Refused[] {
  const union = unions.get(name);
  if (union) return refusedUnion(union);
  if (name === "CustomFields") return [...["x", 7, ["x"]].map(refusedWhole), { give: { room: { a: 1 } }, at: ".room" }];
  if (name === "CustomAssociationsPayload") {
    const asRead = { custom_object_slug: "room", custom_record_ids: [1] };
    return [
      ...["x", 7].map(refusedWhole),
      { give: { rooms: asRead }, at: ".rooms" },
      { give: { rooms: [0] }, at: ".rooms[0]" },
    ];
  }
  const enumeration = enumerations.get(name);
  if (enumeration) return [...(enumeration.closed ? ["no_such_value", ""] : []), 7, true].map(refusedWhole);
  return refusedShapes(payload(name));
}

// Also includes variants that the service only returns. They are refused with the path of the discriminator.
function refusedUnion({ discriminator, variants }: ContractUnion): Refused[] {
  const inside = Object.values(variants).flatMap((name) => refusedShapes(payload(name)));
  const fields = Object.values(variants).flatMap(payload);
  const kinds = fields.flatMap((field) =>
    field.name === discriminator && field.type.kind === "name" ? (enumerations.get(field.type.name)?.values ?? []) : [],
  );
  const others = [...new Set(kinds)].filter((kind) => !(kind in variants));
  return [...inside, ...others.map((kind) => ({ give: { [discriminator]: kind }, at: `.${discriminator}` }))];
}

function refusedShapes(fields: readonly Field[]): Refused[] {
  const needed = requiredOf(fields).give;
  const inside = fields.flatMap((field) =>
    refusedValues(field).map(({ give, at }) => ({
      give: { ...needed, [field.name]: give },
      at: `.${field.name}${at}`,
    })),
  );
  const missing = Object.keys(needed).map((name) => ({ give: { ...needed, [name]: undefined }, at: `.${name}` }));
  const unknown = { give: { ...needed, no_such_field: 1 }, at: ".no_such_field" };
  return [...["x", 7, ["x"]].map(refusedWhole), unknown, ...missing, ...inside];
}

/** An object with only the required fields. */
export function requiredOf(fields: readonly Field[]): { give: Record<string, unknown>; wire: Record<string, unknown> } {
  const pairs = fields
    .filter((field) => field.required)
    .map((field) => [field.name, acceptedValues(field)[0]] as const);
  return {
    give: Object.fromEntries(pairs.map(([name, value]) => [name, value?.give])),
    wire: Object.fromEntries(pairs.map(([name, value]) => [name, value?.wire])),
  };
}

function payload(name: string): Field[] {
  const fields = payloads.get(name);
  if (!fields) throw new Error(`the contract names an input it does not describe: ${name}`);
  return fields;
}

function list(items: readonly Accepted[]): Accepted {
  return { give: items.map((item) => item.give), wire: items.map((item) => item.wire) };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function unchangedValue(value: unknown): Accepted {
  return { give: value, wire: value };
}

function refusedWhole(value: unknown): Refused {
  return { give: value, at: "" };
}
