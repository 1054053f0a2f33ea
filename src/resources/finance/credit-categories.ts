import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, ref } from "../../core/schema/model.js";
import { type CreditType, creditTypeSchema } from "../../models/credit-type.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const creditCategorySchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the credit category. */
  name: z.string(), // plain
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
export const creditCategoryOperations: OperationTable = operations;
export const creditCategoryNotes: TableNotes = {
  list: { pageRendering: true },
} satisfies NotesOf<typeof operations>;

/** Credit categories: the groups of credit types (Main and Admin API). */
export class CreditCategories extends ListedResource<CreditCategory, PagedQuery> {
  /** @internal */
  static readonly operations = creditCategoryOperations;

  /**
   * Lists credit categories.
   * @example
   * for await (const category of client.creditCategories.list()) console.log(category.name, category.types.length);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<CreditCategory> {
    return pages(this, operations.list, { query }, options);
  }
}
