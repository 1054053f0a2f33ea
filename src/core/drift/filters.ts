// Filters known to match only records with an equal value.
const BY_EQUALITY = /^status$|_id$/;

/** A filter on one field: it matches records with one of these values. */
export type EqualityFilter = readonly [field: string, values: ReadonlySet<string>];

export function equalityFilters(query: readonly (readonly [name: string, value: string])[]): EqualityFilter[] {
  const filters = new Map<string, Set<string>>();
  for (const [written, value] of query) {
    const name = written.replace(/\[\]$/, "");
    if (!BY_EQUALITY.test(name)) continue;
    const values = filters.get(name) ?? new Set();
    filters.set(name, values);
    for (const each of value.split(",")) values.add(each);
  }
  return [...filters];
}

/** True if a record contradicts a filter, as happens if the service does not know the filter and ignores it. */
export function contradicts(record: unknown, [field, values]: EqualityFilter): boolean {
  const found = (record as Record<string, unknown> | null)?.[field];
  return (typeof found === "string" || typeof found === "number") && !values.has(String(found));
}
