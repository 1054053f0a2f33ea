import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { enumeration, model, partial, ref } from "../../core/schema/model.js";
import { type Address, type AddressPatchPayload, type AddressPayload, addressPatchPayloadSchema, addressPayloadSchema, addressSchema } from "../../models/address.js";
import { customFields } from "../../models/custom-fields.js";
import { timestamps } from "../../models/dates.js";
import { Locale } from "../../models/enumerations.js";
import { emailInput } from "../../models/formats.js";
import { byIdOrSlug, identifier, textIdentifier } from "../../models/ids.js";
import { filterInput, listInput } from "../../models/lists.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

/** Roles of a user. */
export const UserRole = /* @__PURE__ */ enumeration(["admin", "teacher", "customer", "student"]);
export type UserRole = (typeof UserRole.values)[number];

/** Sort orders of the users list. */
export const UserSort = /* @__PURE__ */ enumeration(["created_at:asc", "created_at:desc"]);
export type UserSort = (typeof UserSort.values)[number];

export const userSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** First name of the user. */
  first_name: z.string(), // name
  /** Middle part of the name, such as `van`. */
  middle_name: z.nullable(z.string()), // name
  /** Last name of the user. */
  last_name: z.string(), // name
  /** E-mail address of the user. */
  email: z.string(), // contact
  /**
   * Short name of the user for web addresses.
   * @deprecated The service names no replacement.
   */
  slug: z.string(), // name
  /** Path of the user's picture, relative to the environment's address. */
  avatar_url: z.string(), // name
  /** Roles of the user at the school; a user can have several. */
  roles: z.array(UserRole.open),
  /** The school's notes about the user. */
  notes_user: z.nullable(z.string()), // note
  /** Description of a teacher; the same as `teacher_description`. */
  description: z.nullable(z.string()), // note
  /** Identifiers of the labels on the user. */
  label_ids: z.array(z.int()),
  /** The user's number in the school's staff administration. */
  employee_number: z.nullable(z.string()), // number
  /** The user's number in the school's student administration. */
  student_number: z.nullable(z.string()), // number
  /** The line below a teacher's name. */
  teacher_headline: z.nullable(z.string()), // note
  /** Description of a teacher; the same as `description`. */
  teacher_description: z.nullable(z.string()), // note
  /**
   * Number of courses the user teaches or has taught.
   * @deprecated The service names no replacement.
   */
  teacher_enrollments_count: z.int(), // plain
  /** The user's language; null for the educator's language. */
  locale: z.nullable(Locale.open),
  /** Whether the user wants the newsletter. */
  wants_newsletter: z.boolean(),
  ...timestamps(),
  /** Address of the user. */
  address: z.optional(z.nullable(ref<Address>(addressSchema))),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()), // custom
}));

/** A user: a student, teacher, customer or administrator. Only public documents show its fields. */
export interface User extends z.infer<typeof userSchema> {}

export const userQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only users with this role: `admin`, `teacher`, `customer` or `student`. */
  role: z.optional(z.string()),
  /** Only users with this e-mail address. */
  email: z.optional(emailInput()),
  /** Only users with one of these labels: identifiers, as numbers or text. */
  label_id: z.optional(filterInput(textIdentifier())),
  /** Fields to sort by, the most important first. */
  sort: z.optional(filterInput(UserSort.schema)),
}));

/** Filters and sort order of the users list. */
export interface UserQuery extends z.input<typeof userQuerySchema>, PagedQuery {}

const userFields = () => ({
  /** First name of the user. */
  first_name: z.string(),
  /** Middle part of the name, such as `van`. */
  middle_name: z.optional(z.nullable(z.string())),
  /** Last name of the user. */
  last_name: z.string(),
  /** E-mail address of the user. Ignored when an administrator is updated. */
  email: emailInput(),
  /** Language of the user. */
  locale: z.optional(z.nullable(Locale.schema)),
  /** Whether the user wants the newsletter. */
  wants_newsletter: z.optional(z.boolean()),
  /** Whether a new user can log in and receives the login details by e-mail. Ignored in updates. */
  with_authentication: z.optional(z.boolean()),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /** Identifiers of the labels on the user; an update replaces all labels. */
  label_ids: z.optional(listInput(identifier())),
});

export const userCreateSchema = /* @__PURE__ */ model(() => ({
  ...userFields(),
  /** Address of the user. */
  address_attributes: z.optional(z.nullable(ref<AddressPayload>(addressPayloadSchema))),
  /** Address for the user's invoices; the user's record does not show it. */
  invoice_address_attributes: z.optional(z.nullable(ref<AddressPayload>(addressPayloadSchema))),
}));

/** Fields of a new user. */
export interface UserCreate extends z.input<typeof userCreateSchema> {}

export const userUpdateSchema = /* @__PURE__ */ model(() =>
  partial({
    ...userFields(),
    /** Changes to the address of the user; null removes it. */
    address_attributes: z.nullable(ref<AddressPatchPayload>(addressPatchPayloadSchema)),
    /** Changes to the address for the user's invoices; null removes it. */
    invoice_address_attributes: z.nullable(ref<AddressPatchPayload>(addressPatchPayloadSchema)),
  }),
);

/** Changes to a user. */
export interface UserUpdate extends z.input<typeof userUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "users",
  { apis: BOTH, scopes: "relations" },
  {
    list: { method: "GET", path: "users", query: userQuerySchema, response: userSchema, paged: "cursor+page" },
    create: { method: "POST", path: "users", body: userCreateSchema, response: userSchema, status: 201 },
    get: { method: "GET", path: "users/{id}", params: byIdOrSlug, response: userSchema },
    update: { method: "PUT", path: "users/{id}", body: userUpdateSchema, response: userSchema },
  },
);
export const userOperations: OperationTable = operations;
export const userNotes: TableNotes = {
  "*": { publicOnly: true },
  create: { note: "a 200 may contain an error body instead of the user; it is thrown as an error; with_authentication lets the user log in and e-mails the login details" },
  update: { note: "email is ignored for administrators, and with_authentication always; label_ids replaces all labels" },
} satisfies NotesOf<typeof operations>;

/** Users: students, teachers, customers and administrators (Main and Admin API). */
export class Users extends ListedResource<User, UserQuery> {
  /** @internal */
  static readonly operations = userOperations;

  /**
   * Lists users; `sort: ["created_at:desc"]` puts the newest first.
   * @example
   * for await (const user of client.users.list({ role: "student" })) console.log(user.id, user.roles);
   */
  list(query: UserQuery = {}, options?: ListOptions): Pages<User> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a user; with `with_authentication`, the user can log in and receives the login details by e-mail. If the
   * service refuses the user with status 200, the call still throws `ApiError`.
   * @example
   * const user = await client.users.create({ first_name: "Alva", last_name: "Sample", email: "alva@example.com" });
   */
  create(body: UserCreate, options?: RequestOptions): Call<User> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one user by its identifier or slug.
   * @example
   * const user = await client.users.get(7);
   */
  get(id: number | string, options?: RequestOptions): Call<User> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a user; fields left out keep their value, but `label_ids` replaces all labels. The service ignores `email`
   * for administrators.
   * @example
   * await client.users.update(7, { locale: "en", wants_newsletter: false });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<UserUpdate, User, Name>, options?: RequestOptions): Call<User> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
