import type * as sdk from "../../generated/resources.js";
import type { Collection, Identified, Records } from "./collection.js";
import type { Given } from "./given.js";

/**
 * All records of a sandbox, by resource. The APIs return the records written here, and records written through the APIs
 * appear here.
 */
export interface Store {
  readonly accounts: Collection<sdk.Account>;
  readonly affiliations: Collection<sdk.Affiliation>;
  readonly authentications: Collection<sdk.Authentication>;
  readonly comments: Collection<sdk.AdminComment>;
  /** E-mails to users. */
  readonly emails: Collection<SentEmail>;
  readonly labels: Collection<sdk.Label>;
  readonly leads: Collection<sdk.Lead>;
  readonly tasks: Collection<sdk.AdminTask>;
  /** Users; the Organization API lists them as contacts. */
  readonly users: Collection<sdk.User>;
  /** Links between organizations and accounts. */
  readonly organizationAccounts: Collection<sdk.OrganizationAccount & Identified>;
  readonly organizationAffiliations: Collection<sdk.OrganizationAffiliation>;
  readonly organizations: Collection<sdk.Organization>;
  readonly catalogProducts: Collection<sdk.CatalogProduct>;
  readonly catalogVariants: Collection<sdk.AdminCatalogVariant>;
  readonly categories: Collection<sdk.Category>;
  readonly courseLocations: Collection<sdk.CourseLocation>;
  readonly courseTabs: Collection<sdk.CourseTab>;
  readonly courseVariants: Collection<sdk.CourseVariant>;
  readonly courses: Collection<sdk.Course>;
  readonly editionDescriptionSections: Collection<sdk.EditionDescriptionSection & Identified>;
  readonly attendances: Collection<sdk.Attendance>;
  readonly certificates: Collection<sdk.Certificate>;
  readonly enrollments: Collection<sdk.Enrollment>;
  readonly grades: Collection<sdk.Grade>;
  readonly materialGroups: Collection<sdk.MaterialGroup>;
  readonly materials: Collection<sdk.Material>;
  readonly meetingLocations: Collection<sdk.MeetingLocation>;
  readonly meetings: Collection<sdk.Meeting>;
  /** Planned courses; the Organization API lists them as course editions. */
  readonly plannedCourses: Collection<sdk.PlannedCourse>;
  /** Parts of a meeting that are planned separately. */
  readonly planningEvents: Collection<sdk.AdminPlanningEvent>;
  readonly creditCategories: Collection<sdk.CreditCategory>;
  readonly credits: Collection<sdk.Credit>;
  readonly discountCodes: Collection<sdk.DiscountCode & Identified>;
  readonly invoiceVats: Collection<sdk.InvoiceVat>;
  readonly invoices: Collection<sdk.Invoice>;
  readonly orders: Collection<sdk.Order>;
  readonly paymentMethods: Collection<sdk.PaymentMethod>;
  readonly paymentOptions: Collection<sdk.PaymentOption>;
  /** Payments; an invoice also contains its payments. */
  readonly payments: Collection<sdk.Payment>;
  /** Associations, each with the kind of record that has it. */
  readonly customAssociations: Collection<StoredCustomAssociation>;
  /** Options, each with its custom field. */
  readonly customFieldOptions: Collection<StoredCustomFieldOption>;
  readonly customObjects: Collection<sdk.CustomObject>;
  /** Custom records, each with the slug of its custom object. */
  readonly customRecords: Collection<StoredCustomRecord>;
  readonly personalProgramElements: Collection<sdk.PersonalProgramElement>;
  /** Program editions; the Organization API lists them too. */
  readonly programEditions: Collection<sdk.ProgramEdition>;
  /** Elements of every kind that are directly in program editions. */
  readonly programElements: Collection<StoredProgramElement>;
  /** Program enrollments; the Organization API lists them too. */
  readonly programEnrollments: Collection<sdk.ProgramEnrollment>;
  readonly programs: Collection<sdk.Program>;
  readonly theses: Collection<sdk.Thesis>;
  readonly departments: Collection<sdk.Department & Identified>;
  /** Contains exactly one educator. */
  readonly educators: Collection<sdk.Educator>;
  readonly referrals: Collection<sdk.Referral>;
  /** Questions that define the custom fields of records: values in `custom` must satisfy them. */
  readonly signupQuestions: Collection<sdk.SignupQuestion>;
  /** Webhooks; active ones receive every event to which they subscribe. */
  readonly webhooks: Collection<StoredWebhook>;
  /**
   * Deliveries to webhooks. The sandbox keeps the last 1,000 for each webhook; the option `webhooks.keptNotifications`
   * changes this number.
   */
  readonly webhookNotifications: Collection<StoredWebhookNotification>;
  readonly teacherEnrollments: Collection<sdk.TeacherEnrollment>;
  readonly teacherRoles: Collection<sdk.TeacherRole>;
  /** Users who can teach; a teacher and their user have the same identifier. */
  readonly teachers: Collection<sdk.Teacher>;
  /** The lists of the Organization API: views of the same records. */
  readonly organization: OrganizationStore;
}

/** The name of a collection of {@link Store}. */
export type CollectionName = Exclude<keyof Store, "organization">;

/** Your own records, by collection. Give the fields that matter; the sandbox fills in the rest. */
export type SandboxData = {
  readonly [Name in CollectionName]?: Store[Name] extends Collection<infer T> ? readonly Given<T>[] : never;
};

/**
 * An e-mail to a user, sent through the Admin API or with login details. The APIs do not return it; the sandbox keeps
 * it for tests.
 */
export interface SentEmail extends Identified {
  user_id: number;
  from: string;
  subject: string;
  body: string;
  sent_at: string;
}

/** A custom association with its kind of record, which the APIs show only in the path. */
export type StoredCustomAssociation = sdk.CustomAssociation & Identified & { object_type: string };

/** An option with its custom field, which the APIs show only in the path. */
export interface StoredCustomFieldOption extends sdk.CustomFieldOption {
  object_type: string;
  field_slug: string;
}

/** A custom record with the slug of its custom object, which the APIs show only in the path. */
export interface StoredCustomRecord extends sdk.CustomRecord {
  object_slug: string;
}

/** An element of any kind that is directly in a program edition. The APIs return only courses as program elements. */
export interface StoredProgramElement extends sdk.ProgramElement {
  /** The element as the list of an edition's elements returns it. */
  element: sdk.ProgramEditionElement;
}

/** A webhook with the number that the store uses; the APIs show the number as text (`webhook-1`). */
export interface StoredWebhook extends Identified {
  url: string;
  active: boolean;
  /** Names of events, or patterns such as `invoice.*`; the APIs show the known names that match. */
  events: string[];
  created_at: string;
  updated_at: string;
}

/** A notification with the number that the store uses; the APIs show the number as text (`notification-1`). */
export interface StoredWebhookNotification extends Identified {
  /** The number of its webhook. */
  webhook_id: number;
  /** The identifier of the delivery, the same for every webhook that receives the event. */
  event_id: string;
  /** The body of the delivery. */
  data: Record<string, unknown>;
  status: sdk.WebhookNotificationStatus;
  send_attempts: sdk.WebhookSendAttempt[];
  created_at: string;
}

/** The lists of the Organization API: views that follow the changes of other collections. */
export interface OrganizationStore {
  readonly attendanceRecords: Records<sdk.AttendanceRecord>;
  readonly contacts: Records<sdk.Contact>;
  readonly courseEditions: Records<sdk.CourseEdition>;
  readonly courseEnrollments: Records<sdk.CourseEnrollment>;
  readonly meetings: Records<sdk.OrganizationMeeting>;
  readonly programEditions: Records<sdk.OrganizationProgramEdition>;
  readonly programEnrollments: Records<sdk.OrganizationProgramEnrollment>;
}
