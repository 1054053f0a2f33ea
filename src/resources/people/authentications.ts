import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type TableNotes } from "../../core/operation.js";
import { enumeration, model } from "../../core/schema/model.js";
import { timestamps } from "../../models/dates.js";
import { identifier } from "../../models/ids.js";
import { type Call, call, type ListOptions, type Pages, pages, type RequestOptions, Resource } from "../methods.js";

/**
 * Ways in which users log in (service description, Enumerations). Three values are placeholders, because the documents
 * hide brand names; any text can be sent.
 */
export const AuthenticationProviderType = /* @__PURE__ */ enumeration(["cloud_active_directory", "native", "openid_connect", "federation_conext"], { complete: false });
export type AuthenticationProviderType = (typeof AuthenticationProviderType.values)[number];

export const authenticationSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** The user who signs in with this authentication. */
  user_id: z.int(),
  /** The authentication provider. */
  authentication_provider_id: z.int(),
  /** Login identifier of the user at the authentication provider. */
  uid: z.string(), // number
  /** Whether the login requires a one-time password. */
  otp_enabled: z.boolean(),
  ...timestamps(),
}));

/** An authentication: one login of a user. */
export interface Authentication extends z.infer<typeof authenticationSchema> {}

export const authenticationQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only authentications with this kind of provider. */
  provider: z.optional(AuthenticationProviderType.schema),
}));

/** Filters of the authentications of a user. */
export interface AuthenticationQuery extends z.input<typeof authenticationQuerySchema> {}

export const authenticationCreateSchema = /* @__PURE__ */ model(() => ({
  /** Login identifier of the user at the authentication provider. */
  uid: z.string(),
  /** The user who signs in with this authentication. */
  user_id: identifier(),
  /** Kind of the authentication provider. */
  authentication_provider_type: AuthenticationProviderType.schema,
}));

/** Fields of a new authentication. */
export interface AuthenticationCreate extends z.input<typeof authenticationCreateSchema> {}

export const authenticationPathSchema = /* @__PURE__ */ model(() => ({
  /** The user who signs in with this authentication. */
  user_id: identifier(),
  /** Identifier of the authentication. */
  id: identifier(),
}));

/** Identifies one authentication by its user and its identifier. */
export interface AuthenticationPath extends z.input<typeof authenticationPathSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "authentications",
  { apis: BOTH, scopes: "authentications" },
  {
    create: { method: "POST", path: "authentications", body: authenticationCreateSchema, response: authenticationSchema, status: 201 },
    listForUser: { method: "GET", path: "users/{user_id}/authentications", query: authenticationQuerySchema, response: authenticationSchema, paged: "none" },
    delete: { method: "DELETE", path: "users/{user_id}/authentications/{id}", params: authenticationPathSchema, status: 204 },
  },
);
export const authenticationOperations: OperationTable = operations;
export const authenticationNotes: TableNotes = {
  delete: { note: "in the Main API the last authentication of a user cannot be removed" },
} satisfies NotesOf<typeof operations>;

/** Authentications: the logins of users (Main and Admin API). */
export class Authentications extends Resource {
  /** @internal */
  static readonly operations = authenticationOperations;

  /**
   * Gives a user a login.
   * @example
   * const authentication = await client.authentications.create({ uid: "jo@example.com", user_id: 1, authentication_provider_type: "native" });
   */
  create(body: AuthenticationCreate, options?: RequestOptions): Call<Authentication> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Lists the authentications of one user, in one response.
   * @example
   * for await (const authentication of client.authentications.listForUser(1, { provider: "native" })) console.log(authentication.uid);
   */
  listForUser(userId: number, query: AuthenticationQuery = {}, options?: ListOptions): Pages<Authentication> {
    return pages(this, operations.listForUser, { params: { user_id: userId }, query }, options);
  }

  /**
   * Removes an authentication from its user; the Main API refuses to remove a user's last authentication.
   * @example
   * const second = await client.authentications.create({ uid: "jo@example.org", user_id: 1, authentication_provider_type: "native" });
   * await client.authentications.delete({ user_id: 1, id: second.id });
   */
  delete(path: AuthenticationPath, options?: RequestOptions): Call<void> {
    return call(this, operations.delete, { params: path }, options);
  }
}
