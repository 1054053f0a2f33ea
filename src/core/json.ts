// Deeper than any body of the service; what nests deeper is most likely a cycle.
export const DEEPEST = 100;

/** True for plain objects and class instances of any realm; false for dates, maps, arrays and streams, whose content would be lost. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * Whether JSON can represent a value. What it cannot, `jsonIssues` says, which browsers load when it is needed.
 * @param given what the caller passed, before a schema copied it: the copy of a Map or an Error is empty.
 */
export function isJson(value: unknown, given: unknown = value, depth = 0): boolean {
  const kind = typeof value;
  if (depth > DEEPEST || kind === "bigint" || kind === "function" || kind === "symbol") return false;
  if (kind === "number") return Number.isFinite(value);
  if (kind !== "object" || value === null) return true;
  const inside = value as Readonly<Record<string, unknown>>;
  if (ArrayBuffer.isView(value) || isInvalidDate(value) || (isPlainObject(value) && isLost(value, given))) return false;
  if ("toJSON" in inside) return true;
  const isFine = (child: unknown, name: string | number) =>
    isJson(child, (given as Readonly<Record<string, unknown>> | null)?.[name], depth + 1);
  // A copy, because `every` passes over the holes of an array.
  if (Array.isArray(value)) return [...value].every((child, at) => child !== undefined && isFine(child, at));
  return isPlainObject(value) && Object.entries(value).every(([name, child]) => isFine(child, name));
}

/** True for a Date of no time. */
export function isInvalidDate(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Date]" && Number.isNaN(Number(value));
}

/** The name of a field that JSON.parse makes and that schemas leave out of their copies. */
export const PROTO = "__proto__";

// Whether a copy lacks what was given.
function isLost(copy: object, given: unknown): boolean {
  return !isPlainObject(given) || (Object.hasOwn(given, PROTO) && !Object.hasOwn(copy, PROTO));
}
