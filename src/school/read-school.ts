import type { MainClient } from "../clients/main.js";
import { NotFoundError, PermissionDeniedError } from "../core/errors.js";
import { isPlainObject } from "../core/json.js";
import { CUSTOM_KINDS, type CustomKind } from "../models/custom-kinds.js";
import type { CustomObjectField } from "../resources/custom/custom-objects.js";
import type { SignupQuestion } from "../resources/settings/signup-questions.js";
import { inWords, type SchoolDefinitions, type SchoolField, type SchoolFields } from "./definitions.js";

const ASSOCIATED = ["catalog_products", "catalog_variants"] as const;

/** The resources of a client that list a school's fields; the Main and the Admin client have them. */
export type SchoolReader = Pick<
  MainClient,
  "customAssociations" | "customFieldOptions" | "customObjects" | "signupQuestions"
>;

/** A school's definitions, and the parts that could not be read. */
export interface ReadSchool {
  readonly definitions: SchoolDefinitions;
  /**
   * True if the service refused to list custom objects, as it does while the `Custom objects` feature flag is disabled.
   */
  readonly withoutObjects: boolean;
  /** Sentences on definitions that the service sent in an unexpected form: what the file has instead. */
  readonly notes: readonly string[];
}

type Note = (sentence: string) => void;

/**
 * Reads a school's own fields.
 * @throws ApiError if the service refuses to list the sign-up questions.
 */
export async function readSchool(client: SchoolReader): Promise<ReadSchool> {
  const notes: string[] = [];
  const note: Note = (sentence) => notes.push(sentence);
  const questions = await client.signupQuestions.list().toArray();
  const objects = await unlessRefused(readObjects(client, note));
  const associations = objects && objects.size > 0 ? await readAssociations(client, note) : {};
  return {
    definitions: withoutEmpty({
      ...fieldsOfQuestions(questions, note),
      objects: Object.fromEntries(objects ?? []),
      associations,
    }),
    withoutObjects: objects === null,
    notes,
  };
}

/**
 * The fields that sign-up questions define, by kind of record. If two questions have the same slug, the older one is
 * used. Only the readable parts of a question in an unexpected form are used.
 */
export function fieldsOfQuestions(
  questions: readonly SignupQuestion[],
  note: Note = () => undefined,
): Partial<Record<CustomKind, SchoolFields>> {
  const kinds = new Set<string>(Object.values(CUSTOM_KINDS));
  const fields: Record<string, Record<string, SchoolField>> = {};
  const readable = questions.filter((question) => isReadable(question, note));
  for (const question of readable.sort((a, b) => a.id - b.id)) {
    const kind = `${question.for_type}s`;
    // Skips kinds of records that are newer than this library.
    if (!kinds.has(kind)) continue;
    fields[kind] ??= {};
    const known = fields[kind];
    if (!Object.hasOwn(known, question.slug)) define(known, question.slug, fieldOfQuestion(question, note));
  }
  return fields;
}

function isReadable(question: SignupQuestion, note: Note): boolean {
  if (!isPlainObject(question)) {
    note("A sign-up question is not an object, so it is left out.");
    return false;
  }
  const missing = (["slug", "for_type"] as const).find((name) => typeof question[name] !== "string");
  if (missing) note(`${nameOf(question)} is left out, because its ${missing} is not text.`);
  return missing === undefined;
}

function fieldOfQuestion(question: SignupQuestion, note: Note): SchoolField {
  const { field_type: type, required } = question;
  if (typeof type !== "string")
    note(`${nameOf(question)} has a field_type that is not text, so its field accepts any value.`);
  const options = type === "select" || type === "multiselect" ? optionsOf(question, note) : [];
  return {
    ...typeAndTitle(question),
    ...(options.length > 0 && { options: [...new Set(options)].sort() }),
    ...(required === true && { required }),
  };
}

// Uses all choices or none: with only some, the field would refuse the rest.
function optionsOf(question: SignupQuestion, note: Note): readonly string[] {
  const choices: unknown = question.choices ?? [];
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === "string")) return choices;
  note(`${nameOf(question)} has choices that are not a list of strings, so its field accepts any text.`);
  return [];
}

function typeAndTitle({
  slug,
  title,
  field_type: type,
}: Pick<SignupQuestion, "slug" | "title" | "field_type">): SchoolField {
  return {
    type: typeof type === "string" ? type : "unknown",
    ...(typeof title === "string" && title !== inWords(slug) && { title }),
  };
}

function nameOf({ id, slug }: SignupQuestion): string {
  return typeof slug === "string"
    ? `The sign-up question ${JSON.stringify(slug)} (${id})`
    : `The sign-up question ${id}`;
}

async function readObjects(client: SchoolReader, note: Note): Promise<Map<string, SchoolFields>> {
  const objects = new Map<string, SchoolFields>();
  for (const { slug, fields } of await client.customObjects.list().toArray()) {
    objects.set(slug, fieldsOfObject(slug, fields ?? (await client.customObjects.get(slug)).fields, note));
  }
  return objects;
}

function fieldsOfObject(object: string, fields: readonly CustomObjectField[] | null, note: Note): SchoolFields {
  const named: Record<string, SchoolField> = {};
  for (const field of Array.isArray(fields) ? (fields as readonly CustomObjectField[]) : []) {
    if (typeof field?.slug === "string") define(named, field.slug, typeAndTitle(field));
    else note(`A field of the custom object ${object} has no slug, so it is left out.`);
  }
  return named;
}

async function readAssociations(
  client: SchoolReader,
  note: Note,
): Promise<NonNullable<SchoolDefinitions["associations"]>> {
  const associations: Record<string, Record<string, string>> = {};
  for (const kind of ASSOCIATED) {
    const slugs: Record<string, string> = {};
    for (const { slug, custom_object } of await client.customAssociations.list(kind).toArray()) {
      if (typeof custom_object?.slug === "string") define(slugs, slug, custom_object.slug);
      else note(`The association ${slug} of ${kind} names no custom object, so it is left out.`);
    }
    if (Object.keys(slugs).length > 0) associations[kind] = slugs;
  }
  return associations;
}

/** Awaits a read; null if the service refuses it. */
export async function unlessRefused<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof PermissionDeniedError || error instanceof NotFoundError) return null;
    throw error;
  }
}

// Defines the property instead of assigning it, because a slug may be `__proto__`.
function define(target: object, slug: string, value: unknown): void {
  Object.defineProperty(target, slug, { value, enumerable: true, configurable: true, writable: true });
}

function withoutEmpty(definitions: SchoolDefinitions): SchoolDefinitions {
  return Object.fromEntries(Object.entries(definitions).filter(([, part]) => Object.keys(part ?? {}).length > 0));
}
