// Written by npm run generate from src/models and src/resources; do not edit.
import type { CatalogProducts } from "../resources/catalog/catalog-products.js";
import type { AdminCatalogVariants, CatalogVariants } from "../resources/catalog/catalog-variants.js";
import type { Categories } from "../resources/catalog/categories.js";
import type { CourseLocations } from "../resources/catalog/course-locations.js";
import type { CourseTabs } from "../resources/catalog/course-tabs.js";
import type { CourseVariants } from "../resources/catalog/course-variants.js";
import type { Courses } from "../resources/catalog/courses.js";
import type { EditionDescriptionSections } from "../resources/catalog/edition-description-sections.js";
import type { CustomAssociations } from "../resources/custom/custom-associations.js";
import type { CustomFieldOptions } from "../resources/custom/custom-field-options.js";
import type { CustomObjects } from "../resources/custom/custom-objects.js";
import type { CustomRecords } from "../resources/custom/custom-records.js";
import type { CreditCategories } from "../resources/finance/credit-categories.js";
import type { Credits } from "../resources/finance/credits.js";
import type { DiscountCodes } from "../resources/finance/discount-codes.js";
import type { InvoiceVats } from "../resources/finance/invoice-vats.js";
import type { Invoices } from "../resources/finance/invoices.js";
import type { Orders } from "../resources/finance/orders.js";
import type { PaymentMethods } from "../resources/finance/payment-methods.js";
import type { PaymentOptions } from "../resources/finance/payment-options.js";
import type { Payments } from "../resources/finance/payments.js";
import type { AttendanceRecords } from "../resources/organization/attendance-records.js";
import type { Contacts } from "../resources/organization/contacts.js";
import type { CourseEditions } from "../resources/organization/course-editions.js";
import type { CourseEnrollments } from "../resources/organization/course-enrollments.js";
import type { OrganizationMeetings } from "../resources/organization/meetings.js";
import type { OrganizationProgramEditions } from "../resources/organization/program-editions.js";
import type { OrganizationProgramEnrollments } from "../resources/organization/program-enrollments.js";
import type { Accounts } from "../resources/people/accounts.js";
import type { AdminAffiliations, Affiliations } from "../resources/people/affiliations.js";
import type { Authentications } from "../resources/people/authentications.js";
import type { AdminComments, Comments } from "../resources/people/comments.js";
import type { Emails } from "../resources/people/emails.js";
import type { Labels } from "../resources/people/labels.js";
import type { AdminLeads, Leads } from "../resources/people/leads.js";
import type { OrganizationAccounts } from "../resources/people/organization-accounts.js";
import type { OrganizationAffiliations } from "../resources/people/organization-affiliations.js";
import type { OrganizationInvoices } from "../resources/people/organization-invoices.js";
import type { OrganizationOrders } from "../resources/people/organization-orders.js";
import type { Organizations } from "../resources/people/organizations.js";
import type { AdminTasks, Tasks } from "../resources/people/tasks.js";
import type { Users } from "../resources/people/users.js";
import type { AdminAttendances, Attendances } from "../resources/planning/attendances.js";
import type { Certificates } from "../resources/planning/certificates.js";
import type { AdminEnrollments, Enrollments } from "../resources/planning/enrollments.js";
import type { Grades } from "../resources/planning/grades.js";
import type { MaterialGroups } from "../resources/planning/material-groups.js";
import type { Materials } from "../resources/planning/materials.js";
import type { MeetingLocations } from "../resources/planning/meeting-locations.js";
import type { Meetings } from "../resources/planning/meetings.js";
import type { PlannedCourses } from "../resources/planning/planned-courses.js";
import type { PlanningAttendees } from "../resources/planning/planning-attendees.js";
import type { PlanningConflicts } from "../resources/planning/planning-conflicts.js";
import type { AdminPlanningEvents, PlanningEvents } from "../resources/planning/planning-events.js";
import type { PlanningLocations } from "../resources/planning/planning-locations.js";
import type { PlanningMaterials } from "../resources/planning/planning-materials.js";
import type { PlanningTeachers } from "../resources/planning/planning-teachers.js";
import type { RequiredTeacherGroupAttendees } from "../resources/planning/required-teacher-group-attendees.js";
import type { PersonalProgramElements } from "../resources/programs/personal-program-elements.js";
import type { AdminProgramEditions, ProgramEditions } from "../resources/programs/program-editions.js";
import type { ProgramElements } from "../resources/programs/program-elements.js";
import type { ProgramEnrollments } from "../resources/programs/program-enrollments.js";
import type { AdminPrograms, Programs } from "../resources/programs/programs.js";
import type { Theses } from "../resources/programs/theses.js";
import type { Departments } from "../resources/settings/departments.js";
import type { Educators } from "../resources/settings/educators.js";
import type { Referrals } from "../resources/settings/referrals.js";
import type { SignupQuestions } from "../resources/settings/signup-questions.js";
import type { Webhooks } from "../resources/settings/webhooks.js";
import type { TeacherEnrollments } from "../resources/teachers/teacher-enrollments.js";
import type { TeacherRoles } from "../resources/teachers/teacher-roles.js";
import type { Teachers } from "../resources/teachers/teachers.js";

/** The methods of {@link Accounts}: what a program needs of it, and what a fake in a test provides. */
export interface AccountsApi extends Pick<Accounts, keyof Accounts> {}
/** The methods of {@link AdminAffiliations}: what a program needs of it, and what a fake in a test provides. */
export interface AdminAffiliationsApi extends Pick<AdminAffiliations, keyof AdminAffiliations> {}
/** The methods of {@link AdminAttendances}: what a program needs of it, and what a fake in a test provides. */
export interface AdminAttendancesApi extends Pick<AdminAttendances, keyof AdminAttendances> {}
/** The methods of {@link AdminCatalogVariants}: what a program needs of it, and what a fake in a test provides. */
export interface AdminCatalogVariantsApi extends Pick<AdminCatalogVariants, keyof AdminCatalogVariants> {}
/** The methods of {@link AdminComments}: what a program needs of it, and what a fake in a test provides. */
export interface AdminCommentsApi extends Pick<AdminComments, keyof AdminComments> {}
/** The methods of {@link AdminEnrollments}: what a program needs of it, and what a fake in a test provides. */
export interface AdminEnrollmentsApi extends Pick<AdminEnrollments, keyof AdminEnrollments> {}
/** The methods of {@link AdminLeads}: what a program needs of it, and what a fake in a test provides. */
export interface AdminLeadsApi extends Pick<AdminLeads, keyof AdminLeads> {}
/** The methods of {@link AdminPlanningEvents}: what a program needs of it, and what a fake in a test provides. */
export interface AdminPlanningEventsApi extends Pick<AdminPlanningEvents, keyof AdminPlanningEvents> {}
/** The methods of {@link AdminProgramEditions}: what a program needs of it, and what a fake in a test provides. */
export interface AdminProgramEditionsApi extends Pick<AdminProgramEditions, keyof AdminProgramEditions> {}
/** The methods of {@link AdminPrograms}: what a program needs of it, and what a fake in a test provides. */
export interface AdminProgramsApi extends Pick<AdminPrograms, keyof AdminPrograms> {}
/** The methods of {@link AdminTasks}: what a program needs of it, and what a fake in a test provides. */
export interface AdminTasksApi extends Pick<AdminTasks, keyof AdminTasks> {}
/** The methods of {@link Affiliations}: what a program needs of it, and what a fake in a test provides. */
export interface AffiliationsApi extends Pick<Affiliations, keyof Affiliations> {}
/** The methods of {@link Attendances}: what a program needs of it, and what a fake in a test provides. */
export interface AttendancesApi extends Pick<Attendances, keyof Attendances> {}
/** The methods of {@link Authentications}: what a program needs of it, and what a fake in a test provides. */
export interface AuthenticationsApi extends Pick<Authentications, keyof Authentications> {}
/** The methods of {@link CatalogProducts}: what a program needs of it, and what a fake in a test provides. */
export interface CatalogProductsApi extends Pick<CatalogProducts, keyof CatalogProducts> {}
/** The methods of {@link CatalogVariants}: what a program needs of it, and what a fake in a test provides. */
export interface CatalogVariantsApi extends Pick<CatalogVariants, keyof CatalogVariants> {}
/** The methods of {@link Categories}: what a program needs of it, and what a fake in a test provides. */
export interface CategoriesApi extends Pick<Categories, keyof Categories> {}
/** The methods of {@link Certificates}: what a program needs of it, and what a fake in a test provides. */
export interface CertificatesApi extends Pick<Certificates, keyof Certificates> {}
/** The methods of {@link Comments}: what a program needs of it, and what a fake in a test provides. */
export interface CommentsApi extends Pick<Comments, keyof Comments> {}
/** The methods of {@link CourseLocations}: what a program needs of it, and what a fake in a test provides. */
export interface CourseLocationsApi extends Pick<CourseLocations, keyof CourseLocations> {}
/** The methods of {@link CourseTabs}: what a program needs of it, and what a fake in a test provides. */
export interface CourseTabsApi extends Pick<CourseTabs, keyof CourseTabs> {}
/** The methods of {@link CourseVariants}: what a program needs of it, and what a fake in a test provides. */
export interface CourseVariantsApi extends Pick<CourseVariants, keyof CourseVariants> {}
/** The methods of {@link Courses}: what a program needs of it, and what a fake in a test provides. */
export interface CoursesApi extends Pick<Courses, keyof Courses> {}
/** The methods of {@link CreditCategories}: what a program needs of it, and what a fake in a test provides. */
export interface CreditCategoriesApi extends Pick<CreditCategories, keyof CreditCategories> {}
/** The methods of {@link Credits}: what a program needs of it, and what a fake in a test provides. */
export interface CreditsApi extends Pick<Credits, keyof Credits> {}
/** The methods of {@link CustomAssociations}: what a program needs of it, and what a fake in a test provides. */
export interface CustomAssociationsApi extends Pick<CustomAssociations, keyof CustomAssociations> {}
/** The methods of {@link CustomFieldOptions}: what a program needs of it, and what a fake in a test provides. */
export interface CustomFieldOptionsApi extends Pick<CustomFieldOptions, keyof CustomFieldOptions> {}
/** The methods of {@link CustomObjects}: what a program needs of it, and what a fake in a test provides. */
export interface CustomObjectsApi extends Pick<CustomObjects, keyof CustomObjects> {}
/** The methods of {@link CustomRecords}: what a program needs of it, and what a fake in a test provides. */
export interface CustomRecordsApi extends Pick<CustomRecords, keyof CustomRecords> {}
/** The methods of {@link Departments}: what a program needs of it, and what a fake in a test provides. */
export interface DepartmentsApi extends Pick<Departments, keyof Departments> {}
/** The methods of {@link DiscountCodes}: what a program needs of it, and what a fake in a test provides. */
export interface DiscountCodesApi extends Pick<DiscountCodes, keyof DiscountCodes> {}
/** The methods of {@link EditionDescriptionSections}: what a program needs of it, and what a fake in a test provides. */
export interface EditionDescriptionSectionsApi
  extends Pick<EditionDescriptionSections, keyof EditionDescriptionSections> {}
/** The methods of {@link Educators}: what a program needs of it, and what a fake in a test provides. */
export interface EducatorsApi extends Pick<Educators, keyof Educators> {}
/** The methods of {@link Emails}: what a program needs of it, and what a fake in a test provides. */
export interface EmailsApi extends Pick<Emails, keyof Emails> {}
/** The methods of {@link Enrollments}: what a program needs of it, and what a fake in a test provides. */
export interface EnrollmentsApi extends Pick<Enrollments, keyof Enrollments> {}
/** The methods of {@link Grades}: what a program needs of it, and what a fake in a test provides. */
export interface GradesApi extends Pick<Grades, keyof Grades> {}
/** The methods of {@link InvoiceVats}: what a program needs of it, and what a fake in a test provides. */
export interface InvoiceVatsApi extends Pick<InvoiceVats, keyof InvoiceVats> {}
/** The methods of {@link Invoices}: what a program needs of it, and what a fake in a test provides. */
export interface InvoicesApi extends Pick<Invoices, keyof Invoices> {}
/** The methods of {@link Labels}: what a program needs of it, and what a fake in a test provides. */
export interface LabelsApi extends Pick<Labels, keyof Labels> {}
/** The methods of {@link Leads}: what a program needs of it, and what a fake in a test provides. */
export interface LeadsApi extends Pick<Leads, keyof Leads> {}
/** The methods of {@link MaterialGroups}: what a program needs of it, and what a fake in a test provides. */
export interface MaterialGroupsApi extends Pick<MaterialGroups, keyof MaterialGroups> {}
/** The methods of {@link Materials}: what a program needs of it, and what a fake in a test provides. */
export interface MaterialsApi extends Pick<Materials, keyof Materials> {}
/** The methods of {@link MeetingLocations}: what a program needs of it, and what a fake in a test provides. */
export interface MeetingLocationsApi extends Pick<MeetingLocations, keyof MeetingLocations> {}
/** The methods of {@link Meetings}: what a program needs of it, and what a fake in a test provides. */
export interface MeetingsApi extends Pick<Meetings, keyof Meetings> {}
/** The methods of {@link Orders}: what a program needs of it, and what a fake in a test provides. */
export interface OrdersApi extends Pick<Orders, keyof Orders> {}
/** The methods of {@link OrganizationAccounts}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationAccountsApi extends Pick<OrganizationAccounts, keyof OrganizationAccounts> {}
/** The methods of {@link OrganizationAffiliations}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationAffiliationsApi extends Pick<OrganizationAffiliations, keyof OrganizationAffiliations> {}
/** The methods of {@link AttendanceRecords}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationAttendanceRecordsApi extends Pick<AttendanceRecords, keyof AttendanceRecords> {}
/** The methods of {@link Contacts}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationContactsApi extends Pick<Contacts, keyof Contacts> {}
/** The methods of {@link CourseEditions}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationCourseEditionsApi extends Pick<CourseEditions, keyof CourseEditions> {}
/** The methods of {@link CourseEnrollments}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationCourseEnrollmentsApi extends Pick<CourseEnrollments, keyof CourseEnrollments> {}
/** The methods of {@link OrganizationInvoices}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationInvoicesApi extends Pick<OrganizationInvoices, keyof OrganizationInvoices> {}
/** The methods of {@link OrganizationMeetings}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationMeetingsApi extends Pick<OrganizationMeetings, keyof OrganizationMeetings> {}
/** The methods of {@link OrganizationOrders}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationOrdersApi extends Pick<OrganizationOrders, keyof OrganizationOrders> {}
/** The methods of {@link OrganizationProgramEditions}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationProgramEditionsApi
  extends Pick<OrganizationProgramEditions, keyof OrganizationProgramEditions> {}
/** The methods of {@link OrganizationProgramEnrollments}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationProgramEnrollmentsApi
  extends Pick<OrganizationProgramEnrollments, keyof OrganizationProgramEnrollments> {}
/** The methods of {@link Organizations}: what a program needs of it, and what a fake in a test provides. */
export interface OrganizationsApi extends Pick<Organizations, keyof Organizations> {}
/** The methods of {@link PaymentMethods}: what a program needs of it, and what a fake in a test provides. */
export interface PaymentMethodsApi extends Pick<PaymentMethods, keyof PaymentMethods> {}
/** The methods of {@link PaymentOptions}: what a program needs of it, and what a fake in a test provides. */
export interface PaymentOptionsApi extends Pick<PaymentOptions, keyof PaymentOptions> {}
/** The methods of {@link Payments}: what a program needs of it, and what a fake in a test provides. */
export interface PaymentsApi extends Pick<Payments, keyof Payments> {}
/** The methods of {@link PersonalProgramElements}: what a program needs of it, and what a fake in a test provides. */
export interface PersonalProgramElementsApi extends Pick<PersonalProgramElements, keyof PersonalProgramElements> {}
/** The methods of {@link PlannedCourses}: what a program needs of it, and what a fake in a test provides. */
export interface PlannedCoursesApi extends Pick<PlannedCourses, keyof PlannedCourses> {}
/** The methods of {@link PlanningAttendees}: what a program needs of it, and what a fake in a test provides. */
export interface PlanningAttendeesApi extends Pick<PlanningAttendees, keyof PlanningAttendees> {}
/** The methods of {@link PlanningConflicts}: what a program needs of it, and what a fake in a test provides. */
export interface PlanningConflictsApi extends Pick<PlanningConflicts, keyof PlanningConflicts> {}
/** The methods of {@link PlanningEvents}: what a program needs of it, and what a fake in a test provides. */
export interface PlanningEventsApi extends Pick<PlanningEvents, keyof PlanningEvents> {}
/** The methods of {@link PlanningLocations}: what a program needs of it, and what a fake in a test provides. */
export interface PlanningLocationsApi extends Pick<PlanningLocations, keyof PlanningLocations> {}
/** The methods of {@link PlanningMaterials}: what a program needs of it, and what a fake in a test provides. */
export interface PlanningMaterialsApi extends Pick<PlanningMaterials, keyof PlanningMaterials> {}
/** The methods of {@link PlanningTeachers}: what a program needs of it, and what a fake in a test provides. */
export interface PlanningTeachersApi extends Pick<PlanningTeachers, keyof PlanningTeachers> {}
/** The methods of {@link ProgramEditions}: what a program needs of it, and what a fake in a test provides. */
export interface ProgramEditionsApi extends Pick<ProgramEditions, keyof ProgramEditions> {}
/** The methods of {@link ProgramElements}: what a program needs of it, and what a fake in a test provides. */
export interface ProgramElementsApi extends Pick<ProgramElements, keyof ProgramElements> {}
/** The methods of {@link ProgramEnrollments}: what a program needs of it, and what a fake in a test provides. */
export interface ProgramEnrollmentsApi extends Pick<ProgramEnrollments, keyof ProgramEnrollments> {}
/** The methods of {@link Programs}: what a program needs of it, and what a fake in a test provides. */
export interface ProgramsApi extends Pick<Programs, keyof Programs> {}
/** The methods of {@link Referrals}: what a program needs of it, and what a fake in a test provides. */
export interface ReferralsApi extends Pick<Referrals, keyof Referrals> {}
/** The methods of {@link RequiredTeacherGroupAttendees}: what a program needs of it, and what a fake in a test provides. */
export interface RequiredTeacherGroupAttendeesApi
  extends Pick<RequiredTeacherGroupAttendees, keyof RequiredTeacherGroupAttendees> {}
/** The methods of {@link SignupQuestions}: what a program needs of it, and what a fake in a test provides. */
export interface SignupQuestionsApi extends Pick<SignupQuestions, keyof SignupQuestions> {}
/** The methods of {@link Tasks}: what a program needs of it, and what a fake in a test provides. */
export interface TasksApi extends Pick<Tasks, keyof Tasks> {}
/** The methods of {@link TeacherEnrollments}: what a program needs of it, and what a fake in a test provides. */
export interface TeacherEnrollmentsApi extends Pick<TeacherEnrollments, keyof TeacherEnrollments> {}
/** The methods of {@link TeacherRoles}: what a program needs of it, and what a fake in a test provides. */
export interface TeacherRolesApi extends Pick<TeacherRoles, keyof TeacherRoles> {}
/** The methods of {@link Teachers}: what a program needs of it, and what a fake in a test provides. */
export interface TeachersApi extends Pick<Teachers, keyof Teachers> {}
/** The methods of {@link Theses}: what a program needs of it, and what a fake in a test provides. */
export interface ThesesApi extends Pick<Theses, keyof Theses> {}
/** The methods of {@link Users}: what a program needs of it, and what a fake in a test provides. */
export interface UsersApi extends Pick<Users, keyof Users> {}
/** The methods of {@link Webhooks}: what a program needs of it, and what a fake in a test provides. */
export interface WebhooksApi extends Pick<Webhooks, keyof Webhooks> {}
