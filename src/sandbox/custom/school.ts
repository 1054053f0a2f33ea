import { CUSTOM_KINDS, type CustomKind } from "../../models/custom-kinds.js";
import type { SignupQuestionForType } from "../../resources/settings/signup-questions.js";
import { fieldsIn, inWords, type SchoolDefinitions, type SchoolField } from "../../school/definitions.js";
import type { FieldDefinition, ObjectDefinition, PropertyDefinition, SeededSchool } from "../data/school.js";
import { definitionsFrom, SAMPLE_SCHOOL, type SandboxCustomField } from "./definitions.js";

/**
 * The seeded world of the option `school`.
 * @param empty whether a sandbox without the option has no custom fields.
 * @throws RangeError naming what is wrong. @internal
 */
export function schoolFrom(
  school:
    | { readonly customFields?: readonly SandboxCustomField[] | undefined }
    | { readonly definitions: SchoolDefinitions },
  empty: boolean,
): SeededSchool {
  if ("definitions" in school) return seededSchool(school.definitions);
  for (const name of Object.keys(school)) {
    if (name !== "customFields" && name !== "features") {
      throw new RangeError(`school.${name} is not customFields or features`);
    }
  }
  if (school.customFields) return { ...SAMPLE_SCHOOL, fields: definitionsFrom(school.customFields) };
  return empty ? { ...SAMPLE_SCHOOL, fields: [] } : SAMPLE_SCHOOL;
}

// The seeded world of a school's definitions.
function seededSchool(definitions: SchoolDefinitions): SeededSchool {
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
  return { slug, title, field_type, choices: options };
}
