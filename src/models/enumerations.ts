import { enumeration } from "../core/model.js";

/** Kinds of account (service description, Enumerations). */
export const AccountType = /* @__PURE__ */ enumeration(["business", "personal"]);
/** A kind of account. */
export type AccountType = (typeof AccountType.values)[number];

/**
 * How a course or a catalog entry is charged: per student, per order, price to be decided, or free of charge. The
 * service description shows the list for courses; of the catalog it shows only `free`.
 */
export const CostScheme = /* @__PURE__ */ enumeration(["student", "order", "tbd", "free"]);
/** How a course or a catalog entry is charged. */
export type CostScheme = (typeof CostScheme.values)[number];

/** Currencies, as ISO 4217 codes. The service description shows only `EUR`, so others can come. */
export const Currency = /* @__PURE__ */ enumeration(["EUR", "GBP", "ISK", "USD"], { complete: false });
/** A currency, as ISO 4217 code. */
export type Currency = (typeof Currency.values)[number];

/** Whether a student has passed. The service description shows only `awaiting_judgement`, so others can come. */
export const GraduationState = /* @__PURE__ */ enumeration(["awaiting_judgement", "failed", "passed"], {
  complete: false,
});
/** Whether a student has passed. */
export type GraduationState = (typeof GraduationState.values)[number];

/** States of a program enrollment; the service description shows only some. */
export const ProgramEnrollmentState = /* @__PURE__ */ enumeration(["confirmed", "canceled"], { complete: false });
/** A state of a program enrollment; there may be more than these. */
export type ProgramEnrollmentState = (typeof ProgramEnrollmentState.values)[number];

/** Languages of an educator or a user; the service description shows only some. */
export const Locale = /* @__PURE__ */ enumeration(["de", "en", "en-GB", "en-US", "es", "is", "nl"], {
  complete: false,
});
/** A language of an educator or a user; there may be more than these. */
export type Locale = (typeof Locale.values)[number];

/** Value of the `published` filter: only published records. */
export const Published = /* @__PURE__ */ enumeration(["published"]);
/** Value of the `published` filter. */
export type Published = (typeof Published.values)[number];

/** Value of the `published_public` filter: only what is published and, of planned courses, planned or in progress. */
export const PublishedPublic = /* @__PURE__ */ enumeration(["published_public"]);
/** Value of the `published_public` filter. */
export type PublishedPublic = (typeof PublishedPublic.values)[number];

/** Kinds of record that can carry custom fields and custom associations (service description, Enumerations). */
export const CustomFieldObjectType = /* @__PURE__ */ enumeration([
  "users",
  "accounts",
  "catalog_products",
  "catalog_variants",
  "teachers",
]);
/** A kind of record that can carry custom fields and custom associations. */
export type CustomFieldObjectType = (typeof CustomFieldObjectType.values)[number];

/** Kinds of value that a sign-up question asks for, or a field of a custom object holds. */
export const SignupQuestionFieldType = /* @__PURE__ */ enumeration([
  "boolean",
  "datepicker",
  "decimal",
  "phone",
  "select",
  "multiselect",
  "ssn",
  "string",
  "text",
  "vat_number",
]);
/** A kind of value that a sign-up question asks for, or a field of a custom object holds. */
export type SignupQuestionFieldType = (typeof SignupQuestionFieldType.values)[number];
