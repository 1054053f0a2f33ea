import * as z from "zod/mini";
import { ADMIN_ONLY, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const organizationAffiliationSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The organization that the user belongs to. */
  organization_id: z.int(),
  /** The user who belongs to the organization. */
  user_id: z.int(),
  /** Whether the user is a key contact of the organization. */
  key_contact: z.boolean(),
}));

/** An affiliation: the link between a user and an organization. Only public documents show its fields. */
export interface OrganizationAffiliation extends z.infer<typeof organizationAffiliationSchema> {}

export const organizationAffiliationQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only affiliations of this user. */
  user_id: z.optional(identifier()),
}));

/** Filters of the list of affiliations with organizations. */
export interface OrganizationAffiliationQuery extends z.input<typeof organizationAffiliationQuerySchema>, PagedQuery {}

export const organizationAffiliationCreateSchema = /* @__PURE__ */ model(() => ({
  /** The organization to add the user to. */
  organization_id: identifier(),
  /** The user to add to the organization. */
  user_id: identifier(),
  /** Whether the user is a key contact of the organization. Default false. */
  key_contact: z.optional(z.boolean()),
}));

/** Fields of a new affiliation with an organization. */
export interface OrganizationAffiliationCreate extends z.input<typeof organizationAffiliationCreateSchema> {}

export const organizationAffiliationUpdateSchema = /* @__PURE__ */ model(() => ({
  /** Whether the user is a key contact of the organization. */
  key_contact: z.optional(z.boolean()),
}));

/** Changes to an affiliation with an organization; the user and the organization cannot be changed. */
export interface OrganizationAffiliationUpdate extends z.input<typeof organizationAffiliationUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "organizationAffiliations",
  { apis: ADMIN_ONLY, beta: true, feature: "Organizations", scopes: "relations" },
  {
    list: {
      method: "GET",
      path: "organization_affiliations",
      query: organizationAffiliationQuerySchema,
      response: organizationAffiliationSchema,
      paged: "cursor+page",
    },
    create: {
      method: "POST",
      path: "organization_affiliations",
      body: organizationAffiliationCreateSchema,
      response: organizationAffiliationSchema,
      status: 201,
    },
    update: {
      method: "PUT",
      path: "organization_affiliations/{id}",
      body: organizationAffiliationUpdateSchema,
      response: organizationAffiliationSchema,
    },
    delete: { method: "DELETE", path: "organization_affiliations/{id}", status: 204 },
  },
);
export const organizationAffiliationOperations: OperationTable = operations;
export const organizationAffiliationNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "key_contact defaults to false; may respond with 409" },
  update: { note: "may respond with 409" },
} satisfies NotesOf<typeof operations>;

/** Links between users and organizations (Admin API). */
export class OrganizationAffiliations extends ListedResource<OrganizationAffiliation, OrganizationAffiliationQuery> {
  /** @internal */
  static readonly operations = organizationAffiliationOperations;

  /**
   * Lists the links between users and organizations. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * for await (const { organization_id } of admin.organizationAffiliations.list({ user_id: 1 })) console.log(organization_id);
   */
  list(query: OrganizationAffiliationQuery = {}, options?: ListOptions): Pages<OrganizationAffiliation> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Links a user to an organization; `key_contact` defaults to false. A 409 from the service is thrown as
   * `ConflictError`. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * const affiliation = await admin.organizationAffiliations.create({ organization_id: 7, user_id: 1 });
   */
  create(body: OrganizationAffiliationCreate, options?: RequestOptions): Call<OrganizationAffiliation> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Sets whether the user is a key contact of the organization. A 409 from the service is thrown as `ConflictError`.
   * Needs the `Organizations` feature flag.
   * @beta
   * @example
   * await admin.organizationAffiliations.update(1, { key_contact: false });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<OrganizationAffiliationUpdate, OrganizationAffiliation, Name>, options?: RequestOptions): Call<OrganizationAffiliation> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Deletes an affiliation; the user and the organization are kept. Needs the `Organizations` feature flag.
   * @beta
   * @example
   * await admin.organizationAffiliations.delete(1);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }
}
