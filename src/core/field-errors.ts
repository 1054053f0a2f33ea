import { InputError, UnprocessableEntityError } from "./errors.js";

const DEEPEST = 8;

/**
 * The messages about each field, for forms: from an `InputError` and from a 422 alike, under the same paths, such as
 * `address_attributes.country`. Messages about no field have the key `""`; any other error returns `{}`.
 * @example
 * await client.accounts.create({ name: "Example Ltd", email: "at home" }).catch((error) => {
 *   console.log(fieldErrors(error)); // { email: ["must be an e-mail address"] }
 * });
 */
export function fieldErrors(error: unknown): Record<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (path: string, message: string) => found.set(path, [...(found.get(path) ?? []), message]);
  if (error instanceof InputError) {
    for (const { path, message } of error.issues) add(path, message);
  } else if (error instanceof UnprocessableEntityError) {
    visit("", error.errors, add);
    if (found.size === 0) add("", error.apiMessage ?? error.message);
  }
  return Object.fromEntries(found);
}

// The form of `errors` is not documented: texts by field, nested ones, and lists of either.
function visit(path: string, value: unknown, add: (path: string, message: string) => void, depth = 0): void {
  if (typeof value === "string") add(path, value);
  if (typeof value !== "object" || value === null || depth > DEEPEST) return;
  for (const [key, item] of Object.entries(value)) visit(pathOf(path, key, value, item), item, add, depth + 1);
}

function pathOf(path: string, key: string, parent: object, item: unknown): string {
  if (Array.isArray(parent)) return typeof item === "string" || path === "" ? path : `${path}[${key}]`;
  // Services that take `…_attributes` file what is about the whole record under `base`.
  if (key === "base") return path;
  return path === "" ? key : `${path}.${key}`;
}
