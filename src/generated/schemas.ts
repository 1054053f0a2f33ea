// Written by npm run generate from src/models and src/resources; do not edit.
export {
  type Address,
  type AddressPatchPayload,
  type AddressPayload,
  addressPatchPayloadSchema,
  addressPayloadSchema,
  addressSchema,
} from "../models/address.js";
export {
  type CatalogProductTabContentPayload,
  type CourseTabContent,
  type CourseTabContentPatchPayload,
  type CourseTabContentPayload,
  type CourseTabContentUpdatePayload,
  catalogProductTabContentPayloadSchema,
  courseTabContentPatchPayloadSchema,
  courseTabContentPayloadSchema,
  courseTabContentSchema,
  courseTabContentUpdatePayloadSchema,
} from "../models/course-tab-content.js";
export { type CreditType, creditTypeSchema } from "../models/credit-type.js";
export {
  type CustomAssociationsPayload,
  type CustomAssociationValue,
  type CustomAssociationValues,
  type CustomFields,
  type CustomFieldValue,
  customAssociationsPayloadSchema,
} from "../models/custom-fields.js";
export type { CustomKind } from "../models/custom-kinds.js";
export type { DayLike, InstantLike } from "../models/dates.js";
export {
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
export { Country, UsaState } from "../models/regions.js";
export {
  type CatalogProduct,
  type CatalogProductQuery,
  CatalogProductSort,
  type CatalogProductUpdate,
  catalogProductQuerySchema,
  catalogProductSchema,
  catalogProductUpdateSchema,
  ProductableType,
} from "../resources/catalog/catalog-products.js";
export {
  type AdminCatalogVariant,
  type AdminCatalogVariantUpdate,
  adminCatalogVariantSchema,
  adminCatalogVariantUpdateSchema,
  type CatalogVariant,
  type CatalogVariantQuery,
  type CatalogVariantUpdate,
  catalogVariantQuerySchema,
  catalogVariantSchema,
  catalogVariantUpdateSchema,
  type EditionDescriptionSectionContent,
  type EditionDescriptionSectionContentPayload,
  editionDescriptionSectionContentPayloadSchema,
  editionDescriptionSectionContentSchema,
  VariantAvailability,
  VariantableType,
  VariantableTypeFilter,
} from "../resources/catalog/catalog-variants.js";
export {
  type Category,
  type CategoryCreate,
  type CategoryQuery,
  CategorySort,
  type CategoryUpdate,
  categoryCreateSchema,
  categoryQuerySchema,
  categorySchema,
  categoryUpdateSchema,
} from "../resources/catalog/categories.js";
export {
  type CourseLocation,
  type CourseLocationCreate,
  type CourseLocationUpdate,
  courseLocationCreateSchema,
  courseLocationSchema,
  courseLocationUpdateSchema,
} from "../resources/catalog/course-locations.js";
export { type CourseTab, courseTabSchema } from "../resources/catalog/course-tabs.js";
export {
  type CourseVariant,
  type CourseVariantCreate,
  courseVariantCreateSchema,
  courseVariantSchema,
} from "../resources/catalog/course-variants.js";
export {
  type Course,
  type CourseCreate,
  type CourseQuery,
  type CourseTabContentWithTab,
  type CourseTabSummary,
  type CourseUpdate,
  type CreditDefinition,
  courseCreateSchema,
  courseQuerySchema,
  courseSchema,
  courseTabContentWithTabSchema,
  courseTabSummarySchema,
  courseUpdateSchema,
  creditDefinitionSchema,
} from "../resources/catalog/courses.js";
export {
  type EditionDescriptionSection,
  editionDescriptionSectionSchema,
} from "../resources/catalog/edition-description-sections.js";
export { type CustomAssociation, customAssociationSchema } from "../resources/custom/custom-associations.js";
export {
  type CustomFieldOption,
  type CustomFieldOptionCreate,
  type CustomFieldOptionPath,
  type CustomFieldOptionUpdate,
  type CustomFieldPath,
  customFieldOptionCreateSchema,
  customFieldOptionPathSchema,
  customFieldOptionSchema,
  customFieldOptionUpdateSchema,
  customFieldPathSchema,
} from "../resources/custom/custom-field-options.js";
export {
  type CustomObject,
  type CustomObjectField,
  type CustomObjectWithFields,
  customObjectFieldSchema,
  customObjectSchema,
  customObjectWithFieldsSchema,
} from "../resources/custom/custom-objects.js";
export {
  type CustomRecord,
  type CustomRecordCreate,
  type CustomRecordPath,
  type CustomRecordUpdate,
  customRecordCreateSchema,
  customRecordPathSchema,
  customRecordSchema,
  customRecordUpdateSchema,
} from "../resources/custom/custom-records.js";
export { type CreditCategory, creditCategorySchema } from "../resources/finance/credit-categories.js";
export { type Credit, type CreditQuery, creditQuerySchema, creditSchema } from "../resources/finance/credits.js";
export { type DiscountCode, DiscountType, discountCodeSchema } from "../resources/finance/discount-codes.js";
export {
  type InvoiceVat,
  type InvoiceVatCreate,
  invoiceVatCreateSchema,
  invoiceVatSchema,
} from "../resources/finance/invoice-vats.js";
export {
  type Invoice,
  type InvoiceCreate,
  type InvoiceItem,
  type InvoiceItemPayload,
  type InvoicePdf,
  type InvoiceQuery,
  InvoiceStatus,
  invoiceCreateSchema,
  invoiceItemPayloadSchema,
  invoiceItemSchema,
  invoicePdfSchema,
  invoiceQuerySchema,
  invoiceSchema,
} from "../resources/finance/invoices.js";
export {
  type Order,
  type OrderCreate,
  type OrderItem,
  type OrderQuery,
  OrderSort,
  OrderStatus,
  orderCreateSchema,
  orderItemSchema,
  orderQuerySchema,
  orderSchema,
} from "../resources/finance/orders.js";
export { PaymentGateway, type PaymentMethod, paymentMethodSchema } from "../resources/finance/payment-methods.js";
export { type PaymentOption, paymentOptionSchema } from "../resources/finance/payment-options.js";
export {
  type CreatedPayment,
  createdPaymentSchema,
  type Payment,
  type PaymentCreate,
  type PaymentPath,
  PaymentStatus,
  type PluginData,
  paymentCreateSchema,
  paymentPathSchema,
  paymentSchema,
  pluginDataSchema,
} from "../resources/finance/payments.js";
export {
  type AttendanceRecord,
  type AttendanceRecordQuery,
  attendanceRecordQuerySchema,
  attendanceRecordSchema,
  OrganizationAttendanceState,
} from "../resources/organization/attendance-records.js";
export { type Contact, contactSchema } from "../resources/organization/contacts.js";
export {
  type CourseEdition,
  type CourseEditionQuery,
  CourseEditionStatus,
  courseEditionQuerySchema,
  courseEditionSchema,
} from "../resources/organization/course-editions.js";
export {
  type CourseEnrollment,
  type CourseEnrollmentQuery,
  courseEnrollmentQuerySchema,
  courseEnrollmentSchema,
  OrganizationEnrollmentStatus,
} from "../resources/organization/course-enrollments.js";
export {
  MeetingAttendanceStatus,
  type OrganizationAddress,
  type OrganizationMeeting,
  type OrganizationMeetingQuery,
  organizationAddressSchema,
  organizationMeetingQuerySchema,
  organizationMeetingSchema,
} from "../resources/organization/meetings.js";
export {
  type OrganizationProgramEdition,
  organizationProgramEditionSchema,
} from "../resources/organization/program-editions.js";
export {
  type OrganizationProgramEnrollment,
  type OrganizationProgramEnrollmentQuery,
  organizationProgramEnrollmentQuerySchema,
  organizationProgramEnrollmentSchema,
} from "../resources/organization/program-enrollments.js";
export {
  type Account,
  type AccountCreate,
  type AccountQuery,
  type AccountSignupAnswer,
  type AccountSignupAnswerPayload,
  type AccountUpdate,
  accountCreateSchema,
  accountQuerySchema,
  accountSchema,
  accountSignupAnswerPayloadSchema,
  accountSignupAnswerSchema,
  accountUpdateSchema,
} from "../resources/people/accounts.js";
export {
  type Affiliation,
  type AffiliationCreate,
  type AffiliationQuery,
  type AffiliationUpdate,
  affiliationCreateSchema,
  affiliationQuerySchema,
  affiliationSchema,
  affiliationUpdateSchema,
} from "../resources/people/affiliations.js";
export {
  type Authentication,
  type AuthenticationCreate,
  type AuthenticationPath,
  AuthenticationProviderType,
  type AuthenticationQuery,
  authenticationCreateSchema,
  authenticationPathSchema,
  authenticationQuerySchema,
  authenticationSchema,
} from "../resources/people/authentications.js";
export {
  type AdminComment,
  adminCommentSchema,
  type Comment,
  type CommentCreate,
  CommentType,
  type CommentUpdate,
  commentCreateSchema,
  commentSchema,
  commentUpdateSchema,
  type OrderComment,
  orderCommentSchema,
} from "../resources/people/comments.js";
export { type EmailSend, emailSendSchema } from "../resources/people/emails.js";
export {
  type Label,
  type LabelAddToOrder,
  type LabelCreate,
  LabelModelType,
  LabelModelTypeInput,
  type LabelQuery,
  type LabelUpdate,
  labelAddToOrderSchema,
  labelCreateSchema,
  labelQuerySchema,
  labelSchema,
  labelUpdateSchema,
} from "../resources/people/labels.js";
export {
  type CourseLead,
  type CourseLeadPayload,
  courseLeadPayloadSchema,
  courseLeadSchema,
  type Lead,
  type LeadCreate,
  type LeadProduct,
  type LeadProductPayload,
  type LeadQuery,
  LeadStatus,
  type LeadUpdate,
  leadCreateSchema,
  leadProductPayloadSchema,
  leadProductSchema,
  leadQuerySchema,
  leadSchema,
  leadUpdateSchema,
} from "../resources/people/leads.js";
export { type OrganizationAccount, organizationAccountSchema } from "../resources/people/organization-accounts.js";
export {
  type OrganizationAffiliation,
  type OrganizationAffiliationCreate,
  type OrganizationAffiliationQuery,
  type OrganizationAffiliationUpdate,
  organizationAffiliationCreateSchema,
  organizationAffiliationQuerySchema,
  organizationAffiliationSchema,
  organizationAffiliationUpdateSchema,
} from "../resources/people/organization-affiliations.js";
export { type OrganizationInvoice, organizationInvoiceSchema } from "../resources/people/organization-invoices.js";
export { type OrganizationOrder, organizationOrderSchema } from "../resources/people/organization-orders.js";
export { type Organization, organizationSchema } from "../resources/people/organizations.js";
export {
  type AdminTask,
  adminTaskSchema,
  type Task,
  type TaskCreate,
  TaskSubjectType,
  type TaskUpdate,
  taskCreateSchema,
  taskSchema,
  taskUpdateSchema,
} from "../resources/people/tasks.js";
export {
  type User,
  type UserCreate,
  type UserQuery,
  UserRole,
  UserSort,
  type UserUpdate,
  userCreateSchema,
  userQuerySchema,
  userSchema,
  userUpdateSchema,
} from "../resources/people/users.js";
export {
  type Attendance,
  type AttendancePath,
  type AttendanceQuery,
  type AttendanceSet,
  AttendanceState,
  type AttendanceSummary,
  attendancePathSchema,
  attendanceQuerySchema,
  attendanceSchema,
  attendanceSetSchema,
  attendanceSummarySchema,
} from "../resources/planning/attendances.js";
export { CertifiableType, type Certificate, certificateSchema } from "../resources/planning/certificates.js";
export {
  type Enrollment,
  type EnrollmentAwardCertificate,
  type EnrollmentQuery,
  EnrollmentStatus,
  type EnrollmentUpdate,
  enrollmentAwardCertificateSchema,
  enrollmentQuerySchema,
  enrollmentSchema,
  enrollmentUpdateSchema,
} from "../resources/planning/enrollments.js";
export {
  type Grade,
  type GradeCreate,
  type GradeUpdate,
  gradeCreateSchema,
  gradeSchema,
  gradeUpdateSchema,
} from "../resources/planning/grades.js";
export {
  type MaterialGroup,
  type MaterialGroupCreate,
  type MaterialGroupUpdate,
  materialGroupCreateSchema,
  materialGroupSchema,
  materialGroupUpdateSchema,
} from "../resources/planning/material-groups.js";
export {
  type Material,
  type MaterialCreate,
  type MaterialUpdate,
  MaterialUseType,
  materialCreateSchema,
  materialSchema,
  materialUpdateSchema,
} from "../resources/planning/materials.js";
export {
  type MeetingLocation,
  type MeetingLocationCreate,
  type MeetingLocationUpdate,
  meetingLocationCreateSchema,
  meetingLocationSchema,
  meetingLocationUpdateSchema,
} from "../resources/planning/meeting-locations.js";
export {
  type Meeting,
  type MeetingCreate,
  type MeetingQuery,
  MeetingSort,
  type MeetingUpdate,
  meetingCreateSchema,
  meetingQuerySchema,
  meetingSchema,
  meetingUpdateSchema,
  type PlannedCourseMeetingCreate,
  type PlannedCourseMeetingQuery,
  type PlanningAttendee,
  type PlanningAttendeePayload,
  type PlanningMaterial,
  type PlanningMaterialPayload,
  plannedCourseMeetingCreateSchema,
  plannedCourseMeetingQuerySchema,
  planningAttendeePayloadSchema,
  planningAttendeeSchema,
  planningMaterialPayloadSchema,
  planningMaterialSchema,
} from "../resources/planning/meetings.js";
export {
  AvailabilityState,
  type CoursePlannedCoursePath,
  type CoursePlannedCourseQuery,
  coursePlannedCoursePathSchema,
  coursePlannedCourseQuerySchema,
  ParentsPublished,
  type PlannedCourse,
  type PlannedCourseCreate,
  type PlannedCourseQuery,
  PlannedCourseSort,
  PlannedCourseStatus,
  PlannedCourseType,
  type PlannedCourseUpdate,
  plannedCourseCreateSchema,
  plannedCourseQuerySchema,
  plannedCourseSchema,
  plannedCourseUpdateSchema,
  type RelatedRecord,
  relatedRecordSchema,
} from "../resources/planning/planned-courses.js";
export { type PlanningAttendeeCreate, planningAttendeeCreateSchema } from "../resources/planning/planning-attendees.js";
export {
  type PlanningConflict,
  PlanningResourceType,
  planningConflictSchema,
} from "../resources/planning/planning-conflicts.js";
export {
  type AdminPlanningEvent,
  adminPlanningEventSchema,
  type PlanningEvent,
  PlanningEventType,
  type PlanningRequiredTeacherGroup,
  planningEventSchema,
  planningRequiredTeacherGroupSchema,
} from "../resources/planning/planning-events.js";
export { type PlanningLocation, planningLocationSchema } from "../resources/planning/planning-locations.js";
export {
  type RequiredTeacherGroupAttendeeCreate,
  requiredTeacherGroupAttendeeCreateSchema,
} from "../resources/planning/required-teacher-group-attendees.js";
export {
  type PersonalProgramElement,
  personalProgramElementSchema,
} from "../resources/programs/personal-program-elements.js";
export {
  type ProgramEditionBlockElement,
  type ProgramEditionBlockElementItem,
  type ProgramEditionBlockElementPayload,
  type ProgramEditionCourseElement,
  type ProgramEditionCourseElementPayload,
  type ProgramEditionCreateElements,
  type ProgramEditionElectiveElement,
  type ProgramEditionElement,
  type ProgramEditionElementPayload,
  ProgramEditionElementType,
  type ProgramEditionEvaluationElement,
  type ProgramEditionThesisElement,
  programEditionBlockElementItemSchema,
  programEditionBlockElementPayloadSchema,
  programEditionBlockElementSchema,
  programEditionCourseElementPayloadSchema,
  programEditionCourseElementSchema,
  programEditionCreateElementsSchema,
  programEditionElectiveElementSchema,
  programEditionElementPayloadSchema,
  programEditionElementSchema,
  programEditionEvaluationElementSchema,
  programEditionThesisElementSchema,
} from "../resources/programs/program-edition-elements.js";
export {
  type AdminProgramEditionCreate,
  type AdminProgramEditionUpdate,
  adminProgramEditionCreateSchema,
  adminProgramEditionUpdateSchema,
  type ProgramEdition,
  type ProgramEditionCreate,
  type ProgramEditionQuery,
  type ProgramEditionUpdate,
  programEditionCreateSchema,
  programEditionQuerySchema,
  programEditionSchema,
  programEditionUpdateSchema,
} from "../resources/programs/program-editions.js";
export {
  type ProgramElement,
  type ProgramElementCreate,
  type ProgramElementQuery,
  type ProgramElementUpdate,
  programElementCreateSchema,
  programElementQuerySchema,
  programElementSchema,
  programElementUpdateSchema,
} from "../resources/programs/program-elements.js";
export {
  type ProgramEnrollment,
  type ProgramEnrollmentAwardCertificate,
  type ProgramEnrollmentQuery,
  programEnrollmentAwardCertificateSchema,
  programEnrollmentQuerySchema,
  programEnrollmentSchema,
} from "../resources/programs/program-enrollments.js";
export {
  type AdminProgramUpdate,
  adminProgramUpdateSchema,
  type Program,
  type ProgramCreate,
  type ProgramUpdate,
  programCreateSchema,
  programSchema,
  programUpdateSchema,
  type SignupAnswerPayload,
  signupAnswerPayloadSchema,
} from "../resources/programs/programs.js";
export { type Thesis, ThesisConfidentiality, ThesisLocale, thesisSchema } from "../resources/programs/theses.js";
export type { ReferenceKind, ReferenceName } from "../resources/references.js";
export { type Department, departmentSchema } from "../resources/settings/departments.js";
export { type Educator, educatorSchema } from "../resources/settings/educators.js";
export { type Referral, referralSchema } from "../resources/settings/referrals.js";
export {
  type SignupQuestion,
  SignupQuestionForAccount,
  SignupQuestionForType,
  SignupQuestionForUser,
  type SignupQuestionQuery,
  signupQuestionQuerySchema,
  signupQuestionSchema,
} from "../resources/settings/signup-questions.js";
export {
  type Webhook,
  type WebhookCreate,
  WebhookEvent,
  type WebhookNotification,
  type WebhookNotificationFailed,
  type WebhookNotificationFailedQuery,
  WebhookNotificationFailedStatus,
  WebhookNotificationStatus,
  type WebhookSendAttempt,
  type WebhookUpdate,
  webhookCreateSchema,
  webhookNotificationFailedQuerySchema,
  webhookNotificationFailedSchema,
  webhookNotificationSchema,
  webhookSchema,
  webhookSendAttemptSchema,
  webhookUpdateSchema,
} from "../resources/settings/webhooks.js";
export {
  type PlannedCourseTeacherEnrollmentCreate,
  plannedCourseTeacherEnrollmentCreateSchema,
  type TeacherEnrollment,
  type TeacherEnrollmentCreate,
  type TeacherEnrollmentQuery,
  type TeacherEnrollmentUpdate,
  teacherEnrollmentCreateSchema,
  teacherEnrollmentQuerySchema,
  teacherEnrollmentSchema,
  teacherEnrollmentUpdateSchema,
} from "../resources/teachers/teacher-enrollments.js";
export {
  type TeacherRole,
  type TeacherRoleCreate,
  type TeacherRoleUpdate,
  teacherRoleCreateSchema,
  teacherRoleSchema,
  teacherRoleUpdateSchema,
} from "../resources/teachers/teacher-roles.js";
export {
  type CreatedResponse,
  CreatedResult,
  createdResponseSchema,
  type Teacher,
  type TeacherCreate,
  type TeacherQuery,
  teacherCreateSchema,
  teacherQuerySchema,
  teacherSchema,
} from "../resources/teachers/teachers.js";
