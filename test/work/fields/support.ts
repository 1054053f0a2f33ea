import type { Schema } from "../../../src/core/schema/traits.js";
import * as schemas from "../../../src/generated/schemas.js";
import { record, variantsOf } from "../../contract/support/answers.js";
import { records, unionNames } from "../../contract/support/contract-data.js";

/** The records of the contract and its unions of records, each with its schema. */
export const all = [...records.keys(), ...unionNames.read].map((name) => {
  const schema = (schemas as Readonly<Record<string, unknown>>)[
    `${name.charAt(0).toLowerCase() + name.slice(1)}Schema`
  ] as Schema;
  return { name, schema };
});

/** Records with other values of their enumerations, and one with null wherever it is allowed. */
export function rowsOf(name: string): Readonly<Record<string, unknown>>[] {
  return variantsOf(name).flatMap((one) => rowsOfRecord(one));
}

function rowsOfRecord(name: string): Readonly<Record<string, unknown>>[] {
  return [{}, { turn: 1 }, { turn: 2 }, { nulls: true }].map((filling, at) =>
    // A value with quotes cannot be written in a condition.
    JSON.parse(JSON.stringify(record(name, "main", filling)).replaceAll(/Zoë & [^}]*}}/g, `Zoë and Sons ${at}`)),
  );
}

/** The paths to all values of a record; those into lists with the number of an item and without. */
export function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const names = Array.isArray(value) ? (value.length > 0 ? ["0"] : []) : Object.keys(value);
  const own = names.flatMap((name) => [[...path, name], ...pathsIn((value as never)[name], [...path, name])]);
  return Array.isArray(value) ? [...own, ...(value.length > 0 ? pathsIn(value[0], path) : [])] : own;
}
