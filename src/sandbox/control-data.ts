import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import type { Collection, Identified } from "./data/collection.js";
import { insertData } from "./own-data.js";
import type { Sandbox } from "./sandbox.js";

type Collections = Readonly<Record<string, Collection<Identified>>>;

/** The collections of a sandbox by name, without the views that only read them. @internal */
export function collectionsOf({ store }: Pick<Sandbox, "store">): Collections {
  const entries = Object.entries(store) as [string, { readonly insert?: unknown }][];
  return Object.fromEntries(
    entries.filter(([, value]) => typeof value.insert === "function"),
  ) as unknown as Collections;
}

/** @throws RangeError for a name that no collection has. @internal */
export function namedCollection(sandbox: Pick<Sandbox, "store">, name: string): Collection<Identified> {
  const collections = collectionsOf(sandbox);
  const found = Object.hasOwn(collections, name) ? collections[name] : undefined;
  if (found) return found;
  throw new RangeError(`there are no records called "${name}"${didYouMean(name, Object.keys(collections))}`);
}

/**
 * Adds records by the names of their collections, as JSON has them: `{"accounts": [{"name": "Example Ltd"}]}`.
 * @returns the records as they were added.
 * @throws RangeError naming the collection, record or field that is wrong.
 * @internal
 */
export function insertRecords(sandbox: Pick<Sandbox, "store">, data: unknown): Record<string, readonly unknown[]> {
  if (!isPlainObject(data))
    throw new RangeError('data must be records by name: {"accounts": [{"name": "Example Ltd"}]}');
  // All names first, so that a mistake in one adds nothing.
  const names = Object.keys(data);
  for (const name of names) namedCollection(sandbox, name);
  const added = insertData(data, sandbox.store);
  const recordsOf = (name: string) =>
    added.filter((one) => one.name === name).map(({ id }) => namedCollection(sandbox, name).get(id));
  return Object.fromEntries(names.map((name) => [name, recordsOf(name)]));
}
