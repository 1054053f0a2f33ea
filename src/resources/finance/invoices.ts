import * as z from "zod/mini";
import { MAIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, ref } from "../../core/schema/model.js";
import { dateTimeInput, dayText, timestamps, timeText } from "../../models/dates.js";
import { Currency } from "../../models/enumerations.js";
import { identifier } from "../../models/ids.js";
import { filterInput, listInput } from "../../models/lists.js";
import { decimal, decimalInput } from "../../models/money.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";
import { type Payment, paymentSchema } from "./payments.js";

/** Statuses of an invoice (service description, States and transitions). */
export const InvoiceStatus = /* @__PURE__ */ enumeration(["concept", "expired", "open", "paid", "deleted"]);
export type InvoiceStatus = (typeof InvoiceStatus.values)[number];

export const invoiceItemSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the charged item. */
  name: z.string(), // note
  /** Quantity; may be fractional. */
  units: z.number(), // plain
  /** Price of one unit, as decimal text. */
  unit_price: decimal(),
  /** The VAT rate that applies. */
  invoice_vat_id: z.int(),
  /** The charged catalog variant, if any. */
  catalog_variant_id: z.nullable(z.int()),
  ...timestamps(),
}));

/** One line of an invoice. */
export interface InvoiceItem extends z.infer<typeof invoiceItemSchema> {}

export const invoiceSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Reference of the invoice as text. */
  reference_id: z.string(), // note
  /** `number` as a whole number. */
  number_int: z.nullable(z.int()), // plain
  /** The invoiced order, if any. */
  order_id: z.nullable(z.int()),
  /** Number of the invoiced order. */
  order_number: z.nullable(z.int()), // plain
  /** Status of the invoice: `concept` until it is opened. */
  status: InvoiceStatus.open,
  /** When payment is due, as text. */
  expiration_date: z.nullable(dayText()), // plain
  /** When the invoice was opened, as text. */
  opened_at: z.nullable(timeText()), // plain
  /** Description of the invoice. */
  description: z.nullable(z.string()), // note
  /** Name of the invoiced account. */
  account_name: z.string(), // name
  /** Currency code for all amounts, for example `EUR`. */
  currency: Currency.open,
  /** Total with VAT, as decimal text. */
  total_incl: decimal(),
  /** Total without VAT, as decimal text. */
  total_excl: decimal(),
  /** Amount still to be paid, as decimal text. */
  total_open: decimal(),
  /** URL of the PDF. */
  pdf_url: z.nullable(z.string()), // document
  /** URL of the XML version. */
  xml_url: z.nullable(z.string()), // document
  /** Invoice number, assigned when the invoice is opened. */
  number: z.nullable(z.string()), // plain
  /** The invoiced account. */
  account_id: z.int(),
  /** Free text; the service does not document its purpose. */
  feature: z.nullable(z.string()), // plain
  /** Text at the bottom of the invoice. */
  footnote: z.nullable(z.string()), // note
  ...timestamps(),
  /** The lines of the invoice. */
  invoice_items: z.array(ref<InvoiceItem>(invoiceItemSchema)),
  /** The invoice set that the invoice belongs to. */
  invoice_set_id: z.optional(z.nullable(z.int())),
  /** Payments received. */
  payments: z.optional(z.array(ref<Payment>(paymentSchema))),
}));

/** An invoice. */
export interface Invoice extends z.infer<typeof invoiceSchema> {}

export const invoicePdfSchema = /* @__PURE__ */ model(() => ({
  /** The PDF file, base64 encoded. */
  data: z.string(), // document
}));

/** An invoice's PDF. */
export interface InvoicePdf extends z.infer<typeof invoicePdfSchema> {}

export const invoiceQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only invoices of this account. */
  account_id: z.optional(identifier()),
  /** Only invoices of this order. The Main API may not support this filter. */
  order_id: z.optional(identifier()),
  /**
   * Only invoices with one of these statuses. Not every overdue invoice is `expired`, so also check `expiration_date`
   * and `total_open`.
   */
  status: z.optional(filterInput(InvoiceStatus.schema)),
}));

/** Filters of the invoices list. */
export interface InvoiceQuery extends z.input<typeof invoiceQuerySchema>, PagedQuery {}

export const invoiceItemPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The charged catalog variant, if any. */
  catalog_variant_id: z.optional(z.nullable(identifier())),
  /** When the item was created, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  created_at: z.optional(dateTimeInput()),
  /** When the item was last changed, yyyy-MM-ddTHH:mm:ss.SSSZ or a `Date`. */
  updated_at: z.optional(dateTimeInput()),
  /** Quantity; may be fractional. */
  units: z.number(),
  /** Price of one unit, as decimal text such as `"12.50"`. */
  unit_price: decimalInput(),
  /** Name of the charged item. */
  name: z.string(),
  /** The VAT rate that applies. */
  invoice_vat_id: z.optional(identifier()),
  /** True removes the line. */
  _destroy: z.optional(z.boolean()),
}));

/** One line of a new invoice. */
export interface InvoiceItemPayload extends z.input<typeof invoiceItemPayloadSchema> {}

export const invoiceCreateSchema = /* @__PURE__ */ model(() => ({
  /** The account to invoice. */
  account_id: identifier(),
  /** Free text; the service does not document its purpose. */
  feature: z.optional(z.nullable(z.string())),
  /** Text at the bottom of the invoice; one version of the service description requires it, but it may be null. */
  footnote: z.optional(z.nullable(z.string())),
  /** The invoice set that the invoice belongs to. */
  invoice_set_id: z.optional(z.nullable(identifier())),
  /** The lines of the invoice. */
  invoice_items_attributes: z.optional(listInput(ref<InvoiceItemPayload>(invoiceItemPayloadSchema))),
}));

/** Fields of a new invoice. */
export interface InvoiceCreate extends z.input<typeof invoiceCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "invoices",
  { apis: MAIN_ONLY, scopes: "invoices" },
  {
    list: { method: "GET", path: "invoices", query: invoiceQuerySchema, response: invoiceSchema, paged: "cursor+page" },
    create: { method: "POST", path: "invoices", body: invoiceCreateSchema, response: invoiceSchema, status: 201, scopes: ["invoices:read", "invoices:modify"] },
    get: { method: "GET", path: "invoices/{id}", response: invoiceSchema },
    open: { method: "POST", path: "invoices/{id}/open", response: invoiceSchema, idempotent: true, scopes: ["invoices:read", "invoices:modify"] },
    getPdf: { method: "GET", path: "invoices/{id}/pdf", response: invoicePdfSchema },
  },
);
export const invoiceOperations: OperationTable = operations;
export const invoiceNotes: TableNotes = {
  open: { note: "a concept invoice becomes open and gets its number; any other invoice is left unchanged" },
} satisfies NotesOf<typeof operations>;

/** Invoices of the school (Main API). */
export class Invoices extends ListedResource<Invoice, InvoiceQuery> {
  /** @internal */
  static readonly operations = invoiceOperations;

  /**
   * Lists invoices.
   * @example
   * for await (const invoice of client.invoices.list({ status: ["open", "expired"] })) console.log(invoice.total_open);
   */
  list(query: InvoiceQuery = {}, options?: ListOptions): Pages<Invoice> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates an invoice; amounts are decimal text, because numbers can lose cents.
   * @example
   * const item = { name: "Coaching", units: 2, unit_price: "125.00", invoice_vat_id: 1 };
   * const invoice = await client.invoices.create({ account_id: 7, footnote: null, invoice_items_attributes: [item] });
   */
  create(body: InvoiceCreate, options?: RequestOptions): Call<Invoice> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one invoice.
   * @example
   * const invoice = await client.invoices.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Invoice> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Opens a concept invoice: assigns its number and makes it ready to send. An invoice with any other status is left
   * unchanged, so the call is retried after an ambiguous failure although it is a POST.
   * @example
   * const invoice = await client.invoices.open(7);
   * console.log(invoice.number);
   */
  open(id: number, options?: RequestOptions): Call<Invoice> {
    return call(this, operations.open, { params: { id } }, options);
  }

  /**
   * Reads the PDF of an invoice as base64 text. To get bytes, use `Buffer.from(data, "base64")` in Node, or the code in
   * the example on any platform.
   * @example
   * const { data } = await client.invoices.getPdf(7);
   * const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
   */
  getPdf(id: number, options?: RequestOptions): Call<InvoicePdf> {
    return call(this, operations.getPdf, { params: { id } }, options);
  }
}
