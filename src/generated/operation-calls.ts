// Written by npm run generate from src/models and src/resources; do not edit.
import type { PagedQuery, PageQuery } from "../core/operation.js";
import type {
  Account,
  AccountCreate,
  AccountQuery,
  AccountUpdate,
  AdminCatalogVariant,
  AdminCatalogVariantUpdate,
  AdminComment,
  AdminPlanningEvent,
  AdminProgramEditionCreate,
  AdminProgramEditionUpdate,
  AdminProgramUpdate,
  AdminTask,
  Affiliation,
  AffiliationCreate,
  AffiliationQuery,
  AffiliationUpdate,
  Attendance,
  AttendanceQuery,
  AttendanceRecord,
  AttendanceRecordQuery,
  AttendanceSet,
  AttendanceSummary,
  Authentication,
  AuthenticationCreate,
  AuthenticationQuery,
  CatalogProduct,
  CatalogProductQuery,
  CatalogProductUpdate,
  CatalogVariant,
  CatalogVariantQuery,
  CatalogVariantUpdate,
  Category,
  CategoryCreate,
  CategoryQuery,
  CategoryUpdate,
  Certificate,
  Comment,
  CommentCreate,
  CommentUpdate,
  Contact,
  Course,
  CourseCreate,
  CourseEdition,
  CourseEditionQuery,
  CourseEnrollment,
  CourseEnrollmentQuery,
  CourseLocation,
  CourseLocationCreate,
  CourseLocationUpdate,
  CoursePlannedCourseQuery,
  CourseQuery,
  CourseTab,
  CourseUpdate,
  CourseVariant,
  CourseVariantCreate,
  CreatedPayment,
  CreatedResponse,
  Credit,
  CreditCategory,
  CreditQuery,
  CustomAssociation,
  CustomFieldOption,
  CustomFieldOptionCreate,
  CustomFieldOptionUpdate,
  CustomObject,
  CustomObjectWithFields,
  CustomRecord,
  CustomRecordCreate,
  CustomRecordUpdate,
  Department,
  DiscountCode,
  EditionDescriptionSection,
  Educator,
  EmailSend,
  Enrollment,
  EnrollmentAwardCertificate,
  EnrollmentQuery,
  EnrollmentUpdate,
  Grade,
  GradeCreate,
  GradeUpdate,
  Invoice,
  InvoiceCreate,
  InvoicePdf,
  InvoiceQuery,
  InvoiceVat,
  InvoiceVatCreate,
  Label,
  LabelAddToOrder,
  LabelCreate,
  LabelQuery,
  LabelUpdate,
  Lead,
  LeadCreate,
  LeadQuery,
  LeadUpdate,
  Material,
  MaterialCreate,
  MaterialGroup,
  MaterialGroupCreate,
  MaterialGroupUpdate,
  MaterialUpdate,
  Meeting,
  MeetingCreate,
  MeetingLocation,
  MeetingLocationCreate,
  MeetingLocationUpdate,
  MeetingQuery,
  MeetingUpdate,
  Order,
  OrderComment,
  OrderCreate,
  OrderQuery,
  Organization,
  OrganizationAccount,
  OrganizationAffiliation,
  OrganizationAffiliationCreate,
  OrganizationAffiliationQuery,
  OrganizationAffiliationUpdate,
  OrganizationInvoice,
  OrganizationMeeting,
  OrganizationMeetingQuery,
  OrganizationOrder,
  OrganizationProgramEdition,
  OrganizationProgramEnrollment,
  OrganizationProgramEnrollmentQuery,
  Payment,
  PaymentCreate,
  PaymentMethod,
  PaymentOption,
  PersonalProgramElement,
  PlannedCourse,
  PlannedCourseCreate,
  PlannedCourseMeetingCreate,
  PlannedCourseMeetingQuery,
  PlannedCourseQuery,
  PlannedCourseTeacherEnrollmentCreate,
  PlannedCourseUpdate,
  PlanningAttendee,
  PlanningAttendeeCreate,
  PlanningConflict,
  PlanningEvent,
  PlanningLocation,
  PlanningMaterial,
  Program,
  ProgramCreate,
  ProgramEdition,
  ProgramEditionCreate,
  ProgramEditionCreateElements,
  ProgramEditionElement,
  ProgramEditionQuery,
  ProgramEditionUpdate,
  ProgramElement,
  ProgramElementCreate,
  ProgramElementQuery,
  ProgramElementUpdate,
  ProgramEnrollment,
  ProgramEnrollmentAwardCertificate,
  ProgramEnrollmentQuery,
  ProgramUpdate,
  Referral,
  RequiredTeacherGroupAttendeeCreate,
  SignupQuestion,
  SignupQuestionQuery,
  Task,
  TaskCreate,
  TaskUpdate,
  Teacher,
  TeacherCreate,
  TeacherEnrollment,
  TeacherEnrollmentCreate,
  TeacherEnrollmentQuery,
  TeacherEnrollmentUpdate,
  TeacherQuery,
  TeacherRole,
  TeacherRoleCreate,
  TeacherRoleUpdate,
  Thesis,
  User,
  UserCreate,
  UserQuery,
  UserUpdate,
  Webhook,
  WebhookCreate,
  WebhookNotification,
  WebhookNotificationFailed,
  WebhookNotificationFailedQuery,
  WebhookUpdate,
} from "./resources.js";

/** The input and the response of each operation, by its identifier. */
export interface OperationCalls {
  readonly "accounts.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: AccountCreate;
    readonly data: Account;
  };
  readonly "accounts.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Account;
  };
  readonly "accounts.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: AccountQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Account[];
  };
  readonly "accounts.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: AccountUpdate;
    readonly data: Account;
  };
  readonly "affiliations.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: AffiliationCreate;
    readonly data: Affiliation;
  };
  readonly "affiliations.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "affiliations.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: AffiliationQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Affiliation[];
  };
  readonly "affiliations.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: AffiliationUpdate;
    readonly data: Affiliation;
  };
  readonly "attendances.get": {
    readonly params: { readonly meeting_id: number; readonly enrollment_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: AttendanceSummary;
  };
  readonly "attendances.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: AttendanceQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Attendance[];
  };
  readonly "attendances.set": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: AttendanceSet;
    readonly data: Attendance;
  };
  readonly "authentications.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: AuthenticationCreate;
    readonly data: Authentication;
  };
  readonly "authentications.delete": {
    readonly params: { readonly user_id: number; readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "authentications.listForUser": {
    readonly params: { readonly user_id: number };
    readonly query: AuthenticationQuery;
    readonly body: null;
    readonly data: readonly Authentication[];
  };
  readonly "catalogProducts.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: CatalogProduct;
  };
  readonly "catalogProducts.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: CatalogProductQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly CatalogProduct[];
  };
  readonly "catalogProducts.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CatalogProductUpdate;
    readonly data: CatalogProduct;
  };
  readonly "catalogVariants.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: CatalogVariant | AdminCatalogVariant;
  };
  readonly "catalogVariants.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: CatalogVariantQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly CatalogVariant[] | readonly AdminCatalogVariant[];
  };
  readonly "catalogVariants.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CatalogVariantUpdate | AdminCatalogVariantUpdate;
    readonly data: CatalogVariant | AdminCatalogVariant;
  };
  readonly "categories.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: CategoryCreate;
    readonly data: Category;
  };
  readonly "categories.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Category;
  };
  readonly "categories.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: CategoryQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Category[];
  };
  readonly "categories.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CategoryUpdate;
    readonly data: Category;
  };
  readonly "certificates.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Certificate;
  };
  readonly "certificates.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PageQuery;
    readonly body: null;
    readonly data: readonly Certificate[];
  };
  readonly "comments.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: CommentCreate;
    readonly data: Comment | AdminComment;
  };
  readonly "comments.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "comments.listForOrders": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly OrderComment[];
  };
  readonly "comments.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CommentUpdate;
    readonly data: Comment | AdminComment;
  };
  readonly "courseLocations.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: CourseLocationCreate;
    readonly data: CourseLocation;
  };
  readonly "courseLocations.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "courseLocations.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: CourseLocation;
  };
  readonly "courseLocations.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly CourseLocation[];
  };
  readonly "courseLocations.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CourseLocationUpdate;
    readonly data: CourseLocation;
  };
  readonly "courseTabs.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PageQuery;
    readonly body: null;
    readonly data: readonly CourseTab[];
  };
  readonly "courseVariants.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: CourseVariantCreate;
    readonly data: CourseVariant;
  };
  readonly "courseVariants.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: CourseVariant;
  };
  readonly "courseVariants.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly CourseVariant[];
  };
  readonly "courses.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: CourseCreate;
    readonly data: Course;
  };
  readonly "courses.get": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Course;
  };
  readonly "courses.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: CourseQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Course[];
  };
  readonly "courses.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CourseUpdate;
    readonly data: Course;
  };
  readonly "creditCategories.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly CreditCategory[];
  };
  readonly "credits.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: CreditQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Credit[];
  };
  readonly "customAssociations.list": {
    readonly params: { readonly object_type: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: readonly CustomAssociation[];
  };
  readonly "customFieldOptions.create": {
    readonly params: { readonly object_type: string; readonly field_slug: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CustomFieldOptionCreate;
    readonly data: CustomFieldOption;
  };
  readonly "customFieldOptions.delete": {
    readonly params: { readonly object_type: string; readonly field_slug: string; readonly option_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "customFieldOptions.get": {
    readonly params: { readonly object_type: string; readonly field_slug: string; readonly option_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: CustomFieldOption;
  };
  readonly "customFieldOptions.list": {
    readonly params: { readonly object_type: string; readonly field_slug: string };
    readonly query: PageQuery;
    readonly body: null;
    readonly data: readonly CustomFieldOption[];
  };
  readonly "customFieldOptions.update": {
    readonly params: { readonly object_type: string; readonly field_slug: string; readonly option_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CustomFieldOptionUpdate;
    readonly data: null;
  };
  readonly "customObjects.get": {
    readonly params: { readonly object_slug: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: CustomObjectWithFields;
  };
  readonly "customObjects.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly CustomObject[];
  };
  readonly "customRecords.create": {
    readonly params: { readonly object_slug: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CustomRecordCreate;
    readonly data: CustomRecord;
  };
  readonly "customRecords.delete": {
    readonly params: { readonly object_slug: string; readonly record_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "customRecords.get": {
    readonly params: { readonly object_slug: string; readonly record_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: CustomRecord;
  };
  readonly "customRecords.list": {
    readonly params: { readonly object_slug: string };
    readonly query: PageQuery;
    readonly body: null;
    readonly data: readonly CustomRecord[];
  };
  readonly "customRecords.update": {
    readonly params: { readonly object_slug: string; readonly record_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: CustomRecordUpdate;
    readonly data: null;
  };
  readonly "departments.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Department[];
  };
  readonly "discountCodes.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly DiscountCode[];
  };
  readonly "editionDescriptionSections.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PageQuery;
    readonly body: null;
    readonly data: readonly EditionDescriptionSection[];
  };
  readonly "educators.get": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Educator;
  };
  readonly "emails.send": {
    readonly params: { readonly user_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: EmailSend;
    readonly data: null;
  };
  readonly "enrollments.awardCertificate": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: EnrollmentAwardCertificate;
    readonly data: null;
  };
  readonly "enrollments.cancel": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Enrollment;
  };
  readonly "enrollments.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Enrollment;
  };
  readonly "enrollments.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: EnrollmentQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Enrollment[];
  };
  readonly "enrollments.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: EnrollmentUpdate;
    readonly data: Enrollment;
  };
  readonly "grades.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: GradeCreate;
    readonly data: Grade;
  };
  readonly "grades.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "grades.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Grade;
  };
  readonly "grades.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: GradeUpdate;
    readonly data: Grade;
  };
  readonly "invoiceVats.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: InvoiceVatCreate;
    readonly data: InvoiceVat;
  };
  readonly "invoiceVats.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly InvoiceVat[];
  };
  readonly "invoices.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: InvoiceCreate;
    readonly data: Invoice;
  };
  readonly "invoices.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Invoice;
  };
  readonly "invoices.getPdf": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: InvoicePdf;
  };
  readonly "invoices.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: InvoiceQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Invoice[];
  };
  readonly "invoices.open": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Invoice;
  };
  readonly "labels.addToOrder": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: LabelAddToOrder;
    readonly data: null;
  };
  readonly "labels.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: LabelCreate;
    readonly data: Label;
  };
  readonly "labels.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "labels.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Label;
  };
  readonly "labels.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: LabelQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Label[];
  };
  readonly "labels.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: LabelUpdate;
    readonly data: Label;
  };
  readonly "leads.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: LeadCreate;
    readonly data: Lead;
  };
  readonly "leads.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "leads.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Lead;
  };
  readonly "leads.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: LeadQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Lead[];
  };
  readonly "leads.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: LeadUpdate;
    readonly data: Lead;
  };
  readonly "materialGroups.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: MaterialGroupCreate;
    readonly data: MaterialGroup;
  };
  readonly "materialGroups.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "materialGroups.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: MaterialGroup;
  };
  readonly "materialGroups.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly MaterialGroup[];
  };
  readonly "materialGroups.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: MaterialGroupUpdate;
    readonly data: MaterialGroup;
  };
  readonly "materials.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: MaterialCreate;
    readonly data: Material;
  };
  readonly "materials.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "materials.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Material[];
  };
  readonly "materials.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: MaterialUpdate;
    readonly data: Material;
  };
  readonly "meetingLocations.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: MeetingLocationCreate;
    readonly data: MeetingLocation;
  };
  readonly "meetingLocations.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "meetingLocations.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: MeetingLocation;
  };
  readonly "meetingLocations.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly MeetingLocation[];
  };
  readonly "meetingLocations.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: MeetingLocationUpdate;
    readonly data: MeetingLocation;
  };
  readonly "meetings.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: MeetingCreate;
    readonly data: Meeting;
  };
  readonly "meetings.createForPlannedCourse": {
    readonly params: { readonly planned_course_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: PlannedCourseMeetingCreate;
    readonly data: Meeting;
  };
  readonly "meetings.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "meetings.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Meeting;
  };
  readonly "meetings.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: MeetingQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Meeting[];
  };
  readonly "meetings.listForPlannedCourse": {
    readonly params: { readonly planned_course_id: number };
    readonly query: PlannedCourseMeetingQuery;
    readonly body: null;
    readonly data: readonly Meeting[];
  };
  readonly "meetings.listMaterials": {
    readonly params: { readonly id: number };
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PlanningMaterial[];
  };
  readonly "meetings.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: MeetingUpdate;
    readonly data: Meeting;
  };
  readonly "orders.approve": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Order;
  };
  readonly "orders.cancel": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Order;
  };
  readonly "orders.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: OrderCreate;
    readonly data: Order;
  };
  readonly "orders.deny": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "orders.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Order;
  };
  readonly "orders.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: OrderQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Order[];
  };
  readonly "organization.attendanceRecords.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: AttendanceRecordQuery & PageQuery;
    readonly body: null;
    readonly data: readonly AttendanceRecord[];
  };
  readonly "organization.contacts.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PageQuery;
    readonly body: null;
    readonly data: readonly Contact[];
  };
  readonly "organization.courseEditions.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: CourseEditionQuery & PageQuery;
    readonly body: null;
    readonly data: readonly CourseEdition[];
  };
  readonly "organization.courseEnrollments.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: CourseEnrollmentQuery & PageQuery;
    readonly body: null;
    readonly data: readonly CourseEnrollment[];
  };
  readonly "organization.meetings.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: OrganizationMeetingQuery & PageQuery;
    readonly body: null;
    readonly data: readonly OrganizationMeeting[];
  };
  readonly "organization.programEditions.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PageQuery;
    readonly body: null;
    readonly data: readonly OrganizationProgramEdition[];
  };
  readonly "organization.programEnrollments.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: OrganizationProgramEnrollmentQuery & PageQuery;
    readonly body: null;
    readonly data: readonly OrganizationProgramEnrollment[];
  };
  readonly "organizationAccounts.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly OrganizationAccount[];
  };
  readonly "organizationAffiliations.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: OrganizationAffiliationCreate;
    readonly data: OrganizationAffiliation;
  };
  readonly "organizationAffiliations.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "organizationAffiliations.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: OrganizationAffiliationQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly OrganizationAffiliation[];
  };
  readonly "organizationAffiliations.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: OrganizationAffiliationUpdate;
    readonly data: OrganizationAffiliation;
  };
  readonly "organizationInvoices.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly OrganizationInvoice[];
  };
  readonly "organizationOrders.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly OrganizationOrder[];
  };
  readonly "organizations.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Organization;
  };
  readonly "organizations.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Organization[];
  };
  readonly "paymentMethods.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PaymentMethod[];
  };
  readonly "paymentOptions.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PaymentOption[];
  };
  readonly "payments.createForInvoice": {
    readonly params: { readonly invoice_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: PaymentCreate;
    readonly data: CreatedPayment;
  };
  readonly "payments.deleteForInvoice": {
    readonly params: { readonly invoice_id: number; readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "payments.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Payment;
  };
  readonly "payments.listForInvoice": {
    readonly params: { readonly invoice_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: readonly Payment[];
  };
  readonly "personalProgramElements.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PersonalProgramElement[];
  };
  readonly "plannedCourses.cancel": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: PlannedCourse;
  };
  readonly "plannedCourses.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: PlannedCourseCreate;
    readonly data: PlannedCourse;
  };
  readonly "plannedCourses.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: PlannedCourse;
  };
  readonly "plannedCourses.getForCourse": {
    readonly params: { readonly course_id: number; readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: PlannedCourse;
  };
  readonly "plannedCourses.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PlannedCourseQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly PlannedCourse[];
  };
  readonly "plannedCourses.listForCourse": {
    readonly params: { readonly course_id: number };
    readonly query: CoursePlannedCourseQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly PlannedCourse[];
  };
  readonly "plannedCourses.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: PlannedCourseUpdate;
    readonly data: PlannedCourse;
  };
  readonly "planningAttendees.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: PlanningAttendeeCreate;
    readonly data: PlanningAttendee;
  };
  readonly "planningAttendees.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "planningConflicts.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PlanningConflict[];
  };
  readonly "planningEvents.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "planningEvents.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: PlanningEvent | AdminPlanningEvent;
  };
  readonly "planningEvents.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PlanningEvent[] | readonly AdminPlanningEvent[];
  };
  readonly "planningEvents.listMaterials": {
    readonly params: { readonly id: number };
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PlanningMaterial[];
  };
  readonly "planningLocations.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly PlanningLocation[];
  };
  readonly "planningMaterials.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Material[];
  };
  readonly "planningTeachers.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly User[];
  };
  readonly "programEditions.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramEditionCreate | AdminProgramEditionCreate;
    readonly data: ProgramEdition;
  };
  readonly "programEditions.createElements": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramEditionCreateElements;
    readonly data: readonly ProgramEditionElement[];
  };
  readonly "programEditions.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "programEditions.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: ProgramEdition;
  };
  readonly "programEditions.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: ProgramEditionQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly ProgramEdition[];
  };
  readonly "programEditions.listElements": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: readonly ProgramEditionElement[];
  };
  readonly "programEditions.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramEditionUpdate | AdminProgramEditionUpdate;
    readonly data: ProgramEdition;
  };
  readonly "programElements.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramElementCreate;
    readonly data: ProgramElement;
  };
  readonly "programElements.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "programElements.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: ProgramElement;
  };
  readonly "programElements.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: ProgramElementQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly ProgramElement[];
  };
  readonly "programElements.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramElementUpdate;
    readonly data: ProgramElement;
  };
  readonly "programEnrollments.awardCertificate": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramEnrollmentAwardCertificate;
    readonly data: ProgramEnrollment;
  };
  readonly "programEnrollments.cancel": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: ProgramEnrollment;
  };
  readonly "programEnrollments.deleteCertificate": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: ProgramEnrollment;
  };
  readonly "programEnrollments.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: ProgramEnrollment;
  };
  readonly "programEnrollments.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: ProgramEnrollmentQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly ProgramEnrollment[];
  };
  readonly "programs.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramCreate;
    readonly data: Program;
  };
  readonly "programs.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "programs.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Program;
  };
  readonly "programs.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Program[];
  };
  readonly "programs.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: ProgramUpdate | AdminProgramUpdate;
    readonly data: Program;
  };
  readonly "referrals.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Referral[];
  };
  readonly "requiredTeacherGroupAttendees.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: RequiredTeacherGroupAttendeeCreate;
    readonly data: null;
  };
  readonly "signupQuestions.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: SignupQuestionQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly SignupQuestion[];
  };
  readonly "tasks.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: TaskCreate;
    readonly data: Task | AdminTask;
  };
  readonly "tasks.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "tasks.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Task | AdminTask;
  };
  readonly "tasks.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Task[] | readonly AdminTask[];
  };
  readonly "tasks.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: TaskUpdate;
    readonly data: Task | AdminTask;
  };
  readonly "teacherEnrollments.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: TeacherEnrollmentCreate;
    readonly data: TeacherEnrollment;
  };
  readonly "teacherEnrollments.createForPlannedCourse": {
    readonly params: { readonly planned_course_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: PlannedCourseTeacherEnrollmentCreate;
    readonly data: TeacherEnrollment;
  };
  readonly "teacherEnrollments.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "teacherEnrollments.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: TeacherEnrollmentQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly TeacherEnrollment[];
  };
  readonly "teacherEnrollments.listForPlannedCourse": {
    readonly params: { readonly planned_course_id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: readonly TeacherEnrollment[];
  };
  readonly "teacherEnrollments.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: TeacherEnrollmentUpdate;
    readonly data: TeacherEnrollment;
  };
  readonly "teacherRoles.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: TeacherRoleCreate;
    readonly data: TeacherRole;
  };
  readonly "teacherRoles.delete": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "teacherRoles.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: TeacherRole;
  };
  readonly "teacherRoles.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly TeacherRole[];
  };
  readonly "teacherRoles.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: TeacherRoleUpdate;
    readonly data: TeacherRole;
  };
  readonly "teachers.activate": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "teachers.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: TeacherCreate;
    readonly data: CreatedResponse;
  };
  readonly "teachers.deactivate": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: null;
  };
  readonly "teachers.get": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Teacher;
  };
  readonly "teachers.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: TeacherQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly Teacher[];
  };
  readonly "theses.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Thesis[];
  };
  readonly "users.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: UserCreate;
    readonly data: User;
  };
  readonly "users.get": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: User;
  };
  readonly "users.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: UserQuery & PagedQuery;
    readonly body: null;
    readonly data: readonly User[];
  };
  readonly "users.update": {
    readonly params: { readonly id: number };
    readonly query: Readonly<Record<never, never>>;
    readonly body: UserUpdate;
    readonly data: User;
  };
  readonly "webhooks.create": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: Readonly<Record<never, never>>;
    readonly body: WebhookCreate;
    readonly data: Webhook;
  };
  readonly "webhooks.delete": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Webhook;
  };
  readonly "webhooks.get": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: Webhook;
  };
  readonly "webhooks.list": {
    readonly params: Readonly<Record<never, never>>;
    readonly query: PagedQuery;
    readonly body: null;
    readonly data: readonly Webhook[];
  };
  readonly "webhooks.listFailedNotifications": {
    readonly params: { readonly webhook_id: string };
    readonly query: WebhookNotificationFailedQuery & PageQuery;
    readonly body: null;
    readonly data: readonly WebhookNotificationFailed[];
  };
  readonly "webhooks.listNotifications": {
    readonly params: { readonly webhook_id: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: null;
    readonly data: readonly WebhookNotification[];
  };
  readonly "webhooks.update": {
    readonly params: { readonly id: string };
    readonly query: Readonly<Record<never, never>>;
    readonly body: WebhookUpdate;
    readonly data: Webhook;
  };
}
