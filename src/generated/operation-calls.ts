// Written by npm run generate from src/models and src/resources; do not edit.
import type { PagedQuery, PageQuery } from "../core/operation.js";
import type * as sdk from "./resources.js";

type None = Readonly<Record<never, never>>;

/** The input and the response of one operation; a part that the operation does not take is empty, a body null. */
export interface OperationCall<Data = null, Params = None, Query = None, Body = null> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly data: Data;
}

/** The input and the response of each operation, by its identifier. */
export interface OperationCalls {
  readonly "accounts.create": OperationCall<sdk.Account, None, None, sdk.AccountCreate>;
  readonly "accounts.get": OperationCall<sdk.Account, { readonly id: number }>;
  readonly "accounts.list": OperationCall<readonly sdk.Account[], None, sdk.AccountQuery & PagedQuery>;
  readonly "accounts.update": OperationCall<sdk.Account, { readonly id: number }, None, sdk.AccountUpdate>;
  readonly "affiliations.create": OperationCall<sdk.Affiliation, None, None, sdk.AffiliationCreate>;
  readonly "affiliations.delete": OperationCall<null, { readonly id: number }>;
  readonly "affiliations.list": OperationCall<readonly sdk.Affiliation[], None, sdk.AffiliationQuery & PagedQuery>;
  readonly "affiliations.update": OperationCall<sdk.Affiliation, { readonly id: number }, None, sdk.AffiliationUpdate>;
  readonly "attendances.get": OperationCall<
    sdk.AttendanceSummary,
    { readonly meeting_id: number; readonly enrollment_id: number }
  >;
  readonly "attendances.list": OperationCall<readonly sdk.Attendance[], None, sdk.AttendanceQuery & PagedQuery>;
  readonly "attendances.set": OperationCall<sdk.Attendance, None, None, sdk.AttendanceSet>;
  readonly "authentications.create": OperationCall<sdk.Authentication, None, None, sdk.AuthenticationCreate>;
  readonly "authentications.delete": OperationCall<null, { readonly user_id: number; readonly id: number }>;
  readonly "authentications.listForUser": OperationCall<
    readonly sdk.Authentication[],
    { readonly user_id: number },
    sdk.AuthenticationQuery
  >;
  readonly "catalogProducts.get": OperationCall<sdk.CatalogProduct, { readonly id: number }>;
  readonly "catalogProducts.list": OperationCall<
    readonly sdk.CatalogProduct[],
    None,
    sdk.CatalogProductQuery & PagedQuery
  >;
  readonly "catalogProducts.update": OperationCall<
    sdk.CatalogProduct,
    { readonly id: number },
    None,
    sdk.CatalogProductUpdate
  >;
  readonly "catalogVariants.get": OperationCall<sdk.CatalogVariant | sdk.AdminCatalogVariant, { readonly id: number }>;
  readonly "catalogVariants.list": OperationCall<
    readonly sdk.CatalogVariant[] | readonly sdk.AdminCatalogVariant[],
    None,
    sdk.CatalogVariantQuery & PagedQuery
  >;
  readonly "catalogVariants.update": OperationCall<
    sdk.CatalogVariant | sdk.AdminCatalogVariant,
    { readonly id: number },
    None,
    sdk.CatalogVariantUpdate | sdk.AdminCatalogVariantUpdate
  >;
  readonly "categories.create": OperationCall<sdk.Category, None, None, sdk.CategoryCreate>;
  readonly "categories.get": OperationCall<sdk.Category, { readonly id: number }>;
  readonly "categories.list": OperationCall<readonly sdk.Category[], None, sdk.CategoryQuery & PagedQuery>;
  readonly "categories.update": OperationCall<sdk.Category, { readonly id: number }, None, sdk.CategoryUpdate>;
  readonly "certificates.get": OperationCall<sdk.Certificate, { readonly id: number }>;
  readonly "certificates.list": OperationCall<readonly sdk.Certificate[], None, PageQuery>;
  readonly "comments.create": OperationCall<sdk.Comment | sdk.AdminComment, None, None, sdk.CommentCreate>;
  readonly "comments.delete": OperationCall<null, { readonly id: number }>;
  readonly "comments.listForOrders": OperationCall<readonly sdk.OrderComment[], None, PagedQuery>;
  readonly "comments.update": OperationCall<
    sdk.Comment | sdk.AdminComment,
    { readonly id: number },
    None,
    sdk.CommentUpdate
  >;
  readonly "courseLocations.create": OperationCall<sdk.CourseLocation, None, None, sdk.CourseLocationCreate>;
  readonly "courseLocations.delete": OperationCall<null, { readonly id: number }>;
  readonly "courseLocations.get": OperationCall<sdk.CourseLocation, { readonly id: number }>;
  readonly "courseLocations.list": OperationCall<readonly sdk.CourseLocation[], None, PagedQuery>;
  readonly "courseLocations.update": OperationCall<
    sdk.CourseLocation,
    { readonly id: number },
    None,
    sdk.CourseLocationUpdate
  >;
  readonly "courseTabs.list": OperationCall<readonly sdk.CourseTab[], None, PageQuery>;
  readonly "courseVariants.create": OperationCall<sdk.CourseVariant, None, None, sdk.CourseVariantCreate>;
  readonly "courseVariants.get": OperationCall<sdk.CourseVariant, { readonly id: number }>;
  readonly "courseVariants.list": OperationCall<readonly sdk.CourseVariant[], None, PagedQuery>;
  readonly "courses.create": OperationCall<sdk.Course, None, None, sdk.CourseCreate>;
  readonly "courses.get": OperationCall<sdk.Course, { readonly id: string }>;
  readonly "courses.list": OperationCall<readonly sdk.Course[], None, sdk.CourseQuery & PagedQuery>;
  readonly "courses.update": OperationCall<sdk.Course, { readonly id: number }, None, sdk.CourseUpdate>;
  readonly "creditCategories.list": OperationCall<readonly sdk.CreditCategory[], None, PagedQuery>;
  readonly "credits.list": OperationCall<readonly sdk.Credit[], None, sdk.CreditQuery & PagedQuery>;
  readonly "customAssociations.list": OperationCall<readonly sdk.CustomAssociation[], { readonly object_type: string }>;
  readonly "customFieldOptions.create": OperationCall<
    sdk.CustomFieldOption,
    { readonly object_type: string; readonly field_slug: string },
    None,
    sdk.CustomFieldOptionCreate
  >;
  readonly "customFieldOptions.delete": OperationCall<
    null,
    { readonly object_type: string; readonly field_slug: string; readonly option_id: number }
  >;
  readonly "customFieldOptions.get": OperationCall<
    sdk.CustomFieldOption,
    { readonly object_type: string; readonly field_slug: string; readonly option_id: number }
  >;
  readonly "customFieldOptions.list": OperationCall<
    readonly sdk.CustomFieldOption[],
    { readonly object_type: string; readonly field_slug: string },
    PageQuery
  >;
  readonly "customFieldOptions.update": OperationCall<
    null,
    { readonly object_type: string; readonly field_slug: string; readonly option_id: number },
    None,
    sdk.CustomFieldOptionUpdate
  >;
  readonly "customObjects.get": OperationCall<sdk.CustomObjectWithFields, { readonly object_slug: string }>;
  readonly "customObjects.list": OperationCall<readonly sdk.CustomObject[], None, PagedQuery>;
  readonly "customRecords.create": OperationCall<
    sdk.CustomRecord,
    { readonly object_slug: string },
    None,
    sdk.CustomRecordCreate
  >;
  readonly "customRecords.delete": OperationCall<null, { readonly object_slug: string; readonly record_id: number }>;
  readonly "customRecords.get": OperationCall<
    sdk.CustomRecord,
    { readonly object_slug: string; readonly record_id: number }
  >;
  readonly "customRecords.list": OperationCall<
    readonly sdk.CustomRecord[],
    { readonly object_slug: string },
    PageQuery
  >;
  readonly "customRecords.update": OperationCall<
    null,
    { readonly object_slug: string; readonly record_id: number },
    None,
    sdk.CustomRecordUpdate
  >;
  readonly "departments.list": OperationCall<readonly sdk.Department[], None, PagedQuery>;
  readonly "discountCodes.list": OperationCall<readonly sdk.DiscountCode[], None, PagedQuery>;
  readonly "editionDescriptionSections.list": OperationCall<readonly sdk.EditionDescriptionSection[], None, PageQuery>;
  readonly "educators.get": OperationCall<sdk.Educator>;
  readonly "emails.send": OperationCall<null, { readonly user_id: number }, None, sdk.EmailSend>;
  readonly "enrollments.awardCertificate": OperationCall<
    null,
    { readonly id: number },
    None,
    sdk.EnrollmentAwardCertificate
  >;
  readonly "enrollments.cancel": OperationCall<sdk.Enrollment, { readonly id: number }>;
  readonly "enrollments.get": OperationCall<sdk.Enrollment, { readonly id: number }>;
  readonly "enrollments.list": OperationCall<readonly sdk.Enrollment[], None, sdk.EnrollmentQuery & PagedQuery>;
  readonly "enrollments.update": OperationCall<sdk.Enrollment, { readonly id: number }, None, sdk.EnrollmentUpdate>;
  readonly "grades.create": OperationCall<sdk.Grade, None, None, sdk.GradeCreate>;
  readonly "grades.delete": OperationCall<null, { readonly id: number }>;
  readonly "grades.get": OperationCall<sdk.Grade, { readonly id: number }>;
  readonly "grades.update": OperationCall<sdk.Grade, { readonly id: number }, None, sdk.GradeUpdate>;
  readonly "invoiceVats.create": OperationCall<sdk.InvoiceVat, None, None, sdk.InvoiceVatCreate>;
  readonly "invoiceVats.list": OperationCall<readonly sdk.InvoiceVat[], None, PagedQuery>;
  readonly "invoices.create": OperationCall<sdk.Invoice, None, None, sdk.InvoiceCreate>;
  readonly "invoices.get": OperationCall<sdk.Invoice, { readonly id: number }>;
  readonly "invoices.getPdf": OperationCall<sdk.InvoicePdf, { readonly id: number }>;
  readonly "invoices.list": OperationCall<readonly sdk.Invoice[], None, sdk.InvoiceQuery & PagedQuery>;
  readonly "invoices.open": OperationCall<sdk.Invoice, { readonly id: number }>;
  readonly "labels.addToOrder": OperationCall<null, { readonly id: number }, None, sdk.LabelAddToOrder>;
  readonly "labels.create": OperationCall<sdk.Label, None, None, sdk.LabelCreate>;
  readonly "labels.delete": OperationCall<null, { readonly id: number }>;
  readonly "labels.get": OperationCall<sdk.Label, { readonly id: number }>;
  readonly "labels.list": OperationCall<readonly sdk.Label[], None, sdk.LabelQuery & PagedQuery>;
  readonly "labels.update": OperationCall<sdk.Label, { readonly id: number }, None, sdk.LabelUpdate>;
  readonly "leads.create": OperationCall<sdk.Lead, None, None, sdk.LeadCreate>;
  readonly "leads.delete": OperationCall<null, { readonly id: number }>;
  readonly "leads.get": OperationCall<sdk.Lead, { readonly id: number }>;
  readonly "leads.list": OperationCall<readonly sdk.Lead[], None, sdk.LeadQuery & PagedQuery>;
  readonly "leads.update": OperationCall<sdk.Lead, { readonly id: number }, None, sdk.LeadUpdate>;
  readonly "materialGroups.create": OperationCall<sdk.MaterialGroup, None, None, sdk.MaterialGroupCreate>;
  readonly "materialGroups.delete": OperationCall<null, { readonly id: number }>;
  readonly "materialGroups.get": OperationCall<sdk.MaterialGroup, { readonly id: number }>;
  readonly "materialGroups.list": OperationCall<readonly sdk.MaterialGroup[], None, PagedQuery>;
  readonly "materialGroups.update": OperationCall<
    sdk.MaterialGroup,
    { readonly id: number },
    None,
    sdk.MaterialGroupUpdate
  >;
  readonly "materials.create": OperationCall<sdk.Material, None, None, sdk.MaterialCreate>;
  readonly "materials.delete": OperationCall<null, { readonly id: number }>;
  readonly "materials.list": OperationCall<readonly sdk.Material[], None, PagedQuery>;
  readonly "materials.update": OperationCall<sdk.Material, { readonly id: number }, None, sdk.MaterialUpdate>;
  readonly "meetingLocations.create": OperationCall<sdk.MeetingLocation, None, None, sdk.MeetingLocationCreate>;
  readonly "meetingLocations.delete": OperationCall<null, { readonly id: number }>;
  readonly "meetingLocations.get": OperationCall<sdk.MeetingLocation, { readonly id: number }>;
  readonly "meetingLocations.list": OperationCall<readonly sdk.MeetingLocation[], None, PagedQuery>;
  readonly "meetingLocations.update": OperationCall<
    sdk.MeetingLocation,
    { readonly id: number },
    None,
    sdk.MeetingLocationUpdate
  >;
  readonly "meetings.create": OperationCall<sdk.Meeting, None, None, sdk.MeetingCreate>;
  readonly "meetings.createForPlannedCourse": OperationCall<
    sdk.Meeting,
    { readonly planned_course_id: number },
    None,
    sdk.PlannedCourseMeetingCreate
  >;
  readonly "meetings.delete": OperationCall<null, { readonly id: number }>;
  readonly "meetings.get": OperationCall<sdk.Meeting, { readonly id: number }>;
  readonly "meetings.list": OperationCall<readonly sdk.Meeting[], None, sdk.MeetingQuery & PagedQuery>;
  readonly "meetings.listForPlannedCourse": OperationCall<
    readonly sdk.Meeting[],
    { readonly planned_course_id: number },
    sdk.PlannedCourseMeetingQuery
  >;
  readonly "meetings.listMaterials": OperationCall<
    readonly sdk.PlanningMaterial[],
    { readonly id: number },
    PagedQuery
  >;
  readonly "meetings.update": OperationCall<sdk.Meeting, { readonly id: number }, None, sdk.MeetingUpdate>;
  readonly "orders.approve": OperationCall<sdk.Order, { readonly id: number }>;
  readonly "orders.cancel": OperationCall<sdk.Order, { readonly id: number }>;
  readonly "orders.create": OperationCall<sdk.Order, None, None, sdk.OrderCreate>;
  readonly "orders.deny": OperationCall<null, { readonly id: number }>;
  readonly "orders.get": OperationCall<sdk.Order, { readonly id: number }>;
  readonly "orders.list": OperationCall<readonly sdk.Order[], None, sdk.OrderQuery & PagedQuery>;
  readonly "organization.attendanceRecords.list": OperationCall<
    readonly sdk.AttendanceRecord[],
    None,
    sdk.AttendanceRecordQuery & PageQuery
  >;
  readonly "organization.contacts.list": OperationCall<readonly sdk.Contact[], None, PageQuery>;
  readonly "organization.courseEditions.list": OperationCall<
    readonly sdk.CourseEdition[],
    None,
    sdk.CourseEditionQuery & PageQuery
  >;
  readonly "organization.courseEnrollments.list": OperationCall<
    readonly sdk.CourseEnrollment[],
    None,
    sdk.CourseEnrollmentQuery & PageQuery
  >;
  readonly "organization.meetings.list": OperationCall<
    readonly sdk.OrganizationMeeting[],
    None,
    sdk.OrganizationMeetingQuery & PageQuery
  >;
  readonly "organization.programEditions.list": OperationCall<
    readonly sdk.OrganizationProgramEdition[],
    None,
    PageQuery
  >;
  readonly "organization.programEnrollments.list": OperationCall<
    readonly sdk.OrganizationProgramEnrollment[],
    None,
    sdk.OrganizationProgramEnrollmentQuery & PageQuery
  >;
  readonly "organizationAccounts.list": OperationCall<readonly sdk.OrganizationAccount[], None, PagedQuery>;
  readonly "organizationAffiliations.create": OperationCall<
    sdk.OrganizationAffiliation,
    None,
    None,
    sdk.OrganizationAffiliationCreate
  >;
  readonly "organizationAffiliations.delete": OperationCall<null, { readonly id: number }>;
  readonly "organizationAffiliations.list": OperationCall<
    readonly sdk.OrganizationAffiliation[],
    None,
    sdk.OrganizationAffiliationQuery & PagedQuery
  >;
  readonly "organizationAffiliations.update": OperationCall<
    sdk.OrganizationAffiliation,
    { readonly id: number },
    None,
    sdk.OrganizationAffiliationUpdate
  >;
  readonly "organizationInvoices.list": OperationCall<readonly sdk.OrganizationInvoice[], None, PagedQuery>;
  readonly "organizationOrders.list": OperationCall<readonly sdk.OrganizationOrder[], None, PagedQuery>;
  readonly "organizations.get": OperationCall<sdk.Organization, { readonly id: number }>;
  readonly "organizations.list": OperationCall<readonly sdk.Organization[], None, PagedQuery>;
  readonly "paymentMethods.list": OperationCall<readonly sdk.PaymentMethod[], None, PagedQuery>;
  readonly "paymentOptions.list": OperationCall<readonly sdk.PaymentOption[], None, PagedQuery>;
  readonly "payments.createForInvoice": OperationCall<
    sdk.CreatedPayment,
    { readonly invoice_id: number },
    None,
    sdk.PaymentCreate
  >;
  readonly "payments.deleteForInvoice": OperationCall<null, { readonly invoice_id: number; readonly id: number }>;
  readonly "payments.get": OperationCall<sdk.Payment, { readonly id: number }>;
  readonly "payments.listForInvoice": OperationCall<readonly sdk.Payment[], { readonly invoice_id: number }>;
  readonly "personalProgramElements.list": OperationCall<readonly sdk.PersonalProgramElement[], None, PagedQuery>;
  readonly "plannedCourses.cancel": OperationCall<sdk.PlannedCourse, { readonly id: number }>;
  readonly "plannedCourses.create": OperationCall<sdk.PlannedCourse, None, None, sdk.PlannedCourseCreate>;
  readonly "plannedCourses.get": OperationCall<sdk.PlannedCourse, { readonly id: number }>;
  readonly "plannedCourses.getForCourse": OperationCall<
    sdk.PlannedCourse,
    { readonly course_id: number; readonly id: number }
  >;
  readonly "plannedCourses.list": OperationCall<
    readonly sdk.PlannedCourse[],
    None,
    sdk.PlannedCourseQuery & PagedQuery
  >;
  readonly "plannedCourses.listForCourse": OperationCall<
    readonly sdk.PlannedCourse[],
    { readonly course_id: number },
    sdk.CoursePlannedCourseQuery & PagedQuery
  >;
  readonly "plannedCourses.update": OperationCall<
    sdk.PlannedCourse,
    { readonly id: number },
    None,
    sdk.PlannedCourseUpdate
  >;
  readonly "planningAttendees.create": OperationCall<sdk.PlanningAttendee, None, None, sdk.PlanningAttendeeCreate>;
  readonly "planningAttendees.delete": OperationCall<null, { readonly id: number }>;
  readonly "planningConflicts.list": OperationCall<readonly sdk.PlanningConflict[], None, PagedQuery>;
  readonly "planningEvents.delete": OperationCall<null, { readonly id: number }>;
  readonly "planningEvents.get": OperationCall<sdk.PlanningEvent | sdk.AdminPlanningEvent, { readonly id: number }>;
  readonly "planningEvents.list": OperationCall<
    readonly sdk.PlanningEvent[] | readonly sdk.AdminPlanningEvent[],
    None,
    PagedQuery
  >;
  readonly "planningEvents.listMaterials": OperationCall<
    readonly sdk.PlanningMaterial[],
    { readonly id: number },
    PagedQuery
  >;
  readonly "planningLocations.list": OperationCall<readonly sdk.PlanningLocation[], None, PagedQuery>;
  readonly "planningMaterials.list": OperationCall<readonly sdk.Material[], None, PagedQuery>;
  readonly "planningTeachers.list": OperationCall<readonly sdk.User[], None, PagedQuery>;
  readonly "programEditions.create": OperationCall<
    sdk.ProgramEdition,
    None,
    None,
    sdk.ProgramEditionCreate | sdk.AdminProgramEditionCreate
  >;
  readonly "programEditions.createElements": OperationCall<
    readonly sdk.ProgramEditionElement[],
    { readonly id: number },
    None,
    sdk.ProgramEditionCreateElements
  >;
  readonly "programEditions.delete": OperationCall<null, { readonly id: number }>;
  readonly "programEditions.get": OperationCall<sdk.ProgramEdition, { readonly id: number }>;
  readonly "programEditions.list": OperationCall<
    readonly sdk.ProgramEdition[],
    None,
    sdk.ProgramEditionQuery & PagedQuery
  >;
  readonly "programEditions.listElements": OperationCall<readonly sdk.ProgramEditionElement[], { readonly id: number }>;
  readonly "programEditions.update": OperationCall<
    sdk.ProgramEdition,
    { readonly id: number },
    None,
    sdk.ProgramEditionUpdate | sdk.AdminProgramEditionUpdate
  >;
  readonly "programElements.create": OperationCall<sdk.ProgramElement, None, None, sdk.ProgramElementCreate>;
  readonly "programElements.delete": OperationCall<null, { readonly id: number }>;
  readonly "programElements.get": OperationCall<sdk.ProgramElement, { readonly id: number }>;
  readonly "programElements.list": OperationCall<
    readonly sdk.ProgramElement[],
    None,
    sdk.ProgramElementQuery & PagedQuery
  >;
  readonly "programElements.update": OperationCall<
    sdk.ProgramElement,
    { readonly id: number },
    None,
    sdk.ProgramElementUpdate
  >;
  readonly "programEnrollments.awardCertificate": OperationCall<
    sdk.ProgramEnrollment,
    { readonly id: number },
    None,
    sdk.ProgramEnrollmentAwardCertificate
  >;
  readonly "programEnrollments.cancel": OperationCall<sdk.ProgramEnrollment, { readonly id: number }>;
  readonly "programEnrollments.deleteCertificate": OperationCall<sdk.ProgramEnrollment, { readonly id: number }>;
  readonly "programEnrollments.get": OperationCall<sdk.ProgramEnrollment, { readonly id: number }>;
  readonly "programEnrollments.list": OperationCall<
    readonly sdk.ProgramEnrollment[],
    None,
    sdk.ProgramEnrollmentQuery & PagedQuery
  >;
  readonly "programs.create": OperationCall<sdk.Program, None, None, sdk.ProgramCreate>;
  readonly "programs.delete": OperationCall<null, { readonly id: number }>;
  readonly "programs.get": OperationCall<sdk.Program, { readonly id: number }>;
  readonly "programs.list": OperationCall<readonly sdk.Program[], None, PagedQuery>;
  readonly "programs.update": OperationCall<
    sdk.Program,
    { readonly id: number },
    None,
    sdk.ProgramUpdate | sdk.AdminProgramUpdate
  >;
  readonly "referrals.list": OperationCall<readonly sdk.Referral[], None, PagedQuery>;
  readonly "requiredTeacherGroupAttendees.create": OperationCall<
    null,
    None,
    None,
    sdk.RequiredTeacherGroupAttendeeCreate
  >;
  readonly "signupQuestions.list": OperationCall<
    readonly sdk.SignupQuestion[],
    None,
    sdk.SignupQuestionQuery & PagedQuery
  >;
  readonly "tasks.create": OperationCall<sdk.Task | sdk.AdminTask, None, None, sdk.TaskCreate>;
  readonly "tasks.delete": OperationCall<null, { readonly id: number }>;
  readonly "tasks.get": OperationCall<sdk.Task | sdk.AdminTask, { readonly id: number }>;
  readonly "tasks.list": OperationCall<readonly sdk.Task[] | readonly sdk.AdminTask[], None, PagedQuery>;
  readonly "tasks.update": OperationCall<sdk.Task | sdk.AdminTask, { readonly id: number }, None, sdk.TaskUpdate>;
  readonly "teacherEnrollments.create": OperationCall<sdk.TeacherEnrollment, None, None, sdk.TeacherEnrollmentCreate>;
  readonly "teacherEnrollments.createForPlannedCourse": OperationCall<
    sdk.TeacherEnrollment,
    { readonly planned_course_id: number },
    None,
    sdk.PlannedCourseTeacherEnrollmentCreate
  >;
  readonly "teacherEnrollments.delete": OperationCall<null, { readonly id: number }>;
  readonly "teacherEnrollments.list": OperationCall<
    readonly sdk.TeacherEnrollment[],
    None,
    sdk.TeacherEnrollmentQuery & PagedQuery
  >;
  readonly "teacherEnrollments.listForPlannedCourse": OperationCall<
    readonly sdk.TeacherEnrollment[],
    { readonly planned_course_id: number }
  >;
  readonly "teacherEnrollments.update": OperationCall<
    sdk.TeacherEnrollment,
    { readonly id: number },
    None,
    sdk.TeacherEnrollmentUpdate
  >;
  readonly "teacherRoles.create": OperationCall<sdk.TeacherRole, None, None, sdk.TeacherRoleCreate>;
  readonly "teacherRoles.delete": OperationCall<null, { readonly id: number }>;
  readonly "teacherRoles.get": OperationCall<sdk.TeacherRole, { readonly id: number }>;
  readonly "teacherRoles.list": OperationCall<readonly sdk.TeacherRole[], None, PagedQuery>;
  readonly "teacherRoles.update": OperationCall<sdk.TeacherRole, { readonly id: number }, None, sdk.TeacherRoleUpdate>;
  readonly "teachers.activate": OperationCall<null, { readonly id: number }>;
  readonly "teachers.create": OperationCall<sdk.CreatedResponse, None, None, sdk.TeacherCreate>;
  readonly "teachers.deactivate": OperationCall<null, { readonly id: number }>;
  readonly "teachers.get": OperationCall<sdk.Teacher, { readonly id: number }>;
  readonly "teachers.list": OperationCall<readonly sdk.Teacher[], None, sdk.TeacherQuery & PagedQuery>;
  readonly "theses.list": OperationCall<readonly sdk.Thesis[], None, PagedQuery>;
  readonly "users.create": OperationCall<sdk.User, None, None, sdk.UserCreate>;
  readonly "users.get": OperationCall<sdk.User, { readonly id: string }>;
  readonly "users.list": OperationCall<readonly sdk.User[], None, sdk.UserQuery & PagedQuery>;
  readonly "users.update": OperationCall<sdk.User, { readonly id: number }, None, sdk.UserUpdate>;
  readonly "webhooks.create": OperationCall<sdk.Webhook, None, None, sdk.WebhookCreate>;
  readonly "webhooks.delete": OperationCall<sdk.Webhook, { readonly id: string }>;
  readonly "webhooks.get": OperationCall<sdk.Webhook, { readonly id: string }>;
  readonly "webhooks.list": OperationCall<readonly sdk.Webhook[], None, PagedQuery>;
  readonly "webhooks.listFailedNotifications": OperationCall<
    readonly sdk.WebhookNotificationFailed[],
    { readonly webhook_id: string },
    sdk.WebhookNotificationFailedQuery & PageQuery
  >;
  readonly "webhooks.listNotifications": OperationCall<
    readonly sdk.WebhookNotification[],
    { readonly webhook_id: string }
  >;
  readonly "webhooks.update": OperationCall<sdk.Webhook, { readonly id: string }, None, sdk.WebhookUpdate>;
}
