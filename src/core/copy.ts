import { isPlainObject } from "./json.js";

/** Makes a deep copy of JSON data. Not recursive, because deep nesting would overflow the stack. */
export function copyOf<T>(value: T): T {
  const copy = shallow(value);
  const open: unknown[] = [copy];
  // Grows during the loop, so that nested objects are copied too.
  for (const holder of open as (Record<string, unknown> | null)[]) {
    if (typeof holder !== "object" || holder === null) continue;
    for (const key of Object.keys(holder)) {
      const inner = holder[key];
      if (typeof inner !== "object" || inner === null) continue;
      holder[key] = shallow(inner);
      open.push(holder[key]);
    }
  }
  return copy;
}

function shallow<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return [...value] as T;
  // Data passed to a sandbox may contain a Date, which is cloned.
  return isPlainObject(value) ? { ...value } : structuredClone(value);
}
