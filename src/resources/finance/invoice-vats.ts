import * as z from "zod/mini";
import { MAIN_ONLY, type OperationTable, operationTable, type PagedQuery } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { decimal, decimalInput } from "../../models/money.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const invoiceVatSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the VAT rate. */
  name: z.string(), // plain
  /** The rate in percent, as decimal text. */
  percentage: decimal(),
  /** False if no VAT applies. */
  has_vat: z.boolean(),
}));

/** A VAT rate for invoice items. */
export interface InvoiceVat extends z.infer<typeof invoiceVatSchema> {}

export const invoiceVatCreateSchema = /* @__PURE__ */ model(() => ({
  /** Name of the VAT rate. */
  name: z.string(),
  /** The rate in percent, as decimal text such as `"21.0"`. */
  percentage: decimalInput(),
}));

/** Fields of a new VAT rate. */
export interface InvoiceVatCreate extends z.input<typeof invoiceVatCreateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "invoiceVats",
  { apis: MAIN_ONLY, scopes: "settings" },
  {
    list: { method: "GET", path: "invoice_vats", response: invoiceVatSchema, paged: "cursor+page" },
    create: { method: "POST", path: "invoice_vats", body: invoiceVatCreateSchema, response: invoiceVatSchema, status: 201 },
  },
);
export const invoiceVatOperations: OperationTable = operations;

/** VAT rates for invoice items (Main API). */
export class InvoiceVats extends ListedResource<InvoiceVat, PagedQuery> {
  /** @internal */
  static readonly operations = invoiceVatOperations;

  /**
   * Lists VAT rates.
   * @example
   * for await (const vat of client.invoiceVats.list()) console.log(vat.name, vat.percentage);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<InvoiceVat> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a VAT rate.
   * @example
   * const vat = await client.invoiceVats.create({ name: "High rate", percentage: "21.0" });
   */
  create(body: InvoiceVatCreate, options?: RequestOptions): Call<InvoiceVat> {
    return call(this, operations.create, { body }, options);
  }
}
