import { CUSTOM_KINDS, type CustomKind } from "../../models/custom-kinds.js";
import type { SignupQuestionForType } from "../../resources/settings/signup-questions.js";
import { fieldsIn, inWords, type SchoolDefinitions, type SchoolField } from "../../school/definitions.js";
import type { Random } from "../data/random.js";
import type { FieldDefinition, ObjectDefinition, PropertyDefinition, SeededSchool } from "./definitions.js";

/** The seeded world of a school's definitions. @internal */
export function seededSchool(definitions: SchoolDefinitions): SeededSchool {
  // Once each: courses have the fields of catalog products.
  const kinds = [...new Set<CustomKind>(Object.values(CUSTOM_KINDS))];
  return {
    enabledOptions: 1,
    fields: kinds.flatMap((kind) =>
      // Those that were only seen in records as well: the sandbox would otherwise refuse them.
      [...fieldsIn(definitions[kind])].map(([slug, field]) => questionOf(kind, slug, field)),
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

function questionOf(kind: CustomKind, slug: string, field: SchoolField): FieldDefinition {
  return {
    ...propertyOf(slug, field),
    for_type: kind.slice(0, -1) as SignupQuestionForType,
    required: field.required ?? false,
    visibility: ["student", "customer"],
  };
}

function propertyOf(slug: string, { type, title = inWords(slug), options = [] }: SchoolField): PropertyDefinition {
  // Of fields that were only seen in records no more is known than that they take text.
  const field_type = type === "unknown" ? "string" : type;
  return { slug, title, field_type, choices: options, value: (random) => sampleOf(type, options, random) };
}

function sampleOf(
  type: SchoolField["type"],
  options: readonly string[],
  random: Random,
): ReturnType<NonNullable<FieldDefinition["value"]>> {
  switch (type) {
    case "boolean":
      return random.chance(0.5);
    case "decimal":
      return random.int(1, 1_000);
    case "datepicker":
      return `2030-${String(random.int(1, 12)).padStart(2, "0")}-${String(random.int(1, 28)).padStart(2, "0")}`;
    case "select":
      return options.length === 0 ? null : random.pick(options);
    case "multiselect":
      return options.filter(() => random.chance(0.5));
    case "phone":
      return `+44 1632 960${String(random.int(0, 999)).padStart(3, "0")}`;
    case "vat_number":
      return `GB${random.int(100_000_000, 999_999_999)}`;
    case "ssn":
      // No real number begins with these digits.
      return `000-00-${String(random.int(0, 9_999)).padStart(4, "0")}`;
    default:
      return random.pick(["one", "two", "three"]);
  }
}
