import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, partial } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { Published } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { filterInput } from "../../models/lists.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** The sort orders that the service allows for the categories list. */
export const CategorySort = /* @__PURE__ */ enumeration(["position:asc", "position:desc"]);
export type CategorySort = (typeof CategorySort.values)[number];

export const categorySchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the category. */
  name: z.string(), // plain
  /** Position among the categories. */
  position: z.int(), // plain
  /** Image of the category. */
  avatar: z.nullable(z.string()), // plain
  /** URL of the image. */
  avatar_url: z.nullable(z.string()), // plain
  /**
   * Number of catalog products in the category.
   * @deprecated The service names no replacement.
   */
  products_count: z.int(), // plain
  /**
   * Number of courses in the category.
   * @deprecated The service names no replacement.
   */
  courses_count: z.int(), // plain
  /**
   * Number of subcategories.
   * @deprecated The service names no replacement.
   */
  children_count: z.int(), // plain
  /** Short name of the category for web addresses. */
  slug: z.string(), // plain
  /** Description of the category. */
  description: z.nullable(z.string()), // plain
  /** Whether the category is published. */
  is_published: z.boolean(),
  /**
   * Title for search engines.
   * @deprecated The service names no replacement.
   */
  meta_title: z.nullable(z.string()), // plain
  /**
   * Description for search engines.
   * @deprecated The service names no replacement.
   */
  meta_description: z.nullable(z.string()), // plain
  /** The parent category; null for a top-level category. */
  parent_id: z.nullable(z.int()),
  ...timestamps(),
}));

/** A category of the catalog; it contains products, courses and other categories. */
export interface Category extends z.infer<typeof categorySchema> {}

export const categoryQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only published categories. */
  published: z.optional(Published.schema),
  /** Fields to sort by, the most important first. */
  sort: z.optional(filterInput(CategorySort.schema)),
}));

/** Filters and sort order of the categories list. */
export interface CategoryQuery extends z.input<typeof categoryQuerySchema>, PagedQuery {}

const categoryFields = () => ({
  /** Name of the category. */
  name: z.string(),
  /** Description of the category. */
  description: z.optional(z.nullable(z.string())),
  /** Whether the category is published. */
  is_published: z.optional(z.boolean()),
  /** Title for search engines. The Admin API has deprecated it. */
  meta_title: z.optional(z.nullable(z.string())),
  /** Description for search engines. The Admin API has deprecated it. */
  meta_description: z.optional(z.nullable(z.string())),
  /** The parent category; null for a top-level category. */
  parent_id: z.optional(z.nullable(identifier())),
});

export const categoryCreateSchema = /* @__PURE__ */ model(categoryFields);

/** Fields of a new category. */
export interface CategoryCreate extends z.input<typeof categoryCreateSchema> {}

export const categoryUpdateSchema = /* @__PURE__ */ model(() =>
  partial({
    ...categoryFields(),
    /** Short name of the category for web addresses. */
    slug: z.optional(z.string()),
  }),
);

/** Changes to a category. */
export interface CategoryUpdate extends z.input<typeof categoryUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "categories",
  { apis: BOTH, scopes: "courses" },
  {
    list: { method: "GET", path: "categories", query: categoryQuerySchema, response: categorySchema, paged: "cursor+page" },
    create: { method: "POST", path: "categories", body: categoryCreateSchema, response: categorySchema, status: 201 },
    get: { method: "GET", path: "categories/{id}", response: categorySchema },
    update: { method: "PUT", path: "categories/{id}", body: categoryUpdateSchema, response: categorySchema },
  },
);
export const categoryOperations: OperationTable = operations;
export const categoryNotes: TableNotes = {
  create: { note: "in the Admin API meta_title and meta_description are deprecated" },
} satisfies NotesOf<typeof operations>;

/** Categories of the catalog (Main and Admin API). */
export class Categories extends ListedResource<Category, CategoryQuery> {
  /** @internal */
  static readonly operations = categoryOperations;

  /**
   * Lists categories.
   * @example
   * for await (const category of client.categories.list({ sort: ["position:asc"] })) console.log(category.name);
   */
  list(query: CategoryQuery = {}, options?: ListOptions): Pages<Category> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a category.
   * @example
   * const category = await client.categories.create({ name: "Languages", is_published: true });
   */
  create(body: CategoryCreate, options?: RequestOptions): Call<Category> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one category.
   * @example
   * const category = await client.categories.get(1);
   */
  get(id: number, options?: RequestOptions): Call<Category> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a category; fields left out keep their value.
   * @example
   * await client.categories.update(1, { parent_id: null });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<CategoryUpdate, Category, Name>, options?: RequestOptions): Call<Category> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
