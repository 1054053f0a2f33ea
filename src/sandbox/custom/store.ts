import type { CustomAssociation } from "../../resources/custom/custom-associations.js";
import type { CustomFieldOption } from "../../resources/custom/custom-field-options.js";
import type { CustomObject } from "../../resources/custom/custom-objects.js";
import type { CustomRecord } from "../../resources/custom/custom-records.js";
import type { Collection, Identified } from "../data/collection.js";

/** A custom association with the kind of record it is on, which the path names and the record does not. */
export type StoredCustomAssociation = CustomAssociation & Identified & { object_type: string };

/** An option with the custom field it is of, which the path names and the record does not. */
export interface StoredCustomFieldOption extends CustomFieldOption {
  object_type: string;
  field_slug: string;
}

/** A custom record with the slug of its custom object, which the path names and the record does not. */
export interface StoredCustomRecord extends CustomRecord {
  object_slug: string;
}

/** The sandbox's custom fields, objects and records. */
export interface CustomStore {
  /** With the kind of record they are on. */
  readonly customAssociations: Collection<StoredCustomAssociation>;
  /** With the custom field they are of. */
  readonly customFieldOptions: Collection<StoredCustomFieldOption>;
  readonly customObjects: Collection<CustomObject>;
  /** With the slug of their custom object. */
  readonly customRecords: Collection<StoredCustomRecord>;
}
