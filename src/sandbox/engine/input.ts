import type { Operation } from "../../core/operation.js";
import { check, formatPath, type Mismatch } from "../../core/schema/issues.js";
import { querySchema } from "../../core/schema/query.js";
import { strictSchema } from "../../core/schema/strict-schema.js";
import { fieldsOf, isOptional, type Schema, traitsOf, unwrap } from "../../core/schema/traits.js";
import type { SandboxManners } from "../data/manners.js";
import { notFound, Refusal } from "./refusal.js";

export type Values = Readonly<Record<string, unknown>>;

// These functions check input as it arrives: the client's schemas may fill in or convert it, but the service does not.

/** @throws Refusal 404 for a value that cannot be an identifier. */
export function readParams(row: Operation, texts: Readonly<Record<string, string>>): Values {
  if (!row.params) return {};
  const fields = fieldsOf(row.params);
  const values = Object.entries(texts).map(
    ([name, text]) => [name, coerce(identifying(fields[name]), [text])] as const,
  );
  const { value, mismatches } = check(strictSchema(row.params, "received"), Object.fromEntries(values));
  if (mismatches.length > 0) throw notFound();
  return value as Values;
}

/** @throws Refusal 400 naming the parameters that are not allowed or have an invalid value. */
export function readQuery(row: Operation, pairs: Iterable<readonly [string, string]>, manners: SandboxManners): Values {
  const schema = querySchema(row);
  const fields = fieldsOf(schema);
  const texts = new Map<string, string[]>();
  for (const [key, text] of pairs) {
    // rule: a list may be written as `ids=1&ids=2`, `ids=1,2`, `ids[]=1` or, as PHP does, `ids[0]=1`; true and false
    // may be 1 and 0; `sort=name` sorts in ascending order; a time may be in whole seconds.
    const name = manners.arrays === "repeated" ? key : withoutBrackets(key);
    const others = manners.arrays === "with brackets" && name === key ? [] : (texts.get(name) ?? []);
    if (name !== INCLUDE || INCLUDE in fields) texts.set(name, [...others, text]);
  }
  const fieldOf = (name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
  const values = new Map([...texts].map(([name, given]) => [name, coerce(fieldOf(name), given)]));
  const checkQuery = () => checkSent(strictSchema(schema, "received"), Object.fromEntries(values));
  let { value, mismatches } = checkQuery();
  for (const { path } of mismatches) {
    const name = String(path[0] ?? "");
    const treated = fieldOf(name) ? manners.unreadableFilters : manners.unknownFilters;
    if (treated === "ignored" && !PAGE_PARAMETERS.includes(name)) values.delete(name);
  }
  if (mismatches.length > 0) ({ value, mismatches } = checkQuery());
  // rule: an invalid page or cursor gets a 400, and so does an invalid filter, include or sort unless a manner says
  // otherwise.
  if (mismatches.length > 0)
    throw new Refusal(400, "A parameter or filter is not allowed", { errors: byField(mismatches) });
  return value as Values;
}

/** @throws Refusal 400 if the text is not JSON, 422 naming the invalid fields. */
export function readBody(row: Operation, text: string, leads: SandboxManners["leads"] = "whole"): Values {
  if (!row.body) return {};
  let body: unknown;
  try {
    body = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new Refusal(400, "The body is not JSON");
  }
  if (row.id === "leads.create" && leads === "as in public examples") body = wholeLead(Object(body));
  // rule: a body that is not JSON gets a 400; a body with missing, unknown or invalid fields, or with an identifier
  // that refers to no record, gets a 422.
  const { value, mismatches } = checkSent(strictSchema(row.body, "received"), body);
  if (mismatches.length > 0)
    throw new Refusal(422, "The request could not be processed", { errors: byField(mismatches) });
  return value as Values;
}

const INCLUDE = "include";
const withoutBrackets = (key: string) => key.replace(/\[\d*\]$/, "");

/** @throws Refusal 400 for a field that cannot be included. */
export function readInclude({ method, response }: Operation, search: URLSearchParams): readonly string[] {
  const names = [...search].flatMap(([key, text]) => (withoutBrackets(key) === INCLUDE ? text.split(",") : []));
  // rule: `include` names fields that a record need not have, such as `meetings` or `course_tab_contents.course_tab`;
  // an `include` of other fields gets a 400.
  const isKnown = (name: string) => {
    let schema = method === "GET" ? response : undefined;
    return name.split(".").every((part) => {
      const field: Schema | undefined = Object.hasOwn(fieldsOf(schema), part) ? fieldsOf(schema)[part] : undefined;
      const [whole, traits] = [field && unwrap(field), field && traitsOf(unwrap(field))];
      schema = traits?.kind === "array" ? traits.item : whole;
      return field !== undefined && isOptional(field) && Object.keys(fieldsOf(schema)).length > 0;
    });
  };
  if (names.every(isKnown)) return names.map((name) => name.split(".")[0] as string);
  throw new Refusal(400, "A parameter or filter is not allowed", { errors: { include: ["is not a known field"] } });
}

function wholeLead({ lead_products_attributes: lead_products, ...lead }: Values): Values {
  return { title: "Lead", quality: null, ...(lead_products !== undefined && { lead_products }), ...lead };
}

/** Query parameters that select a page instead of filtering. */
export const PAGE_PARAMETERS: readonly string[] = ["cursor", "page", "per_page"];

type Found = Pick<Mismatch, "path" | "message">;

function checkSent(schema: Schema, sent: unknown): { value: unknown; mismatches: readonly Found[] } {
  const { value, mismatches } = check(schema, sent);
  return { value, mismatches: mismatches.length > 0 ? mismatches : rewritten(sent, value, []) };
}

// Finds the values that a schema accepted but changed.
function rewritten(sent: unknown, value: unknown, path: readonly PropertyKey[]): Found[] {
  if (sent === value) return [];
  if (sent === undefined) return [{ path, message: "is missing" }];
  if (typeof sent !== "object" || typeof value !== "object" || sent === null || value === null)
    return [{ path, message: `must be written as the service writes it: ${JSON.stringify(value)}` }];
  return Object.entries(value).flatMap(([name, part]) => {
    const key = Array.isArray(value) ? Number(name) : name;
    return rewritten((sent as Values)[name], part, [...path, key]);
  });
}

function byField(mismatches: readonly Found[]): Record<string, string[]> {
  const errors = new Map<string, string[]>();
  for (const { path, message } of mismatches) {
    const field = formatPath(path) || "base";
    errors.set(field, [...(errors.get(field) ?? []), message]);
  }
  return Object.fromEntries(errors);
}

// If a path accepts an identifier or a slug, digits are read as an identifier.
function identifying(schema: Schema | undefined): Schema | undefined {
  const traits = schema && traitsOf(schema);
  return traits?.kind === "union" ? traits.options[0] : schema;
}

// Converts text to the type of the schema. Text that cannot be converted stays unchanged, and the check then refuses
// it.
function coerce(schema: Schema | undefined, texts: readonly string[]): unknown {
  const last = texts.at(-1);
  if (!schema) return last;
  const traits = traitsOf(schema);
  switch (traits.kind) {
    case "optional":
    case "nullable":
      return coerce(traits.inner, texts);
    case "converted":
      return coerce(
        traits.input,
        texts.slice(-1).map((text) => text.replace(/(T\d\d:\d\d:\d\d)Z$/, "$1.000Z")),
      );
    case "union": {
      // In a URL, a filter that accepts one value or several is always read as a list.
      const several = traits.options.find((option) => traitsOf(option).kind === "array");
      return several ? coerce(several, texts) : last;
    }
    case "array": {
      // A single text may contain the whole list (`arrayFormat: "comma"`).
      const items = texts.length === 1 ? (texts[0] as string).split(",") : texts;
      return items.map((item) => coerce(traits.item, [item]));
    }
    case "number":
      return last !== undefined && /^-?\d+(\.\d+)?$/.test(last) ? Number(last) : last;
    case "boolean":
      return last === "true" || last === "1" ? true : last === "false" || last === "0" ? false : last;
    case "enumeration":
      return traits.values.includes(`${last}:asc`) ? `${last}:asc` : last;
    default:
      return last;
  }
}
