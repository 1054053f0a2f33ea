import * as z from "zod/mini";
import { model, partial } from "../core/schema/model.js";
import { dateTime } from "./dates.js";
import { identifier } from "./ids.js";
import { Country, UsaState } from "./regions.js";

export const addressSchema = /* @__PURE__ */ model(() => ({
  /** Name on the first line of the address. */
  addressee: z.nullable(z.string()), // name
  /** Street and number. */
  address: z.nullable(z.string()), // contact
  /** Postal code. */
  postal_code: z.nullable(z.string()), // contact
  /** City. */
  city: z.nullable(z.string()), // contact
  /** Two-letter country code, for example `NL`. */
  country: z.nullable(Country.open), // contact
  /** Second address line. */
  address_line2: z.nullable(z.string()), // contact
  /** State or province, as a code such as `CA`. */
  state_province: z.nullable(UsaState.open), // contact
  /** Identifier of the address; many responses omit this field and the two times below. */
  id: z.optional(z.int()),
  /** When the address was last changed. */
  updated_at: z.optional(dateTime()),
  /** When the address was created. */
  created_at: z.optional(dateTime()),
}));

/** An address as the service returns it (service description, Shared shapes). */
export interface Address extends z.infer<typeof addressSchema> {}

const addressFields = () => ({
  /** Identifier of the existing address to change. */
  id: z.optional(identifier()),
  /** Name on the first line of the address. */
  addressee: z.optional(z.nullable(z.string())),
  /** Street and number. */
  address: z.string(),
  /** Postal code. */
  postal_code: z.string(),
  /** City. */
  city: z.string(),
  /** Two-letter country code, for example `NL`. */
  country: Country.schema,
  /** Second address line. */
  address_line2: z.optional(z.nullable(z.string())),
  /** State or province, as a code such as `CA`. */
  state_province: z.optional(z.nullable(UsaState.schema)),
});

export const addressPayloadSchema = /* @__PURE__ */ model(addressFields);

/** An address as sent in `address_attributes`: street, postal code, city and country are required. */
export interface AddressPayload extends z.input<typeof addressPayloadSchema> {}

export const addressPatchPayloadSchema = /* @__PURE__ */ model(() => partial(addressFields()));

/** Changes to an address, as sent when a location is updated; fields left out keep their value. */
export interface AddressPatchPayload extends z.input<typeof addressPatchPayloadSchema> {}
