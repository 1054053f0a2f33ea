import * as z from "zod/mini";
import { ListedResource } from "../../core/listed-resource.js";
import type { Pages } from "../../core/lists/pages.js";
import { enumeration, model, ref } from "../../core/model.js";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import type { ListOptions } from "../../core/options.js";
import { customFields } from "../../models/custom-fields.js";
import { dateTime, dateTimeInput } from "../../models/dates.js";
import { CostScheme } from "../../models/enumerations.js";
import { identifier, textIdentifier } from "../../models/ids.js";
import { filterInput } from "../../models/lists.js";
import { decimal } from "../../models/money.js";

/** Statuses of an order; not in the service description, known publicly. */
export const OrderStatus = /* @__PURE__ */ enumeration(["active", "canceled", "denied", "requested"], { complete: false });
/** A status of an order; there may be more than these. */
export type OrderStatus = (typeof OrderStatus.values)[number];

/** Orders in which the orders list can be asked for. */
export const OrderSort = /* @__PURE__ */ enumeration(["created_at:asc", "created_at:desc"]);
/** An order in which the orders list can be asked for. */
export type OrderSort = (typeof OrderSort.values)[number];

/** Schema of {@link OrderItem}. */
export const orderItemSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the item. */
  id: z.int(),
  /** The order that the item belongs to. */
  order_id: z.int(),
  /** The user who takes part. */
  student_id: z.int(),
  /** When the item was last changed. */
  updated_at: dateTime(),
  /** When the item was created. */
  created_at: dateTime(),
}));

/** One place of an order: a student. */
export interface OrderItem extends z.infer<typeof orderItemSchema> {}

/** Schema of {@link Order}. */
export const orderSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the provider. */
  id: z.int(),
  /** Number of the order, a whole number. */
  number: z.int(),
  /** Status of the order. */
  status: OrderStatus.open,
  /** Number of students on the order. */
  number_of_students: z.int(),
  /** Where the order was placed. */
  origin: z.string(),
  /** Comment by the customer. */
  customer_comment: z.nullable(z.string()),
  /** Total without VAT, a decimal as text. */
  total_cost_excl: z.nullable(decimal()),
  /** Total with VAT, a decimal as text. */
  total_cost_incl: z.nullable(decimal()),
  /** Price, a decimal as text; `cost_scheme` says of what. */
  cost: z.nullable(decimal()),
  /** What `cost` is the price of: each student or the whole order. */
  cost_scheme: CostScheme.open,
  /** The catalog variant ordered. */
  catalog_variant_id: z.int(),
  /** The user who placed the order. */
  creator_id: z.nullable(z.int()),
  /** The account that ordered. */
  account_id: z.int(),
  /**
   * The planned course ordered.
   * @deprecated The service names no replacement.
   */
  planned_course_id: z.optional(z.nullable(z.int())),
  /** The payment method of the order. */
  payment_method_id: z.optional(z.nullable(z.int())),
  /** The payment option chosen. */
  payment_option_id: z.nullable(z.int()),
  /** Identifiers of the labels on the order. */
  label_ids: z.array(z.int()),
  /** The discount code used, if any. */
  discount_code: z.optional(z.nullable(z.string())),
  /** Discount given, a decimal as text. */
  total_discount: z.optional(z.nullable(decimal())),
  /** Identifier of the referral. */
  referral_id: z.nullable(z.int()),
  /** When the order was last changed. */
  updated_at: dateTime(),
  /** When the order was created. */
  created_at: dateTime(),
  /** Values of custom fields, keyed by slug; not in every rendering. */
  custom: z.optional(customFields()),
  /** The students ordered for; not in every rendering. */
  order_items: z.optional(z.array(ref<OrderItem>(orderItemSchema))),
}));

/** An order. The service description shows `id` and `number`; the other fields are known publicly. */
export interface Order extends z.infer<typeof orderSchema> {}

/** Schema of {@link OrderQuery}. */
export const orderQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only orders placed by this user; a number or text. */
  creator_id: z.optional(textIdentifier()),
  /** Only orders of this catalog variant. The Main API may not know this filter. */
  catalog_variant_id: z.optional(identifier()),
  /** Only orders created after this date and time, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  created_at_after: z.optional(dateTimeInput()),
  /**
   * Only orders for one of these courses; numbers or text.
   * @deprecated The service names no replacement.
   */
  course_id: z.optional(filterInput(textIdentifier())),
  /** Orders to sort by, the first one first. */
  sort: z.optional(filterInput(OrderSort.schema)),
}));

/** Filters and order of the orders list. */
export interface OrderQuery extends z.input<typeof orderQuerySchema>, PagedQuery {}

const operations = /* @__PURE__ */ operationTable(
  "orders",
  { apis: BOTH, scopes: "orders" },
  {
    list: { method: "GET", path: "orders", query: orderQuerySchema, response: orderSchema, paged: "cursor+page" },
  },
);
/** The operations of {@link Orders}. */
export const orderOperations: OperationTable = operations;
/** What documentation says about the operations of {@link Orders}. */
export const orderNotes: TableNotes = {
  list: { pageRendering: true, note: "the list whose records begin with id and number; identifiers in the query are text on the wire, numbers and text are both taken" },
} satisfies NotesOf<typeof operations>;

/** Orders (Main and Admin API). */
export class Orders extends ListedResource<Order, OrderQuery> {
  /**
   * Lists orders, the newest first with `sort: ["created_at:desc"]`.
   * @throws InputError when an argument is wrong, once the list is used; nothing was sent.
   * @throws ApiError when the service answers a page with an error.
   * @example
   * const recent = client.orders.list({ created_at_after: new Date("2030-01-01T00:00:00Z"), sort: ["created_at:desc"] });
   * for await (const order of recent) console.log(order.number);
   */
  list(query: OrderQuery = {}, options?: ListOptions): Pages<Order> {
    return this.transport.pages(operations.list, { query }, options);
  }
}
