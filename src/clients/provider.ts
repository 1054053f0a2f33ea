import { transportIn } from "../core/inside-client.js";
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

/** Base class of the clients of the Main and the Admin API, with their common resources. */
export abstract class ProviderClient<out S extends AnySchool = NoSchool> extends Client {
  /** Businesses and persons the school deals with. */
  readonly accounts = new Accounts(transportIn(this)) as InSchool<Accounts, S, "accounts">;
  /** Login identifiers of users at authentication providers. */
  readonly authentications = new Authentications(transportIn(this)) as ListsInSchool<Authentications, S>;
  /** Courses and programs that the catalog offers. */
  readonly catalogProducts = new CatalogProducts(transportIn(this)) as InSchool<CatalogProducts, S, "catalog_products">;
  /** Categories of the catalog. */
  readonly categories = new Categories(transportIn(this));
  /** Places where courses are held. */
  readonly courseLocations = new CourseLocations(transportIn(this));
  /** Tabs of a course page. */
  readonly courseTabs = new CourseTabs(transportIn(this));
  /** Variants of courses. */
  readonly courseVariants = new CourseVariants(transportIn(this));
  /** Courses of the catalog. */
  readonly courses = new Courses(transportIn(this)) as InSchool<Courses, S, "catalog_products">;
  /** Categories of credits, with their types. */
  readonly creditCategories = new CreditCategories(transportIn(this));
  /** Credits students have earned. */
  readonly credits = new Credits(transportIn(this)) as ListsInSchool<Credits, S>;
  /** Links from other records to custom objects; in beta. */
  readonly customAssociations = new CustomAssociations(transportIn(this));
  /** Options of custom fields; in beta. */
  readonly customFieldOptions = new CustomFieldOptions(transportIn(this));
  /** Kinds of records the school has added; in beta. */
  readonly customObjects = new CustomObjects(transportIn(this));
  /** Records of custom objects; in beta. */
  readonly customRecords = new CustomRecords(transportIn(this)) as CustomRecordsInSchool<S>;
  /** Discount codes. */
  readonly discountCodes = new DiscountCodes(transportIn(this));
  /** The school itself. */
  readonly educators = new Educators(transportIn(this));
  /** Grades of students. */
  readonly grades = new Grades(transportIn(this));
  /** Labels of records. */
  readonly labels = new Labels(transportIn(this));
  /** Groups of materials. */
  readonly materialGroups = new MaterialGroups(transportIn(this));
  /** Items that can be reserved or used up for a meeting. */
  readonly materials = new Materials(transportIn(this));
  /** Rooms and other places of a course location. */
  readonly meetingLocations = new MeetingLocations(transportIn(this));
  /** Meetings of planned courses. */
  readonly meetings = new Meetings(transportIn(this)) as ListsInSchool<Meetings, S>;
  /** Orders of catalog variants for students. */
  readonly orders = new Orders(transportIn(this)) as InSchool<Orders, S, "orders">;
  /** The Organization API, with the same token and rate limit. */
  readonly organization = new OrganizationClient(transportIn(this)) as OrganizationInSchool<S>;
  /** Methods of payment. */
  readonly paymentMethods = new PaymentMethods(transportIn(this));
  /** Terms of payment, for example installments. */
  readonly paymentOptions = new PaymentOptions(transportIn(this));
  /** Payments of invoices. */
  readonly payments = new Payments(transportIn(this));
  /** Courses held on certain dates, or taken at any time. */
  readonly plannedCourses = new PlannedCourses(transportIn(this)) as InSchool<PlannedCourses, S, "catalog_variants">;
  /** Double bookings of teachers, materials and locations. */
  readonly planningConflicts = new PlanningConflicts(transportIn(this));
  /** Meeting locations that are available. */
  readonly planningLocations = new PlanningLocations(transportIn(this));
  /** Materials that are available. */
  readonly planningMaterials = new PlanningMaterials(transportIn(this));
  /** Teachers who are available. */
  readonly planningTeachers = new PlanningTeachers(transportIn(this));
  /** Courses that belong directly to program editions. */
  readonly programElements = new ProgramElements(transportIn(this)) as ListsInSchool<ProgramElements, S>;
  /** Enrollments of students in program editions. */
  readonly programEnrollments = new ProgramEnrollments(transportIn(this)) as ListsInSchool<ProgramEnrollments, S>;
  /** Teachers assigned to planned courses. */
  readonly teacherEnrollments = new TeacherEnrollments(transportIn(this)) as ListsInSchool<TeacherEnrollments, S>;
  /** Roles of teachers in planned courses. */
  readonly teacherRoles = new TeacherRoles(transportIn(this));
  /** Users who can teach planned courses. */
  readonly teachers = new Teachers(transportIn(this)) as InSchool<Teachers, S, "teachers">;
  /** Theses that students have written; in beta. */
  readonly theses = new Theses(transportIn(this));
  /** Students, teachers, customers and administrators. */
  readonly users = new Users(transportIn(this)) as InSchool<Users, S, "users">;
  /** Ways in which people hear about the school. */
  readonly referrals = new Referrals(transportIn(this));
  /** Questions asked at sign-up, which define custom fields. */
  readonly signupQuestions = new SignupQuestions(transportIn(this));
  /** Subscriptions to events, and the deliveries sent for them. */
  readonly webhooks = new Webhooks(transportIn(this));

  constructor(
    options: ClientOptions<S>,
    api: Api,
    tables: readonly OperationTable[],
    again: (options: ClientOptions) => object,
  ) {
    super(options, api, tables.concat(organizationTables), again);
  }
}
