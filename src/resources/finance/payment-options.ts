import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { decimal } from "../../models/money.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const paymentOptionSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the payment option. */
  name: z.string(), // plain
  /** Minimum amount of an order for this option: a number, unlike other amounts, which are text. */
  available_from: z.number(), // plain
  /** Amount that the option adds to an order, as decimal text. */
  extra_cost: decimal(),
  /** The deposit as a percentage; null unless the option is a deposit. */
  percentage: z.nullable(z.number()), // plain
  /** Multiplier of the option, as decimal text. */
  multiplier: z.nullable(decimal()),
}));

/** A payment option: the schedule on which an order is paid. Only public documents show its fields. */
export interface PaymentOption extends z.infer<typeof paymentOptionSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "paymentOptions",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "payment_options", response: paymentOptionSchema, paged: "cursor+page" },
  },
);
export const paymentOptionOperations: OperationTable = operations;
export const paymentOptionNotes: TableNotes = {
  list: { publicOnly: true, note: "extra_cost and multiplier are text; available_from and percentage are numbers" },
} satisfies NotesOf<typeof operations>;

/** Payment options: schedules on which customers pay, for example in installments (Main and Admin API). */
export class PaymentOptions extends ListedResource<PaymentOption, PagedQuery> {
  /** @internal */
  static readonly operations = paymentOptionOperations;

  /**
   * Lists payment options.
   * @example
   * for await (const option of client.paymentOptions.list()) console.log(option.name, option.extra_cost);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<PaymentOption> {
    return pages(this, operations.list, { query }, options);
  }
}
