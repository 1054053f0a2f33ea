import type { InputIssue } from "./error-details.js";
import { InputError, UnprocessableEntityError } from "./errors.js";

const DEEPEST = 8;

/**
 * Groups the messages of an `InputError` or a 422 by the path of the field, such as `address_attributes.country`, for
 * forms. Messages that name no field have the key `""`; any other error returns `{}`.
 * @example
 * await client.accounts.create({ name: "Example Ltd", email: "at home" }).catch((error) => {
 *   console.log(fieldErrors(error)); // { email: ["must be an e-mail address"] }
 * });
 */
export function fieldErrors(error: unknown): Record<string, string[]> {
  if (error instanceof InputError) return Object.fromEntries(byField(error.issues));
  if (!(error instanceof UnprocessableEntityError)) return {};
  const found = textsByField(error.errors);
  if (found.size === 0) found.set("", [error.apiMessage ?? error.message]);
  return Object.fromEntries(found);
}

/**
 * Finds the messages in an error body's `errors`, whose structure is not documented: it may contain strings by field,
 * nested objects, and arrays of both.
 */
export function textsByField(errors: unknown): Map<string, string[]> {
  const issues: InputIssue[] = [];
  const visit = (path: string, value: unknown, depth: number): void => {
    if (typeof value === "string") issues.push({ path, message: value });
    if (typeof value !== "object" || value === null || depth > DEEPEST) return;
    for (const [key, item] of Object.entries(value)) visit(pathOf(path, key, value, item), item, depth + 1);
  };
  visit("", errors, 0);
  return byField(issues);
}

export function byField(issues: readonly InputIssue[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, message } of issues) {
    const texts = found.get(path) ?? [];
    texts.push(message);
    found.set(path, texts);
  }
  return found;
}

function pathOf(path: string, key: string, parent: object, item: unknown): string {
  if (Array.isArray(parent)) return typeof item === "string" || path === "" ? path : `${path}[${key}]`;
  // Services that accept `…_attributes` put messages about the whole record under `base`.
  if (key === "base") return path;
  return path === "" ? key : `${path}.${key}`;
}
