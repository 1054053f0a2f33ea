import type { SignupQuestionForType } from "../../resources/settings/signup-questions.js";
import { fieldsIn, inWords, KINDS, type SchoolDefinitions, type SchoolField } from "../../school/definitions.js";
import type { ObjectDefinition, PropertyDefinition, SeededSchool } from "../data/school.js";

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
