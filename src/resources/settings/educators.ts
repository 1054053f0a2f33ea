import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type TableNotes } from "../../core/operation.js";
import { model, ref } from "../../core/schema/model.js";
import { type Address, addressSchema } from "../../models/address.js";
import { AccountType, Currency, Locale } from "../../models/enumerations.js";
import { Country } from "../../models/regions.js";
import { type Call, call, type RequestOptions, Resource } from "../methods.js";

export const educatorSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the educator. */
  id: z.int(),
  /** Short name of the educator for web addresses. */
  slug: z.string(), // plain
  /** Default text in planning. */
  standard_planning_text: z.nullable(z.string()), // plain
  /** Default VAT multiplier for new invoices, as text. */
  default_invoice_vat_multiplier: z.nullable(z.string()), // plain
  /** Telephone number of the educator. */
  phone: z.nullable(z.string()), // contact
  /** Website of the educator. */
  website_url: z.nullable(z.string()), // plain
  /** Default kind of account in the signup form. */
  signup_default_account_type: AccountType.open,
  /** Contact details shown at signup. */
  signup_contact_info: z.nullable(z.string()), // contact
  /** Currency code, for example `EUR`. */
  currency: Currency.open,
  /** Two-letter country code, for example `NL`. */
  country: Country.open,
  /** E-mail address. */
  email: z.nullable(z.string()), // contact
  /** Name of the time zone. */
  time_zone: z.string(), // plain
  /** Name of the educator. */
  name: z.string(), // plain
  /** Language, for example `de`. */
  locale: z.nullable(Locale.open),
  /** URL of the terms and conditions. */
  terms_url: z.nullable(z.string()), // plain
  /** Address on invoices. */
  invoice_address: z.nullable(ref<Address>(addressSchema)),
}));

/** The educator: the school that the token belongs to. */
export interface Educator extends z.infer<typeof educatorSchema> {}

const operations = /* @__PURE__ */ operationTable(
  "educators",
  { apis: BOTH, scopes: [] },
  {
    get: { method: "GET", path: "educators/current", response: educatorSchema },
  },
);
export const educatorOperations: OperationTable = operations;
export const educatorNotes: TableNotes = {
  get: { note: "may respond with 412" },
} satisfies NotesOf<typeof operations>;

/** The educator: the school that the token belongs to (Main and Admin API). */
export class Educators extends Resource {
  /** @internal */
  static readonly operations = educatorOperations;

  /**
   * Reads the educator that the token belongs to. This is also a cheap way to check the token.
   * @example
   * const educator = await client.educators.get();
   * console.log(educator.name, educator.time_zone);
   */
  get(options?: RequestOptions): Call<Educator> {
    return call(this, operations.get, {}, options);
  }
}
