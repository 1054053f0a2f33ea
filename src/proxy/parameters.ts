import { bareName } from "../core/call/request.js";
import type { InputIssue } from "../core/error-details.js";
import type { Operation } from "../core/operation.js";
import { printable } from "../core/printable.js";
import { parse } from "../core/schema/issues.js";
import { fieldsOf, type Schema } from "../core/schema/traits.js";
import { badParameters } from "./refusal.js";

export type Values = Readonly<Record<string, unknown>>;

const NUMBER = /^-?(?:0|[1-9]\d{0,15})(?:\.\d{1,10})?$/;

const IDENTIFIER = /^[1-9]\d{0,15}$/;
// A slug must contain a letter, so that the service never takes it for an identifier.
const SLUG = /^(?=.*\p{L})[\p{L}\p{M}\p{N}._~-]+$/u;

/**
 * Parses the path parameters: identifiers become numbers, and the client checks whether the operation accepts them.
 * @throws Refusal 400 for text that is not a slug although the client would accept it as one, such as `07` or `7;x`.
 */
export function readParams(row: Operation, texts: ReadonlyMap<string, string>): Values {
  const shape = fieldsOf(row.params);
  const issues: InputIssue[] = [];
  const values = [...texts].map(([name, text]): [string, unknown] => {
    const schema = shape[name];
    if (IDENTIFIER.test(text)) return [name, accepts(schema, Number(text)) ? Number(text) : text];
    if (!SLUG.test(text) && accepts(schema, text))
      issues.push({ path: name, message: "must be an identifier (a positive whole number) or a slug" });
    return [name, text];
  });
  if (issues.length > 0) throw badParameters(issues);
  return Object.fromEntries(values);
}

/**
 * Converts the query to the types of its schema; the client refuses values that fit no type.
 * @throws Refusal 400 naming every parameter that the operation does not have.
 */
export function readQuery(row: Operation, search: URLSearchParams): Values {
  const filters = fieldsOf(row.query);
  const given = new Map<string, { texts: string[]; isList: boolean }>();
  for (const [key, text] of search) {
    const name = bareName(key);
    const isList = name !== key;
    const before = given.get(name);
    given.set(name, { texts: [...(before?.texts ?? []), text], isList: isList || before !== undefined });
  }
  const issues: InputIssue[] = [];
  const values: [string, unknown][] = [];
  for (const [name, { texts, isList }] of given) {
    const [text] = texts as [string];
    if (texts.some((one) => printable(one) !== one))
      issues.push({ path: name, message: "must not contain control characters" });
    else if (Object.hasOwn(filters, name)) values.push([name, typedValue(filters[name], texts, isList)]);
    else if (!pagingOf(row).includes(name)) issues.push({ path: name.slice(0, 100), message: "is not a known filter" });
    else if (isList) issues.push({ path: name, message: "must be given once" });
    else values.push([name, name === "cursor" || !NUMBER.test(text) ? text : Number(text)]);
  }
  if (issues.length > 0) throw badParameters(issues);
  return Object.fromEntries(values);
}

function pagingOf({ paged }: Operation): readonly string[] {
  if (paged === "cursor+page") return ["cursor", "per_page", "page"];
  return paged === "cursor" ? ["cursor", "per_page"] : [];
}

// The same text can be read as values of several types; the first value that the schema accepts is used.
function typedValue(schema: Schema | undefined, texts: readonly string[], isList: boolean): unknown {
  const [text] = texts as [string];
  // One text may contain the whole list (the client's `arrayFormat: "comma"`).
  const items = texts.length === 1 ? text.split(",") : texts;
  const lists: unknown[] = [items, ...(items.every((item) => NUMBER.test(item)) ? [items.map(Number)] : [])];
  const candidates = isList ? lists : [text, ...scalarsOf(text), ...lists];
  const found = candidates.find((candidate) => accepts(schema, candidate));
  return found === undefined ? candidates[0] : found;
}

function accepts(schema: Schema | undefined, value: unknown): boolean {
  return schema === undefined || parse(schema, value).success;
}

function scalarsOf(text: string): unknown[] {
  if (text === "true" || text === "false") return [text === "true"];
  return NUMBER.test(text) ? [Number(text)] : [];
}
