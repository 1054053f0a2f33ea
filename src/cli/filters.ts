import type { Operation } from "../core/operation.js";
import { fieldsOf, type Schema, traitsOf } from "../core/validation/traits.js";
import { kebab } from "./operations.js";

/** A filter of a list as an option of the command line. */
export interface Filter {
  /** As the service spells it: `account_type`. */
  readonly field: string;
  /** As the command line spells it: `account-type`. */
  readonly option: string;
  /** What it takes, for the help text: `<number>`, `business|personal`. */
  readonly takes: string;
  /** Whether it may be given more than once. */
  readonly multiple: boolean;
  readonly schema: Schema;
}

/** The filters of a list, from the schema of its query. */
export function filtersOf(operation: Operation): Filter[] {
  return Object.entries(fieldsOf(operation.query)).map(([field, schema]) => ({
    field,
    option: kebab(field),
    takes: takes(schema),
    multiple: takesSeveral(schema),
    schema,
  }));
}

/** The values of filters as a query. What is of no use is left for the library to refuse, with its reason. */
export function queryOf(
  filters: readonly Filter[],
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const { field, option, schema, multiple } of filters) {
    const value = values[option];
    if (value === undefined) continue;
    const texts = Array.isArray(value) ? value.map(String) : [String(value)];
    query[field] = multiple
      ? texts.flatMap((text) => partsOf(schema, text)).map((text) => valueOfText(schema, text))
      : valueOfText(schema, texts[0] ?? "");
  }
  return query;
}

/** The path parameters of an operation, in the order of its path. */
export function parametersOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Reads a text as a schema expects it: `7` as a number where numbers are taken, `true` where only true and false are. */
export function valueOfText(schema: Schema | undefined, text: string): unknown {
  const kinds = schema ? kindsOf(schema) : new Set<string>();
  if (kinds.has("number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (kinds.has("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

// `--status open,paid` is what people write. A text to search for may contain a comma.
function partsOf(schema: Schema, text: string): string[] {
  const kinds = kindsOf(schema);
  return kinds.has("enumeration") || !kinds.has("text") ? text.split(",") : [text];
}

function takesSeveral(schema: Schema): boolean {
  return kindsOf(schema).has("array");
}

function takes(schema: Schema): string {
  const enumerations = leavesOf(schema).map(traitsOf);
  for (const traits of enumerations) if (traits.kind === "enumeration") return traits.values.join("|");
  const kinds = kindsOf(schema);
  if (kinds.has("number")) return "<number>";
  if (kinds.has("boolean")) return "true|false";
  return kinds.has("anything") || kinds.has("other") ? "<date>" : "<text>";
}

function kindsOf(schema: Schema): ReadonlySet<string> {
  const traits = traitsOf(schema);
  const inner = innerOf(schema).flatMap((other) => [...kindsOf(other)]);
  return new Set([traits.kind, ...inner]);
}

function leavesOf(schema: Schema): Schema[] {
  const inner = innerOf(schema);
  return inner.length === 0 ? [schema] : inner.flatMap(leavesOf);
}

function innerOf(schema: Schema): readonly Schema[] {
  const traits = traitsOf(schema);
  switch (traits.kind) {
    case "optional":
    case "nullable":
      return [traits.inner];
    case "array":
      return [traits.item];
    case "converted":
      return [traits.input];
    case "union":
      return traits.options;
    default:
      return [];
  }
}
