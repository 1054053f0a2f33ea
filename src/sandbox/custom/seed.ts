import * as z from "zod/mini";
import { CustomFieldObjectType } from "../../models/enumerations.js";
import type { CustomObject } from "../../resources/custom/custom-objects.js";
import type { Columns, Making } from "../data/collection.js";
import { type Seeds, where } from "../data/domain.js";
import type { ObjectDefinition, SeededSchool } from "../data/school.js";
import type { StoredCustomAssociation, StoredCustomFieldOption, StoredCustomRecord } from "../data/store.js";
import type { World } from "../data/world.js";
import { valuesOf } from "./definitions.js";
import { objectTypeOf } from "./fields.js";

export function customSeeds(world: World) {
  const { counts, school } = world;
  const { objects, associations } = school;
  const options = optionsOf(school);
  return {
    customObjects: { count: objects.length, columns: objectColumns(school) },
    customAssociations: {
      count: associations.length,
      stored: () => ({ object_type: z.string() }),
      columns: associationColumns(world),
    },
    customFieldOptions: {
      count: options.length,
      stored: () => ({ object_type: z.string(), field_slug: z.string() }),
      columns: optionColumns(options, school),
      event: "custom_field_option",
      always: true,
    },
    customRecords: {
      stored: () => ({ object_slug: z.string() }),
      count: objects.length === 0 ? 0 : Math.max(3 * objects.length, Math.ceil(counts.people / 10)),
      columns: recordColumns(world),
      follow: (record) => followCustomRecord(world.store, record),
      event: "custom_record",
    },
  } satisfies Partial<Seeds>;
}

/** The default definition of a custom object that a test adds. */
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

function objectFor(id: number, { customObjects }: World["store"]): Readonly<CustomObject> | undefined {
  return customObjects.at((id - 1) % Math.max(1, customObjects.count));
}

function recordColumns({ store, school }: World): Columns<StoredCustomRecord> {
  const definitionOf = (slug: string) => school.objects.find((object) => object.slug === slug);
  // A seeded record follows the school's definitions; a record that a test makes follows the custom object in the
  // store.
  const object = (slug: string, seeded: boolean) => (seeded ? undefined : store.customObjects.find(where({ slug })));
  return {
    object_slug: ({ id }, _, { seeded }) => (seeded ? undefined : objectFor(id, store)?.slug) ?? turn(school, id).slug,
    active: (_, random) => random.chance(0.9),
    display_name: ({ id, object_slug: slug }, _, { seeded }) =>
      `${(object(slug, seeded) ?? definitionOf(slug))?.name_singular ?? "Record"} ${id}`,
    properties: ({ object_slug: slug }, random, making) => {
      const addedObject = object(slug, making.seeded);
      if (!addedObject) return valuesOf(definitionOf(slug)?.fields ?? [], random, making);
      return Object.fromEntries(
        (addedObject.fields ?? []).map((field) => [field.slug, `${field.title} ${random.int(1, 99)}`]),
      );
    },
  };
}

function followCustomRecord({ customObjects }: World["store"], record: StoredCustomRecord | undefined): void {
  if (record && !customObjects.find(where({ slug: record.object_slug }))) {
    customObjects.insert({ slug: record.object_slug });
  }
}

type SeededOption = Pick<StoredCustomFieldOption, "object_type" | "field_slug" | "value">;

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
  const optionOf = (id: number) =>
    options[id - 1] ?? { object_type: "accounts", field_slug: "sector", ...options[0], value: `option ${id}` };
  return {
    object_type: ({ id }) => optionOf(id).object_type,
    field_slug: ({ id }) => optionOf(id).field_slug,
    value: ({ id }) => optionOf(id).value,
    enabled: (_, random, { seeded }) => !seeded || random.chance(enabledOptions),
  };
}

function associationColumns({ store, school }: World): Columns<StoredCustomAssociation> {
  const { objects, associations } = school;
  const associationOf = (id: number) => associations[(id - 1) % associations.length];
  const object = (
    id: number,
    { given, seeded }: Pick<Making<StoredCustomAssociation>, "given" | "seeded">,
  ): CustomObject | undefined => {
    if (given.custom_object) return given.custom_object as CustomObject;
    if (!seeded) return objectFor(id, store);
    const at = objects.findIndex(({ slug }) => slug === associationOf(id)?.object);
    const { slug, name_singular, name_plural } = objects[at] ?? ADDED;
    return { id: at + 1, slug, name_singular, name_plural };
  };
  return {
    object_type: ({ id }) => associationOf(id)?.object_type ?? "accounts",
    name: ({ id }, _, making) => (object(id, making) ?? ADDED).name_plural,
    slug: ({ id }, _, making) => (making.seeded ? associationOf(id) : object(id, making))?.slug ?? `association-${id}`,
    custom_object: (row, _, making) => {
      const { id, slug, name_singular, name_plural } = object(row.id, making) ?? { id: row.id, ...ADDED };
      return { id, slug: slug ?? ADDED.slug, name_singular, name_plural };
    },
  };
}
