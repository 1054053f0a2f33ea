// Written by npm run generate from src/models and src/resources; do not edit.
import type { PagedQuery, PageQuery } from "../core/operation.js";
import type * as sdk from "./resources.js";

/** The input and the response of one operation. A part that the operation lacks is empty; a missing body is null. */
export interface OperationCall<Data = null, Params = object, Query = object, Body = null> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly data: Data;
}

/** The input and the response of each operation, by its identifier. */
export interface OperationCalls {
  readonly "accounts.create": OperationCall<sdk.Account, object, object, sdk.AccountCreate>;
  readonly "accounts.get": OperationCall<sdk.Account, { readonly id: number }>;
  readonly "accounts.list": OperationCall<readonly sdk.Account[], object, sdk.AccountQuery & PagedQuery>;
  readonly "accounts.update": OperationCall<sdk.Account, { readonly id: number }, object, sdk.AccountUpdate>;
  readonly "affiliations.create": OperationCall<sdk.Affiliation, object, object, sdk.AffiliationCreate>;
  readonly "affiliations.delete": OperationCall<null, { readonly id: number }>;
  readonly "affiliations.list": OperationCall<readonly sdk.Affiliation[], object, sdk.AffiliationQuery & PagedQuery>;
  readonly "affiliations.update": OperationCall<
    sdk.Affiliation,
    { readonly id: number },
    object,
    sdk.AffiliationUpdate
  >;
  readonly "attendances.get": OperationCall<
    sdk.AttendanceSummary,
    { readonly meeting_id: number; readonly enrollment_id: number }
  >;
  readonly "attendances.list": OperationCall<readonly sdk.Attendance[], object, sdk.AttendanceQuery & PagedQuery>;
  readonly "attendances.set": OperationCall<sdk.Attendance, object, object, sdk.AttendanceSet>;
  readonly "authentications.create": OperationCall<sdk.Authentication, object, object, sdk.AuthenticationCreate>;
  readonly "authentications.delete": OperationCall<null, { readonly user_id: number; readonly id: number }>;
  readonly "authentications.listForUser": OperationCall<
    readonly sdk.Authentication[],
    { readonly user_id: number },
    sdk.AuthenticationQuery
  >;
  readonly "catalogProducts.get": OperationCall<sdk.CatalogProduct, { readonly id: number }>;
  readonly "catalogProducts.list": OperationCall<
    readonly sdk.CatalogProduct[],
    object,
    sdk.CatalogProductQuery & PagedQuery
  >;
  readonly "catalogProducts.update": OperationCall<
    sdk.CatalogProduct,
    { readonly id: number },
    object,
    sdk.CatalogProductUpdate
  >;
  readonly "catalogVariants.get": OperationCall<sdk.CatalogVariant | sdk.AdminCatalogVariant, { readonly id: number }>;
  readonly "catalogVariants.list": OperationCall<
    readonly sdk.CatalogVariant[] | readonly sdk.AdminCatalogVariant[],
    object,
    sdk.CatalogVariantQuery & PagedQuery
  >;
  readonly "catalogVariants.update": OperationCall<
    sdk.CatalogVariant | sdk.AdminCatalogVariant,
    { readonly id: number },
    object,
    sdk.CatalogVariantUpdate | sdk.AdminCatalogVariantUpdate
  >;
  readonly "categories.create": OperationCall<sdk.Category, object, object, sdk.CategoryCreate>;
  readonly "categories.get": OperationCall<sdk.Category, { readonly id: number }>;
  readonly "categories.list": OperationCall<readonly sdk.Category[], object, sdk.CategoryQuery & PagedQuery>;
  readonly "categories.update": OperationCall<sdk.Category, { readonly id: number }, object, sdk.CategoryUpdate>;
  readonly "certificates.get": OperationCall<sdk.Certificate, { readonly id: number }>;
  readonly "certificates.list": OperationCall<readonly sdk.Certificate[], object, PageQuery>;
  readonly "comments.create": OperationCall<sdk.Comment | sdk.AdminComment, object, object, sdk.CommentCreate>;
  readonly "comments.delete": OperationCall<null, { readonly id: number }>;
  readonly "comments.listForOrders": OperationCall<readonly sdk.OrderComment[], object, PagedQuery>;
  readonly "comments.update": OperationCall<
    sdk.Comment | sdk.AdminComment,
    { readonly id: number },
    object,
    sdk.CommentUpdate
  >;
  readonly "courseLocations.create": OperationCall<sdk.CourseLocation, object, object, sdk.CourseLocationCreate>;
  readonly "courseLocations.delete": OperationCall<null, { readonly id: number }>;
  readonly "courseLocations.get": OperationCall<sdk.CourseLocation, { readonly id: number }>;
  readonly "courseLocations.list": OperationCall<readonly sdk.CourseLocation[], object, PagedQuery>;
  readonly "courseLocations.update": OperationCall<
    sdk.CourseLocation,
    { readonly id: number },
    object,
    sdk.CourseLocationUpdate
  >;
  readonly "courseTabs.list": OperationCall<readonly sdk.CourseTab[], object, PageQuery>;
  readonly "courseVariants.create": OperationCall<sdk.CourseVariant, object, object, sdk.CourseVariantCreate>;
  readonly "courseVariants.get": OperationCall<sdk.CourseVariant, { readonly id: number }>;
  readonly "courseVariants.list": OperationCall<readonly sdk.CourseVariant[], object, PagedQuery>;
  readonly "courses.create": OperationCall<sdk.Course, object, object, sdk.CourseCreate>;
  readonly "courses.get": OperationCall<sdk.Course, { readonly id: string }>;
  readonly "courses.list": OperationCall<readonly sdk.Course[], object, sdk.CourseQuery & PagedQuery>;
  readonly "courses.update": OperationCall<sdk.Course, { readonly id: number }, object, sdk.CourseUpdate>;
  readonly "creditCategories.list": OperationCall<readonly sdk.CreditCategory[], object, PagedQuery>;
  readonly "credits.list": OperationCall<readonly sdk.Credit[], object, sdk.CreditQuery & PagedQuery>;
  readonly "customAssociations.list": OperationCall<readonly sdk.CustomAssociation[], { readonly object_type: string }>;
  readonly "customFieldOptions.create": OperationCall<
    sdk.CustomFieldOption,
    { readonly object_type: string; readonly field_slug: string },
    object,
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
    object,
    sdk.CustomFieldOptionUpdate
  >;
  readonly "customObjects.get": OperationCall<sdk.CustomObjectWithFields, { readonly object_slug: string }>;
  readonly "customObjects.list": OperationCall<readonly sdk.CustomObject[], object, PagedQuery>;
  readonly "customRecords.create": OperationCall<
    sdk.CustomRecord,
    { readonly object_slug: string },
    object,
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
    object,
    sdk.CustomRecordUpdate
  >;
  readonly "departments.list": OperationCall<readonly sdk.Department[], object, PagedQuery>;
  readonly "discountCodes.list": OperationCall<readonly sdk.DiscountCode[], object, PagedQuery>;
  readonly "editionDescriptionSections.list": OperationCall<
    readonly sdk.EditionDescriptionSection[],
    object,
    PageQuery
  >;
  readonly "educators.get": OperationCall<sdk.Educator>;
  readonly "emails.send": OperationCall<null, { readonly user_id: number }, object, sdk.EmailSend>;
  readonly "enrollments.awardCertificate": OperationCall<
    null,
    { readonly id: number },
    object,
    sdk.EnrollmentAwardCertificate
  >;
  readonly "enrollments.cancel": OperationCall<sdk.Enrollment, { readonly id: number }>;
  readonly "enrollments.get": OperationCall<sdk.Enrollment, { readonly id: number }>;
  readonly "enrollments.list": OperationCall<readonly sdk.Enrollment[], object, sdk.EnrollmentQuery & PagedQuery>;
  readonly "enrollments.update": OperationCall<sdk.Enrollment, { readonly id: number }, object, sdk.EnrollmentUpdate>;
  readonly "grades.create": OperationCall<sdk.Grade, object, object, sdk.GradeCreate>;
  readonly "grades.delete": OperationCall<null, { readonly id: number }>;
  readonly "grades.get": OperationCall<sdk.Grade, { readonly id: number }>;
  readonly "grades.update": OperationCall<sdk.Grade, { readonly id: number }, object, sdk.GradeUpdate>;
  readonly "invoiceVats.create": OperationCall<sdk.InvoiceVat, object, object, sdk.InvoiceVatCreate>;
  readonly "invoiceVats.list": OperationCall<readonly sdk.InvoiceVat[], object, PagedQuery>;
  readonly "invoices.create": OperationCall<sdk.Invoice, object, object, sdk.InvoiceCreate>;
  readonly "invoices.get": OperationCall<sdk.Invoice, { readonly id: number }>;
  readonly "invoices.getPdf": OperationCall<sdk.InvoicePdf, { readonly id: number }>;
  readonly "invoices.list": OperationCall<readonly sdk.Invoice[], object, sdk.InvoiceQuery & PagedQuery>;
  readonly "invoices.open": OperationCall<sdk.Invoice, { readonly id: number }>;
  readonly "labels.addToOrder": OperationCall<null, { readonly id: number }, object, sdk.LabelAddToOrder>;
  readonly "labels.create": OperationCall<sdk.Label, object, object, sdk.LabelCreate>;
  readonly "labels.delete": OperationCall<null, { readonly id: number }>;
  readonly "labels.get": OperationCall<sdk.Label, { readonly id: number }>;
  readonly "labels.list": OperationCall<readonly sdk.Label[], object, sdk.LabelQuery & PagedQuery>;
  readonly "labels.update": OperationCall<sdk.Label, { readonly id: number }, object, sdk.LabelUpdate>;
  readonly "leads.create": OperationCall<sdk.Lead, object, object, sdk.LeadCreate>;
  readonly "leads.delete": OperationCall<null, { readonly id: number }>;
  readonly "leads.get": OperationCall<sdk.Lead, { readonly id: number }>;
  readonly "leads.list": OperationCall<readonly sdk.Lead[], object, sdk.LeadQuery & PagedQuery>;
  readonly "leads.update": OperationCall<sdk.Lead, { readonly id: number }, object, sdk.LeadUpdate>;
  readonly "materialGroups.create": OperationCall<sdk.MaterialGroup, object, object, sdk.MaterialGroupCreate>;
  readonly "materialGroups.delete": OperationCall<null, { readonly id: number }>;
  readonly "materialGroups.get": OperationCall<sdk.MaterialGroup, { readonly id: number }>;
  readonly "materialGroups.list": OperationCall<readonly sdk.MaterialGroup[], object, PagedQuery>;
  readonly "materialGroups.update": OperationCall<
    sdk.MaterialGroup,
    { readonly id: number },
    object,
    sdk.MaterialGroupUpdate
  >;
  readonly "materials.create": OperationCall<sdk.Material, object, object, sdk.MaterialCreate>;
  readonly "materials.delete": OperationCall<null, { readonly id: number }>;
  readonly "materials.list": OperationCall<readonly sdk.Material[], object, PagedQuery>;
  readonly "materials.update": OperationCall<sdk.Material, { readonly id: number }, object, sdk.MaterialUpdate>;
  readonly "meetingLocations.create": OperationCall<sdk.MeetingLocation, object, object, sdk.MeetingLocationCreate>;
  readonly "meetingLocations.delete": OperationCall<null, { readonly id: number }>;
  readonly "meetingLocations.get": OperationCall<sdk.MeetingLocation, { readonly id: number }>;
  readonly "meetingLocations.list": OperationCall<readonly sdk.MeetingLocation[], object, PagedQuery>;
  readonly "meetingLocations.update": OperationCall<
    sdk.MeetingLocation,
    { readonly id: number },
    object,
    sdk.MeetingLocationUpdate
  >;
  readonly "meetings.create": OperationCall<sdk.Meeting, object, object, sdk.MeetingCreate>;
  readonly "meetings.createForPlannedCourse": OperationCall<
    sdk.Meeting,
    { readonly planned_course_id: number },
    object,
    sdk.PlannedCourseMeetingCreate
  >;
  readonly "meetings.delete": OperationCall<null, { readonly id: number }>;
  readonly "meetings.get": OperationCall<sdk.Meeting, { readonly id: number }>;
  readonly "meetings.list": OperationCall<readonly sdk.Meeting[], object, sdk.MeetingQuery & PagedQuery>;
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
  readonly "meetings.update": OperationCall<sdk.Meeting, { readonly id: number }, object, sdk.MeetingUpdate>;
  readonly "orders.approve": OperationCall<sdk.Order, { readonly id: number }>;
  readonly "orders.cancel": OperationCall<sdk.Order, { readonly id: number }>;
  readonly "orders.create": OperationCall<sdk.Order, object, object, sdk.OrderCreate>;
  readonly "orders.deny": OperationCall<null, { readonly id: number }>;
  readonly "orders.get": OperationCall<sdk.Order, { readonly id: number }>;
  readonly "orders.list": OperationCall<readonly sdk.Order[], object, sdk.OrderQuery & PagedQuery>;
  readonly "organization.attendanceRecords.list": OperationCall<
    readonly sdk.AttendanceRecord[],
    object,
    sdk.AttendanceRecordQuery & PageQuery
  >;
  readonly "organization.contacts.list": OperationCall<readonly sdk.Contact[], object, PageQuery>;
  readonly "organization.courseEditions.list": OperationCall<
    readonly sdk.CourseEdition[],
    object,
    sdk.CourseEditionQuery & PageQuery
  >;
  readonly "organization.courseEnrollments.list": OperationCall<
    readonly sdk.CourseEnrollment[],
    object,
    sdk.CourseEnrollmentQuery & PageQuery
  >;
  readonly "organization.meetings.list": OperationCall<
    readonly sdk.OrganizationMeeting[],
    object,
    sdk.OrganizationMeetingQuery & PageQuery
  >;
  readonly "organization.programEditions.list": OperationCall<
    readonly sdk.OrganizationProgramEdition[],
    object,
    PageQuery
  >;
  readonly "organization.programEnrollments.list": OperationCall<
    readonly sdk.OrganizationProgramEnrollment[],
    object,
    sdk.OrganizationProgramEnrollmentQuery & PageQuery
  >;
  readonly "organizationAccounts.list": OperationCall<readonly sdk.OrganizationAccount[], object, PagedQuery>;
  readonly "organizationAffiliations.create": OperationCall<
    sdk.OrganizationAffiliation,
    object,
    object,
    sdk.OrganizationAffiliationCreate
  >;
  readonly "organizationAffiliations.delete": OperationCall<null, { readonly id: number }>;
  readonly "organizationAffiliations.list": OperationCall<
    readonly sdk.OrganizationAffiliation[],
    object,
    sdk.OrganizationAffiliationQuery & PagedQuery
  >;
  readonly "organizationAffiliations.update": OperationCall<
    sdk.OrganizationAffiliation,
    { readonly id: number },
    object,
    sdk.OrganizationAffiliationUpdate
  >;
  readonly "organizationInvoices.list": OperationCall<readonly sdk.OrganizationInvoice[], object, PagedQuery>;
  readonly "organizationOrders.list": OperationCall<readonly sdk.OrganizationOrder[], object, PagedQuery>;
  readonly "organizations.get": OperationCall<sdk.Organization, { readonly id: number }>;
  readonly "organizations.list": OperationCall<readonly sdk.Organization[], object, PagedQuery>;
  readonly "paymentMethods.list": OperationCall<readonly sdk.PaymentMethod[], object, PagedQuery>;
  readonly "paymentOptions.list": OperationCall<readonly sdk.PaymentOption[], object, PagedQuery>;
  readonly "payments.createForInvoice": OperationCall<
    sdk.CreatedPayment,
    { readonly invoice_id: number },
    object,
    sdk.PaymentCreate
  >;
  readonly "payments.deleteForInvoice": OperationCall<null, { readonly invoice_id: number; readonly id: number }>;
  readonly "payments.get": OperationCall<sdk.Payment, { readonly id: number }>;
  readonly "payments.listForInvoice": OperationCall<readonly sdk.Payment[], { readonly invoice_id: number }>;
  readonly "personalProgramElements.list": OperationCall<readonly sdk.PersonalProgramElement[], object, PagedQuery>;
  readonly "plannedCourses.cancel": OperationCall<sdk.PlannedCourse, { readonly id: number }>;
  readonly "plannedCourses.create": OperationCall<sdk.PlannedCourse, object, object, sdk.PlannedCourseCreate>;
  readonly "plannedCourses.get": OperationCall<sdk.PlannedCourse, { readonly id: number }>;
  readonly "plannedCourses.getForCourse": OperationCall<
    sdk.PlannedCourse,
    { readonly course_id: number; readonly id: number }
  >;
  readonly "plannedCourses.list": OperationCall<
    readonly sdk.PlannedCourse[],
    object,
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
    object,
    sdk.PlannedCourseUpdate
  >;
  readonly "planningAttendees.create": OperationCall<sdk.PlanningAttendee, object, object, sdk.PlanningAttendeeCreate>;
  readonly "planningAttendees.delete": OperationCall<null, { readonly id: number }>;
  readonly "planningConflicts.list": OperationCall<readonly sdk.PlanningConflict[], object, PagedQuery>;
  readonly "planningEvents.delete": OperationCall<null, { readonly id: number }>;
  readonly "planningEvents.get": OperationCall<sdk.PlanningEvent | sdk.AdminPlanningEvent, { readonly id: number }>;
  readonly "planningEvents.list": OperationCall<
    readonly sdk.PlanningEvent[] | readonly sdk.AdminPlanningEvent[],
    object,
    PagedQuery
  >;
  readonly "planningEvents.listMaterials": OperationCall<
    readonly sdk.PlanningMaterial[],
    { readonly id: number },
    PagedQuery
  >;
  readonly "planningLocations.list": OperationCall<readonly sdk.PlanningLocation[], object, PagedQuery>;
  readonly "planningMaterials.list": OperationCall<readonly sdk.Material[], object, PagedQuery>;
  readonly "planningTeachers.list": OperationCall<readonly sdk.User[], object, PagedQuery>;
  readonly "programEditions.create": OperationCall<
    sdk.ProgramEdition,
    object,
    object,
    sdk.ProgramEditionCreate | sdk.AdminProgramEditionCreate
  >;
  readonly "programEditions.createElements": OperationCall<
    readonly sdk.ProgramEditionElement[],
    { readonly id: number },
    object,
    sdk.ProgramEditionCreateElements
  >;
  readonly "programEditions.delete": OperationCall<null, { readonly id: number }>;
  readonly "programEditions.get": OperationCall<sdk.ProgramEdition, { readonly id: number }>;
  readonly "programEditions.list": OperationCall<
    readonly sdk.ProgramEdition[],
    object,
    sdk.ProgramEditionQuery & PagedQuery
  >;
  readonly "programEditions.listElements": OperationCall<readonly sdk.ProgramEditionElement[], { readonly id: number }>;
  readonly "programEditions.update": OperationCall<
    sdk.ProgramEdition,
    { readonly id: number },
    object,
    sdk.ProgramEditionUpdate | sdk.AdminProgramEditionUpdate
  >;
  readonly "programElements.create": OperationCall<sdk.ProgramElement, object, object, sdk.ProgramElementCreate>;
  readonly "programElements.delete": OperationCall<null, { readonly id: number }>;
  readonly "programElements.get": OperationCall<sdk.ProgramElement, { readonly id: number }>;
  readonly "programElements.list": OperationCall<
    readonly sdk.ProgramElement[],
    object,
    sdk.ProgramElementQuery & PagedQuery
  >;
  readonly "programElements.update": OperationCall<
    sdk.ProgramElement,
    { readonly id: number },
    object,
    sdk.ProgramElementUpdate
  >;
  readonly "programEnrollments.awardCertificate": OperationCall<
    sdk.ProgramEnrollment,
    { readonly id: number },
    object,
    sdk.ProgramEnrollmentAwardCertificate
  >;
  readonly "programEnrollments.cancel": OperationCall<sdk.ProgramEnrollment, { readonly id: number }>;
  readonly "programEnrollments.deleteCertificate": OperationCall<sdk.ProgramEnrollment, { readonly id: number }>;
  readonly "programEnrollments.get": OperationCall<sdk.ProgramEnrollment, { readonly id: number }>;
  readonly "programEnrollments.list": OperationCall<
    readonly sdk.ProgramEnrollment[],
    object,
    sdk.ProgramEnrollmentQuery & PagedQuery
  >;
  readonly "programs.create": OperationCall<sdk.Program, object, object, sdk.ProgramCreate>;
  readonly "programs.delete": OperationCall<null, { readonly id: number }>;
  readonly "programs.get": OperationCall<sdk.Program, { readonly id: number }>;
  readonly "programs.list": OperationCall<readonly sdk.Program[], object, PagedQuery>;
  readonly "programs.update": OperationCall<
    sdk.Program,
    { readonly id: number },
    object,
    sdk.ProgramUpdate | sdk.AdminProgramUpdate
  >;
  readonly "referrals.list": OperationCall<readonly sdk.Referral[], object, PagedQuery>;
  readonly "requiredTeacherGroupAttendees.create": OperationCall<
    null,
    object,
    object,
    sdk.RequiredTeacherGroupAttendeeCreate
  >;
  readonly "signupQuestions.list": OperationCall<
    readonly sdk.SignupQuestion[],
    object,
    sdk.SignupQuestionQuery & PagedQuery
  >;
  readonly "tasks.create": OperationCall<sdk.Task | sdk.AdminTask, object, object, sdk.TaskCreate>;
  readonly "tasks.delete": OperationCall<null, { readonly id: number }>;
  readonly "tasks.get": OperationCall<sdk.Task | sdk.AdminTask, { readonly id: number }>;
  readonly "tasks.list": OperationCall<readonly sdk.Task[] | readonly sdk.AdminTask[], object, PagedQuery>;
  readonly "tasks.update": OperationCall<sdk.Task | sdk.AdminTask, { readonly id: number }, object, sdk.TaskUpdate>;
  readonly "teacherEnrollments.create": OperationCall<
    sdk.TeacherEnrollment,
    object,
    object,
    sdk.TeacherEnrollmentCreate
  >;
  readonly "teacherEnrollments.createForPlannedCourse": OperationCall<
    sdk.TeacherEnrollment,
    { readonly planned_course_id: number },
    object,
    sdk.PlannedCourseTeacherEnrollmentCreate
  >;
  readonly "teacherEnrollments.delete": OperationCall<null, { readonly id: number }>;
  readonly "teacherEnrollments.list": OperationCall<
    readonly sdk.TeacherEnrollment[],
    object,
    sdk.TeacherEnrollmentQuery & PagedQuery
  >;
  readonly "teacherEnrollments.listForPlannedCourse": OperationCall<
    readonly sdk.TeacherEnrollment[],
    { readonly planned_course_id: number }
  >;
  readonly "teacherEnrollments.update": OperationCall<
    sdk.TeacherEnrollment,
    { readonly id: number },
    object,
    sdk.TeacherEnrollmentUpdate
  >;
  readonly "teacherRoles.create": OperationCall<sdk.TeacherRole, object, object, sdk.TeacherRoleCreate>;
  readonly "teacherRoles.delete": OperationCall<null, { readonly id: number }>;
  readonly "teacherRoles.get": OperationCall<sdk.TeacherRole, { readonly id: number }>;
  readonly "teacherRoles.list": OperationCall<readonly sdk.TeacherRole[], object, PagedQuery>;
  readonly "teacherRoles.update": OperationCall<
    sdk.TeacherRole,
    { readonly id: number },
    object,
    sdk.TeacherRoleUpdate
  >;
  readonly "teachers.activate": OperationCall<null, { readonly id: number }>;
  readonly "teachers.create": OperationCall<sdk.CreatedResponse, object, object, sdk.TeacherCreate>;
  readonly "teachers.deactivate": OperationCall<null, { readonly id: number }>;
  readonly "teachers.get": OperationCall<sdk.Teacher, { readonly id: number }>;
  readonly "teachers.list": OperationCall<readonly sdk.Teacher[], object, sdk.TeacherQuery & PagedQuery>;
  readonly "theses.list": OperationCall<readonly sdk.Thesis[], object, PagedQuery>;
  readonly "users.create": OperationCall<sdk.User, object, object, sdk.UserCreate>;
  readonly "users.get": OperationCall<sdk.User, { readonly id: string }>;
  readonly "users.list": OperationCall<readonly sdk.User[], object, sdk.UserQuery & PagedQuery>;
  readonly "users.update": OperationCall<sdk.User, { readonly id: number }, object, sdk.UserUpdate>;
  readonly "webhooks.create": OperationCall<sdk.Webhook, object, object, sdk.WebhookCreate>;
  readonly "webhooks.delete": OperationCall<sdk.Webhook, { readonly id: string }>;
  readonly "webhooks.get": OperationCall<sdk.Webhook, { readonly id: string }>;
  readonly "webhooks.list": OperationCall<readonly sdk.Webhook[], object, PagedQuery>;
  readonly "webhooks.listFailedNotifications": OperationCall<
    readonly sdk.WebhookNotificationFailed[],
    { readonly webhook_id: string },
    sdk.WebhookNotificationFailedQuery & PageQuery
  >;
  readonly "webhooks.listNotifications": OperationCall<
    readonly sdk.WebhookNotification[],
    { readonly webhook_id: string }
  >;
  readonly "webhooks.update": OperationCall<sdk.Webhook, { readonly id: string }, object, sdk.WebhookUpdate>;
}
