import * as z from "zod/mini";
import { ListedResource } from "../../core/listed-resource.js";
import type { Pages } from "../../core/lists/pages.js";
import { model, ref } from "../../core/model.js";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import type { ListOptions } from "../../core/options.js";
import { transportOf } from "../../core/resource.js";
import { type CreditType, creditTypeSchema } from "../../models/credit-type.js";

/** Schema of {@link CreditCategory}. */
export const creditCategorySchema = /* @__PURE__ */ model(() => ({
  /** Unique within the provider. */
  id: z.int(),
  /** Name of the credit category. */
  name: z.string(),
  /** The credit types of the category. */
  types: z.array(ref<CreditType>(creditTypeSchema)),
}));

/** A credit category: a group of credit types. */
export interface CreditCategory extends z.infer<typeof creditCategorySchema> {}

const operations = /* @__PURE__ */ operationTable(
  "creditCategories",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "credit_categories", response: creditCategorySchema, paged: "cursor+page" },
  },
);
/** The operations of {@link CreditCategories}. */
export const creditCategoryOperations: OperationTable = operations;
/** What documentation says about the operations of {@link CreditCategories}. */
export const creditCategoryNotes: TableNotes = {
  list: { pageRendering: true },
} satisfies NotesOf<typeof operations>;

/** Credit categories: the groups of credit types (Main and Admin API). */
export class CreditCategories extends ListedResource<CreditCategory, PagedQuery> {
  /**
   * Lists credit categories.
   * @throws InputError when an argument is wrong, once the list is used; nothing was sent.
   * @throws ApiError when the service answers a page with an error.
   * @example
   * for await (const category of client.creditCategories.list()) console.log(category.name, category.types.length);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<CreditCategory> {
    return transportOf(this).pages(operations.list, { query }, options);
  }
}
