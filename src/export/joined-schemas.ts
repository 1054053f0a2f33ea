import type { PageSource } from "../core/lists/page-source.js";
import { type Operation, resourceNameOf } from "../core/operation.js";
import type { Schema } from "../core/schema/traits.js";
import type { ClientLookups } from "../lookups/client-lookups.js";

/**
 * The schemas of the records that `with` adds, by name; empty for a name if no operation of the client reads its
 * records.
 */
export type JoinedSchemas = ReadonlyMap<string, readonly Schema[]>;

/** Finds the schemas of the records that a list's `with` adds. Sends nothing. */
export async function joinedSchemas({ parts, shape, operation }: PageSource): Promise<JoinedSchemas> {
  const { references } = shape;
  if (references.length === 0) return new Map();
  const { state } = await (parts.lookups as ClientLookups).load();
  return schemasOf(references, operation, await state.parts.references(), state.parts.operations());
}

export function schemasOf(
  names: readonly string[],
  { id }: Operation,
  resourceOf: (name: string, resource: string) => string | null,
  operations: readonly Operation[],
): JoinedSchemas {
  return new Map(
    names.map((name) => {
      const resource = resourceOf(name, resourceNameOf(id));
      // Either operation may read the record, so both schemas count.
      const rows = operations.filter((row) => row.id === `${resource}.list` || row.id === `${resource}.get`);
      return [name, rows.flatMap(({ response }) => response ?? [])];
    }),
  );
}
