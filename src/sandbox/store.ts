import type { AttendanceRecord } from "../organization/attendance-records.js";
import type { Contact } from "../organization/contacts.js";
import type { CourseEdition } from "../organization/course-editions.js";
import type { CourseEnrollment } from "../organization/course-enrollments.js";
import type { OrganizationMeeting } from "../organization/meetings.js";
import type { ProgramEdition } from "../organization/program-editions.js";
import type { ProgramEnrollment } from "../organization/program-enrollments.js";
import type { Account } from "../resources/accounts.js";
import type { Affiliation } from "../resources/affiliations.js";
import type { Attendance } from "../resources/attendances.js";
import type { Authentication } from "../resources/authentications.js";
import type { CatalogProduct } from "../resources/catalog-products.js";
import type { AdminCatalogVariant } from "../resources/catalog-variants.js";
import type { Category } from "../resources/categories.js";
import type { Certificate } from "../resources/certificates.js";
import type { AdminComment } from "../resources/comments.js";
import type { CourseLocation } from "../resources/course-locations.js";
import type { CourseTab } from "../resources/course-tabs.js";
import type { CourseVariant } from "../resources/course-variants.js";
import type { Course } from "../resources/courses.js";
import type { CreditCategory } from "../resources/credit-categories.js";
import type { Credit } from "../resources/credits.js";
import type { CustomObject } from "../resources/custom-objects.js";
import type { Department } from "../resources/departments.js";
import type { DiscountCode } from "../resources/discount-codes.js";
import type { EditionDescriptionSection } from "../resources/edition-description-sections.js";
import type { Educator } from "../resources/educators.js";
import type { Enrollment } from "../resources/enrollments.js";
import type { Grade } from "../resources/grades.js";
import type { InvoiceVat } from "../resources/invoice-vats.js";
import type { Invoice } from "../resources/invoices.js";
import type { Label } from "../resources/labels.js";
import type { Lead } from "../resources/leads.js";
import type { MaterialGroup } from "../resources/material-groups.js";
import type { Material } from "../resources/materials.js";
import type { MeetingLocation } from "../resources/meeting-locations.js";
import type { Meeting } from "../resources/meetings.js";
import type { Order } from "../resources/orders.js";
import { type ChangeKind, Collection, type Columns, type Identified, type Records } from "./collection.js";
import * as catalog from "./seed/catalog.js";
import * as environment from "./seed/environment.js";
import * as finance from "./seed/finance.js";
import * as people from "./seed/people.js";
import * as planning from "./seed/planning.js";
import { countsOf, type SandboxSize, type World } from "./seed/world.js";
import { organizationViews } from "./views.js";

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
  readonly customAssociations: Collection<environment.StoredCustomAssociation>;
  /** With the custom field they are of. */
  readonly customFieldOptions: Collection<environment.StoredCustomFieldOption>;
  readonly customObjects: Collection<CustomObject>;
  /** With the slug of their custom object. */
  readonly customRecords: Collection<environment.StoredCustomRecord>;
  readonly departments: Collection<Department & Identified>;
  readonly discountCodes: Collection<DiscountCode & Identified>;
  readonly editionDescriptionSections: Collection<EditionDescriptionSection & Identified>;
  /** The one educator. */
  readonly educators: Collection<Educator>;
  /** E-mails sent through the Admin API. */
  readonly emails: Collection<environment.SentEmail>;
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
  readonly plannedCourses: Collection<planning.PlannedCourse>;
  /** Users: other records name them; the Organization API shows them as contacts. */
  readonly users: Collection<people.User>;
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

/** Makes the collections of a sandbox. @internal */
export function createStore(options: {
  seed: number;
  size: SandboxSize;
  onChange: (collection: string, kind: ChangeKind, record: Identified) => void;
}): { store: Store; reset: () => void } {
  const counts = countsOf(options.size);
  const collections: { reset(): void }[] = [];
  function seeded<T extends Identified>(name: string, count: number, columns: Columns<T>): Collection<T> {
    const onChange = (kind: ChangeKind, record: T) => options.onChange(name, kind, record);
    const made = new Collection<T>({ name, seed: options.seed, count, columns, onChange });
    collections.push(made);
    return made;
  }
  // Columns ask the store only when a record is made, and by then it is complete.
  const store = {} as Store;
  const world: World = { counts, store };
  const { people: persons } = counts;
  const resources: Omit<Store, "organization"> = {
    accounts: seeded("accounts", persons, people.accountColumns(world)),
    affiliations: seeded("affiliations", people.affiliationCount(persons), people.affiliationColumns(world)),
    attendances: seeded("attendances", planning.attendanceCount(counts), planning.attendanceColumns(world)),
    authentications: seeded(
      "authentications",
      people.authenticationCount(persons),
      people.authenticationColumns(world),
    ),
    catalogProducts: seeded("catalogProducts", counts.courses + counts.programs, catalog.catalogProductColumns(world)),
    catalogVariants: seeded(
      "catalogVariants",
      counts.plannedCourses + counts.programEditions,
      catalog.catalogVariantColumns(world),
    ),
    categories: seeded("categories", counts.categories, catalog.categoryColumns(world)),
    certificates: seeded("certificates", planning.certificateCount(counts), planning.certificateColumns(world)),
    comments: seeded("comments", counts.comments, people.commentColumns(world)),
    courseLocations: seeded("courseLocations", counts.courseLocations, planning.courseLocationColumns(world)),
    courseTabs: seeded("courseTabs", catalog.TAB_COUNT, catalog.courseTabColumns),
    courseVariants: seeded("courseVariants", catalog.COURSE_VARIANT_COUNT, catalog.courseVariantColumns),
    courses: seeded("courses", counts.courses, catalog.courseColumns(world)),
    creditCategories: seeded("creditCategories", planning.CREDIT_CATEGORY_COUNT, planning.creditCategoryColumns),
    credits: seeded("credits", planning.creditCount(counts), planning.creditColumns(world)),
    customAssociations: seeded(
      "customAssociations",
      environment.ASSOCIATION_COUNT,
      environment.customAssociationColumns,
    ),
    customFieldOptions: seeded("customFieldOptions", environment.OPTION_COUNT, environment.customFieldOptionColumns),
    customObjects: seeded("customObjects", environment.CUSTOM_OBJECT_COUNT, environment.customObjectColumns),
    customRecords: seeded("customRecords", counts.customRecords, environment.customRecordColumns),
    departments: seeded("departments", catalog.DEPARTMENT_COUNT, catalog.departmentColumns),
    discountCodes: seeded("discountCodes", catalog.DISCOUNT_CODE_COUNT, catalog.discountCodeColumns),
    editionDescriptionSections: seeded("editionDescriptionSections", catalog.SECTION_COUNT, catalog.sectionColumns),
    educators: seeded("educators", 1, environment.educatorColumns),
    emails: seeded("emails", 0, environment.sentEmailColumns),
    enrollments: seeded("enrollments", persons, planning.enrollmentColumns(world)),
    grades: seeded("grades", counts.pastEnrollments, planning.gradeColumns(world)),
    invoiceVats: seeded("invoiceVats", finance.VAT_COUNT, finance.invoiceVatColumns),
    invoices: seeded("invoices", persons, finance.invoiceColumns(world)),
    labels: seeded("labels", people.LABEL_COUNT, people.labelColumns),
    leads: seeded("leads", counts.leads, people.leadColumns(world)),
    materialGroups: seeded("materialGroups", planning.MATERIAL_GROUP_COUNT, planning.materialGroupColumns),
    materials: seeded("materials", planning.MATERIAL_COUNT, planning.materialColumns),
    meetingLocations: seeded("meetingLocations", counts.meetingLocations, planning.meetingLocationColumns(world)),
    meetings: seeded("meetings", planning.meetingCount(counts), planning.meetingColumns(world)),
    orders: seeded("orders", persons, finance.orderColumns(world)),
    plannedCourses: seeded("plannedCourses", counts.plannedCourses, planning.plannedCourseColumns(world)),
    users: seeded("users", persons, people.userColumns),
  };
  Object.assign(store, resources);
  Object.assign(store, {
    organization: {
      ...organizationViews(store),
      programEditions: seeded("programEditions", counts.programEditions, planning.programEditionColumns(world)),
      programEnrollments: seeded(
        "programEnrollments",
        counts.programEnrollments,
        planning.programEnrollmentColumns(world),
      ),
    } satisfies OrganizationStore,
  });
  return {
    store,
    reset: () => {
      for (const each of collections) each.reset();
    },
  };
}
