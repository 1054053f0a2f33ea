import type { Schema } from "../../core/schema/model.js";
import { fieldsOf, traitsOf, unwrap } from "../../core/schema/traits.js";
import type { Columns, Identified, Making } from "./collection.js";
import type { SandboxManners } from "./manners.js";

/**
 * The first identifier of new records with the manner `identifiers: "large"`; low enough to keep the identifiers of
 * nested records below 2^53.
 */
export const LARGE_ID = 9_000_000_000_000;

const ODD_EVERY = 50;
const ODD = 25;
export const NEW_VALUE = "of_a_new_kind";
const NOTES = /^(content|description|comment|customer_comment|notes_user|note|abstract)$/;
// Several scripts, right-to-left text, characters outside the Basic Multilingual Plane, and a character that ends a
// line in JavaScript but not in JSON.
const LETTERS = "Zürich שלום مرحبا 東京 👩‍🏫 a\u2028b <b>&amp;</b> ";
const LONG = /* @__PURE__ */ LETTERS.repeat(400).slice(0, 10_000);

type Column = (row: Identified, random: never, making: Making<Identified>) => unknown;

/** Changes the columns of a collection so that its seeded records follow the manners. */
export function manneredColumns<T extends Identified>(
  columns: Columns<T>,
  { nullableFields, newValues, longNotes }: SandboxManners,
  schemaOf: () => Schema,
): Columns<T> {
  if (nullableFields === "some null" && newValues === "none" && longNotes === "none") return columns;
  const applyManners = (name: string, value: unknown, id: number) => {
    const schema = fieldsOf(schemaOf())[name];
    if (!schema) return value;
    const isOdd = id % ODD_EVERY === ODD;
    if (isOdd && newValues === "some" && isOpen(schema) && !name.endsWith("_type") && value !== null) return NEW_VALUE;
    if (isOdd && longNotes === "some" && NOTES.test(name) && value !== null) return LONG;
    return nullableFields === "null" && isNullable(schema) ? null : value;
  };
  const wrapped = Object.entries(columns).map(([name, column]) => {
    const work = column as Column;
    const odd: Column = (row, random, making) => {
      const value = work(row, random, making);
      return making.seeded ? applyManners(name, value, row.id) : value;
    };
    return [name, odd];
  });
  return Object.fromEntries(wrapped) as Columns<T>;
}

export function isNullable(schema: Schema | undefined): boolean {
  const traits = schema && traitsOf(schema);
  return traits?.kind === "nullable" || (traits?.kind === "optional" && isNullable(traits.inner));
}

// True if an enumeration may have values that the documents do not name.
function isOpen(schema: Schema): boolean {
  const traits = traitsOf(unwrap(schema));
  return traits.kind === "enumeration" && !traits.complete;
}
