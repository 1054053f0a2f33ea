import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { customFields } from "../../models/custom-fields.js";
import { date, dateTimeInput, timestamps } from "../../models/dates.js";
import { CostScheme } from "../../models/enumerations.js";
import { identifier, textIdentifier } from "../../models/ids.js";
import { filterInput, listInput } from "../../models/lists.js";
import { decimal, decimalInput } from "../../models/money.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Statuses of an order; known only from public documents, so others may occur. */
export const OrderStatus = /* @__PURE__ */ enumeration(["active", "canceled", "denied", "requested"], { complete: false });
export type OrderStatus = (typeof OrderStatus.values)[number];

/** Sort orders of the orders list. */
export const OrderSort = /* @__PURE__ */ enumeration(["created_at:asc", "created_at:desc"]);
export type OrderSort = (typeof OrderSort.values)[number];

export const orderItemSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the item. */
  id: z.int(),
  /** The order that the item belongs to. */
  order_id: z.int(),
  /** The student for whom this place was ordered. */
  student_id: z.int(),
  ...timestamps(),
}));

/** One item of an order: a place for one student. */
export interface OrderItem extends z.infer<typeof orderItemSchema> {}

export const orderSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Order number, a whole number. */
  number: z.int(), // plain
  /** Status of the order. */
  status: OrderStatus.open,
  /** Number of students on the order. */
  number_of_students: z.int(), // plain
  /** Where the order was placed. */
  origin: z.string(), // plain
  /** Comment by the customer. */
  customer_comment: z.nullable(z.string()), // note
  /** Total without VAT, as decimal text. */
  total_cost_excl: z.nullable(decimal()),
  /** Total with VAT, as decimal text. */
  total_cost_incl: z.nullable(decimal()),
  /** Price as decimal text, per student or per order depending on `cost_scheme`. */
  cost: z.nullable(decimal()),
  /** Whether `cost` is the price per student or per order. */
  cost_scheme: CostScheme.open,
  /** The ordered catalog variant. */
  catalog_variant_id: z.int(),
  /** The user who placed the order. */
  creator_id: z.nullable(z.int()),
  /** The account of the order. */
  account_id: z.int(),
  /**
   * The planned course that was ordered.
   * @deprecated The service names no replacement.
   */
  planned_course_id: z.optional(z.nullable(z.int())),
  /** The payment method of the order. */
  payment_method_id: z.optional(z.nullable(z.int())),
  /** The chosen payment option. */
  payment_option_id: z.nullable(z.int()),
  /** Identifiers of the labels on the order. */
  label_ids: z.array(z.int()),
  /** The discount code used, if any. */
  discount_code: z.optional(z.nullable(z.string())), // plain
  /** Total discount, as decimal text. */
  total_discount: z.optional(z.nullable(decimal())),
  /** Identifier of the referral. */
  referral_id: z.nullable(z.int()),
  ...timestamps(),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()), // custom
  /** The items of the order, one per student. */
  order_items: z.optional(z.array(ref<OrderItem>(orderItemSchema))),
  /** First day of the ordered course or program, yyyy-MM-dd. */
  start_date: z.optional(z.nullable(date())), // plain
  /** Last day of the ordered course or program, yyyy-MM-dd. */
  end_date: z.optional(z.nullable(date())), // plain
}));

/** An order. The service description shows `id` and `number`; the other fields come from public documents. */
export interface Order extends z.infer<typeof orderSchema> {}

export const orderQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only orders placed by the user with this identifier (number or text). */
  creator_id: z.optional(textIdentifier()),
  /** Only orders of this catalog variant. The Main API may not support this filter. */
  catalog_variant_id: z.optional(identifier()),
  /** Only orders created after this date and time, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  created_at_after: z.optional(dateTimeInput()),
  /**
   * Only orders for courses with these identifiers (numbers or text).
   * @deprecated The service names no replacement.
   */
  course_id: z.optional(filterInput(textIdentifier())),
  /** Fields to sort by, the most important first. */
  sort: z.optional(filterInput(OrderSort.schema)),
}));

/** Filters and sort order of the orders list. */
export interface OrderQuery extends z.input<typeof orderQuerySchema>, PagedQuery {}

export const orderCreateSchema = /* @__PURE__ */ model(() => ({
  /** Price as decimal text such as `"450.00"`, per student or per order depending on `cost_scheme`. */
  cost: z.optional(z.nullable(decimalInput())),
  /** Whether `cost` is the price per student or per order. */
  cost_scheme: z.optional(CostScheme.schema),
  /** The catalog variant to order. */
  catalog_variant_id: identifier(),
  /** The user who places the order. */
  creator_id: identifier(),
  /** The account of the order. Default: the creator's personal account. */
  account_id: z.optional(identifier()),
  /**
   * The planned course to order.
   * @deprecated Use `catalog_variant_id`.
   */
  planned_course_id: z.optional(identifier()),
  /** The payment method of the order. */
  payment_method_id: z.optional(identifier()),
  /** The users who take part; at least one. */
  student_ids: listInput(identifier()).check(z.minLength(1, "must name at least one student")),
  /** The chosen payment option. */
  payment_option_id: z.optional(identifier()),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /** True approves the order at once. Default false: the order waits for approval. */
  approve: z.optional(z.boolean()),
  /** Identifiers of the labels on the order. */
  label_ids: z.optional(listInput(identifier())),
  /** Identifier of the referral. */
  referral_id: z.optional(identifier()),
}));

/** Fields of a new order. */
export interface OrderCreate extends z.input<typeof orderCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "orders",
  { apis: BOTH, scopes: "orders" },
  {
    list: { method: "GET", path: "orders", query: orderQuerySchema, response: orderSchema, paged: "cursor+page" },
    create: { method: "POST", path: "orders", body: orderCreateSchema, response: orderSchema, status: 201 },
    get: { method: "GET", path: "orders/{id}", response: orderSchema },
    approve: { method: "PUT", path: "orders/{id}/approve", response: orderSchema, scopes: ["orders:read", "orders:modify"] },
    cancel: { method: "PUT", path: "orders/{id}/cancel", response: orderSchema, scopes: ["orders:read", "orders:modify"] },
    deny: { method: "PUT", path: "orders/{id}/deny", status: 204, scopes: ["orders:read", "orders:modify"] },
  },
);
export const orderOperations: OperationTable = operations;
export const orderNotes: TableNotes = {
  list: { pageRendering: true },
  create: {
    publicOnly: true,
    note: "a 200 may contain an error body instead of the order; it is thrown as an error; account_id defaults to the creator's personal account, approve to false; student_ids is required and must not be empty; planned_course_id is deprecated, use catalog_variant_id",
  },
  get: { publicOnly: true },
  approve: { publicOnly: true },
  cancel: { publicOnly: true },
  deny: { publicOnly: true, note: "responds without a body, unlike approve and cancel, which return the order" },
} satisfies NotesOf<typeof operations>;

/** Orders (Main and Admin API). */
export class Orders extends ListedResource<Order, OrderQuery> {
  /** @internal */
  static readonly operations = orderOperations;

  /**
   * Lists orders; `sort: ["created_at:desc"]` puts the newest first.
   * @example
   * const recent = client.orders.list({ created_at_after: new Date("2030-01-01T00:00:00Z"), sort: ["created_at:desc"] });
   * for await (const order of recent) console.log(order.number);
   */
  list(query: OrderQuery = {}, options?: ListOptions): Pages<Order> {
    return pages(this, operations.list, { query }, options);
  }
  /**
   * Places an order for one or more students. The order waits for approval unless `approve` is true. If the service
   * refuses the order with status 200, the call still throws `ApiError`.
   * @example
   * const variants = await client.catalogVariants.list({ variantable_type: "planned_course" }).toArray({ max: 100 });
   * const variant = variants.find(({ available_places }) => (available_places ?? 2) >= 2);
   * if (variant) {
   *   const order = await client.orders.create({ catalog_variant_id: variant.id, creator_id: 7, student_ids: [7, 1] });
   *   console.log(order.number, order.status);
   * }
   */
  create(body: OrderCreate, options?: RequestOptions): Call<Order> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one order.
   * @example
   * const order = await client.orders.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Order> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Approves an order, which makes it active.
   * @example
   * const order = await client.orders.approve(7);
   */
  approve(id: number, options?: RequestOptions): Call<Order> {
    return call(this, operations.approve, { params: { id } }, options);
  }

  /**
   * Cancels an order.
   * @example
   * const order = await client.orders.cancel(7);
   */
  cancel(id: number, options?: RequestOptions): Call<Order> {
    return call(this, operations.cancel, { params: { id } }, options);
  }

  /**
   * Denies an order that is waiting for approval. Unlike `approve` and `cancel`, the call does not return the order.
   * @example
   * const order = await client.orders.create({ catalog_variant_id: 1, creator_id: 7, student_ids: [7] });
   * await client.orders.deny(order.id);
   */
  deny(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.deny, { params: { id } }, options);
  }
}
