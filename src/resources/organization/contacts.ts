import * as z from "zod/mini";
import { type OperationTable, ORGANIZATION, operationTable, type PageQuery } from "../../core/operation.js";
import { model } from "../../core/schema/model.js";
import { ListedResource, type ListOptions, type Pages, pages } from "../methods.js";

export const contactSchema = /* @__PURE__ */ model(() => ({
  /** Unique within the school. */
  id: z.int(),
  /** First name of the contact. */
  first_name: z.nullable(z.string()), // name
  /** Middle part of the name, such as `van`. */
  middle_name: z.nullable(z.string()), // name
  /** Last name of the contact. */
  last_name: z.nullable(z.string()), // name
  /** E-mail address. */
  email: z.nullable(z.string()), // contact
}));

/** A person in the organization. */
export interface Contact extends z.infer<typeof contactSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "organization.contacts",
  { apis: ORGANIZATION },
  {
    list: { method: "GET", path: "contacts", response: contactSchema, paged: "cursor" },
  },
);
export const contactOperations: OperationTable = operations;

/** Contacts: the people in the organization (Organization API). */
export class Contacts extends ListedResource<Contact, PageQuery> {
  /** @internal */
  static readonly operations = contactOperations;

  /**
   * Lists contacts.
   * @example
   * for await (const contact of client.organization.contacts.list()) console.log(contact.email);
   */
  list(query: PageQuery = {}, options?: ListOptions): Pages<Contact> {
    return pages(this, operations.list, { query }, options);
  }
}
