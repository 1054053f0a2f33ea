import type { CatalogProduct } from "../../resources/catalog/catalog-products.js";
import type { AdminCatalogVariant } from "../../resources/catalog/catalog-variants.js";
import type { Category } from "../../resources/catalog/categories.js";
import type { CourseLocation } from "../../resources/catalog/course-locations.js";
import type { CourseTab } from "../../resources/catalog/course-tabs.js";
import type { CourseVariant } from "../../resources/catalog/course-variants.js";
import type { Course } from "../../resources/catalog/courses.js";
import type { EditionDescriptionSection } from "../../resources/catalog/edition-description-sections.js";
import type { CustomObject } from "../../resources/custom/custom-objects.js";
import type { CreditCategory } from "../../resources/finance/credit-categories.js";
import type { Credit } from "../../resources/finance/credits.js";
import type { DiscountCode } from "../../resources/finance/discount-codes.js";
import type { InvoiceVat } from "../../resources/finance/invoice-vats.js";
import type { Invoice } from "../../resources/finance/invoices.js";
import type { Order } from "../../resources/finance/orders.js";
import type { AttendanceRecord } from "../../resources/organization/attendance-records.js";
import type { Contact } from "../../resources/organization/contacts.js";
import type { CourseEdition } from "../../resources/organization/course-editions.js";
import type { CourseEnrollment } from "../../resources/organization/course-enrollments.js";
import type { OrganizationMeeting } from "../../resources/organization/meetings.js";
import type { ProgramEdition } from "../../resources/organization/program-editions.js";
import type { ProgramEnrollment } from "../../resources/organization/program-enrollments.js";
import type { Account } from "../../resources/people/accounts.js";
import type { Affiliation } from "../../resources/people/affiliations.js";
import type { Authentication } from "../../resources/people/authentications.js";
import type { AdminComment } from "../../resources/people/comments.js";
import type { Label } from "../../resources/people/labels.js";
import type { Lead } from "../../resources/people/leads.js";
import type { Attendance } from "../../resources/planning/attendances.js";
import type { Certificate } from "../../resources/planning/certificates.js";
import type { Enrollment } from "../../resources/planning/enrollments.js";
import type { Grade } from "../../resources/planning/grades.js";
import type { MaterialGroup } from "../../resources/planning/material-groups.js";
import type { Material } from "../../resources/planning/materials.js";
import type { MeetingLocation } from "../../resources/planning/meeting-locations.js";
import type { Meeting } from "../../resources/planning/meetings.js";
import type { Department } from "../../resources/settings/departments.js";
import type { Educator } from "../../resources/settings/educators.js";
import type { Collection, Identified, Records } from "./collection.js";
import type {
  PlannedCourse,
  SentEmail,
  StoredCustomAssociation,
  StoredCustomFieldOption,
  StoredCustomRecord,
  User,
} from "./records.js";

/**
 * Everything a sandbox holds, by resource. What is written here is what the APIs answer, and what is written through
 * the APIs is found here.
 */
export interface Store {
  readonly accounts: Collection<Account>;
  readonly affiliations: Collection<Affiliation>;
  readonly attendances: Collection<Attendance>;
  readonly authentications: Collection<Authentication>;
  readonly catalogProducts: Collection<CatalogProduct>;
  readonly catalogVariants: Collection<AdminCatalogVariant>;
  readonly categories: Collection<Category>;
  readonly certificates: Collection<Certificate>;
  readonly comments: Collection<AdminComment>;
  readonly courseLocations: Collection<CourseLocation>;
  readonly courseTabs: Collection<CourseTab>;
  readonly courseVariants: Collection<CourseVariant>;
  readonly courses: Collection<Course>;
  readonly creditCategories: Collection<CreditCategory>;
  readonly credits: Collection<Credit>;
  /** With the kind of record they are on. */
  readonly customAssociations: Collection<StoredCustomAssociation>;
  /** With the custom field they are of. */
  readonly customFieldOptions: Collection<StoredCustomFieldOption>;
  readonly customObjects: Collection<CustomObject>;
  /** With the slug of their custom object. */
  readonly customRecords: Collection<StoredCustomRecord>;
  readonly departments: Collection<Department & Identified>;
  readonly discountCodes: Collection<DiscountCode & Identified>;
  readonly editionDescriptionSections: Collection<EditionDescriptionSection & Identified>;
  /** The one educator. */
  readonly educators: Collection<Educator>;
  /** E-mails sent through the Admin API. */
  readonly emails: Collection<SentEmail>;
  readonly enrollments: Collection<Enrollment>;
  readonly grades: Collection<Grade>;
  readonly invoiceVats: Collection<InvoiceVat>;
  readonly invoices: Collection<Invoice>;
  readonly labels: Collection<Label>;
  readonly leads: Collection<Lead>;
  readonly materialGroups: Collection<MaterialGroup>;
  readonly materials: Collection<Material>;
  readonly meetingLocations: Collection<MeetingLocation>;
  readonly meetings: Collection<Meeting>;
  readonly orders: Collection<Order>;
  /** Planned courses: other records name them; the Organization API shows them as course editions. */
  readonly plannedCourses: Collection<PlannedCourse>;
  /** Users: other records name them; the Organization API shows them as contacts. */
  readonly users: Collection<User>;
  /** The lists of the Organization API: the same data as it shows it. */
  readonly organization: OrganizationStore;
}

/** What the Organization API shows. Most of it is a view of the other collections and follows them. */
export interface OrganizationStore {
  readonly attendanceRecords: Records<AttendanceRecord>;
  readonly contacts: Records<Contact>;
  readonly courseEditions: Records<CourseEdition>;
  readonly courseEnrollments: Records<CourseEnrollment>;
  readonly meetings: Records<OrganizationMeeting>;
  readonly programEditions: Collection<ProgramEdition>;
  readonly programEnrollments: Collection<ProgramEnrollment>;
}
