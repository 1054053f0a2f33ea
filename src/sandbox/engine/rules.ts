import { byName, danglingIn } from "../data/references.js";
import type { Inquiry } from "./behaviour.js";
import type { Values } from "./input.js";
import { notFound, Refusal, unprocessable } from "./refusal.js";

// rule: an empty name, an e-mail address or a color of another form, a negative price or capacity, a percentage above 100 and an
// end before its start are refused (422).

// What a field with a certain name must be like, beyond its type; null for a value that it may have. Null and fields that are
// left out are not checked.
const RULES: Readonly<Record<string, FieldRule>> = /* @__PURE__ */ byName({
  name: notBlank,
  title: notBlank,
  email: (value) => (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(String(value)) ? null : "is not an e-mail address"),
  color: (value) => (/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(String(value)) ? null : "is not a color such as #336699"),
  cost: notNegative,
  starting_price: notNegative,
  min_participants: notNegative,
  max_participants: notNegative,
  capacity: (value) => (Number.isInteger(value) ? notNegative(value) : "must be a whole number"),
  percentage: (value) => (Number(value) >= 0 && Number(value) <= 100 ? null : "must be from 0 to 100"),
});

// Fields of which the second must not come before the first. Times must differ; days may be the same.
const PAIRS = [
  { least: "start_date_time", most: "end_date_time", low: "is not before", high: "is not after" },
  { least: "start_date", most: "end_date", low: "is after", high: "is before" },
] as const;

// Their names are the provider's own, so no rule knows them.
const OWN_NAMES = new Set(["custom", "custom_associations", "properties"]);

/** What is wrong with the value of a field; null for nothing. @internal */
export type FieldRule = (value: unknown) => string | null;

/**
 * @param ruleOf the rule of a field by its name. Default: that of the service.
 * @throws Refusal 422 with every field whose value breaks a rule. @internal
 */
export function checkRules(body: Values, ruleOf = (name: string): FieldRule | undefined => RULES[name]): void {
  const errors: Record<string, string[]> = {};
  collect(body, "", errors, ruleOf);
  refuse(errors);
}

/** As {@link checkRules}, for fields of which an update sends only one. @internal */
export function checkPairs(body: Values, record: Values): void {
  const errors: Record<string, string[]> = {};
  collectPairs({ ...record, ...given(body) }, body, "", errors);
  refuse(errors);
}

function refuse(errors: Record<string, string[]>): void {
  if (Object.keys(errors).length > 0) throw new Refusal(422, "The request could not be processed", { errors });
}

function collect(
  value: Values,
  path: string,
  errors: Record<string, string[]>,
  ruleOf: (name: string) => FieldRule | undefined,
): void {
  for (const [name, field] of Object.entries(value)) {
    if (field === null || field === undefined || OWN_NAMES.has(name)) continue;
    const at = Array.isArray(value) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`;
    if (typeof field === "object") collect(field as Values, at, errors, ruleOf);
    else {
      const problem = ruleOf(name)?.(field) ?? null;
      if (problem !== null) errors[at] = [...(errors[at] ?? []), problem];
    }
  }
  collectPairs(value, value, path, errors);
}

function collectPairs(value: Values, sent: Values, path: string, errors: Record<string, string[]>): void {
  for (const { least, most, low, high } of PAIRS) {
    const [start, end] = [value[least], value[most]];
    if (sent[least] === undefined && sent[most] === undefined) continue;
    if (typeof start !== "string" || typeof end !== "string" || start < end) continue;
    if (start === end && most === "end_date") continue;
    const [field, message] = sent[most] === undefined ? [least, `${low} ${most}`] : [most, `${high} ${least}`];
    const at = path === "" ? field : `${path}.${field}`;
    errors[at] = [...(errors[at] ?? []), message];
  }
}

/** A body without what is undefined. @internal */
export function given(body: Values): Values {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function notBlank(value: unknown): string | null {
  return String(value).trim() === "" ? "must not be empty" : null;
}

/** @internal */
export function notNegative(value: unknown): string | null {
  return Number(value) < 0 ? "must not be negative" : null;
}

type Known = Pick<Inquiry, "references" | "store">;

/** @throws Refusal 422, with the field, for a body that refers to a record that does not exist. @internal */
export function checkReferences(body: unknown, { references, store }: Known): void {
  const missing = danglingIn(body, references, store);
  if (missing) throw unprocessable(missing.path, "refers to a record that does not exist");
}

/** @throws Refusal 404 for a path below a record that does not exist: `invoices/{invoice_id}/payments`. @internal */
export function checkPath({ params, references, store }: Known & Pick<Inquiry, "params">): void {
  for (const [name, id] of Object.entries(params)) {
    const records = references[name]?.(store);
    if (typeof id === "number" && records && !records.peek(id)) throw notFound();
  }
}
