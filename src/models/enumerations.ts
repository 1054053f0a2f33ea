import { enumeration } from "../core/schema/model.js";

/** Kinds of account (service description, Enumerations). */
export const AccountType = /* @__PURE__ */ enumeration(["business", "personal"]);
export type AccountType = (typeof AccountType.values)[number];

/**
 * How a course or a catalog entry is charged: per student, per order, price to be decided, or free of charge. The
 * service description shows the list for courses; for the catalog it shows only `free`.
 */
export const CostScheme = /* @__PURE__ */ enumeration(["student", "order", "tbd", "free"]);
export type CostScheme = (typeof CostScheme.values)[number];

/** Currencies, as ISO 4217 codes. The service description shows only `EUR`, so other values may occur. */
export const Currency = /* @__PURE__ */ enumeration(["EUR", "GBP", "ISK", "USD"], { complete: false });
export type Currency = (typeof Currency.values)[number];

/** Whether a student has passed. The service description shows only `awaiting_judgement`, so other values may occur. */
export const GraduationState = /* @__PURE__ */ enumeration(["awaiting_judgement", "failed", "passed"], {
  complete: false,
});
export type GraduationState = (typeof GraduationState.values)[number];

/** States of a program enrollment; the service description shows only some of them. */
export const ProgramEnrollmentState = /* @__PURE__ */ enumeration(["confirmed", "canceled"], { complete: false });
export type ProgramEnrollmentState = (typeof ProgramEnrollmentState.values)[number];

/** Languages of an educator or a user; the service description shows only some of them. */
export const Locale = /* @__PURE__ */ enumeration(["de", "en", "en-GB", "en-US", "es", "is", "nl", "en_GB"], {
  complete: false,
});
export type Locale = (typeof Locale.values)[number];

/** Value of the `published` filter: only published records. */
export const Published = /* @__PURE__ */ enumeration(["published"]);
export type Published = (typeof Published.values)[number];

/**
 * Value of the `published_public` filter: only published records; for planned courses, only those planned or in
 * progress.
 */
export const PublishedPublic = /* @__PURE__ */ enumeration(["published_public"]);
export type PublishedPublic = (typeof PublishedPublic.values)[number];

/** Kinds of record that can have custom fields and custom associations (service description, Enumerations). */
export const CustomFieldObjectType = /* @__PURE__ */ enumeration([
  "users",
  "accounts",
  "catalog_products",
  "catalog_variants",
  "teachers",
]);
export type CustomFieldObjectType = (typeof CustomFieldObjectType.values)[number];

/** The kinds of value that a sign-up question can ask for or a field of a custom object can hold. */
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
export type SignupQuestionFieldType = (typeof SignupQuestionFieldType.values)[number];
