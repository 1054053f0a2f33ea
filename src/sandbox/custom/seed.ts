import { CustomFieldObjectType } from "../../models/enumerations.js";
import type { CustomObject } from "../../resources/custom/custom-objects.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import type { Random } from "../data/random.js";
import type { World } from "../data/world.js";
import type { FieldDefinition } from "./definitions.js";
import { objectTypeOf } from "./fields.js";
import type { CustomStore, StoredCustomAssociation, StoredCustomFieldOption, StoredCustomRecord } from "./store.js";

/** The seeds of custom fields, objects and records. @internal */
export function customSeeds(world: World): Seeds<CustomStore> {
  const { counts } = world;
  return {
    customAssociations: { count: ASSOCIATION_COUNT, columns: customAssociationColumns(world) },
    customFieldOptions: {
      count: optionsOf(world.fields).length,
      columns: customFieldOptionColumns(world),
      event: "custom_field_option",
      always: true,
    },
    customObjects: { count: CUSTOM_OBJECT_COUNT, columns: customObjectColumns },
    customRecords: {
      count: Math.max(6, Math.ceil(counts.people / 10)),
      columns: customRecordColumns(world),
      follow: (record) => followCustomRecord(world.store, record),
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

// The custom object of a new record: those there are in turn.
function objectFor(id: number, { customObjects }: World["store"]): Readonly<CustomObject> | undefined {
  return customObjects.at((id - 1) % Math.max(1, customObjects.count));
}

/** @internal */
export function customRecordColumns({ store }: World): Columns<StoredCustomRecord> {
  const object = ({ object_slug: slug }: Readonly<StoredCustomRecord>) =>
    store.customObjects.find((row) => row.slug === slug);
  return {
    object_slug: ({ id }, _, { given }) =>
      (given.id === undefined ? undefined : objectFor(id, store)?.slug) ?? objectOf(id).slug,
    active: (_, random) => random.chance(0.9),
    display_name: (row, _, { given }) => {
      const name = (given.id === undefined ? undefined : object(row)?.name_singular) ?? nameOf(row.object_slug);
      return `${name ?? "Record"} ${row.id}`;
    },
    properties: (row, random, { given }) => {
      const own = given.id === undefined ? undefined : object(row);
      if (!own) return seededProperties(row.object_slug, random);
      const { fields = [] } = own;
      return Object.fromEntries(fields.map(({ slug, title }) => [slug, `${title} ${random.int(1, 99)}`]));
    },
  };
}

function nameOf(objectSlug: string): string | undefined {
  return OBJECTS.find(({ slug }) => slug === objectSlug)?.name_singular;
}

function seededProperties(objectSlug: string, random: Random): StoredCustomRecord["properties"] {
  return objectSlug === "equipment"
    ? { weight: `${random.int(1, 40)} kg`, supplier: "Sample Supplies" }
    : { region: random.pick(["north", "south"]), since: `20${random.int(10, 24)}-01-01` };
}

// A record is never without its custom object.
function followCustomRecord({ customObjects }: World["store"], record: StoredCustomRecord | undefined): void {
  if (record && !customObjects.find(({ slug }) => slug === record.object_slug)) {
    customObjects.insert({ slug: record.object_slug });
  }
}

// The options of custom fields, where the service's paths know their kind of record.
function optionsOf(fields: readonly FieldDefinition[]): Omit<StoredCustomFieldOption, "id" | "enabled">[] {
  return fields
    .filter(({ for_type }) => CustomFieldObjectType.is(objectTypeOf(for_type)))
    .flatMap(({ for_type, slug, choices }) =>
      choices.map((value) => ({ object_type: objectTypeOf(for_type), field_slug: slug, value })),
    );
}

/** @internal */
export function customFieldOptionColumns({ fields }: World): Columns<StoredCustomFieldOption> {
  const options = optionsOf(fields);
  // A new option belongs to the first custom field that has any.
  const optionOf = (id: number) =>
    options[id - 1] ?? { object_type: "accounts", field_slug: "sector", ...options[0], value: `option ${id}` };
  return {
    object_type: ({ id }) => optionOf(id).object_type,
    field_slug: ({ id }) => optionOf(id).field_slug,
    value: ({ id }) => optionOf(id).value,
    enabled: (_, random, { given }) => given.id !== undefined || random.chance(0.9),
  };
}

/** The number of seeded custom associations. @internal */
export const ASSOCIATION_COUNT = CUSTOM_OBJECT_COUNT;

/** @internal */
export function customAssociationColumns({ store }: World): Columns<StoredCustomAssociation> {
  const object = (id: number, given: Partial<StoredCustomAssociation>) =>
    given.custom_object ?? (given.id === undefined ? undefined : objectFor(id, store)) ?? summaryOf(id);
  return {
    object_type: ({ id }) => (id === 1 ? "catalog_products" : "accounts"),
    name: ({ id }, _, { given }) => object(id, given).name_plural,
    slug: ({ id }, _, { given }) => object(id, given).slug,
    custom_object: (row, _, { given }) => {
      const { id, slug, name_singular, name_plural } = object(row.id, given);
      return { id, slug, name_singular, name_plural };
    },
  };
}

function summaryOf(id: number): CustomObject {
  const { slug, name_singular, name_plural } = objectOf(id);
  return { id: ((id - 1) % CUSTOM_OBJECT_COUNT) + 1, slug, name_singular, name_plural };
}
