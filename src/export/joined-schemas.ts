import { resourceNameOf } from "../core/operation.js";
import type { Schema } from "../core/schema/traits.js";
import type { JoinedSource } from "../lookups/client-lookups.js";
import type { ResumableList } from "./resumable.js";

/** The schemas of the records that `with` adds, by name; none where the client has no operation that reads them. */
export type JoinedSchemas = ReadonlyMap<string, readonly Schema[]>;

/** Finds the schemas of the records that a list's `with` adds. Nothing is sent. */
export async function joinedSchemas({ operation, source, references }: ResumableList<unknown>): Promise<JoinedSchemas> {
  // Not by instanceof: the list may belong to another copy of this library.
  const client = await (source as Partial<JoinedSource>).lookups?.load();
  const resourceOf = (await client?.references()) ?? (() => null);
  const own = resourceNameOf(operation.id);
  return new Map(
    references.map((name) => {
      const resource = resourceOf(name, own);
      // Which of the two reads a record shows only when it is read.
      const rows = client?.operations().filter(({ id }) => id === `${resource}.list` || id === `${resource}.get`) ?? [];
      return [name, rows.flatMap(({ response }) => response ?? [])];
    }),
  );
}
