import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

/** Payment gateways; known only from public documents, so others may occur. */
export const PaymentGateway = /* @__PURE__ */ enumeration([
  "Mollie",
  "StripeIdeal",
  "StripeAlipay",
  "StripeGiropay",
  "ValitorBasic",
  "ValitorLoan",
  "Borgun",
  "StripeCheckout",
  "AuthorizeNet",
  "TouchNet",
  "WpmEducation",
]);
export type PaymentGateway = (typeof PaymentGateway.values)[number];

export const paymentMethodSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the payment method. */
  name: z.string(), // plain
  /** The gateway that processes the payments; null for payments without a gateway, such as bank transfers. */
  gateway: z.nullable(PaymentGateway.open),
  /** The plugin that connects the gateway, if any. */
  plugin_id: z.nullable(z.int()),
}));

/** A payment method. Only public documents show its fields. */
export interface PaymentMethod extends z.infer<typeof paymentMethodSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "paymentMethods",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "payment_methods", response: paymentMethodSchema, paged: "cursor+page" },
  },
);
export const paymentMethodOperations: OperationTable = operations;
export const paymentMethodNotes: TableNotes = {
  list: { publicOnly: true, note: "only the methods that customers can choose" },
} satisfies NotesOf<typeof operations>;

/** Payment methods: how customers can pay (Main and Admin API). */
export class PaymentMethods extends ListedResource<PaymentMethod, PagedQuery> {
  /** @internal */
  static readonly operations = paymentMethodOperations;

  /**
   * Lists the payment methods that customers can choose.
   * @example
   * for await (const method of client.paymentMethods.list()) console.log(method.name, method.gateway);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<PaymentMethod> {
    return pages(this, operations.list, { query }, options);
  }
}
