// The public door: everything is named one by one.

export { AdminClient } from "./clients/admin.js";
export type { Client } from "./clients/client.js";
export { MainClient } from "./clients/main.js";
export { OrganizationClient } from "./clients/organization.js";
export type { ProviderClient } from "./clients/provider.js";
export { Call, type ResponseInfo, type WithResponse } from "./core/call.js";
export type { Clock } from "./core/clock.js";
export {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  BadRequestError,
  CheckpointError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  EducationAdminError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorJson,
  InputError,
  type InputIssue,
  isEducationAdminError,
  NotFoundError,
  type Outcome,
  PaginationError,
  PermissionDeniedError,
  type RateLimitDetails,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
  ServerError,
  UnprocessableEntityError,
} from "./core/errors.js";
export type {
  DriftEvent,
  DriftKind,
  Observers,
  OperationEvent,
  PageEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from "./core/events.js";
export type { Enumeration, Open, Schema } from "./core/model.js";
export type {
  Api,
  Method,
  Operation,
  OperationInput,
  OperationOutput,
  OperationRow,
  OperationTable,
  PagedQuery,
  PageQuery,
} from "./core/operation.js";
export type {
  ArrayFormat,
  ClientOptions,
  FetchLike,
  ListOptions,
  Priority,
  RateLimitOptions,
  RequestOptions,
  RetryOptions,
  RouteOverride,
  ValidationMode,
} from "./core/options.js";
export { type ListIterator, Page, Pages } from "./core/pages.js";
export {
  MemoryRateLimitStore,
  type RateLimitStore,
  type Reservation,
  type ReserveRequest,
} from "./core/rate-limit-store.js";
export type { RawRequest } from "./core/raw-request.js";
export { Resource } from "./core/resource.js";
export { type RateLimitState, Transport } from "./core/transport.js";
export type { Address, AddressPatchPayload, AddressPayload } from "./models/address.js";
export type {
  CourseTabContent,
  CourseTabContentOpenPayload,
  CourseTabContentPayload,
} from "./models/course-tab-content.js";
export type { CreditType } from "./models/credit-type.js";
export type {
  CustomAssociationValue,
  CustomAssociationValues,
  CustomFields,
  CustomFieldValue,
} from "./models/custom-fields.js";
export type {
  AccountType,
  CostScheme,
  Currency,
  CustomFieldObjectType,
  GraduationState,
  Published,
} from "./models/enumerations.js";
export {
  type AttendanceRecord,
  type AttendanceRecordQuery,
  AttendanceRecords,
  type OrganizationAttendanceState,
} from "./organization/attendance-records.js";
export { type Contact, Contacts } from "./organization/contacts.js";
export {
  type CourseEdition,
  type CourseEditionQuery,
  type CourseEditionStatus,
  CourseEditions,
} from "./organization/course-editions.js";
export {
  type CourseEnrollment,
  type CourseEnrollmentQuery,
  CourseEnrollments,
  type OrganizationEnrollmentStatus,
} from "./organization/course-enrollments.js";
export {
  type MeetingAttendanceStatus,
  type OrganizationAddress,
  type OrganizationMeeting,
  type OrganizationMeetingQuery,
  OrganizationMeetings,
} from "./organization/meetings.js";
export { type ProgramEdition, ProgramEditions } from "./organization/program-editions.js";
export {
  type ProgramEnrollment,
  type ProgramEnrollmentQuery,
  type ProgramEnrollmentState,
  ProgramEnrollments,
} from "./organization/program-enrollments.js";
export {
  type Account,
  type AccountCreate,
  type AccountQuery,
  Accounts,
  type AccountUpdate,
} from "./resources/accounts.js";
export {
  AdminAffiliations,
  type Affiliation,
  type AffiliationCreate,
  type AffiliationQuery,
  Affiliations,
  type AffiliationUpdate,
} from "./resources/affiliations.js";
export {
  AdminAttendances,
  type Attendance,
  type AttendancePath,
  type AttendanceQuery,
  type AttendanceSet,
  type AttendanceState,
  type AttendanceSummary,
  Attendances,
} from "./resources/attendances.js";
export {
  type Authentication,
  type AuthenticationCreate,
  type AuthenticationPath,
  type AuthenticationProviderType,
  type AuthenticationQuery,
  Authentications,
} from "./resources/authentications.js";
export {
  type CatalogProduct,
  type CatalogProductQuery,
  type CatalogProductSort,
  CatalogProducts,
  type CatalogProductUpdate,
  type ProductableType,
} from "./resources/catalog-products.js";
export {
  type AdminCatalogVariant,
  AdminCatalogVariants,
  type AdminCatalogVariantUpdate,
  type CatalogVariant,
  type CatalogVariantQuery,
  CatalogVariants,
  type CatalogVariantUpdate,
  type PublishedPublic,
  type VariantAvailability,
  type VariantableType,
  type VariantableTypeFilter,
} from "./resources/catalog-variants.js";
export {
  Categories,
  type Category,
  type CategoryCreate,
  type CategoryQuery,
  type CategorySort,
  type CategoryUpdate,
} from "./resources/categories.js";
export { type CertifiableType, type Certificate, Certificates } from "./resources/certificates.js";
export {
  type AdminComment,
  AdminComments,
  type Comment,
  type CommentCreate,
  Comments,
  type CommentType,
  type CommentUpdate,
  type OrderComment,
} from "./resources/comments.js";
export {
  type CourseLocation,
  type CourseLocationCreate,
  CourseLocations,
  type CourseLocationUpdate,
} from "./resources/course-locations.js";
export { type CourseTab, CourseTabs } from "./resources/course-tabs.js";
export { type CourseVariant, type CourseVariantCreate, CourseVariants } from "./resources/course-variants.js";
export {
  type Course,
  type CourseCreate,
  type CourseQuery,
  Courses,
  type CourseTabContentWithTab,
  type CourseTabSummary,
  type CourseUpdate,
  type CreditDefinition,
} from "./resources/courses.js";
export { CreditCategories, type CreditCategory } from "./resources/credit-categories.js";
export { type Credit, type CreditQuery, Credits } from "./resources/credits.js";
export { type CustomAssociation, CustomAssociations } from "./resources/custom-associations.js";
export {
  type CustomFieldOption,
  type CustomFieldOptionCreate,
  type CustomFieldOptionPath,
  CustomFieldOptions,
  type CustomFieldOptionUpdate,
  type CustomFieldPath,
} from "./resources/custom-field-options.js";
export { type CustomObject, type CustomObjectField, CustomObjects } from "./resources/custom-objects.js";
export {
  type CustomRecord,
  type CustomRecordCreate,
  type CustomRecordPath,
  CustomRecords,
  type CustomRecordUpdate,
} from "./resources/custom-records.js";
export { type Department, Departments } from "./resources/departments.js";
export { type DiscountCode, DiscountCodes } from "./resources/discount-codes.js";
export {
  type EditionDescriptionSection,
  EditionDescriptionSections,
} from "./resources/edition-description-sections.js";
export { type Educator, Educators, type Locale } from "./resources/educators.js";
export { type EmailSend, Emails } from "./resources/emails.js";
export {
  AdminEnrollments,
  type Enrollment,
  type EnrollmentAwardCertificate,
  type EnrollmentQuery,
  type EnrollmentStatus,
  Enrollments,
  type EnrollmentUpdate,
} from "./resources/enrollments.js";
export { type Grade, type GradeCreate, Grades, type GradeUpdate } from "./resources/grades.js";
export { type InvoiceVat, type InvoiceVatCreate, InvoiceVats } from "./resources/invoice-vats.js";
export {
  type Invoice,
  type InvoiceCreate,
  type InvoiceItem,
  type InvoiceItemPayload,
  type InvoicePdf,
  type InvoiceQuery,
  type InvoiceStatus,
  Invoices,
  type Payment,
  type PaymentStatus,
} from "./resources/invoices.js";
export {
  type Label,
  type LabelAddToOrder,
  type LabelCreate,
  type LabelModelType,
  type LabelQuery,
  Labels,
  type LabelUpdate,
} from "./resources/labels.js";
export {
  type CourseLead,
  type CourseLeadPayload,
  type Lead,
  type LeadCreate,
  type LeadProduct,
  type LeadProductPayload,
  type LeadStatus,
  Leads,
} from "./resources/leads.js";
export {
  type MaterialGroup,
  type MaterialGroupCreate,
  MaterialGroups,
  type MaterialGroupUpdate,
} from "./resources/material-groups.js";
export {
  type Material,
  type MaterialCreate,
  Materials,
  type MaterialUpdate,
  type MaterialUseType,
} from "./resources/materials.js";
export {
  type MeetingLocation,
  type MeetingLocationCreate,
  MeetingLocations,
  type MeetingLocationUpdate,
} from "./resources/meeting-locations.js";
export {
  type Meeting,
  type MeetingCreate,
  type MeetingQuery,
  type MeetingSort,
  Meetings,
  type MeetingUpdate,
  type PlannedCourseMeetingCreate,
  type PlannedCourseMeetingQuery,
  type PlanningAttendeePayload,
  type PlanningMaterialPayload,
} from "./resources/meetings.js";
export { type Order, type OrderQuery, type OrderSort, type OrderStatus, Orders } from "./resources/orders.js";
