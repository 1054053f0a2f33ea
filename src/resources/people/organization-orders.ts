import * as z from "zod/mini";
import { ADMIN_ONLY, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";

export const organizationOrderSchema = /* @__PURE__ */ model(() => ({
  /** The organization. */
  organization_id: z.int(),
  /** The order of the organization. */
  order_id: z.int(),
}));

/** A link between an order and an organization, without an identifier. Only public documents show its fields. */
export interface OrganizationOrder extends z.infer<typeof organizationOrderSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "organizationOrders",
  { apis: ADMIN_ONLY, beta: true, feature: "Organizations", scopes: "relations" },
  {
    list: { method: "GET", path: "organization_orders", response: organizationOrderSchema, paged: "cursor+page" },
  },
);
export const organizationOrderOperations: OperationTable = operations;
export const organizationOrderNotes: TableNotes = { "*": { publicOnly: true, note: "the records are links, without an identifier" } };

/** Links between orders and organizations (Admin API). */
export class OrganizationOrders extends Resource {
  /** @internal */
  static readonly operations = organizationOrderOperations;

  /**
   * Lists the links between orders and organizations. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * for await (const link of admin.organizationOrders.list()) console.log(link.organization_id, link.order_id);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<OrganizationOrder> {
    return pages(this, operations.list, { query }, options);
  }
}
