import type { OwnReferences, References } from "../core/lists/references.js";
import type { CUSTOM_KINDS } from "../models/custom-kinds.js";
import type { CatalogProduct } from "./catalog/catalog-products.js";
import type { CatalogVariant } from "./catalog/catalog-variants.js";
import type { Category } from "./catalog/categories.js";
import type { CourseLocation } from "./catalog/course-locations.js";
import type { CourseVariant } from "./catalog/course-variants.js";
import type { Course } from "./catalog/courses.js";
import type { InvoiceVat } from "./finance/invoice-vats.js";
import type { Invoice } from "./finance/invoices.js";
import type { Order } from "./finance/orders.js";
import type { PaymentMethod } from "./finance/payment-methods.js";
import type { PaymentOption } from "./finance/payment-options.js";
import type { AttendanceRecord } from "./organization/attendance-records.js";
import type { Contact } from "./organization/contacts.js";
import type { CourseEdition } from "./organization/course-editions.js";
import type { CourseEnrollment } from "./organization/course-enrollments.js";
import type { OrganizationMeeting } from "./organization/meetings.js";
import type { OrganizationProgramEdition } from "./organization/program-editions.js";
import type { Account } from "./people/accounts.js";
import type { Lead } from "./people/leads.js";
import type { Organization } from "./people/organizations.js";
import type { User } from "./people/users.js";
import type { Enrollment } from "./planning/enrollments.js";
import type { MaterialGroup } from "./planning/material-groups.js";
import type { Material } from "./planning/materials.js";
import type { MeetingLocation } from "./planning/meeting-locations.js";
import type { Meeting } from "./planning/meetings.js";
import type { PlannedCourse } from "./planning/planned-courses.js";
import type { PersonalProgramElement } from "./programs/personal-program-elements.js";
import type { ProgramEdition } from "./programs/program-editions.js";
import type { ProgramElement } from "./programs/program-elements.js";
import type { ProgramEnrollment } from "./programs/program-enrollments.js";
import type { Program } from "./programs/programs.js";
import type { Referral } from "./settings/referrals.js";
import type { TeacherRole } from "./teachers/teacher-roles.js";
import type { Teacher } from "./teachers/teachers.js";

declare module "../core/lists/references.js" {
  interface References {
    account: Account;
    administrator: User;
    assigned_by: User;
    assignee: User;
    catalog_product: CatalogProduct;
    catalog_variant: CatalogVariant;
    category: Category;
    completed_by: User;
    contact: Contact;
    course: Course;
    course_edition: CourseEdition;
    course_enrollment: Enrollment;
    course_location: CourseLocation;
    course_variant: CourseVariant;
    creator: User;
    edition: ProgramEdition;
    element: ProgramElement;
    enrollment: Enrollment;
    invoice: Invoice;
    invoice_vat: InvoiceVat;
    lead: Lead;
    material: Material;
    material_group: MaterialGroup;
    meeting: Meeting;
    meeting_location: MeetingLocation;
    order: Order;
    organization: Organization;
    parent: Category;
    payment_method: PaymentMethod;
    payment_option: PaymentOption;
    personal_user: User;
    primary_account: Account;
    planned_course: PlannedCourse;
    product: CatalogProduct;
    program: Program;
    program_edition: OrganizationProgramEdition;
    referral: Referral;
    student: User;
    teacher: Teacher;
    teacher_role: TeacherRole;
    user: User;
  }

  interface OwnReferences {
    "organization.attendanceRecords": {
      record: AttendanceRecord;
      names: { enrollment: CourseEnrollment; meeting: OrganizationMeeting };
    };
    personalProgramElements: { record: PersonalProgramElement; names: { enrollment: ProgramEnrollment } };
  }
}

/** The resource of the referenced records, keyed by the reference field's name without `_id`. */
export const REFERENCES = {
  account: "accounts",
  administrator: "users",
  assigned_by: "users",
  assignee: "users",
  catalog_product: "catalogProducts",
  catalog_variant: "catalogVariants",
  category: "categories",
  completed_by: "users",
  contact: "organization.contacts",
  course: "courses",
  course_edition: "organization.courseEditions",
  course_enrollment: "enrollments",
  course_location: "courseLocations",
  course_variant: "courseVariants",
  creator: "users",
  edition: "programEditions",
  element: "programElements",
  enrollment: "enrollments",
  invoice: "invoices",
  invoice_vat: "invoiceVats",
  lead: "leads",
  material: "materials",
  material_group: "materialGroups",
  meeting: "meetings",
  meeting_location: "meetingLocations",
  order: "orders",
  organization: "organizations",
  parent: "categories",
  payment_method: "paymentMethods",
  payment_option: "paymentOptions",
  personal_user: "users",
  primary_account: "accounts",
  planned_course: "plannedCourses",
  product: "catalogProducts",
  program: "programs",
  program_edition: "organization.programEditions",
  referral: "referrals",
  student: "users",
  teacher: "teachers",
  teacher_role: "teacherRoles",
  user: "users",
} as const satisfies { readonly [Name in keyof References]: string };

/** The references that differ from {@link REFERENCES}, by the resource whose records contain them. */
const SPECIFIC_REFERENCES: {
  readonly [Resource in keyof OwnReferences]: { readonly [Name in keyof OwnReferences[Resource]["names"]]: string };
} = {
  "organization.attendanceRecords": { enrollment: "organization.courseEnrollments", meeting: "organization.meetings" },
  personalProgramElements: { enrollment: "programEnrollments" },
};

/** The resource of the records to which the reference `name` of `resource` refers; null if there is none. */
export function resourceOf(name: string, resource: string): string | null {
  const specific: Readonly<Record<string, Readonly<Record<string, string>>>> = SPECIFIC_REFERENCES;
  const common: Readonly<Record<string, string>> = REFERENCES;
  return specific[resource]?.[name] ?? common[name] ?? null;
}

/** The name of a reference that a list's `with` method can join, such as `student` or `planned_course`. */
export type ReferenceName = keyof References;

/** The kind of the referenced records if they can have custom fields, else `never`. */
export type ReferenceKind<Name extends ReferenceName> = (typeof CUSTOM_KINDS)[(typeof REFERENCES)[Name] & keyof typeof CUSTOM_KINDS];
