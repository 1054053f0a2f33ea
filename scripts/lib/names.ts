import { type Operation, resourceNameOf } from "../../src/core/operation.ts";
import { isSchema, type Schema } from "../../src/core/schema/traits.ts";
import type { Tables } from "./from-source.ts";

/** The names under which `src/schemas.ts` exports schemas. */
export function schemaNames(exported: Readonly<Record<string, unknown>>): ReadonlyMap<Schema, string> {
  const schemas = Object.entries(exported).filter((entry): entry is [string, Schema] => isSchema(entry[1]));
  return new Map(schemas.map(([name, schema]) => [schema, name]));
}

/** The rows of each resource, by the resource's name; the Organization API's resources come last. */
export function byResource({ operations }: Tables): (readonly [resource: string, rows: Operation[]])[] {
  const last = (name: string) => Number(name.startsWith("organization."));
  return [...Map.groupBy(operations, ({ id }) => resourceNameOf(id))].sort(
    ([a], [b]) => last(a) - last(b) || (a < b ? -1 : 1),
  );
}
