import type { AnySchool, NoSchool, SchoolOption } from "../core/school.js";
import { CUSTOM_KINDS, type CustomKind } from "../models/custom-kinds.js";
import type { SignupQuestionFieldType } from "../models/enumerations.js";

/** Every kind of record with custom fields, in alphabetical order; courses share those of catalog products. */
export const KINDS: readonly CustomKind[] = /* @__PURE__ */ [
  .../* @__PURE__ */ new Set<CustomKind>(/* @__PURE__ */ Object.values(CUSTOM_KINDS)),
].sort();

/** One of a school's own fields. */
export interface SchoolField {
  /** The kind of value, as the service names it; `unknown` for a field that has only been seen in records. */
  readonly type: SignupQuestionFieldType | "unknown" | (string & {});
  /** The title of the field. Absent if it is the same as the slug in words: `Day rate` for `day_rate`. */
  readonly title?: string | undefined;
  /** The choices of a `select` or `multiselect` field. If absent, any text is allowed. */
  readonly options?: readonly string[] | undefined;
  /** True if people must answer at sign-up. */
  readonly required?: boolean | undefined;
  /** True if the field has only been seen in records, because the service does not list it. */
  readonly observed?: boolean | undefined;
}

/** A school's own fields by slug. A field that has only a type may be written as that type. */
export interface SchoolFields {
  readonly [slug: string]: SchoolField | SchoolField["type"];
}

/** A school's own fields by kind of record. Compilers would need more steps for `Readonly<Partial<Record>>`. */
type FieldsByKind = { readonly [Kind in CustomKind]?: SchoolFields | undefined };

/** A school's own fields, objects and associations, as `npx education-admin-sdk types` writes them into its file. */
export interface SchoolDefinitions extends FieldsByKind {
  /** The fields of custom objects, by the slug of the object. */
  readonly objects?: { readonly [objectSlug: string]: SchoolFields } | undefined;
  /** Slugs of custom objects, by kind of record and by slug of the association. */
  readonly associations?: { readonly [Kind in CustomKind]?: { readonly [slug: string]: string } } | undefined;
}

/** A school's own fields, to pass as the option `school` of a client or a sandbox. */
export interface DefinedSchool<S extends AnySchool = NoSchool> extends SchoolOption<S> {
  /** The school's definitions. */
  readonly definitions: SchoolDefinitions;
}

/** A field as an object, even if only its type is written. */
export function fieldOf(written: SchoolFields[string]): SchoolField {
  return typeof written === "string" ? { type: written } : written;
}

/** The fields in a group by slug; none if the group does not exist. */
export function fieldsIn(fields: SchoolFields | undefined): ReadonlyMap<string, SchoolField> {
  return new Map(Object.entries(fields ?? {}).map(([slug, written]) => [slug, fieldOf(written)]));
}

/** Turns a slug into words: `Day rate` for `day_rate`. */
export function inWords(slug: string): string {
  const words = slug.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** True if a string is an existing date in the format of a `datepicker` field. */
export function isDay(text: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
