const SOURCE = Symbol("source");

/**
 * Makes objects whose fields are computed when they are read; all share one prototype. Fields in `chosen` have the value
 * given there. @internal
 */
export function lazy<Source, T>(
  fields: Readonly<Record<string, unknown>>,
): (source: Source, chosen?: Readonly<Partial<T>>) => Readonly<T> {
  const prototype = {};
  for (const [name, field] of Object.entries(fields)) {
    const work = field as (source: Source, row: Readonly<T>) => unknown;
    Object.defineProperty(prototype, name, {
      enumerable: true,
      get(this: { [SOURCE]: Source }) {
        return work(this[SOURCE], this as unknown as Readonly<T>);
      },
    });
  }
  return (source, chosen) => {
    const row = Object.create(prototype) as { [SOURCE]: Source };
    row[SOURCE] = source;
    for (const [name, value] of Object.entries(chosen ?? {})) {
      Object.defineProperty(row, name, { enumerable: true, value });
    }
    return row as unknown as Readonly<T>;
  };
}

/** A copy of a row with every field computed. @internal */
export function complete<T>(row: Readonly<T>): T {
  const record: Record<string, unknown> = {};
  // Computed fields are on the prototype, where a spread would not find them; chosen ones are on the row itself.
  const names = [...Object.keys(Object.getPrototypeOf(row)), ...Object.keys(row as object)];
  for (const name of names) {
    const value = row[name as keyof T];
    if (value !== undefined) record[name] = value;
  }
  return record as T;
}
