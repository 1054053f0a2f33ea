import { CustomFieldObjectType } from "../../models/enumerations.js";
import type { CustomObject } from "../../resources/custom/custom-objects.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import type { World } from "../data/world.js";
import { FIELD_DEFINITIONS } from "./definitions.js";
import { objectTypeOf } from "./fields.js";
import type { CustomStore, StoredCustomAssociation, StoredCustomFieldOption, StoredCustomRecord } from "./store.js";

/** The seeds of custom fields, objects and records. @internal */
export function customSeeds(world: World): Seeds<CustomStore> {
  const { counts } = world;
  return {
    customAssociations: { count: ASSOCIATION_COUNT, columns: customAssociationColumns },
    customFieldOptions: { count: OPTION_COUNT, columns: customFieldOptionColumns, event: "custom_field_option" },
    customObjects: { count: CUSTOM_OBJECT_COUNT, columns: customObjectColumns },
    customRecords: {
      count: Math.max(6, Math.ceil(counts.people / 10)),
      columns: customRecordColumns,
      event: "custom_record",
    },
  };
}

const OBJECTS = [
  { slug: "equipment", name_singular: "Equipment", name_plural: "Equipment", fields: ["weight", "supplier"] },
  { slug: "partners", name_singular: "Partner", name_plural: "Partners", fields: ["region", "since"] },
] as const;

/** The number of seeded custom objects. @internal */
export const CUSTOM_OBJECT_COUNT = OBJECTS.length;

const objectOf = (id: number) => OBJECTS[(id - 1) % CUSTOM_OBJECT_COUNT] as (typeof OBJECTS)[number];

/** @internal */
export const customObjectColumns: Columns<CustomObject> = {
  name_singular: ({ id }) => objectOf(id).name_singular,
  name_plural: ({ id }) => objectOf(id).name_plural,
  fields: ({ id }) =>
    objectOf(id).fields.map((slug, at) => ({
      id: (id - 1) * 2 + at + 1,
      slug,
      title: `${slug.charAt(0).toUpperCase()}${slug.slice(1)}`,
      field_type: "string",
    })),
  slug: ({ id }) => (id <= CUSTOM_OBJECT_COUNT ? objectOf(id).slug : `object-${id}`),
};

/** @internal */
export const customRecordColumns: Columns<StoredCustomRecord> = {
  object_slug: ({ id }) => objectOf(id).slug,
  active: (_, random) => random.chance(0.9),
  display_name: ({ id, object_slug: slug }) =>
    `${OBJECTS.find((object) => object.slug === slug)?.name_singular ?? "Record"} ${id}`,
  properties: ({ object_slug: slug }, random) =>
    slug === "equipment"
      ? { weight: `${random.int(1, 40)} kg`, supplier: "Sample Supplies" }
      : { region: random.pick(["north", "south"]), since: `20${random.int(10, 24)}-01-01` },
};

// The custom fields with options, where the service's paths know their kind of record.
const FIELDS = /* @__PURE__ */ FIELD_DEFINITIONS.filter(
  ({ for_type, choices }) => choices.length > 0 && CustomFieldObjectType.is(objectTypeOf(for_type)),
);

const OPTIONS = /* @__PURE__ */ FIELDS.flatMap(({ for_type, slug, choices }) =>
  choices.map((value) => ({ object_type: objectTypeOf(for_type), field_slug: slug, value })),
);

/** The number of seeded options of custom fields. @internal */
export const OPTION_COUNT = OPTIONS.length;

/** Whether a custom field has seeded options. @internal */
export function isSeededField(objectType: string, slug: string): boolean {
  return OPTIONS.some(({ object_type, field_slug }) => object_type === objectType && field_slug === slug);
}

const optionOf = (id: number) => OPTIONS[(id - 1) % OPTION_COUNT] as (typeof OPTIONS)[number];

/** @internal */
export const customFieldOptionColumns: Columns<StoredCustomFieldOption> = {
  object_type: ({ id }) => optionOf(id).object_type,
  field_slug: ({ id }) => optionOf(id).field_slug,
  value: ({ id }) => optionOf(id).value,
  enabled: (_, random) => random.chance(0.9),
};

/** The number of seeded custom associations. @internal */
export const ASSOCIATION_COUNT = CUSTOM_OBJECT_COUNT;

/** @internal */
export const customAssociationColumns: Columns<StoredCustomAssociation> = {
  object_type: ({ id }) => (id === 1 ? "catalog_products" : "accounts"),
  name: ({ id }) => objectOf(id).name_plural,
  slug: ({ id }) => objectOf(id).slug,
  custom_object: ({ id }) => {
    const { slug, name_singular, name_plural } = objectOf(id);
    return { id: ((id - 1) % CUSTOM_OBJECT_COUNT) + 1, slug, name_singular, name_plural };
  },
};
