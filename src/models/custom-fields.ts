import * as z from "zod/mini";
import { withMessages } from "../core/schema/issues.js";
import { dictionary } from "../core/schema/model.js";
import { identifier } from "./ids.js";
import { listInput } from "./lists.js";

/** The value of one custom field: text, a number, a boolean, a date as text, several strings, or null. */
export type CustomFieldValue = string | number | boolean | readonly string[] | null;

/** Values of custom fields, keyed by the slug of the field. */
export interface CustomFields {
  [slug: string]: CustomFieldValue;
}

/**
 * Custom field values, as read and as sent: any slug passes, and any value of a type that fields can have. Undefined
 * values are left out, as in every body.
 */
export function customFields(): z.ZodMiniType<CustomFields, CustomFields> {
  const value = z.union(
    [z.string(), z.number(), z.boolean(), z.array(z.string())],
    "must be text, a finite number, true or false, a list of strings, or null",
  );
  return dictionary(z.optional(z.nullable(value)));
}

/** Records of one custom object that another record links to. */
export interface CustomAssociationValue {
  /** Slug of the custom object the records belong to. */
  custom_object_slug: string;
  /** Identifiers of the custom records. */
  custom_record_ids: number[];
}

/** Custom associations of a record, keyed by the slug of the association. Needs the `Custom objects` feature flag. */
export interface CustomAssociationValues {
  [slug: string]: CustomAssociationValue;
}

/** Custom associations as read; the service description does not show their content, so any content passes. */
export function customAssociations(): z.ZodMiniType<CustomAssociationValues, CustomAssociationValues> {
  return dictionary(z.unknown());
}

/**
 * Custom associations as sent: identifiers of custom records, keyed by the slug of the association. They replace its
 * earlier links. Responses contain {@link CustomAssociationValues} instead.
 */
export interface CustomAssociationsPayload {
  [slug: string]: readonly number[];
}

export const customAssociationsPayloadSchema = /* @__PURE__ */ withMessages(/* @__PURE__ */ customAssociationsInput());

export function customAssociationsInput(): z.ZodMiniType<CustomAssociationsPayload, CustomAssociationsPayload> {
  return dictionary(z.optional(listInput(identifier())));
}
