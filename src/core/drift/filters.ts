// Filters of which it is known that a record fits only with an equal value.
const BY_EQUALITY = /^status$|_id$/;

/** The filters of a query that records of its response contradict: a service ignores a filter that it does not know. */
export function contradicted(
  query: readonly (readonly [name: string, value: string])[],
  records: readonly unknown[],
): string[] {
  const wanted = new Map<string, Set<string>>();
  for (const [written, value] of query) {
    const name = written.replace(/\[\]$/, "");
    if (!BY_EQUALITY.test(name)) continue;
    const values = wanted.get(name) ?? new Set();
    wanted.set(name, values);
    for (const each of value.split(",")) values.add(each);
  }
  if (wanted.size === 0) return [];
  const isOther = (record: unknown, name: string, values: ReadonlySet<string>) => {
    const found = (record as Record<string, unknown> | null)?.[name];
    return (typeof found === "string" || typeof found === "number") && !values.has(String(found));
  };
  return [...wanted]
    .filter(([name, values]) => records.some((record) => isOther(record, name, values)))
    .map(([name]) => name);
}
