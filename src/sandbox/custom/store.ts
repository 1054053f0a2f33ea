import type { CustomAssociation } from "../../resources/custom/custom-associations.js";
import type { CustomFieldOption } from "../../resources/custom/custom-field-options.js";
import type { CustomObject } from "../../resources/custom/custom-objects.js";
import type { CustomRecord } from "../../resources/custom/custom-records.js";
import type { Collection, Identified } from "../data/collection.js";

/** A custom association with the kind of record it belongs to, which is in the path but not in the record. */
export type StoredCustomAssociation = CustomAssociation & Identified & { object_type: string };

/** An option with its custom field, which is in the path but not in the record. */
export interface StoredCustomFieldOption extends CustomFieldOption {
  object_type: string;
  field_slug: string;
}

/** A custom record with the slug of its custom object, which is in the path but not in the record. */
export interface StoredCustomRecord extends CustomRecord {
  object_slug: string;
}

/** The sandbox's custom fields, objects and records. */
export interface CustomStore {
  /** With the kind of record they belong to. */
  readonly customAssociations: Collection<StoredCustomAssociation>;
  /** With their custom field. */
  readonly customFieldOptions: Collection<StoredCustomFieldOption>;
  readonly customObjects: Collection<CustomObject>;
  /** With the slug of their custom object. */
  readonly customRecords: Collection<StoredCustomRecord>;
}
