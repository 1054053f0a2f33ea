import * as z from "zod/mini";
import { ADMIN_ONLY, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const organizationSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name of the organization. */
  name: z.string(), // name
  /** The main account of the organization; `organizationAccounts` lists all its accounts. */
  primary_account_id: z.int(),
}));

/** An organization: a group of accounts. Only public documents show its fields. */
export interface Organization extends z.infer<typeof organizationSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "organizations",
  { apis: ADMIN_ONLY, beta: true, feature: "Organizations", scopes: "relations" },
  {
    list: { method: "GET", path: "organizations", response: organizationSchema, paged: "cursor+page" },
    get: { method: "GET", path: "organizations/{id}", response: organizationSchema },
  },
);
export const organizationOperations: OperationTable = operations;
export const organizationNotes: TableNotes = { "*": { publicOnly: true } };

/** Organizations: groups of accounts (Admin API). */
export class Organizations extends ListedResource<Organization, PagedQuery> {
  /** @internal */
  static readonly operations = organizationOperations;

  /**
   * Lists organizations. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * for await (const organization of admin.organizations.list()) console.log(organization.name);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Organization> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Reads one organization. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * const organization = await admin.organizations.get(1);
   */
  get(id: number, options?: RequestOptions): Call<Organization> {
    return call(this, operations.get, { params: { id } }, options);
  }
}
