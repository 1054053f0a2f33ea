import * as z from "zod/mini";
import { ADMIN_ONLY, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { type ListOptions, type Pages, pages, Resource } from "../methods.js";

export const organizationAccountSchema = /* @__PURE__ */ model(() => ({
  /** The account that belongs to the organization. */
  account_id: z.int(),
  /** The organization. */
  organization_id: z.int(),
}));

/** A link between an account and its organization, without an identifier. Only public documents show its fields. */
export interface OrganizationAccount extends z.infer<typeof organizationAccountSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "organizationAccounts",
  { apis: ADMIN_ONLY, beta: true, feature: "Organizations", scopes: "relations" },
  {
    list: { method: "GET", path: "organization_accounts", response: organizationAccountSchema, paged: "cursor+page" },
  },
);
export const organizationAccountOperations: OperationTable = operations;
export const organizationAccountNotes: TableNotes = { "*": { publicOnly: true, note: "the records are links, without an identifier" } };

/** Links between accounts and organizations (Admin API). */
export class OrganizationAccounts extends Resource {
  /** @internal */
  static readonly operations = organizationAccountOperations;

  /**
   * Lists the links between accounts and organizations. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * for await (const link of admin.organizationAccounts.list()) console.log(link.organization_id, link.account_id);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<OrganizationAccount> {
    return pages(this, operations.list, { query }, options);
  }
}
