import type { Operation } from "../core/operation.js";
import { fieldsOf, type Schema, traitsOf } from "../core/schema/traits.js";
import { inputSchemaOf } from "../input-schemas.js";
import { leavesOf, schemasWithin, valueOfText } from "../work/fields/text.js";
import { type Command, Option } from "./commander.js";
import { kebab } from "./operations.js";

export interface Filter {
  /** Name in the service's spelling: `account_type`. */
  readonly field: string;
  /** Option in the command line's spelling: `--account-type`. It converts texts to values of the query. */
  readonly option: Option;
}

interface Described {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
}

/**
 * Builds the filters of a list from the schema of its query. Invalid values are refused later by the library, with its
 * own explanation.
 */
export function filterOptions(operation: Operation): Filter[] {
  const { query } = inputSchemaOf(operation).properties as { readonly query?: Described };
  return Object.entries(fieldsOf(operation.query)).map(([field, schema]) => {
    const takesSeveral = kindsOf(schema).has("array");
    const what = query?.properties[field]?.description?.replace(/\.$/, "") ?? "";
    const text = takesSeveral ? what.replace(/\. |$/, "; can be repeated$&") : what;
    const option = new Option(`--${kebab(field)} <${takes(schema)}>`, text);
    const values = valuesOf(schema);
    if (values.length > 0) option.choices(values);
    option.argParser((text: string, before: unknown) => {
      if (!takesSeveral) return valueOfText(schema, text);
      const parts = partsOf(schema, text).map((part) => valueOfText(schema, part));
      return Array.isArray(before) ? [...before, ...parts] : parts;
    });
    return { field, option };
  });
}

export function queryOf(filters: readonly Filter[], command: Command): Record<string, unknown> {
  const given = filters.map(({ field, option }) => [field, command.getOptionValue(option.attributeName())] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

// Commas separate values, as in `--status open,paid`, but not in free text: a search text may contain a comma.
function partsOf(schema: Schema, text: string): string[] {
  const kinds = kindsOf(schema);
  return kinds.has("enumeration") || !kinds.has("text") ? text.split(",") : [text];
}

function valuesOf(schema: Schema): readonly string[] {
  for (const traits of leavesOf(schema).map(traitsOf)) if (traits.kind === "enumeration") return traits.values;
  return kindsOf(schema).has("boolean") ? ["true", "false"] : [];
}

function takes(schema: Schema): string {
  const kinds = kindsOf(schema);
  if (kinds.has("enumeration") || kinds.has("boolean")) return "value";
  if (kinds.has("number")) return "number";
  return kinds.has("anything") || kinds.has("other") ? "date" : "text";
}

function kindsOf(schema: Schema): ReadonlySet<string> {
  return new Set(schemasWithin(schema).map((inner) => traitsOf(inner).kind));
}
