import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, partial } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const affiliationSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The account that the user belongs to. */
  account_id: z.int(),
  /** The user who belongs to the account. */
  user_id: z.int(),
  /** Whether the user is a key contact of the account. */
  key_contact: z.boolean(),
  ...timestamps(),
}));

/** An affiliation: the link between a user and an account. */
export interface Affiliation extends z.infer<typeof affiliationSchema> {}

export const affiliationQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only affiliations of this user. */
  user_id: z.optional(identifier()),
  /** Only affiliations with this account. */
  account_id: z.optional(identifier()),
}));

/** Filters of the affiliations list. */
export interface AffiliationQuery extends z.input<typeof affiliationQuerySchema>, PagedQuery {}

const affiliationFields = () => ({
  /** The user who belongs to the account. */
  user_id: identifier(),
  /** The account that the user belongs to. */
  account_id: identifier(),
  /** Whether the user is a key contact of the account. Default false. */
  key_contact: z.optional(z.boolean()),
});

export const affiliationCreateSchema = /* @__PURE__ */ model(affiliationFields);

/** Fields of a new affiliation. */
export interface AffiliationCreate extends z.input<typeof affiliationCreateSchema> {}

export const affiliationUpdateSchema = /* @__PURE__ */ model(() => partial(affiliationFields()));

/** Changes to an affiliation. */
export interface AffiliationUpdate extends z.input<typeof affiliationUpdateSchema> {}

const deprecated = { admin: "The service names no replacement; in the Main API the operation is not deprecated." } as const;

const operations = /* @__PURE__ */ operationTable(
  "affiliations",
  { apis: BOTH, scopes: "relations" },
  {
    list: { method: "GET", path: "affiliations", query: affiliationQuerySchema, response: affiliationSchema, paged: "cursor+page" },
    create: { method: "POST", path: "affiliations", body: affiliationCreateSchema, response: affiliationSchema, status: 201 },
    delete: { method: "DELETE", path: "affiliations/{id}", status: 204 },
    update: { method: "PUT", path: "affiliations/{id}", body: affiliationUpdateSchema, response: affiliationSchema },
  },
);
export const affiliationOperations: OperationTable = operations;
export const affiliationNotes: TableNotes = {
  "*": { deprecated },
  create: { note: "key_contact defaults to false" },
} satisfies NotesOf<typeof operations>;

/** Affiliations: links between users and the accounts they belong to (Main API; deprecated in the Admin API). */
export class Affiliations extends ListedResource<Affiliation, AffiliationQuery> {
  /** @internal */
  static readonly operations = affiliationOperations;

  /**
   * Lists affiliations.
   * @example
   * for await (const affiliation of client.affiliations.list({ account_id: 1 })) console.log(affiliation.user_id);
   */
  list(query: AffiliationQuery = {}, options?: ListOptions): Pages<Affiliation> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Links a user to an account; `key_contact` defaults to false.
   * @example
   * const affiliation = await client.affiliations.create({ user_id: 1, account_id: 1, key_contact: true });
   */
  create(body: AffiliationCreate, options?: RequestOptions): Call<Affiliation> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Deletes an affiliation; the user and the account are kept.
   * @example
   * await client.affiliations.delete(1);
   */
  delete(id: number, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Changes an affiliation; fields left out keep their value.
   * @example
   * await client.affiliations.update(1, { key_contact: false });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<AffiliationUpdate, Affiliation, Name>, options?: RequestOptions): Call<Affiliation> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}

/** Affiliations of the Admin API, which deprecates all their operations. */
export class AdminAffiliations extends Affiliations {
  /**
   * Lists affiliations.
   * @deprecated The service names no replacement; in the Main API the operation is not deprecated.
   * @example
   * for await (const affiliation of admin.affiliations.list({ account_id: 1 })) console.log(affiliation.user_id);
   */
  override list(query: AffiliationQuery = {}, options?: ListOptions): Pages<Affiliation> {
    return super.list(query, options);
  }

  /**
   * Links a user to an account; `key_contact` defaults to false.
   * @deprecated The service names no replacement; in the Main API the operation is not deprecated.
   * @example
   * const affiliation = await admin.affiliations.create({ user_id: 1, account_id: 1, key_contact: true });
   */
  override create(body: AffiliationCreate, options?: RequestOptions): Call<Affiliation> {
    return super.create(body, options);
  }

  /**
   * Deletes an affiliation; the user and the account are kept.
   * @deprecated The service names no replacement; in the Main API the operation is not deprecated.
   * @example
   * await admin.affiliations.delete(1);
   */
  override delete(id: number, options?: RequestOptions): Call<void> {
    return super.delete(id, options);
  }

  /**
   * Changes an affiliation; fields left out keep their value.
   * @deprecated The service names no replacement; in the Main API the operation is not deprecated.
   * @example
   * await admin.affiliations.update(1, { key_contact: false });
   */
  override update<Name extends PropertyKey>(id: number, body: OnlyInput<AffiliationUpdate, Affiliation, Name>, options?: RequestOptions): Call<Affiliation> {
    return super.update(id, body, options);
  }
}
