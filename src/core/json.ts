// No body of the service is nested this deeply; deeper nesting is most likely a cycle.
export const DEEPEST = 100;

/** True for plain objects and class instances from any realm; false for dates, maps, arrays and streams. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

export function isInvalidDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Date]" && Number.isNaN(Number(value));
}

/** A field name that JSON.parse keeps but schemas drop from their copies. */
export const PROTO = "__proto__";
