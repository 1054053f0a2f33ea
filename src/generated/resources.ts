// Written by npm run generate from src/models and src/resources; do not edit.
export type { Address, AddressPatchPayload, AddressPayload } from "../models/address.js";
export type {
  CatalogProductTabContentPayload,
  CourseTabContent,
  CourseTabContentPatchPayload,
  CourseTabContentPayload,
  CourseTabContentUpdatePayload,
} from "../models/course-tab-content.js";
export type { CreditType } from "../models/credit-type.js";
export type {
  CustomAssociationsPayload,
  CustomAssociationValue,
  CustomAssociationValues,
  CustomFields,
  CustomFieldValue,
} from "../models/custom-fields.js";
export type { CustomKind } from "../models/custom-kinds.js";
export type { DayLike, InstantLike } from "../models/dates.js";
export type {
  AccountType,
  CostScheme,
  Currency,
  CustomFieldObjectType,
  GraduationState,
  Locale,
  ProgramEnrollmentState,
  Published,
  PublishedPublic,
  SignupQuestionFieldType,
} from "../models/enumerations.js";
export type { OnlyInput } from "../models/only-input.js";
export type { PickedInput } from "../models/pick-input.js";
export type { Country, UsaState } from "../models/regions.js";
export {
  type CatalogProduct,
  type CatalogProductQuery,
  type CatalogProductSort,
  CatalogProducts,
  type CatalogProductUpdate,
  type ProductableType,
} from "../resources/catalog/catalog-products.js";
export {
  type AdminCatalogVariant,
  AdminCatalogVariants,
  type AdminCatalogVariantUpdate,
  type CatalogVariant,
  type CatalogVariantQuery,
  CatalogVariants,
  type CatalogVariantUpdate,
  type EditionDescriptionSectionContent,
  type EditionDescriptionSectionContentPayload,
  type VariantAvailability,
  type VariantableType,
  type VariantableTypeFilter,
} from "../resources/catalog/catalog-variants.js";
export {
  Categories,
  type Category,
  type CategoryCreate,
  type CategoryQuery,
  type CategorySort,
  type CategoryUpdate,
} from "../resources/catalog/categories.js";
export {
  type CourseLocation,
  type CourseLocationCreate,
  CourseLocations,
  type CourseLocationUpdate,
} from "../resources/catalog/course-locations.js";
export { type CourseTab, CourseTabs } from "../resources/catalog/course-tabs.js";
export { type CourseVariant, type CourseVariantCreate, CourseVariants } from "../resources/catalog/course-variants.js";
export {
  type Course,
  type CourseCreate,
  type CourseQuery,
  Courses,
  type CourseTabContentWithTab,
  type CourseTabSummary,
  type CourseUpdate,
  type CreditDefinition,
} from "../resources/catalog/courses.js";
export {
  type EditionDescriptionSection,
  EditionDescriptionSections,
} from "../resources/catalog/edition-description-sections.js";
export { type CustomAssociation, CustomAssociations } from "../resources/custom/custom-associations.js";
export {
  type CustomFieldOption,
  type CustomFieldOptionCreate,
  type CustomFieldOptionPath,
  CustomFieldOptions,
  type CustomFieldOptionUpdate,
  type CustomFieldPath,
} from "../resources/custom/custom-field-options.js";
export {
  type CustomObject,
  type CustomObjectField,
  CustomObjects,
  type CustomObjectWithFields,
} from "../resources/custom/custom-objects.js";
export {
  type CustomRecord,
  type CustomRecordCreate,
  type CustomRecordPath,
  CustomRecords,
  type CustomRecordUpdate,
} from "../resources/custom/custom-records.js";
export { CreditCategories, type CreditCategory } from "../resources/finance/credit-categories.js";
export { type Credit, type CreditQuery, Credits } from "../resources/finance/credits.js";
export { type DiscountCode, DiscountCodes, type DiscountType } from "../resources/finance/discount-codes.js";
export { type InvoiceVat, type InvoiceVatCreate, InvoiceVats } from "../resources/finance/invoice-vats.js";
export {
  type Invoice,
  type InvoiceCreate,
  type InvoiceItem,
  type InvoiceItemPayload,
  type InvoicePdf,
  type InvoiceQuery,
  type InvoiceStatus,
  Invoices,
} from "../resources/finance/invoices.js";
export {
  type Order,
  type OrderCreate,
  type OrderItem,
  type OrderQuery,
  type OrderSort,
  type OrderStatus,
  Orders,
} from "../resources/finance/orders.js";
export { type PaymentGateway, type PaymentMethod, PaymentMethods } from "../resources/finance/payment-methods.js";
export { type PaymentOption, PaymentOptions } from "../resources/finance/payment-options.js";
export {
  type CreatedPayment,
  type Payment,
  type PaymentCreate,
  type PaymentPath,
  type PaymentStatus,
  Payments,
  type PluginData,
} from "../resources/finance/payments.js";
export {
  type AttendanceRecord,
  type AttendanceRecordQuery,
  AttendanceRecords,
  type OrganizationAttendanceState,
} from "../resources/organization/attendance-records.js";
export { type Contact, Contacts } from "../resources/organization/contacts.js";
export {
  type CourseEdition,
  type CourseEditionQuery,
  type CourseEditionStatus,
  CourseEditions,
} from "../resources/organization/course-editions.js";
export {
  type CourseEnrollment,
  type CourseEnrollmentQuery,
  CourseEnrollments,
  type OrganizationEnrollmentStatus,
} from "../resources/organization/course-enrollments.js";
export {
  type MeetingAttendanceStatus,
  type OrganizationAddress,
  type OrganizationMeeting,
  type OrganizationMeetingQuery,
  OrganizationMeetings,
} from "../resources/organization/meetings.js";
export {
  type OrganizationProgramEdition,
  OrganizationProgramEditions,
} from "../resources/organization/program-editions.js";
export {
  type OrganizationProgramEnrollment,
  type OrganizationProgramEnrollmentQuery,
  OrganizationProgramEnrollments,
} from "../resources/organization/program-enrollments.js";
export {
  type Account,
  type AccountCreate,
  type AccountQuery,
  type AccountSignupAnswer,
  type AccountSignupAnswerPayload,
  Accounts,
  type AccountUpdate,
} from "../resources/people/accounts.js";
export {
  AdminAffiliations,
  type Affiliation,
  type AffiliationCreate,
  type AffiliationQuery,
  Affiliations,
  type AffiliationUpdate,
} from "../resources/people/affiliations.js";
export {
  type Authentication,
  type AuthenticationCreate,
  type AuthenticationPath,
  type AuthenticationProviderType,
  type AuthenticationQuery,
  Authentications,
} from "../resources/people/authentications.js";
export {
  type AdminComment,
  AdminComments,
  type Comment,
  type CommentCreate,
  Comments,
  type CommentType,
  type CommentUpdate,
  type OrderComment,
} from "../resources/people/comments.js";
export { type EmailSend, Emails } from "../resources/people/emails.js";
export {
  type Label,
  type LabelAddToOrder,
  type LabelCreate,
  type LabelModelType,
  type LabelModelTypeInput,
  type LabelQuery,
  Labels,
  type LabelUpdate,
} from "../resources/people/labels.js";
export {
  AdminLeads,
  type CourseLead,
  type CourseLeadPayload,
  type Lead,
  type LeadCreate,
  type LeadProduct,
  type LeadProductPayload,
  type LeadQuery,
  type LeadStatus,
  Leads,
  type LeadUpdate,
} from "../resources/people/leads.js";
export { type OrganizationAccount, OrganizationAccounts } from "../resources/people/organization-accounts.js";
export {
  type OrganizationAffiliation,
  type OrganizationAffiliationCreate,
  type OrganizationAffiliationQuery,
  OrganizationAffiliations,
  type OrganizationAffiliationUpdate,
} from "../resources/people/organization-affiliations.js";
export { type OrganizationInvoice, OrganizationInvoices } from "../resources/people/organization-invoices.js";
export { type OrganizationOrder, OrganizationOrders } from "../resources/people/organization-orders.js";
export { type Organization, Organizations } from "../resources/people/organizations.js";
export {
  type AdminTask,
  AdminTasks,
  type Task,
  type TaskCreate,
  type TaskSubjectType,
  Tasks,
  type TaskUpdate,
} from "../resources/people/tasks.js";
export {
  type User,
  type UserCreate,
  type UserQuery,
  type UserRole,
  type UserSort,
  Users,
  type UserUpdate,
} from "../resources/people/users.js";
export {
  AdminAttendances,
  type Attendance,
  type AttendancePath,
  type AttendanceQuery,
  type AttendanceSet,
  type AttendanceState,
  type AttendanceSummary,
  Attendances,
} from "../resources/planning/attendances.js";
export { type CertifiableType, type Certificate, Certificates } from "../resources/planning/certificates.js";
export {
  AdminEnrollments,
  type Enrollment,
  type EnrollmentAwardCertificate,
  type EnrollmentQuery,
  type EnrollmentStatus,
  Enrollments,
  type EnrollmentUpdate,
} from "../resources/planning/enrollments.js";
export { type Grade, type GradeCreate, Grades, type GradeUpdate } from "../resources/planning/grades.js";
export {
  type MaterialGroup,
  type MaterialGroupCreate,
  MaterialGroups,
  type MaterialGroupUpdate,
} from "../resources/planning/material-groups.js";
export {
  type Material,
  type MaterialCreate,
  Materials,
  type MaterialUpdate,
  type MaterialUseType,
} from "../resources/planning/materials.js";
export {
  type MeetingLocation,
  type MeetingLocationCreate,
  MeetingLocations,
  type MeetingLocationUpdate,
} from "../resources/planning/meeting-locations.js";
export {
  type Meeting,
  type MeetingCreate,
  type MeetingQuery,
  type MeetingSort,
  Meetings,
  type MeetingUpdate,
  type PlannedCourseMeetingCreate,
  type PlannedCourseMeetingQuery,
  type PlanningAttendee,
  type PlanningAttendeePayload,
  type PlanningMaterial,
  type PlanningMaterialPayload,
} from "../resources/planning/meetings.js";
export {
  type AvailabilityState,
  type CoursePlannedCoursePath,
  type CoursePlannedCourseQuery,
  type ParentsPublished,
  type PlannedCourse,
  type PlannedCourseCreate,
  type PlannedCourseQuery,
  type PlannedCourseSort,
  type PlannedCourseStatus,
  PlannedCourses,
  type PlannedCourseType,
  type PlannedCourseUpdate,
  type RelatedRecord,
} from "../resources/planning/planned-courses.js";
export { type PlanningAttendeeCreate, PlanningAttendees } from "../resources/planning/planning-attendees.js";
export {
  type PlanningConflict,
  PlanningConflicts,
  type PlanningResourceType,
} from "../resources/planning/planning-conflicts.js";
export {
  type AdminPlanningEvent,
  AdminPlanningEvents,
  type PlanningEvent,
  PlanningEvents,
  type PlanningEventType,
  type PlanningRequiredTeacherGroup,
} from "../resources/planning/planning-events.js";
export { type PlanningLocation, PlanningLocations } from "../resources/planning/planning-locations.js";
export { PlanningMaterials } from "../resources/planning/planning-materials.js";
export { PlanningTeachers } from "../resources/planning/planning-teachers.js";
export {
  type RequiredTeacherGroupAttendeeCreate,
  RequiredTeacherGroupAttendees,
} from "../resources/planning/required-teacher-group-attendees.js";
export {
  type PersonalProgramElement,
  PersonalProgramElements,
} from "../resources/programs/personal-program-elements.js";
export type {
  ProgramEditionBlockElement,
  ProgramEditionBlockElementItem,
  ProgramEditionBlockElementPayload,
  ProgramEditionCourseElement,
  ProgramEditionCourseElementPayload,
  ProgramEditionCreateElements,
  ProgramEditionElectiveElement,
  ProgramEditionElement,
  ProgramEditionElementPayload,
  ProgramEditionElementType,
  ProgramEditionEvaluationElement,
  ProgramEditionThesisElement,
} from "../resources/programs/program-edition-elements.js";
export {
  type AdminProgramEditionCreate,
  AdminProgramEditions,
  type AdminProgramEditionUpdate,
  type ProgramEdition,
  type ProgramEditionCreate,
  type ProgramEditionQuery,
  ProgramEditions,
  type ProgramEditionUpdate,
} from "../resources/programs/program-editions.js";
export {
  type ProgramElement,
  type ProgramElementCreate,
  type ProgramElementQuery,
  ProgramElements,
  type ProgramElementUpdate,
} from "../resources/programs/program-elements.js";
export {
  type ProgramEnrollment,
  type ProgramEnrollmentAwardCertificate,
  type ProgramEnrollmentQuery,
  ProgramEnrollments,
} from "../resources/programs/program-enrollments.js";
export {
  AdminPrograms,
  type AdminProgramUpdate,
  type Program,
  type ProgramCreate,
  Programs,
  type ProgramUpdate,
  ProviderPrograms,
  type SignupAnswerPayload,
} from "../resources/programs/programs.js";
export { Theses, type Thesis, type ThesisConfidentiality, type ThesisLocale } from "../resources/programs/theses.js";
export type { ReferenceKind, ReferenceName } from "../resources/references.js";
export { type Department, Departments } from "../resources/settings/departments.js";
export { type Educator, Educators } from "../resources/settings/educators.js";
export { type Referral, Referrals } from "../resources/settings/referrals.js";
export {
  type SignupQuestion,
  type SignupQuestionForAccount,
  type SignupQuestionForType,
  type SignupQuestionForUser,
  type SignupQuestionQuery,
  SignupQuestions,
} from "../resources/settings/signup-questions.js";
export {
  type Webhook,
  type WebhookCreate,
  type WebhookEvent,
  type WebhookNotification,
  type WebhookNotificationFailed,
  type WebhookNotificationFailedQuery,
  type WebhookNotificationFailedStatus,
  type WebhookNotificationStatus,
  type WebhookSendAttempt,
  Webhooks,
  type WebhookUpdate,
} from "../resources/settings/webhooks.js";
export {
  type PlannedCourseTeacherEnrollmentCreate,
  type TeacherEnrollment,
  type TeacherEnrollmentCreate,
  type TeacherEnrollmentQuery,
  TeacherEnrollments,
  type TeacherEnrollmentUpdate,
} from "../resources/teachers/teacher-enrollments.js";
export {
  type TeacherRole,
  type TeacherRoleCreate,
  TeacherRoles,
  type TeacherRoleUpdate,
} from "../resources/teachers/teacher-roles.js";
export {
  type CreatedResponse,
  type CreatedResult,
  type Teacher,
  type TeacherCreate,
  type TeacherQuery,
  Teachers,
} from "../resources/teachers/teachers.js";
