import * as z from "zod/mini";
import { ADMIN_ONLY, MAIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { dictionary, enumeration, model, ref } from "../../core/schema/model.js";
import { customAssociations, customFields } from "../../models/custom-fields.js";
import { timestamps } from "../../models/dates.js";
import { CostScheme, Currency, PublishedPublic } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { listInput } from "../../models/lists.js";
import { decimal } from "../../models/money.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions, type Transport } from "../methods.js";

/**
 * Kinds of record that a catalog variant offers, as the list's filter spells them (service description, Enumerations).
 */
export const VariantableTypeFilter = /* @__PURE__ */ enumeration(["planned_course", "program_edition"]);
export type VariantableTypeFilter = (typeof VariantableTypeFilter.values)[number];

/**
 * Kinds of record that a catalog variant offers, as records spell them. The service description shows only
 * `PlannedCourse`, so other values may occur.
 */
export const VariantableType = /* @__PURE__ */ enumeration(["PlannedCourse", "Program::Edition"], { complete: false });
export type VariantableType = (typeof VariantableType.values)[number];

/** Availabilities of a catalog variant. The service description shows only `available`, so other values may occur. */
export const VariantAvailability = /* @__PURE__ */ enumeration(["available", "limited_availability", "not_available"], { complete: false });
export type VariantAvailability = (typeof VariantAvailability.values)[number];

export const editionDescriptionSectionContentSchema = /* @__PURE__ */ model(() => ({
  /** The section that the text belongs to. */
  edition_description_section_id: z.int(),
  /** Text of the section, as HTML. */
  content: z.nullable(z.string()), // plain
}));

/** Text of one edition description section, as part of a catalog variant of the Admin API. */
export interface EditionDescriptionSectionContent extends z.infer<typeof editionDescriptionSectionContentSchema> {}

const variantFields = () => ({
  /** Unique within the school. */
  id: z.int(),
  /** The catalog product the variant belongs to. */
  product_id: z.int(),
  /** Name of the variant. */
  name: z.string(), // plain
  /** Stock keeping unit: the school's own code for the variant. */
  sku: z.nullable(z.string()), // plain
  /** How the variant is charged. */
  cost_scheme: CostScheme.open,
  /** Price as decimal text, in `currency`. */
  cost: z.nullable(decimal()),
  /** ISO 4217 code, for example `EUR`. */
  currency: Currency.open,
  /** Kind of record that the variant offers, for example a planned course. */
  variantable_type: VariantableType.open,
  /** Identifier of the planned course or program edition that the variant offers. */
  variantable_id: z.int(),
  /** Whether the variant is available. */
  availability: VariantAvailability.open,
  /** Number of places left. */
  available_places: z.nullable(z.int()), // plain
  /** Whether the variant is published. */
  is_published: z.boolean(),
  /** Whether the website shows the variant. */
  show_on_website: z.boolean(),
  ...timestamps(),
  /** Properties of the variant; the service description does not show their content. */
  properties: dictionary<Record<string, unknown>>(z.unknown()), // custom
  /** Values of custom fields, keyed by slug. */
  custom: customFields(), // custom
  /** Custom associations, keyed by slug. In beta; needs the `Custom objects` feature flag. */
  custom_associations: z.optional(customAssociations()), // custom
});

export const catalogVariantSchema = /* @__PURE__ */ model(variantFields);

/** A catalog variant: one planned course or program edition of a catalog product. */
export interface CatalogVariant extends z.infer<typeof catalogVariantSchema> {}

export const adminCatalogVariantSchema = /* @__PURE__ */ model(() => ({
  ...variantFields(),
  /** Texts of the edition description sections; in beta. */
  edition_description_section_contents: z.optional(z.array(ref<EditionDescriptionSectionContent>(editionDescriptionSectionContentSchema))),
}));

/** A catalog variant as the Admin API returns it. */
export interface AdminCatalogVariant extends z.infer<typeof adminCatalogVariantSchema> {}

export const catalogVariantQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only published variants whose planned course, if any, is planned or in progress. */
  published_public: z.optional(PublishedPublic.schema),
  /** Only variants of this catalog product. */
  product_id: z.optional(identifier()),
  /** Only the variant of the planned course or program edition with this identifier. */
  variantable_id: z.optional(identifier()),
  /** Only planned courses or only program editions. */
  variantable_type: z.optional(VariantableTypeFilter.schema),
}));

/** Filters of the catalog variants list. */
export interface CatalogVariantQuery extends z.input<typeof catalogVariantQuerySchema>, PagedQuery {}

export const catalogVariantUpdateSchema = /* @__PURE__ */ model(() => ({
  /** Whether the variant is published. */
  is_published: z.boolean(),
}));

/** Changes to a catalog variant. */
export interface CatalogVariantUpdate extends z.input<typeof catalogVariantUpdateSchema> {}

export const editionDescriptionSectionContentPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The section that the text belongs to. */
  edition_description_section_id: identifier(),
  /** Text of the section, as HTML. */
  content: z.nullable(z.string()),
}));

/** Text of one edition description section, as sent with a catalog variant. */
export interface EditionDescriptionSectionContentPayload extends z.input<typeof editionDescriptionSectionContentPayloadSchema> {}

export const adminCatalogVariantUpdateSchema = /* @__PURE__ */ model(() => ({
  /** Whether the variant is published. */
  is_published: z.optional(z.boolean()),
  /** Texts of the edition description sections; in beta. */
  edition_description_section_contents_attributes: z.optional(listInput(ref<EditionDescriptionSectionContentPayload>(editionDescriptionSectionContentPayloadSchema))),
}));

/** Changes to a catalog variant in the Admin API. */
export interface AdminCatalogVariantUpdate extends z.input<typeof adminCatalogVariantUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "catalogVariants",
  { apis: MAIN_ONLY, scopes: "courses" },
  {
    list: { method: "GET", path: "catalog/variants", query: catalogVariantQuerySchema, response: catalogVariantSchema, paged: "cursor+page" },
    get: { method: "GET", path: "catalog/variants/{id}", response: catalogVariantSchema },
    update: { method: "PUT", path: "catalog/variants/{id}", body: catalogVariantUpdateSchema, response: catalogVariantSchema, scopes: ["courses:modify", "courses:read"] },
  },
);
export const catalogVariantOperations: OperationTable = operations;
export const catalogVariantNotes: TableNotes = {
  update: { note: "the Main API requires is_published; the Admin API does not" },
} satisfies NotesOf<typeof operations>;

const adminOperations = /* @__PURE__ */ operationTable(
  "catalogVariants",
  { apis: ADMIN_ONLY, scopes: "courses" },
  {
    list: { method: "GET", path: "catalog/variants", query: catalogVariantQuerySchema, response: adminCatalogVariantSchema, paged: "cursor+page" },
    get: { method: "GET", path: "catalog/variants/{id}", response: adminCatalogVariantSchema },
    update: { method: "PUT", path: "catalog/variants/{id}", body: adminCatalogVariantUpdateSchema, response: adminCatalogVariantSchema, scopes: ["courses:modify", "courses:read"] },
  },
);
export const adminCatalogVariantOperations: OperationTable = adminOperations;
export const adminCatalogVariantNotes: TableNotes = {
  update: { note: "the Main API requires is_published; the Admin API does not" },
} satisfies NotesOf<typeof adminOperations>;

/** Catalog variants: the planned courses and program editions of catalog products (Main and Admin API). */
export class CatalogVariants<T extends CatalogVariant = CatalogVariant> extends ListedResource<T, CatalogVariantQuery> {
  /** @internal */
  static readonly operations = catalogVariantOperations;

  /**
   * Lists catalog variants.
   * @example
   * for await (const variant of client.catalogVariants.list({ published_public: "published_public" })) console.log(variant.name);
   */
  list(query: CatalogVariantQuery = {}, options?: ListOptions): Pages<T> {
    return pages(this, operations.list, { query }, options) as Pages<T>;
  }

  /**
   * Reads one catalog variant.
   * @example
   * const variant = await client.catalogVariants.get(1);
   */
  get(id: number, options?: RequestOptions): Call<T> {
    return call(this, operations.get, { params: { id } }, options) as Call<T>;
  }

  /**
   * Publishes or unpublishes a catalog variant; the Main API always requires `is_published`.
   * @example
   * await client.catalogVariants.update(1, { is_published: true });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<CatalogVariantUpdate, T, Name>, options?: RequestOptions): Call<T> {
    return call(this, operations.update, { params: { id }, body }, options) as Call<T>;
  }
}

/** Catalog variants of the Admin API, which include the texts of the edition description sections. */
export class AdminCatalogVariants extends CatalogVariants<AdminCatalogVariant> {
  /** @internal */
  static override readonly operations = adminCatalogVariantOperations;

  constructor(transport: Transport) {
    super(transport, adminOperations);
  }

  /**
   * Changes a catalog variant; fields left out keep their value.
   * @example
   * await admin.catalogVariants.update(1, { is_published: false });
   */
  override update<Name extends PropertyKey>(id: number, body: OnlyInput<AdminCatalogVariantUpdate, AdminCatalogVariant, Name>, options?: RequestOptions): Call<AdminCatalogVariant> {
    return call(this, adminOperations.update, { params: { id }, body }, options);
  }
}
