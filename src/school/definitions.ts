import type { AnySchool, NoSchool, SchoolOption } from "../core/school.js";
import { CUSTOM_KINDS, type CustomKind } from "../models/custom-kinds.js";
import type { SignupQuestionFieldType } from "../models/enumerations.js";

/** Every kind of record with own fields, once each: courses have those of catalog products. In the order of their names. */
export const KINDS: readonly CustomKind[] = /* @__PURE__ */ [
  .../* @__PURE__ */ new Set<CustomKind>(/* @__PURE__ */ Object.values(CUSTOM_KINDS)),
].sort();

/** One of a school's own fields. */
export interface SchoolField {
  /** Kind of value the field holds, as the service names it; `unknown` for a field of which only values were seen. */
  readonly type: SignupQuestionFieldType | "unknown" | (string & {});
  /** Title of the field. Absent where it is the slug in words: `Day rate` for `day_rate`. */
  readonly title?: string | undefined;
  /** What can be chosen, for the kinds `select` and `multiselect`. Absent: any text. */
  readonly options?: readonly string[] | undefined;
  /** True: people have to answer at sign-up. */
  readonly required?: boolean | undefined;
  /** True: the service does not list the field; it was seen in records. */
  readonly observed?: boolean | undefined;
}

/** A school's own fields by slug; a field without more than a type is written as its type. */
export interface SchoolFields {
  readonly [slug: string]: SchoolField | SchoolField["type"];
}

/** Own fields by kind of record; written out, because the compiler takes three steps for each property of `Readonly<Partial<Record>>`. */
type FieldsByKind = { readonly [Kind in CustomKind]?: SchoolFields | undefined };

/** A school's own fields, objects and associations: what `npx education-admin-sdk types` writes into its file. */
export interface SchoolDefinitions extends FieldsByKind {
  /** The fields of custom objects, by the slug of the object. */
  readonly objects?: { readonly [objectSlug: string]: SchoolFields } | undefined;
  /** Slugs of custom objects, by kind of record and slug of the association. */
  readonly associations?: { readonly [Kind in CustomKind]?: { readonly [slug: string]: string } } | undefined;
}

/** A school's own fields as a value: the option `school` of a client or a sandbox. */
export interface DefinedSchool<S extends AnySchool = NoSchool> extends SchoolOption<S> {
  /** The definitions it was made of. */
  readonly definitions: SchoolDefinitions;
}

/** A field as an object, however it is written. */
export function fieldOf(written: SchoolFields[string]): SchoolField {
  return typeof written === "string" ? { type: written } : written;
}

/** The fields of a group by slug; a group that does not exist has none. */
export function fieldsIn(fields: SchoolFields | undefined): ReadonlyMap<string, SchoolField> {
  return new Map(Object.entries(fields ?? {}).map(([slug, written]) => [slug, fieldOf(written)]));
}

/** A slug as people would write it: `Day rate` for `day_rate`. */
export function inWords(slug: string): string {
  const words = slug.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether a text is a day that exists, as a field of the kind `datepicker` holds it. */
export function isDay(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
