import type { MainClient } from "../../clients/main.js";
import { isPlainObject } from "../../core/json.js";
import type { Pages } from "../../core/lists/pages.js";
import { CUSTOM_KINDS, type CustomKind } from "../../models/custom-kinds.js";
import { fieldOf, type SchoolDefinitions, type SchoolField } from "../../school/definitions.js";

export const OBSERVABLE = [
  "accounts",
  "catalogProducts",
  "catalogVariants",
  "courses",
  "orders",
  "teachers",
  "users",
] as const;
export type Observable = (typeof OBSERVABLE)[number];

/**
 * Adds fields that records have but definitions do not list, with the types of their values.
 * @param pages maximum number of pages to read, one request each.
 */
export async function withObserved(
  definitions: SchoolDefinitions,
  client: { readonly [Name in Observable]: Pick<MainClient[Name], "list"> },
  resource: Observable,
  pages: number,
): Promise<SchoolDefinitions> {
  // Typed loosely: all lists accept these options, and the types of their records do not matter here.
  const resourceOf: { list(query: object, options: object): Pages<unknown> } = client[resource];
  const values: Record<string, unknown>[] = [];
  for await (const record of resourceOf.list({}, { maxPages: pages, prefetch: 0, validation: "off" })) {
    if (isPlainObject(record) && isPlainObject(record.custom)) values.push(record.custom);
  }
  return addFields(definitions, CUSTOM_KINDS[resource], observedFields(values));
}

/**
 * Infers fields from the values of custom fields. A field whose values are all null or of several types is `unknown`.
 */
export function observedFields(records: readonly Readonly<Record<string, unknown>>[]): Map<string, SchoolField> {
  const types = new Map<string, string | null>();
  for (const record of records) {
    for (const [slug, value] of Object.entries(record)) {
      const type = typeOf(value);
      const before = types.get(slug) ?? null;
      types.set(slug, before === null || type === null || before === type ? (type ?? before) : "unknown");
    }
  }
  return new Map([...types].map(([slug, type]) => [slug, { type: type ?? "unknown", observed: true }]));
}

/**
 * The service's definitions plus the observed fields that a file already has: a sample of records without a field does
 * not prove that the field is gone.
 */
export function withKnownObserved(definitions: SchoolDefinitions, file: SchoolDefinitions): SchoolDefinitions {
  return Object.values(CUSTOM_KINDS).reduce((all, kind) => {
    const observed = Object.entries(file[kind] ?? {}).flatMap(([slug, written]): [string, SchoolField][] => {
      const field = fieldOf(written);
      return field.observed ? [[slug, field]] : [];
    });
    return addFields(all, kind, new Map(observed));
  }, definitions);
}

function addFields(
  definitions: SchoolDefinitions,
  kind: CustomKind,
  fields: ReadonlyMap<string, SchoolField>,
): SchoolDefinitions {
  const known = definitions[kind] ?? {};
  const added = [...fields].filter(([slug]) => !Object.hasOwn(known, slug));
  return added.length === 0 ? definitions : { ...definitions, [kind]: { ...known, ...Object.fromEntries(added) } };
}

// Text stays text, even if every value read looks like a date: others may not.
function typeOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return "multiselect";
  return { boolean: "boolean", number: "decimal", string: "string" }[typeof value as string] ?? "unknown";
}
