import type { Api, OperationTable } from "../core/operation.js";
import type { ClientOptions } from "../core/options.js";
import type { AnySchool, NoSchool } from "../core/school.js";
import { organizationTables } from "../generated/tables.js";
import { CatalogProducts } from "../resources/catalog/catalog-products.js";
import { Categories } from "../resources/catalog/categories.js";
import { CourseLocations } from "../resources/catalog/course-locations.js";
import { CourseTabs } from "../resources/catalog/course-tabs.js";
import { CourseVariants } from "../resources/catalog/course-variants.js";
import { Courses } from "../resources/catalog/courses.js";
import { CustomAssociations } from "../resources/custom/custom-associations.js";
import { CustomFieldOptions } from "../resources/custom/custom-field-options.js";
import { CustomObjects } from "../resources/custom/custom-objects.js";
import { CustomRecords } from "../resources/custom/custom-records.js";
import { CreditCategories } from "../resources/finance/credit-categories.js";
import { Credits } from "../resources/finance/credits.js";
import { DiscountCodes } from "../resources/finance/discount-codes.js";
import { Orders } from "../resources/finance/orders.js";
import { PaymentMethods } from "../resources/finance/payment-methods.js";
import { PaymentOptions } from "../resources/finance/payment-options.js";
import { Payments } from "../resources/finance/payments.js";
import { Accounts } from "../resources/people/accounts.js";
import { Authentications } from "../resources/people/authentications.js";
import { Labels } from "../resources/people/labels.js";
import { Users } from "../resources/people/users.js";
import { Grades } from "../resources/planning/grades.js";
import { MaterialGroups } from "../resources/planning/material-groups.js";
import { Materials } from "../resources/planning/materials.js";
import { MeetingLocations } from "../resources/planning/meeting-locations.js";
import { Meetings } from "../resources/planning/meetings.js";
import { PlannedCourses } from "../resources/planning/planned-courses.js";
import { PlanningConflicts } from "../resources/planning/planning-conflicts.js";
import { PlanningLocations } from "../resources/planning/planning-locations.js";
import { PlanningMaterials } from "../resources/planning/planning-materials.js";
import { PlanningTeachers } from "../resources/planning/planning-teachers.js";
import { ProgramElements } from "../resources/programs/program-elements.js";
import { ProgramEnrollments } from "../resources/programs/program-enrollments.js";
import { Theses } from "../resources/programs/theses.js";
import { Educators } from "../resources/settings/educators.js";
import { Referrals } from "../resources/settings/referrals.js";
import { SignupQuestions } from "../resources/settings/signup-questions.js";
import { Webhooks } from "../resources/settings/webhooks.js";
import { TeacherEnrollments } from "../resources/teachers/teacher-enrollments.js";
import { TeacherRoles } from "../resources/teachers/teacher-roles.js";
import { Teachers } from "../resources/teachers/teachers.js";
import { Client } from "./client.js";
import type { CustomRecordsInSchool, InSchool, ListsInSchool, OrganizationInSchool } from "./in-school.js";
import { OrganizationClient } from "./organization.js";

/** The resources that the Main and the Admin API offer alike. */
export abstract class ProviderClient<out S extends AnySchool = NoSchool> extends Client {
  /** Businesses and persons the school deals with. */
  readonly accounts = new Accounts(this.transport) as InSchool<Accounts, S, "accounts">;
  /** How users log in. */
  readonly authentications = new Authentications(this.transport) as ListsInSchool<Authentications, S>;
  /** What the catalog offers: courses and programs. */
  readonly catalogProducts = new CatalogProducts(this.transport) as InSchool<CatalogProducts, S, "catalog_products">;
  /** Categories of the catalog. */
  readonly categories = new Categories(this.transport);
  /** Places where courses are held. */
  readonly courseLocations = new CourseLocations(this.transport);
  /** Tabs of a course page. */
  readonly courseTabs = new CourseTabs(this.transport);
  /** Variants of courses. */
  readonly courseVariants = new CourseVariants(this.transport);
  /** Courses of the catalog. */
  readonly courses = new Courses(this.transport) as InSchool<Courses, S, "catalog_products">;
  /** Categories of credits, with their types. */
  readonly creditCategories = new CreditCategories(this.transport);
  /** Credits students have earned. */
  readonly credits = new Credits(this.transport) as ListsInSchool<Credits, S>;
  /** Which custom objects other records can point at; in beta. */
  readonly customAssociations = new CustomAssociations(this.transport);
  /** Options of custom fields; in beta. */
  readonly customFieldOptions = new CustomFieldOptions(this.transport);
  /** Kinds of records the school has added; in beta. */
  readonly customObjects = new CustomObjects(this.transport);
  /** Records of custom objects; in beta. */
  readonly customRecords = new CustomRecords(this.transport) as CustomRecordsInSchool<S>;
  /** Discount codes. */
  readonly discountCodes = new DiscountCodes(this.transport);
  /** The school itself. */
  readonly educators = new Educators(this.transport);
  /** Grades of students. */
  readonly grades = new Grades(this.transport);
  /** Labels of records. */
  readonly labels = new Labels(this.transport);
  /** Groups of materials. */
  readonly materialGroups = new MaterialGroups(this.transport);
  /** What can be reserved or used up for a meeting. */
  readonly materials = new Materials(this.transport);
  /** Rooms and other places of a course location. */
  readonly meetingLocations = new MeetingLocations(this.transport);
  /** Meetings of planned courses. */
  readonly meetings = new Meetings(this.transport) as ListsInSchool<Meetings, S>;
  /** Orders: students on catalog variants. */
  readonly orders = new Orders(this.transport) as InSchool<Orders, S, "orders">;
  /** The Organization API, on the same token and request budget. */
  readonly organization = new OrganizationClient(this.transport) as OrganizationInSchool<S>;
  /** How customers can pay. */
  readonly paymentMethods = new PaymentMethods(this.transport);
  /** When customers pay, for example in instalments. */
  readonly paymentOptions = new PaymentOptions(this.transport);
  /** Payments of invoices. */
  readonly payments = new Payments(this.transport);
  /** Courses that are held at certain dates, or followed at any time. */
  readonly plannedCourses = new PlannedCourses(this.transport) as InSchool<PlannedCourses, S, "catalog_variants">;
  /** Teachers, materials and locations that are planned twice at the same time. */
  readonly planningConflicts = new PlanningConflicts(this.transport);
  /** Meeting locations that are available. */
  readonly planningLocations = new PlanningLocations(this.transport);
  /** Materials that are available. */
  readonly planningMaterials = new PlanningMaterials(this.transport);
  /** Teachers who are available. */
  readonly planningTeachers = new PlanningTeachers(this.transport);
  /** Courses directly in program editions. */
  readonly programElements = new ProgramElements(this.transport) as ListsInSchool<ProgramElements, S>;
  /** Students in program editions. */
  readonly programEnrollments = new ProgramEnrollments(this.transport) as ListsInSchool<ProgramEnrollments, S>;
  /** Teachers' places in planned courses. */
  readonly teacherEnrollments = new TeacherEnrollments(this.transport) as ListsInSchool<TeacherEnrollments, S>;
  /** Roles of teachers in planned courses. */
  readonly teacherRoles = new TeacherRoles(this.transport);
  /** Users who can teach planned courses. */
  readonly teachers = new Teachers(this.transport) as InSchool<Teachers, S, "teachers">;
  /** Theses that students have written; in beta. */
  readonly theses = new Theses(this.transport);
  /** Students, teachers, customers and administrators. */
  readonly users = new Users(this.transport) as InSchool<Users, S, "users">;
  /** Ways in which people hear of the school. */
  readonly referrals = new Referrals(this.transport);
  /** Questions asked at sign-up, which define custom fields. */
  readonly signupQuestions = new SignupQuestions(this.transport);
  /** Subscriptions to events, and what was sent for them. */
  readonly webhooks = new Webhooks(this.transport);

  constructor(options: ClientOptions<S>, api: Api, tables: readonly OperationTable[]) {
    super(options, api, tables.concat(organizationTables));
  }
}
