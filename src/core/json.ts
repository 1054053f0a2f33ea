import type { InputIssue } from "./error-details.js";

// Deeper than any body of the service; what nests deeper is most likely a cycle.
const DEEPEST = 100;

/** True for plain objects and class instances of any realm; false for dates, maps, arrays and streams, whose content would be lost. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * Finds the first value that JSON cannot represent.
 * @param given what the caller passed, before a schema copied it: the copy of a Map or an Error is empty.
 */
export function jsonIssues(value: unknown, given: unknown = value, path = "", depth = 0): InputIssue[] {
  const isCopy = isPlainObject(value) && !isPlainObject(given);
  const problem = isCopy ? notPlain(given) : jsonProblem(value, depth);
  if (problem !== null) return [{ path, message: `cannot be sent as JSON: ${problem}` }];
  if (typeof value !== "object" || value === null || "toJSON" in value) return [];
  // JSON.parse makes such a key; the schemas leave it out of their copies.
  if (isPlainObject(given) && Object.hasOwn(given, PROTO) && !Object.hasOwn(value, PROTO)) {
    return [{ path: within(path, PROTO), message: "cannot be the name of a field" }];
  }
  // A copy, because entries pass over the holes of an array.
  for (const [name, child] of Object.entries(Array.isArray(value) ? [...value] : value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : within(path, name);
    if (child === undefined && Array.isArray(value)) {
      return [{ path: at, message: "cannot be sent as JSON: it is undefined, and would be null" }];
    }
    const issues = jsonIssues(child, (given as Readonly<Record<string, unknown>> | null)?.[name], at, depth + 1);
    if (issues.length > 0) return issues;
  }
  return [];
}

const PROTO = "__proto__";

function within(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function jsonProblem(value: unknown, depth: number): string | null {
  if (typeof value === "bigint") return "it is a BigInt; send text or a number";
  if (typeof value === "number" && !Number.isFinite(value)) return `it is ${value}, and would be null`;
  if (typeof value === "function" || typeof value === "symbol") return `it is a ${typeof value}`;
  if (depth > DEEPEST) return "it nests too deeply or contains itself";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  // A Buffer has a toJSON, which writes one number per byte.
  if (ArrayBuffer.isView(value)) return "it is binary data";
  if (Object.prototype.toString.call(value) === "[object Date]" && Number.isNaN(Number(value)))
    return "it is an invalid Date";
  if ("toJSON" in value || isPlainObject(value)) return null;
  return notPlain(value);
}

function notPlain(value: unknown): string {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return `it is ${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}, not a plain object`;
}
