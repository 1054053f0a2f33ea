import * as z from "zod/mini";
import { BOTH, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { date } from "../../models/dates.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** Kinds of discount; known only from public documents, so others may occur. */
export const DiscountType = /* @__PURE__ */ enumeration(["fixed", "percentage"]);
export type DiscountType = (typeof DiscountType.values)[number];

export const discountCodeSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the discount code. */
  name: z.string(), // plain
  /** The code as a customer enters it. */
  discount_code: z.string(), // plain
  /** Whether `amount` is a fixed amount or a percentage. */
  discount_type: DiscountType.open,
  /** Size of the discount: a number, unlike other amounts, which are text. */
  amount: z.number(), // plain
  /** How many times the code may be used; null for no limit. */
  max_usage: z.nullable(z.int()), // plain
  /** How many times the code has been used. */
  usage_count: z.int(), // plain
  /** First day of validity, yyyy-MM-dd. */
  start_date: date(), // plain
  /** Day the code expires, yyyy-MM-dd. */
  expiration_date: date(), // plain
}));

/** A discount code. The service description shows no fields; these fields come from public documents. */
export interface DiscountCode extends z.infer<typeof discountCodeSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "discountCodes",
  { apis: BOTH, scopes: "orders" },
  {
    list: { method: "GET", path: "discount_codes", response: discountCodeSchema, paged: "cursor+page" },
  },
);
export const discountCodeOperations: OperationTable = operations;

/** Discount codes (Main and Admin API). */
export class DiscountCodes extends ListedResource<DiscountCode, PagedQuery> {
  /** @internal */
  static readonly operations = discountCodeOperations;

  /**
   * Lists discount codes.
   * @example
   * for await (const code of client.discountCodes.list()) console.log(code.discount_code, code.usage_count);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<DiscountCode> {
    return pages(this, operations.list, { query }, options);
  }
}
