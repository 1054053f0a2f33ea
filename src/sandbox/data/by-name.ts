/**
 * A copy without a prototype, for names that come from a request: a record literal also has `constructor` and `toString`. @internal
 */
export function byName<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null) as Record<string, T>, values);
}
