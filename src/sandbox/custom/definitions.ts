import type { CustomFieldValue, SignupQuestionForType } from "../../generated/resources.js";
import type { CustomAssociationValues, CustomFields } from "../../models/custom-fields.js";
import { fieldsIn, inWords, KINDS, type SchoolDefinitions, type SchoolField } from "../../school/definitions.js";
import type { Days } from "../data/days.js";
import type { Random } from "../data/random.js";
import { byName } from "../data/references.js";
import type { FieldDefinition, ObjectDefinition, PropertyDefinition, SeededSchool } from "../data/school.js";
import { phoneNumber } from "../data/words.js";
import type { World } from "../data/world.js";

const BOTH = ["student", "customer"];

const field = (
  for_type: SignupQuestionForType,
  slug: string,
  title: string,
  more: Partial<FieldDefinition>,
): FieldDefinition => ({
  for_type,
  slug,
  title,
  field_type: more.choices ? "select" : "string",
  choices: [],
  visibility: [],
  ...more,
});

// A date of birth between 20 and 60 years ago, often with the birthday this week. Subtracting a multiple of four years
// keeps 29 February a valid date.
function birthday(random: Random, { day }: Days): string {
  const date = day(random.chance(0.15) ? random.int(0, 6) : random.int(7, 364));
  return `${Number(date.slice(0, 4)) - 4 * random.int(5, 15)}${date.slice(4)}`;
}

const FIELDS: readonly FieldDefinition[] = /* @__PURE__ */ [
  field("account", "sector", "Sector", { choices: ["industry", "care", "education"], visibility: ["customer"] }),
  field("account", "newsletter", "May we send you our newsletter?", {
    field_type: "boolean",
    visibility: BOTH,
    value: (random) => random.chance(0.4),
  }),
  field("user", "diet", "Diet", { choices: ["none", "vegetarian", "vegan"], visibility: BOTH }),
  field("user", "size", "Size of your T-shirt", {
    visibility: ["student"],
    value: (random) => random.pick(["S", "M", "L", "XL"]),
  }),
  field("catalog_product", "language", "Language", { choices: ["en", "nl", "de"] }),
  field("catalog_variant", "format", "Format", { choices: ["morning", "evening", "weekend"] }),
  field("teacher", "specialism", "Specialism", { choices: ["safety", "languages", "management"] }),
  field("teacher", "day_rate", "Day rate", { field_type: "decimal", value: (random) => random.int(40, 90) * 10 }),
  field("order", "purchase_order", "Your purchase order number", {
    visibility: ["customer"],
    value: (random) => `PO-${random.int(1_000, 9_999)}`,
  }),
  field("user", "born", "Date of birth", { field_type: "datepicker", visibility: BOTH }),
];

const property = (slug: string, title: string, value: PropertyDefinition["value"]): PropertyDefinition => ({
  slug,
  title,
  field_type: "string",
  choices: [],
  ...(value && { value }),
});

const OBJECTS: readonly ObjectDefinition[] = /* @__PURE__ */ [
  {
    slug: "equipment",
    name_singular: "Equipment",
    name_plural: "Equipment",
    fields: [
      property("weight", "Weight", (random) => `${random.int(1, 40)} kg`),
      property("supplier", "Supplier", () => "Sample Supplies"),
    ],
  },
  {
    slug: "partners",
    name_singular: "Partner",
    name_plural: "Partners",
    fields: [
      property("region", "Region", (random) => random.pick(["north", "south"])),
      property("since", "Since", (random) => `20${random.int(10, 24)}-01-01`),
    ],
  },
];

export const SAMPLE_SCHOOL: SeededSchool = {
  fields: FIELDS,
  objects: OBJECTS,
  associations: [
    { object_type: "catalog_products", slug: "equipment", object: "equipment" },
    { object_type: "accounts", slug: "partners", object: "partners" },
  ],
  enabledOptions: 0.9,
};

export function customColumn(
  { school }: Pick<World, "school">,
  forType: SignupQuestionForType,
): (row: object, random: Random, days: Days) => CustomFields {
  const fields = school.fields.filter(({ for_type }) => for_type === forType);
  return (_, random, days) => valuesOf(fields, random, days);
}

export function valuesOf(fields: readonly PropertyDefinition[], random: Random, days: Days): CustomFields {
  return Object.fromEntries(fields.map((field) => [field.slug, sampleOf(field, random, days)]));
}

/**
 * The `custom_associations` column of one kind of record: every fourth record links to two custom records of each
 * associated object.
 */
export function associationsColumn(
  { school: { objects, associations } }: Pick<World, "school">,
  objectType: string,
): (row: { readonly id: number }, _: Random, making: { readonly seeded: boolean }) => CustomAssociationValues {
  const linked = associations.filter(({ object_type }) => object_type === objectType);
  // Only seeded records have links; a test sets the links of the records it adds.
  return ({ id }, _, { seeded }) =>
    Object.fromEntries(
      (id % 4 === 0 && seeded ? linked : []).map(({ slug, object }) => {
        // Seeded custom records rotate through the objects, so both identifiers belong to this object.
        const first = objects.findIndex((candidate) => candidate.slug === object) + 1;
        return [slug, { custom_object_slug: object, custom_record_ids: [first, first + objects.length] }];
      }),
    );
}

type Sample = (field: PropertyDefinition, random: Random, days: Days) => CustomFieldValue;

const SAMPLES: Readonly<Record<string, Sample>> = /* @__PURE__ */ byName<Sample>({
  select: ({ choices }, random) => (choices.length === 0 ? null : random.pick(choices)),
  multiselect: ({ choices }, random) => choices.filter(() => random.chance(0.5)),
  boolean: (_, random) => random.chance(0.5),
  decimal: (_, random) => random.int(1, 100),
  datepicker: (_, random, days) => birthday(random, days),
  phone: (_, random) => phoneNumber(random),
  vat_number: (_, random) => `GB${random.int(100_000_000, 999_999_999)}`,
  // Social security numbers that begin with 000 are never issued, so these are fictitious.
  ssn: (_, random) => `000-00-${String(random.int(0, 9_999)).padStart(4, "0")}`,
});

function sampleOf(field: PropertyDefinition, random: Random, days: Days): CustomFieldValue {
  if (field.value) return field.value(random, days);
  const sample = SAMPLES[field.field_type];
  return sample ? sample(field, random, days) : `${field.title} ${random.int(1, 99)}`;
}

export function schoolFrom(definitions: SchoolDefinitions): SeededSchool {
  return {
    enabledOptions: 1,
    fields: KINDS.flatMap((kind) =>
      // Includes fields that were only seen in records; otherwise the sandbox would refuse them.
      [...fieldsIn(definitions[kind])].map(([slug, field]) => ({
        ...propertyOf(slug, field),
        for_type: kind.slice(0, -1) as SignupQuestionForType,
        required: field.required ?? false,
        visibility: ["student", "customer"],
      })),
    ),
    objects: Object.entries(definitions.objects ?? {}).map(([slug, fields]): ObjectDefinition => {
      const name = inWords(slug);
      return {
        slug,
        name_singular: name,
        name_plural: name,
        fields: [...fieldsIn(fields)].map(([fieldSlug, field]) => propertyOf(fieldSlug, field)),
      };
    }),
    associations: Object.entries(definitions.associations ?? {}).flatMap(([object_type, slugs]) =>
      Object.entries(slugs ?? {}).map(([slug, object]) => ({ object_type, slug, object })),
    ),
  };
}

function propertyOf(slug: string, { type, title = inWords(slug), options = [] }: SchoolField): PropertyDefinition {
  // The type of a field that was only seen in records is unknown; treat it as text.
  const field_type = type === "unknown" ? "string" : type;
  return { slug, title, field_type, choices: options };
}
