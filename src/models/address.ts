import * as z from "zod/mini";
import { model } from "../core/model.js";
import { identifier } from "./ids.js";

/** Schema of {@link Address}. */
export const addressSchema = /* @__PURE__ */ model(() => ({
  /** Name on the first line. */
  addressee: z.nullable(z.string()),
  /** Street and number. */
  address: z.nullable(z.string()),
  postal_code: z.nullable(z.string()),
  city: z.nullable(z.string()),
  /** Two-letter country code, for example `NL`. */
  country: z.nullable(z.string()),
  /** Second address line; not in every rendering. */
  address_line2: z.optional(z.nullable(z.string())),
  /** State or province code; not in every rendering. */
  state_province: z.optional(z.nullable(z.string())),
}));

/** An address as the service returns it (service description, Shared shapes). */
export interface Address extends z.infer<typeof addressSchema> {}

const addressFields = () => ({
  /** Identifier of the address, when an existing one is meant. */
  id: z.optional(identifier()),
  /** Name on the first line. */
  addressee: z.optional(z.nullable(z.string())),
  /** Street and number. */
  address: z.optional(z.string()),
  postal_code: z.optional(z.string()),
  city: z.optional(z.string()),
  /** Two-letter country code, for example `NL`. */
  country: z.optional(z.string()),
});

/** Schema of {@link AddressPayload}. */
export const addressPayloadSchema = /* @__PURE__ */ model(addressFields);

/** An address as sent in `address_attributes`. */
export interface AddressPayload extends z.input<typeof addressPayloadSchema> {}

/** Schema of {@link AddressPatchPayload}. */
export const addressPatchPayloadSchema = /* @__PURE__ */ model(addressFields);

/** Changes to an address, as sent when a location is updated. */
export interface AddressPatchPayload extends z.input<typeof addressPatchPayloadSchema> {}
