import type { MainClient } from "../../clients/main.js";
import { NotFoundError, PermissionDeniedError } from "../../core/errors.js";
import { CUSTOM_KINDS, type CustomKind } from "../../models/custom-kinds.js";
import type { CustomObjectField } from "../../resources/custom/custom-objects.js";
import type { SignupQuestion } from "../../resources/settings/signup-questions.js";
import { inWords, type SchoolDefinitions, type SchoolField, type SchoolFields } from "../../school/definitions.js";

/** The kinds of record whose records and bodies have `custom_associations`. */
const ASSOCIATED = ["catalog_products", "catalog_variants"] as const;

/** The parts of a client that tell a school's fields; the Main and the Admin client have them. */
export type SchoolReader = Pick<
  MainClient,
  "customAssociations" | "customFieldOptions" | "customObjects" | "signupQuestions"
>;

/** A school's definitions, and what could not be read. */
export interface ReadSchool {
  readonly definitions: SchoolDefinitions;
  /** True: the service refused to list custom objects, as it does without the feature flag Custom objects. */
  readonly withoutObjects: boolean;
}

/**
 * Reads a school's own fields. Requests: one per 100 sign-up questions, one for the custom objects, one for each whose fields
 * the list leaves out, and two for the associations of catalog products and variants if there is any custom object.
 * @throws ApiError when the service refuses to list the sign-up questions.
 */
export async function readSchool(client: SchoolReader): Promise<ReadSchool> {
  const questions = await client.signupQuestions.list().toArray();
  const objects = await unlessRefused(readObjects(client));
  const associations = objects && objects.size > 0 ? await readAssociations(client) : {};
  return {
    definitions: withoutEmpty({
      ...fieldsOfQuestions(questions),
      objects: Object.fromEntries(objects ?? []),
      associations,
    }),
    withoutObjects: objects === null,
  };
}

/** The fields that sign-up questions define, by kind of record. Of two questions with the same slug the older one counts. */
export function fieldsOfQuestions(questions: readonly SignupQuestion[]): Partial<Record<CustomKind, SchoolFields>> {
  const kinds = new Set<string>(Object.values(CUSTOM_KINDS));
  const fields: Record<string, Record<string, SchoolField>> = {};
  for (const question of [...questions].sort((a, b) => a.id - b.id)) {
    const kind = `${question.for_type}s`;
    // A kind of record that is newer than this library.
    if (!kinds.has(kind)) continue;
    fields[kind] ??= {};
    const known = fields[kind];
    if (!Object.hasOwn(known, question.slug)) define(known, question.slug, fieldOfQuestion(question));
  }
  return fields;
}

function fieldOfQuestion({ slug, title, field_type: type, choices, required }: SignupQuestion): SchoolField {
  const chosen = type === "select" || type === "multiselect";
  return {
    type,
    ...(title !== inWords(slug) && { title }),
    ...(chosen && choices.length > 0 && { options: [...new Set(choices)].sort() }),
    ...(required && { required }),
  };
}

async function readObjects(client: SchoolReader): Promise<Map<string, SchoolFields>> {
  const objects = new Map<string, SchoolFields>();
  for (const { slug, fields } of await client.customObjects.list().toArray()) {
    objects.set(slug, fieldsOfObject(fields ?? (await client.customObjects.get(slug)).fields));
  }
  return objects;
}

function fieldsOfObject(fields: readonly CustomObjectField[]): SchoolFields {
  const named: Record<string, SchoolField> = {};
  for (const { slug, title, field_type: type } of fields) {
    define(named, slug, { type, ...(title !== inWords(slug) && { title }) });
  }
  return named;
}

async function readAssociations(client: SchoolReader): Promise<NonNullable<SchoolDefinitions["associations"]>> {
  const associations: Record<string, Record<string, string>> = {};
  for (const kind of ASSOCIATED) {
    const slugs: Record<string, string> = {};
    for (const { slug, custom_object } of await client.customAssociations.list(kind).toArray()) {
      define(slugs, slug, custom_object.slug);
    }
    if (Object.keys(slugs).length > 0) associations[kind] = slugs;
  }
  return associations;
}

async function unlessRefused<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof PermissionDeniedError || error instanceof NotFoundError) return null;
    throw error;
  }
}

// Not by assignment: a slug may be __proto__.
function define(target: object, slug: string, value: unknown): void {
  Object.defineProperty(target, slug, { value, enumerable: true, configurable: true, writable: true });
}

function withoutEmpty(definitions: SchoolDefinitions): SchoolDefinitions {
  return Object.fromEntries(Object.entries(definitions).filter(([, part]) => Object.keys(part ?? {}).length > 0));
}
