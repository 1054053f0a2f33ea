// Written by npm run generate from src/models and src/resources; do not edit.
import type { Address, AddressPatchPayload, AddressPayload } from "../models/address.js";
import type {
  CatalogProductTabContentPayload,
  CourseTabContent,
  CourseTabContentPatchPayload,
  CourseTabContentPayload,
  CourseTabContentUpdatePayload,
} from "../models/course-tab-content.js";
import type { CreditType } from "../models/credit-type.js";
import type { CustomAssociationsPayload } from "../models/custom-fields.js";
import type { CatalogProduct, CatalogProductUpdate } from "../resources/catalog/catalog-products.js";
import type {
  AdminCatalogVariant,
  AdminCatalogVariantUpdate,
  CatalogVariant,
  CatalogVariantUpdate,
  EditionDescriptionSectionContent,
  EditionDescriptionSectionContentPayload,
} from "../resources/catalog/catalog-variants.js";
import type { Category, CategoryCreate, CategoryUpdate } from "../resources/catalog/categories.js";
import type {
  CourseLocation,
  CourseLocationCreate,
  CourseLocationUpdate,
} from "../resources/catalog/course-locations.js";
import type { CourseTab } from "../resources/catalog/course-tabs.js";
import type { CourseVariant, CourseVariantCreate } from "../resources/catalog/course-variants.js";
import type {
  Course,
  CourseCreate,
  CourseTabContentWithTab,
  CourseTabSummary,
  CourseUpdate,
  CreditDefinition,
} from "../resources/catalog/courses.js";
import type { EditionDescriptionSection } from "../resources/catalog/edition-description-sections.js";
import type { CustomAssociation } from "../resources/custom/custom-associations.js";
import type {
  CustomFieldOption,
  CustomFieldOptionCreate,
  CustomFieldOptionUpdate,
} from "../resources/custom/custom-field-options.js";
import type { CustomObject, CustomObjectField, CustomObjectWithFields } from "../resources/custom/custom-objects.js";
import type { CustomRecord, CustomRecordCreate, CustomRecordUpdate } from "../resources/custom/custom-records.js";
import type { CreditCategory } from "../resources/finance/credit-categories.js";
import type { Credit } from "../resources/finance/credits.js";
import type { DiscountCode } from "../resources/finance/discount-codes.js";
import type { InvoiceVat, InvoiceVatCreate } from "../resources/finance/invoice-vats.js";
import type {
  Invoice,
  InvoiceCreate,
  InvoiceItem,
  InvoiceItemPayload,
  InvoicePdf,
} from "../resources/finance/invoices.js";
import type { Order, OrderCreate, OrderItem } from "../resources/finance/orders.js";
import type { PaymentMethod } from "../resources/finance/payment-methods.js";
import type { PaymentOption } from "../resources/finance/payment-options.js";
import type { CreatedPayment, Payment, PaymentCreate, PluginData } from "../resources/finance/payments.js";
import type { AttendanceRecord } from "../resources/organization/attendance-records.js";
import type { Contact } from "../resources/organization/contacts.js";
import type { CourseEdition } from "../resources/organization/course-editions.js";
import type { CourseEnrollment } from "../resources/organization/course-enrollments.js";
import type { OrganizationAddress, OrganizationMeeting } from "../resources/organization/meetings.js";
import type { OrganizationProgramEdition } from "../resources/organization/program-editions.js";
import type { OrganizationProgramEnrollment } from "../resources/organization/program-enrollments.js";
import type {
  Account,
  AccountCreate,
  AccountSignupAnswer,
  AccountSignupAnswerPayload,
  AccountUpdate,
} from "../resources/people/accounts.js";
import type { Affiliation, AffiliationCreate, AffiliationUpdate } from "../resources/people/affiliations.js";
import type { Authentication, AuthenticationCreate } from "../resources/people/authentications.js";
import type {
  AdminComment,
  Comment,
  CommentCreate,
  CommentUpdate,
  OrderComment,
} from "../resources/people/comments.js";
import type { EmailSend } from "../resources/people/emails.js";
import type { Label, LabelAddToOrder, LabelCreate, LabelUpdate } from "../resources/people/labels.js";
import type {
  CourseLead,
  CourseLeadPayload,
  Lead,
  LeadCreate,
  LeadProduct,
  LeadProductPayload,
  LeadUpdate,
} from "../resources/people/leads.js";
import type { OrganizationAccount } from "../resources/people/organization-accounts.js";
import type {
  OrganizationAffiliation,
  OrganizationAffiliationCreate,
  OrganizationAffiliationUpdate,
} from "../resources/people/organization-affiliations.js";
import type { OrganizationInvoice } from "../resources/people/organization-invoices.js";
import type { OrganizationOrder } from "../resources/people/organization-orders.js";
import type { Organization } from "../resources/people/organizations.js";
import type { AdminTask, Task, TaskCreate, TaskUpdate } from "../resources/people/tasks.js";
import type { User, UserCreate, UserUpdate } from "../resources/people/users.js";
import type { Attendance, AttendanceSet, AttendanceSummary } from "../resources/planning/attendances.js";
import type { Certificate } from "../resources/planning/certificates.js";
import type { Enrollment, EnrollmentAwardCertificate, EnrollmentUpdate } from "../resources/planning/enrollments.js";
import type { Grade, GradeCreate, GradeUpdate } from "../resources/planning/grades.js";
import type { MaterialGroup, MaterialGroupCreate, MaterialGroupUpdate } from "../resources/planning/material-groups.js";
import type { Material, MaterialCreate, MaterialUpdate } from "../resources/planning/materials.js";
import type {
  MeetingLocation,
  MeetingLocationCreate,
  MeetingLocationUpdate,
} from "../resources/planning/meeting-locations.js";
import type {
  Meeting,
  MeetingCreate,
  MeetingUpdate,
  PlannedCourseMeetingCreate,
  PlanningAttendee,
  PlanningAttendeePayload,
  PlanningMaterial,
  PlanningMaterialPayload,
} from "../resources/planning/meetings.js";
import type {
  PlannedCourse,
  PlannedCourseCreate,
  PlannedCourseUpdate,
  RelatedRecord,
} from "../resources/planning/planned-courses.js";
import type { PlanningAttendeeCreate } from "../resources/planning/planning-attendees.js";
import type { PlanningConflict } from "../resources/planning/planning-conflicts.js";
import type {
  AdminPlanningEvent,
  PlanningEvent,
  PlanningRequiredTeacherGroup,
} from "../resources/planning/planning-events.js";
import type { PlanningLocation } from "../resources/planning/planning-locations.js";
import type { RequiredTeacherGroupAttendeeCreate } from "../resources/planning/required-teacher-group-attendees.js";
import type { PersonalProgramElement } from "../resources/programs/personal-program-elements.js";
import type {
  ProgramEditionBlockElement,
  ProgramEditionBlockElementItem,
  ProgramEditionBlockElementPayload,
  ProgramEditionCourseElement,
  ProgramEditionCourseElementPayload,
  ProgramEditionCreateElements,
  ProgramEditionElectiveElement,
  ProgramEditionElement,
  ProgramEditionElementPayload,
  ProgramEditionEvaluationElement,
  ProgramEditionThesisElement,
} from "../resources/programs/program-edition-elements.js";
import type {
  AdminProgramEditionCreate,
  AdminProgramEditionUpdate,
  ProgramEdition,
  ProgramEditionCreate,
  ProgramEditionUpdate,
} from "../resources/programs/program-editions.js";
import type {
  ProgramElement,
  ProgramElementCreate,
  ProgramElementUpdate,
} from "../resources/programs/program-elements.js";
import type {
  ProgramEnrollment,
  ProgramEnrollmentAwardCertificate,
} from "../resources/programs/program-enrollments.js";
import type {
  AdminProgramUpdate,
  Program,
  ProgramCreate,
  ProgramUpdate,
  SignupAnswerPayload,
} from "../resources/programs/programs.js";
import type { Thesis } from "../resources/programs/theses.js";
import type { Department } from "../resources/settings/departments.js";
import type { Educator } from "../resources/settings/educators.js";
import type { Referral } from "../resources/settings/referrals.js";
import type { SignupQuestion } from "../resources/settings/signup-questions.js";
import type {
  Webhook,
  WebhookCreate,
  WebhookNotification,
  WebhookNotificationFailed,
  WebhookSendAttempt,
  WebhookUpdate,
} from "../resources/settings/webhooks.js";
import type {
  PlannedCourseTeacherEnrollmentCreate,
  TeacherEnrollment,
  TeacherEnrollmentCreate,
  TeacherEnrollmentUpdate,
} from "../resources/teachers/teacher-enrollments.js";
import type { TeacherRole, TeacherRoleCreate, TeacherRoleUpdate } from "../resources/teachers/teacher-roles.js";
import type { CreatedResponse, Teacher, TeacherCreate } from "../resources/teachers/teachers.js";

/** Every record and every body by the name of its factory, which is the name of its type. */
export interface FactoryTypes {
  readonly account: Account;
  readonly accountCreate: AccountCreate;
  readonly accountSignupAnswer: AccountSignupAnswer;
  readonly accountSignupAnswerPayload: AccountSignupAnswerPayload;
  readonly accountUpdate: AccountUpdate;
  readonly address: Address;
  readonly addressPatchPayload: AddressPatchPayload;
  readonly addressPayload: AddressPayload;
  readonly adminCatalogVariant: AdminCatalogVariant;
  readonly adminCatalogVariantUpdate: AdminCatalogVariantUpdate;
  readonly adminComment: AdminComment;
  readonly adminPlanningEvent: AdminPlanningEvent;
  readonly adminProgramEditionCreate: AdminProgramEditionCreate;
  readonly adminProgramEditionUpdate: AdminProgramEditionUpdate;
  readonly adminProgramUpdate: AdminProgramUpdate;
  readonly adminTask: AdminTask;
  readonly affiliation: Affiliation;
  readonly affiliationCreate: AffiliationCreate;
  readonly affiliationUpdate: AffiliationUpdate;
  readonly attendance: Attendance;
  readonly attendanceRecord: AttendanceRecord;
  readonly attendanceSet: AttendanceSet;
  readonly attendanceSummary: AttendanceSummary;
  readonly authentication: Authentication;
  readonly authenticationCreate: AuthenticationCreate;
  readonly catalogProduct: CatalogProduct;
  readonly catalogProductTabContentPayload: CatalogProductTabContentPayload;
  readonly catalogProductUpdate: CatalogProductUpdate;
  readonly catalogVariant: CatalogVariant;
  readonly catalogVariantUpdate: CatalogVariantUpdate;
  readonly category: Category;
  readonly categoryCreate: CategoryCreate;
  readonly categoryUpdate: CategoryUpdate;
  readonly certificate: Certificate;
  readonly comment: Comment;
  readonly commentCreate: CommentCreate;
  readonly commentUpdate: CommentUpdate;
  readonly contact: Contact;
  readonly course: Course;
  readonly courseCreate: CourseCreate;
  readonly courseEdition: CourseEdition;
  readonly courseEnrollment: CourseEnrollment;
  readonly courseLead: CourseLead;
  readonly courseLeadPayload: CourseLeadPayload;
  readonly courseLocation: CourseLocation;
  readonly courseLocationCreate: CourseLocationCreate;
  readonly courseLocationUpdate: CourseLocationUpdate;
  readonly courseTab: CourseTab;
  readonly courseTabContent: CourseTabContent;
  readonly courseTabContentPatchPayload: CourseTabContentPatchPayload;
  readonly courseTabContentPayload: CourseTabContentPayload;
  readonly courseTabContentUpdatePayload: CourseTabContentUpdatePayload;
  readonly courseTabContentWithTab: CourseTabContentWithTab;
  readonly courseTabSummary: CourseTabSummary;
  readonly courseUpdate: CourseUpdate;
  readonly courseVariant: CourseVariant;
  readonly courseVariantCreate: CourseVariantCreate;
  readonly createdPayment: CreatedPayment;
  readonly createdResponse: CreatedResponse;
  readonly credit: Credit;
  readonly creditCategory: CreditCategory;
  readonly creditDefinition: CreditDefinition;
  readonly creditType: CreditType;
  readonly customAssociation: CustomAssociation;
  readonly customAssociationsPayload: CustomAssociationsPayload;
  readonly customFieldOption: CustomFieldOption;
  readonly customFieldOptionCreate: CustomFieldOptionCreate;
  readonly customFieldOptionUpdate: CustomFieldOptionUpdate;
  readonly customObject: CustomObject;
  readonly customObjectField: CustomObjectField;
  readonly customObjectWithFields: CustomObjectWithFields;
  readonly customRecord: CustomRecord;
  readonly customRecordCreate: CustomRecordCreate;
  readonly customRecordUpdate: CustomRecordUpdate;
  readonly department: Department;
  readonly discountCode: DiscountCode;
  readonly editionDescriptionSection: EditionDescriptionSection;
  readonly editionDescriptionSectionContent: EditionDescriptionSectionContent;
  readonly editionDescriptionSectionContentPayload: EditionDescriptionSectionContentPayload;
  readonly educator: Educator;
  readonly emailSend: EmailSend;
  readonly enrollment: Enrollment;
  readonly enrollmentAwardCertificate: EnrollmentAwardCertificate;
  readonly enrollmentUpdate: EnrollmentUpdate;
  readonly grade: Grade;
  readonly gradeCreate: GradeCreate;
  readonly gradeUpdate: GradeUpdate;
  readonly invoice: Invoice;
  readonly invoiceCreate: InvoiceCreate;
  readonly invoiceItem: InvoiceItem;
  readonly invoiceItemPayload: InvoiceItemPayload;
  readonly invoicePdf: InvoicePdf;
  readonly invoiceVat: InvoiceVat;
  readonly invoiceVatCreate: InvoiceVatCreate;
  readonly label: Label;
  readonly labelAddToOrder: LabelAddToOrder;
  readonly labelCreate: LabelCreate;
  readonly labelUpdate: LabelUpdate;
  readonly lead: Lead;
  readonly leadCreate: LeadCreate;
  readonly leadProduct: LeadProduct;
  readonly leadProductPayload: LeadProductPayload;
  readonly leadUpdate: LeadUpdate;
  readonly material: Material;
  readonly materialCreate: MaterialCreate;
  readonly materialGroup: MaterialGroup;
  readonly materialGroupCreate: MaterialGroupCreate;
  readonly materialGroupUpdate: MaterialGroupUpdate;
  readonly materialUpdate: MaterialUpdate;
  readonly meeting: Meeting;
  readonly meetingCreate: MeetingCreate;
  readonly meetingLocation: MeetingLocation;
  readonly meetingLocationCreate: MeetingLocationCreate;
  readonly meetingLocationUpdate: MeetingLocationUpdate;
  readonly meetingUpdate: MeetingUpdate;
  readonly order: Order;
  readonly orderComment: OrderComment;
  readonly orderCreate: OrderCreate;
  readonly orderItem: OrderItem;
  readonly organization: Organization;
  readonly organizationAccount: OrganizationAccount;
  readonly organizationAddress: OrganizationAddress;
  readonly organizationAffiliation: OrganizationAffiliation;
  readonly organizationAffiliationCreate: OrganizationAffiliationCreate;
  readonly organizationAffiliationUpdate: OrganizationAffiliationUpdate;
  readonly organizationInvoice: OrganizationInvoice;
  readonly organizationMeeting: OrganizationMeeting;
  readonly organizationOrder: OrganizationOrder;
  readonly organizationProgramEdition: OrganizationProgramEdition;
  readonly organizationProgramEnrollment: OrganizationProgramEnrollment;
  readonly payment: Payment;
  readonly paymentCreate: PaymentCreate;
  readonly paymentMethod: PaymentMethod;
  readonly paymentOption: PaymentOption;
  readonly personalProgramElement: PersonalProgramElement;
  readonly plannedCourse: PlannedCourse;
  readonly plannedCourseCreate: PlannedCourseCreate;
  readonly plannedCourseMeetingCreate: PlannedCourseMeetingCreate;
  readonly plannedCourseTeacherEnrollmentCreate: PlannedCourseTeacherEnrollmentCreate;
  readonly plannedCourseUpdate: PlannedCourseUpdate;
  readonly planningAttendee: PlanningAttendee;
  readonly planningAttendeeCreate: PlanningAttendeeCreate;
  readonly planningAttendeePayload: PlanningAttendeePayload;
  readonly planningConflict: PlanningConflict;
  readonly planningEvent: PlanningEvent;
  readonly planningLocation: PlanningLocation;
  readonly planningMaterial: PlanningMaterial;
  readonly planningMaterialPayload: PlanningMaterialPayload;
  readonly planningRequiredTeacherGroup: PlanningRequiredTeacherGroup;
  readonly pluginData: PluginData;
  readonly program: Program;
  readonly programCreate: ProgramCreate;
  readonly programEdition: ProgramEdition;
  readonly programEditionBlockElement: ProgramEditionBlockElement;
  readonly programEditionBlockElementItem: ProgramEditionBlockElementItem;
  readonly programEditionBlockElementPayload: ProgramEditionBlockElementPayload;
  readonly programEditionCourseElement: ProgramEditionCourseElement;
  readonly programEditionCourseElementPayload: ProgramEditionCourseElementPayload;
  readonly programEditionCreate: ProgramEditionCreate;
  readonly programEditionCreateElements: ProgramEditionCreateElements;
  readonly programEditionElectiveElement: ProgramEditionElectiveElement;
  readonly programEditionElement: ProgramEditionElement;
  readonly programEditionElementPayload: ProgramEditionElementPayload;
  readonly programEditionEvaluationElement: ProgramEditionEvaluationElement;
  readonly programEditionThesisElement: ProgramEditionThesisElement;
  readonly programEditionUpdate: ProgramEditionUpdate;
  readonly programElement: ProgramElement;
  readonly programElementCreate: ProgramElementCreate;
  readonly programElementUpdate: ProgramElementUpdate;
  readonly programEnrollment: ProgramEnrollment;
  readonly programEnrollmentAwardCertificate: ProgramEnrollmentAwardCertificate;
  readonly programUpdate: ProgramUpdate;
  readonly referral: Referral;
  readonly relatedRecord: RelatedRecord;
  readonly requiredTeacherGroupAttendeeCreate: RequiredTeacherGroupAttendeeCreate;
  readonly signupAnswerPayload: SignupAnswerPayload;
  readonly signupQuestion: SignupQuestion;
  readonly task: Task;
  readonly taskCreate: TaskCreate;
  readonly taskUpdate: TaskUpdate;
  readonly teacher: Teacher;
  readonly teacherCreate: TeacherCreate;
  readonly teacherEnrollment: TeacherEnrollment;
  readonly teacherEnrollmentCreate: TeacherEnrollmentCreate;
  readonly teacherEnrollmentUpdate: TeacherEnrollmentUpdate;
  readonly teacherRole: TeacherRole;
  readonly teacherRoleCreate: TeacherRoleCreate;
  readonly teacherRoleUpdate: TeacherRoleUpdate;
  readonly thesis: Thesis;
  readonly user: User;
  readonly userCreate: UserCreate;
  readonly userUpdate: UserUpdate;
  readonly webhook: Webhook;
  readonly webhookCreate: WebhookCreate;
  readonly webhookNotification: WebhookNotification;
  readonly webhookNotificationFailed: WebhookNotificationFailed;
  readonly webhookSendAttempt: WebhookSendAttempt;
  readonly webhookUpdate: WebhookUpdate;
}
