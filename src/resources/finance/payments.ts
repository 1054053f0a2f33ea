import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type TableNotes } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { dayText } from "../../models/dates.js";
import { Currency } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { decimal, decimalInput } from "../../models/money.js";
import { type Call, call, type ListOptions, type Pages, pages, type RequestOptions, Resource } from "../methods.js";
import { type PaymentMethod, paymentMethodSchema } from "./payment-methods.js";

/** Statuses of a payment; the service description shows only some of them. */
export const PaymentStatus = /* @__PURE__ */ enumeration(["new", "open", "paid", "failed", "internal_server_error"], { complete: false });
export type PaymentStatus = (typeof PaymentStatus.values)[number];

const paymentFields = () => ({
  /** Unique within the school. */
  id: z.int(),
  /** The invoice that the payment is for. */
  invoice_id: z.int(),
  /** Amount in `currency`, as decimal text. */
  amount: decimal(),
  /** Currency code, for example `EUR`. */
  currency: Currency.open,
  /** The payment method. */
  payment_method_id: z.int(),
  /** Status of the payment. */
  status: PaymentStatus.open,
  /** The payment gateway used, if any. */
  gateway_id: z.nullable(z.int()),
  /** Date of the payment as text. */
  date: z.nullable(dayText()), // plain
});

export const paymentSchema = /* @__PURE__ */ model(paymentFields);

/** A payment of an invoice. */
export interface Payment extends z.infer<typeof paymentSchema> {}

export const pluginDataSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the value. */
  id: z.int(),
  /** Value from the payment provider: text, a whole number, a Boolean or null. */
  data: z.nullable(z.union([z.boolean(), z.int(), z.string()])), // document
}));

/** One value from a payment provider. Only public documents show its fields. */
export interface PluginData extends z.infer<typeof pluginDataSchema> {}

export const createdPaymentSchema = /* @__PURE__ */ model(() => ({
  ...paymentFields(),
  /** The record of the payment method. */
  payment_method: z.optional(ref<PaymentMethod>(paymentMethodSchema)),
  /** The payment provider's data about the payment. */
  plugin_data: z.optional(z.array(ref<PluginData>(pluginDataSchema))),
}));

/** A new payment, with its method and the payment provider's data. Only public documents show its fields. */
export interface CreatedPayment extends z.infer<typeof createdPaymentSchema> {}

export const paymentCreateSchema = /* @__PURE__ */ model(() => ({
  /** Amount in `currency`, as decimal text such as `"12.50"`. */
  amount: decimalInput(),
  /** Currency code, for example `EUR`. */
  currency: z.optional(Currency.schema),
  /** Date of the payment as text; public documents do not show its format. */
  date: z.optional(dayText()),
  /** The payment method. */
  payment_method_id: z.optional(identifier()),
}));

/** Fields of a new payment. */
export interface PaymentCreate extends z.input<typeof paymentCreateSchema> {}

export const paymentPathSchema = /* @__PURE__ */ model(() => ({
  /** The invoice that the payment is for. */
  invoice_id: identifier(),
  /** Identifier of the payment. */
  id: identifier(),
}));

/** Identifies one payment by its invoice and its identifier. */
export interface PaymentPath extends z.input<typeof paymentPathSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "payments",
  { apis: BOTH, scopes: "payments" },
  {
    get: { method: "GET", path: "payments/{id}", response: paymentSchema },
    listForInvoice: { method: "GET", path: "invoices/{invoice_id}/payments", response: paymentSchema, paged: "none" },
    createForInvoice: { method: "POST", path: "invoices/{invoice_id}/payments", body: paymentCreateSchema, response: createdPaymentSchema, status: 201 },
    deleteForInvoice: { method: "DELETE", path: "invoices/{invoice_id}/payments/{id}", params: paymentPathSchema, status: 204, scopes: ["destroyable_payments:destroy"] },
  },
);
export const paymentOperations: OperationTable = operations;
export const paymentNotes: TableNotes = {
  "*": { publicOnly: true },
  createForInvoice: { note: "returns the payment with its payment_method and plugin_data" },
  deleteForInvoice: { note: "needs the scope destroyable_payments:destroy, not payments:destroy" },
} satisfies NotesOf<typeof operations>;

/** Payments of invoices (Main and Admin API). */
export class Payments extends Resource {
  /** @internal */
  static readonly operations = paymentOperations;

  /**
   * Reads one payment.
   * @example
   * const payment = await client.payments.get(1);
   */
  get(id: number, options?: RequestOptions): Call<Payment> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Lists the payments of one invoice, in one response.
   * @example
   * for await (const payment of client.payments.listForInvoice(7)) console.log(payment.date, payment.amount);
   */
  listForInvoice(invoiceId: number, options?: ListOptions): Pages<Payment> {
    return pages(this, operations.listForInvoice, { params: { invoice_id: invoiceId } }, options);
  }

  /**
   * Registers a payment of an invoice; the amount is decimal text, because numbers can lose cents. The call is never
   * retried after an ambiguous failure, so that nothing is paid twice.
   * @example
   * const [invoice] = (await client.invoices.list({ status: "open" })).records;
   * if (invoice) {
   *   const payment = await client.payments.createForInvoice(invoice.id, { amount: invoice.total_open, date: "2030-06-30" });
   *   console.log(payment.payment_method?.name);
   * }
   */
  createForInvoice(invoiceId: number, body: PaymentCreate, options?: RequestOptions): Call<CreatedPayment> {
    return call(this, operations.createForInvoice, { params: { invoice_id: invoiceId }, body }, options);
  }

  /**
   * Deletes a payment of an invoice, so that its amount is open again. The token needs the scope
   * `destroyable_payments:destroy`.
   * @example
   * const [payment] = (await client.payments.listForInvoice(6)).records;
   * if (payment) await client.payments.deleteForInvoice({ invoice_id: 6, id: payment.id });
   */
  deleteForInvoice(path: PaymentPath, options?: RequestOptions): Call<void> {
    return call(this, operations.deleteForInvoice, { params: path }, options);
  }
}
