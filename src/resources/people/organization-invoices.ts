import * as z from "zod/mini";
import { ADMIN_ONLY, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";

export const organizationInvoiceSchema = /* @__PURE__ */ model(() => ({
  /** The invoice sent to the organization. */
  invoice_id: z.int(),
  /** The organization. */
  organization_id: z.int(),
}));

/** A link between an invoice and an organization, without an identifier. Only public documents show its fields. */
export interface OrganizationInvoice extends z.infer<typeof organizationInvoiceSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "organizationInvoices",
  { apis: ADMIN_ONLY, beta: true, feature: "Organizations", scopes: "relations" },
  {
    list: { method: "GET", path: "organization_invoices", response: organizationInvoiceSchema, paged: "cursor+page" },
  },
);
export const organizationInvoiceOperations: OperationTable = operations;
export const organizationInvoiceNotes: TableNotes = { "*": { publicOnly: true, note: "the records are links, without an identifier" } };

/** Links between invoices and organizations (Admin API). */
export class OrganizationInvoices extends Resource {
  /** @internal */
  static readonly operations = organizationInvoiceOperations;

  /**
   * Lists the links between invoices and organizations. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * for await (const link of admin.organizationInvoices.list()) console.log(link.organization_id, link.invoice_id);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<OrganizationInvoice> {
    return pages(this, operations.list, { query }, options);
  }
}
