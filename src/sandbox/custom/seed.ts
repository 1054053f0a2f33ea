import { CustomFieldObjectType } from "../../models/enumerations.js";
import type { CustomObject } from "../../resources/custom/custom-objects.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import type { World } from "../data/world.js";
import { type ObjectDefinition, type SeededSchool, valuesOf } from "./definitions.js";
import { objectTypeOf } from "./fields.js";
import type { CustomStore, StoredCustomAssociation, StoredCustomFieldOption, StoredCustomRecord } from "./store.js";

/** The seeds of custom fields, objects and records. @internal */
export function customSeeds({ counts, school }: World): Seeds<CustomStore> {
  const { objects, associations } = school;
  const options = optionsOf(school);
  return {
    customAssociations: { count: associations.length, columns: associationColumns(school) },
    customFieldOptions: {
      count: options.length,
      columns: optionColumns(options, school),
      event: "custom_field_option",
    },
    customObjects: { count: objects.length, columns: objectColumns(school) },
    customRecords: {
      count: objects.length === 0 ? 0 : Math.max(3 * objects.length, Math.ceil(counts.people / 10)),
      columns: recordColumns(school),
      event: "custom_record",
    },
  };
}

/** An object that a test adds, beyond the seeded ones. */
const ADDED: ObjectDefinition = { slug: "objects", name_singular: "Object", name_plural: "Objects", fields: [] };

function turn({ objects }: SeededSchool, id: number): ObjectDefinition {
  return objects[(id - 1) % objects.length] ?? ADDED;
}

function objectColumns(school: SeededSchool): Columns<CustomObject> {
  const { objects } = school;
  const before = objects.map((_, at) => objects.slice(0, at).reduce((sum, { fields }) => sum + fields.length, 0));
  return {
    name_singular: ({ id }) => turn(school, id).name_singular,
    name_plural: ({ id }) => turn(school, id).name_plural,
    fields: ({ id }) =>
      turn(school, id).fields.map(({ slug, title, field_type }, at) => ({
        id: (before[id - 1] ?? id * 100) + at + 1,
        slug,
        title,
        field_type,
      })),
    slug: ({ id }) => objects[id - 1]?.slug ?? `object-${id}`,
  };
}

function recordColumns(school: SeededSchool): Columns<StoredCustomRecord> {
  const objectOf = (slug: string) => school.objects.find((object) => object.slug === slug);
  return {
    object_slug: ({ id }) => turn(school, id).slug,
    active: (_, random) => random.chance(0.9),
    display_name: ({ id, object_slug }) => `${objectOf(object_slug)?.name_singular ?? "Record"} ${id}`,
    properties: ({ object_slug }, random) => valuesOf(objectOf(object_slug)?.fields ?? [], random),
  };
}

type SeededOption = Pick<StoredCustomFieldOption, "object_type" | "field_slug" | "value">;

// Of the custom fields with options, where the service's paths know their kind of record.
function optionsOf({ fields }: SeededSchool): SeededOption[] {
  return fields
    .filter(({ for_type }) => CustomFieldObjectType.is(objectTypeOf(for_type)))
    .flatMap(({ for_type, slug, choices }) =>
      choices.map((value) => ({ object_type: objectTypeOf(for_type), field_slug: slug, value })),
    );
}

function optionColumns(
  options: readonly SeededOption[],
  { enabledOptions }: SeededSchool,
): Columns<StoredCustomFieldOption> {
  const optionOf = (id: number) => options[(id - 1) % options.length];
  return {
    object_type: ({ id }) => optionOf(id)?.object_type ?? "accounts",
    field_slug: ({ id }) => optionOf(id)?.field_slug ?? "field",
    value: ({ id }) => optionOf(id)?.value ?? `option ${id}`,
    enabled: (_, random) => random.chance(enabledOptions),
  };
}

function associationColumns({ objects, associations }: SeededSchool): Columns<StoredCustomAssociation> {
  const associationOf = (id: number) => associations[(id - 1) % associations.length];
  const objectAt = (id: number) => objects.findIndex(({ slug }) => slug === associationOf(id)?.object);
  return {
    object_type: ({ id }) => associationOf(id)?.object_type ?? "accounts",
    name: ({ id }) => (objects[objectAt(id)] ?? ADDED).name_plural,
    slug: ({ id }) => associationOf(id)?.slug ?? `association-${id}`,
    custom_object: ({ id }) => {
      const { slug, name_singular, name_plural } = objects[objectAt(id)] ?? ADDED;
      return { id: objectAt(id) + 1, slug, name_singular, name_plural };
    },
  };
}
