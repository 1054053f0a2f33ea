import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type TableNotes } from "../../core/operation.js";
import { model, ref } from "../../core/schema/model.js";
import { type Address, type AddressPayload, addressPayloadSchema, addressSchema } from "../../models/address.js";
import { customFields } from "../../models/custom-fields.js";
import { timestamps } from "../../models/dates.js";
import { AccountType } from "../../models/enumerations.js";
import { emailInput } from "../../models/formats.js";
import { identifier } from "../../models/ids.js";
import { listInput } from "../../models/lists.js";
import type { OnlyInput } from "../../models/only-input.js";
import { type Call, call, ListedResource, type ListOptions, type Pages, pages, type RequestOptions } from "../methods.js";

export const accountSignupAnswerSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the answer. */
  id: z.int(),
  /** Text of the answer. */
  value: z.string(), // note
  /** The answered question. */
  signup_question_id: z.int(),
}));

/** An answer to a question of the signup form. Only public documents show its fields. */
export interface AccountSignupAnswer extends z.infer<typeof accountSignupAnswerSchema> {}

export const accountSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** Name; generated for personal accounts. */
  name: z.string(), // name
  /** Billing e-mail address. */
  email: z.nullable(z.string()), // contact
  /** Telephone number of the account. */
  phone: z.nullable(z.string()), // contact
  /** Kind of account: business or personal. */
  account_type: AccountType.open,
  /** Identifiers of the labels on the account. */
  label_ids: z.array(z.int()),
  /**
   * The user a personal account belongs to.
   * @deprecated The service names no replacement.
   */
  personal_user_id: z.nullable(z.int()),
  /**
   * Short name of the account for web addresses.
   * @deprecated The service names no replacement.
   */
  slug: z.string(), // name
  /**
   * Number of users affiliated with the account.
   * @deprecated The service names no replacement.
   */
  users_count: z.int(), // plain
  /**
   * Whether the account is visible.
   * @deprecated The service names no replacement.
   */
  visible: z.boolean(),
  ...timestamps(),
  /** Values of custom fields, keyed by slug. */
  custom: customFields(), // custom
  /** Address of the account. */
  address: z.nullable(ref<Address>(addressSchema)),
  /** Answers to the questions of the signup form; most responses omit them. */
  signup_answers: z.optional(z.array(ref<AccountSignupAnswer>(accountSignupAnswerSchema))),
}));

/** An account: a business or a person that the school deals with. */
export interface Account extends z.infer<typeof accountSchema> {}

export const accountQuerySchema = /* @__PURE__ */ model(() => ({
  /** Text to search for. */
  search: z.optional(z.string()),
  /** Only accounts whose key contact is this user. */
  key_contact_user_id: z.optional(identifier()),
  /** Only accounts that this user is affiliated with. */
  user_id: z.optional(identifier()),
  /** Only business or only personal accounts. */
  account_type: z.optional(AccountType.schema),
}));

/** Filters of the accounts list. */
export interface AccountQuery extends z.input<typeof accountQuerySchema>, PagedQuery {}

const accountFields = () => ({
  /** Name of the account. */
  name: z.string(),
  /** Billing e-mail address. */
  email: z.optional(z.nullable(emailInput())),
  /** Telephone number of the account. */
  phone: z.optional(z.nullable(z.string())),
  /** Identifiers of the labels on the account. */
  label_ids: z.optional(listInput(identifier())),
  /** Values of custom fields, keyed by slug. */
  custom: z.optional(customFields()),
  /** Address of the account. */
  address_attributes: z.optional(z.nullable(ref<AddressPayload>(addressPayloadSchema))),
});

export const accountSignupAnswerPayloadSchema = /* @__PURE__ */ model(() => ({
  /** The answered question. */
  signup_question_id: identifier(),
  /** Text of the answer. */
  value: z.string(),
}));

/** An answer to a question of the signup form, as sent with a new account. */
export interface AccountSignupAnswerPayload extends z.input<typeof accountSignupAnswerPayloadSchema> {}

export const accountCreateSchema = /* @__PURE__ */ model(() => ({
  ...accountFields(),
  /** Answers to the questions of the signup form. */
  signup_answers_attributes: z.optional(listInput(ref<AccountSignupAnswerPayload>(accountSignupAnswerPayloadSchema))),
}));

/** Fields of a new account. */
export interface AccountCreate extends z.input<typeof accountCreateSchema> {}

export const accountUpdateSchema = /* @__PURE__ */ model(accountFields);

/** Changes to an account; the service requires `name` in every update. */
export interface AccountUpdate extends z.input<typeof accountUpdateSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "accounts",
  { apis: BOTH, scopes: "relations" },
  {
    list: { method: "GET", path: "accounts", query: accountQuerySchema, response: accountSchema, paged: "cursor+page" },
    create: { method: "POST", path: "accounts", body: accountCreateSchema, response: accountSchema, status: 201 },
    get: { method: "GET", path: "accounts/{id}", response: accountSchema },
    update: { method: "PUT", path: "accounts/{id}", body: accountUpdateSchema, response: accountSchema },
  },
);
export const accountOperations: OperationTable = operations;
export const accountNotes: TableNotes = {
  create: { makes: { account_type: "business" } },
  update: { note: "every update requires name" },
} satisfies NotesOf<typeof operations>;

/** Accounts: the businesses and people that the school deals with (Main and Admin API). */
export class Accounts extends ListedResource<Account, AccountQuery> {
  /** @internal */
  static readonly operations = accountOperations;

  /**
   * Lists accounts.
   * @example
   * for await (const account of client.accounts.list({ account_type: "business" })) console.log(account.name);
   */
  list(query: AccountQuery = {}, options?: ListOptions): Pages<Account> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a business account.
   * @example
   * const account = await client.accounts.create({ name: "Example Ltd", email: "billing@example.com" });
   */
  create(body: AccountCreate, options?: RequestOptions): Call<Account> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one account.
   * @example
   * const account = await client.accounts.get(7);
   */
  get(id: number, options?: RequestOptions): Call<Account> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes an account; fields left out keep their value, but `name` is always required.
   * @example
   * await client.accounts.update(7, { name: "Example Ltd", phone: null });
   */
  update<Name extends PropertyKey>(id: number, body: OnlyInput<AccountUpdate, Account, Name>, options?: RequestOptions): Call<Account> {
    return call(this, operations.update, { params: { id }, body }, options);
  }
}
