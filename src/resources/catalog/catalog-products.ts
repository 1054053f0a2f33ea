import * as z from "zod/mini";
import { BOTH, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { type CatalogProductTabContentPayload, type CourseTabContent, catalogProductTabContentPayloadSchema, courseTabContentSchema } from "../../models/course-tab-content.js";
import { customAssociations, customFields } from "../../models/custom-fields.js";
import { timestamps } from "../../models/dates.js";
import { CostScheme, Currency, Published } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { filterInput, listInput } from "../../models/lists.js";
import { decimal } from "../../models/money.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Kinds of record that a catalog product offers: a course or a program (service description, Enumerations). */
export const ProductableType = /* @__PURE__ */ enumeration(["Course", "Program::Program"]);
export type ProductableType = (typeof ProductableType.values)[number];

/** The sort orders that the service allows for the catalog products list. */
export const CatalogProductSort = /* @__PURE__ */ enumeration(["id:asc", "id:desc", "position:asc", "position:desc"]);
export type CatalogProductSort = (typeof CatalogProductSort.values)[number];

export const catalogProductSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the product. */
  name: z.string(), // plain
  /** Short name of the product for web addresses. */
  slug: z.string(), // plain
  /** Identifiers of the labels on the product. */
  label_ids: z.array(z.int()),
  /** How the product is charged. */
  cost_scheme: CostScheme.open,
  /** Price as decimal text, in `currency`. */
  cost: z.nullable(decimal()),
  /** ISO 4217 code, for example `EUR`. */
  currency: Currency.open,
  /** Kind of record that the product offers: a course or a program. */
  productable_type: ProductableType.open,
  /** Identifier of the course or program that the product offers. */
  productable_id: z.int(),
  /** Image of the product. */
  avatar: z.nullable(z.string()), // plain
  /** Position in the catalog. */
  position: z.int(), // plain
  /** The product's own conditions, or the school's defaults. */
  conditions_or_default: z.nullable(z.string()), // plain
  /** The category of the product. */
  category_id: z.int(),
  /** Whether the product is published. */
  is_published: z.boolean(),
  /** Whether the website shows the product. */
  show_on_website: z.boolean(),
  /** URL of the signup form. */
  signup_url: z.nullable(z.string()), // plain
  ...timestamps(),
  /** Texts of the product's tabs. */
  course_tab_contents: z.array(ref<CourseTabContent>(courseTabContentSchema)),
  /** Values of custom fields, keyed by slug. */
  custom: customFields(), // custom
  /** Custom associations, keyed by slug. In beta; needs the `Custom objects` feature flag. */
  custom_associations: z.optional(customAssociations()), // custom
}));

/** A catalog product: a course or a program as the catalog offers it. */
export interface CatalogProduct extends z.infer<typeof catalogProductSchema> {}

export const catalogProductQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only published products. */
  published: z.optional(Published.schema),
  /** Only products of this category. */
  category_id: z.optional(identifier()),
  /** Only courses or only programs. */
  productable_type: z.optional(ProductableType.schema),
  /** Text to search for. */
  search: z.optional(z.string()),
  /** Fields to sort by, the most important first. */
  sort: z.optional(filterInput(CatalogProductSort.schema)),
}));

/** Filters and sort order of the catalog products list. */
export interface CatalogProductQuery extends z.input<typeof catalogProductQuerySchema>, PagedQuery {}

export const catalogProductUpdateSchema = /* @__PURE__ */ model(() => ({
  /** The category of the product. */
  category_id: z.optional(identifier()),
  /** Whether the product is published. */
  is_published: z.optional(z.boolean()),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /** Texts of the product's tabs. */
  course_tab_contents_attributes: z.optional(listInput(ref<CatalogProductTabContentPayload>(catalogProductTabContentPayloadSchema))),
}));

/** Changes to a catalog product. */
export interface CatalogProductUpdate extends z.input<typeof catalogProductUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "catalogProducts",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "catalog/products", query: catalogProductQuerySchema, response: catalogProductSchema, paged: "cursor+page" },
    get: { method: "GET", path: "catalog/products/{id}", response: catalogProductSchema },
    update: { method: "PUT", path: "catalog/products/{id}", body: catalogProductUpdateSchema, response: catalogProductSchema },
  },
);
export const catalogProductOperations: OperationTable = operations;

/** Catalog products: the courses and programs the catalog offers (Main and Admin API). */
export class CatalogProducts extends ListedResource<CatalogProduct, CatalogProductQuery> {
  /** @internal */
  static readonly operations = catalogProductOperations;

  /**
   * Lists catalog products.
   * @example
   * for await (const product of client.catalogProducts.list({ published: "published", sort: ["position:asc"] })) console.log(product.name);
   */
  list(query: CatalogProductQuery = {}, options?: ListOptions): Pages<CatalogProduct> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Reads one catalog product.
   * @example
   * const product = await client.catalogProducts.get(1);
   */
  get(id: number, options?: RequestOptions): Call<CatalogProduct> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a catalog product; fields left out keep their value.
   * @example
   * await client.catalogProducts.update(1, { is_published: true });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<CatalogProductUpdate, CatalogProduct, Name>, options?: RequestOptions): Call<CatalogProduct> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
