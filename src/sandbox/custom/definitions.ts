import type { CustomFields, CustomFieldValue } from "../../models/custom-fields.js";
import type { SignupQuestionFieldType, SignupQuestionForType } from "../../resources/settings/signup-questions.js";
import type { Random } from "../data/random.js";

/** A custom field of the seeded world: the seeds of sign-up questions, options and values all follow from it. @internal */
export interface FieldDefinition {
  readonly for_type: SignupQuestionForType;
  readonly slug: string;
  readonly title: string;
  readonly field_type: SignupQuestionFieldType;
  /** What can be chosen; only of a select. */
  readonly choices: readonly string[];
  /** Where the question is shown. */
  readonly visibility: readonly string[];
  /** The value of a seeded record. Default: one of the choices. */
  readonly value?: (random: Random) => CustomFieldValue;
}

/** Every custom field of the seeded world. @internal */
export const FIELD_DEFINITIONS: readonly FieldDefinition[] = [
  {
    for_type: "account",
    slug: "sector",
    title: "Sector",
    field_type: "select",
    choices: ["industry", "care", "education"],
    visibility: ["customer"],
  },
  {
    for_type: "account",
    slug: "newsletter",
    title: "May we send you our newsletter?",
    field_type: "boolean",
    choices: [],
    visibility: ["student", "customer"],
    value: (random) => random.chance(0.4),
  },
  {
    for_type: "user",
    slug: "diet",
    title: "Diet",
    field_type: "select",
    choices: ["none", "vegetarian", "vegan"],
    visibility: ["student", "customer"],
  },
  {
    for_type: "user",
    slug: "size",
    title: "Size of your T-shirt",
    field_type: "string",
    choices: [],
    visibility: ["student"],
    value: (random) => random.pick(["S", "M", "L", "XL"]),
  },
  {
    for_type: "catalog_product",
    slug: "language",
    title: "Language",
    field_type: "select",
    choices: ["en", "nl", "de"],
    visibility: [],
  },
  {
    for_type: "catalog_variant",
    slug: "format",
    title: "Format",
    field_type: "select",
    choices: ["morning", "evening", "weekend"],
    visibility: [],
  },
  {
    for_type: "teacher",
    slug: "specialism",
    title: "Specialism",
    field_type: "select",
    choices: ["safety", "languages", "management"],
    visibility: [],
  },
  {
    for_type: "teacher",
    slug: "day_rate",
    title: "Day rate",
    field_type: "decimal",
    choices: [],
    visibility: [],
    value: (random) => random.int(40, 90) * 10,
  },
  {
    for_type: "order",
    slug: "purchase_order",
    title: "Your purchase order number",
    field_type: "string",
    choices: [],
    visibility: ["customer"],
    value: (random) => `PO-${random.int(1_000, 9_999)}`,
  },
];

/** The column `custom` of a kind of record: a value for each of its custom fields. @internal */
export function customColumn(forType: SignupQuestionForType): (row: object, random: Random) => CustomFields {
  const fields = FIELD_DEFINITIONS.filter(({ for_type }) => for_type === forType);
  return (_, random) =>
    Object.fromEntries(fields.map(({ slug, value, choices }) => [slug, value ? value(random) : random.pick(choices)]));
}
