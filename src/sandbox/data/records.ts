import type { CustomAssociation } from "../../resources/custom/custom-associations.js";
import type { CustomFieldOption } from "../../resources/custom/custom-field-options.js";
import type { CustomRecord } from "../../resources/custom/custom-records.js";
import type { Identified } from "./collection.js";

/** A user of the environment. The APIs have no list of them; the Organization API shows them as contacts. */
export interface User extends Identified {
  first_name: string | null;
  middle_name: string | null;
  last_name: string | null;
  email: string | null;
}

/** A course in a certain period. The Main and Admin API have no list of them; the Organization API shows them as course editions. */
export interface PlannedCourse extends Identified {
  course_id: number;
  name: string;
  /** yyyy-MM-dd. */
  start_date: string | null;
  /** yyyy-MM-dd; null for a flexible one, whose enrollments have end dates of their own. */
  end_date: string | null;
  status: "planned" | "active" | "completed" | "canceled";
}

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

/** An e-mail that was sent. The APIs do not show it; tests want to see it. */
export interface SentEmail extends Identified {
  user_id: number;
  from: string;
  subject: string;
  body: string;
  sent_at: string;
}
