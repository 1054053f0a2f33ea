// Written by npm run generate from src/models and src/resources; do not edit.
import type { Operation } from "../core/operation.js";
import { CatalogProducts, catalogProductOperations } from "../resources/catalog/catalog-products.js";
import { AdminCatalogVariants, adminCatalogVariantOperations, CatalogVariants, catalogVariantOperations } from "../resources/catalog/catalog-variants.js";
import { Categories, categoryOperations } from "../resources/catalog/categories.js";
import { CourseLocations, courseLocationOperations } from "../resources/catalog/course-locations.js";
import { CourseTabs, courseTabOperations } from "../resources/catalog/course-tabs.js";
import { CourseVariants, courseVariantOperations } from "../resources/catalog/course-variants.js";
import { Courses, courseOperations } from "../resources/catalog/courses.js";
import { EditionDescriptionSections, editionDescriptionSectionOperations } from "../resources/catalog/edition-description-sections.js";
import { CustomAssociations, customAssociationOperations } from "../resources/custom/custom-associations.js";
import { CustomFieldOptions, customFieldOptionOperations } from "../resources/custom/custom-field-options.js";
import { CustomObjects, customObjectOperations } from "../resources/custom/custom-objects.js";
import { CustomRecords, customRecordOperations } from "../resources/custom/custom-records.js";
import { CreditCategories, creditCategoryOperations } from "../resources/finance/credit-categories.js";
import { Credits, creditOperations } from "../resources/finance/credits.js";
import { DiscountCodes, discountCodeOperations } from "../resources/finance/discount-codes.js";
import { InvoiceVats, invoiceVatOperations } from "../resources/finance/invoice-vats.js";
import { Invoices, invoiceOperations } from "../resources/finance/invoices.js";
import { Orders, orderOperations } from "../resources/finance/orders.js";
import { PaymentMethods, paymentMethodOperations } from "../resources/finance/payment-methods.js";
import { PaymentOptions, paymentOptionOperations } from "../resources/finance/payment-options.js";
import { Payments, paymentOperations } from "../resources/finance/payments.js";
import { AttendanceRecords, attendanceRecordOperations } from "../resources/organization/attendance-records.js";
import { Contacts, contactOperations } from "../resources/organization/contacts.js";
import { CourseEditions, courseEditionOperations } from "../resources/organization/course-editions.js";
import { CourseEnrollments, courseEnrollmentOperations } from "../resources/organization/course-enrollments.js";
import { OrganizationMeetings, organizationMeetingOperations } from "../resources/organization/meetings.js";
import { OrganizationProgramEditions, organizationProgramEditionOperations } from "../resources/organization/program-editions.js";
import { OrganizationProgramEnrollments, organizationProgramEnrollmentOperations } from "../resources/organization/program-enrollments.js";
import { Accounts, accountOperations } from "../resources/people/accounts.js";
import { Affiliations, affiliationOperations } from "../resources/people/affiliations.js";
import { Authentications, authenticationOperations } from "../resources/people/authentications.js";
import { AdminComments, adminCommentOperations, Comments, commentOperations } from "../resources/people/comments.js";
import { Emails, emailOperations } from "../resources/people/emails.js";
import { Labels, labelOperations } from "../resources/people/labels.js";
import { AdminLeads, Leads, leadOperations } from "../resources/people/leads.js";
import { OrganizationAccounts, organizationAccountOperations } from "../resources/people/organization-accounts.js";
import { OrganizationAffiliations, organizationAffiliationOperations } from "../resources/people/organization-affiliations.js";
import { OrganizationInvoices, organizationInvoiceOperations } from "../resources/people/organization-invoices.js";
import { OrganizationOrders, organizationOrderOperations } from "../resources/people/organization-orders.js";
import { Organizations, organizationOperations } from "../resources/people/organizations.js";
import { Tasks, taskOperations } from "../resources/people/tasks.js";
import { Users, userOperations } from "../resources/people/users.js";
import { AdminAttendances, Attendances, attendanceOperations } from "../resources/planning/attendances.js";
import { Certificates, certificateOperations } from "../resources/planning/certificates.js";
import { AdminEnrollments, Enrollments, enrollmentOperations } from "../resources/planning/enrollments.js";
import { Grades, gradeOperations } from "../resources/planning/grades.js";
import { MaterialGroups, materialGroupOperations } from "../resources/planning/material-groups.js";
import { Materials, materialOperations } from "../resources/planning/materials.js";
import { MeetingLocations, meetingLocationOperations } from "../resources/planning/meeting-locations.js";
import { Meetings, meetingOperations } from "../resources/planning/meetings.js";
import { PlannedCourses, plannedCourseOperations } from "../resources/planning/planned-courses.js";
import { PlanningAttendees, planningAttendeeOperations } from "../resources/planning/planning-attendees.js";
import { PlanningConflicts, planningConflictOperations } from "../resources/planning/planning-conflicts.js";
import { PlanningEvents, planningEventOperations } from "../resources/planning/planning-events.js";
import { PlanningLocations, planningLocationOperations } from "../resources/planning/planning-locations.js";
import { PlanningMaterials, planningMaterialOperations } from "../resources/planning/planning-materials.js";
import { PlanningTeachers, planningTeacherOperations } from "../resources/planning/planning-teachers.js";
import { RequiredTeacherGroupAttendees, requiredTeacherGroupAttendeeOperations } from "../resources/planning/required-teacher-group-attendees.js";
import { PersonalProgramElements, personalProgramElementOperations } from "../resources/programs/personal-program-elements.js";
import { AdminProgramEditions, adminProgramEditionOperations, ProgramEditions, programEditionOperations } from "../resources/programs/program-editions.js";
import { ProgramElements, programElementOperations } from "../resources/programs/program-elements.js";
import { ProgramEnrollments, programEnrollmentOperations } from "../resources/programs/program-enrollments.js";
import { AdminPrograms, adminProgramOperations, Programs, ProviderPrograms, programOperations } from "../resources/programs/programs.js";
import { Theses, thesisOperations } from "../resources/programs/theses.js";
import { Departments, departmentOperations } from "../resources/settings/departments.js";
import { Educators, educatorOperations } from "../resources/settings/educators.js";
import { Referrals, referralOperations } from "../resources/settings/referrals.js";
import { SignupQuestions, signupQuestionOperations } from "../resources/settings/signup-questions.js";
import { Webhooks, webhookOperations } from "../resources/settings/webhooks.js";
import { TeacherEnrollments, teacherEnrollmentOperations } from "../resources/teachers/teacher-enrollments.js";
import { TeacherRoles, teacherRoleOperations } from "../resources/teachers/teacher-roles.js";
import { Teachers, teacherOperations } from "../resources/teachers/teachers.js";

/** The operation that each method of a resource's class calls, without those of its base. */
export const operationsByClass: ReadonlyMap<unknown, Readonly<Record<string, Operation | undefined>>> = /* @__PURE__ */ new Map<unknown, Readonly<Record<string, Operation | undefined>>>([
  [CatalogProducts, { list: catalogProductOperations.list, get: catalogProductOperations.get, update: catalogProductOperations.update }],
  [CatalogVariants, { list: catalogVariantOperations.list, get: catalogVariantOperations.get, update: catalogVariantOperations.update }],
  [AdminCatalogVariants, { update: adminCatalogVariantOperations.update }],
  [Categories, { list: categoryOperations.list, create: categoryOperations.create, get: categoryOperations.get, update: categoryOperations.update }],
  [CourseLocations, { list: courseLocationOperations.list, create: courseLocationOperations.create, get: courseLocationOperations.get, delete: courseLocationOperations.delete, update: courseLocationOperations.update }],
  [CourseTabs, { list: courseTabOperations.list }],
  [CourseVariants, { list: courseVariantOperations.list, create: courseVariantOperations.create, get: courseVariantOperations.get }],
  [Courses, { list: courseOperations.list, create: courseOperations.create, get: courseOperations.get, update: courseOperations.update }],
  [EditionDescriptionSections, { list: editionDescriptionSectionOperations.list }],
  [CustomAssociations, { list: customAssociationOperations.list }],
  [CustomFieldOptions, { list: customFieldOptionOperations.list, create: customFieldOptionOperations.create, get: customFieldOptionOperations.get, update: customFieldOptionOperations.update, delete: customFieldOptionOperations.delete }],
  [CustomObjects, { list: customObjectOperations.list, get: customObjectOperations.get }],
  [CustomRecords, { list: customRecordOperations.list, create: customRecordOperations.create, get: customRecordOperations.get, update: customRecordOperations.update, delete: customRecordOperations.delete }],
  [CreditCategories, { list: creditCategoryOperations.list }],
  [Credits, { list: creditOperations.list }],
  [DiscountCodes, { list: discountCodeOperations.list }],
  [InvoiceVats, { list: invoiceVatOperations.list, create: invoiceVatOperations.create }],
  [Invoices, { list: invoiceOperations.list, create: invoiceOperations.create, get: invoiceOperations.get, open: invoiceOperations.open, getPdf: invoiceOperations.getPdf }],
  [Orders, { list: orderOperations.list, create: orderOperations.create, get: orderOperations.get, approve: orderOperations.approve, cancel: orderOperations.cancel, deny: orderOperations.deny }],
  [PaymentMethods, { list: paymentMethodOperations.list }],
  [PaymentOptions, { list: paymentOptionOperations.list }],
  [Payments, { get: paymentOperations.get, listForInvoice: paymentOperations.listForInvoice, createForInvoice: paymentOperations.createForInvoice, deleteForInvoice: paymentOperations.deleteForInvoice }],
  [AttendanceRecords, { list: attendanceRecordOperations.list }],
  [Contacts, { list: contactOperations.list }],
  [CourseEditions, { list: courseEditionOperations.list }],
  [CourseEnrollments, { list: courseEnrollmentOperations.list }],
  [OrganizationMeetings, { list: organizationMeetingOperations.list }],
  [OrganizationProgramEditions, { list: organizationProgramEditionOperations.list }],
  [OrganizationProgramEnrollments, { list: organizationProgramEnrollmentOperations.list }],
  [Accounts, { list: accountOperations.list, create: accountOperations.create, get: accountOperations.get, update: accountOperations.update }],
  [Affiliations, { list: affiliationOperations.list, create: affiliationOperations.create, delete: affiliationOperations.delete, update: affiliationOperations.update }],
  [Authentications, { create: authenticationOperations.create, listForUser: authenticationOperations.listForUser, delete: authenticationOperations.delete }],
  [Comments, { create: commentOperations.create, delete: commentOperations.delete, update: commentOperations.update }],
  [AdminComments, { listForOrders: adminCommentOperations.listForOrders }],
  [Emails, { send: emailOperations.send }],
  [Labels, { list: labelOperations.list, create: labelOperations.create, get: labelOperations.get, update: labelOperations.update, delete: labelOperations.delete, addToOrder: labelOperations.addToOrder }],
  [Leads, { list: leadOperations.list, create: leadOperations.create, get: leadOperations.get, delete: leadOperations.delete }],
  [AdminLeads, { update: leadOperations.update }],
  [OrganizationAccounts, { list: organizationAccountOperations.list }],
  [OrganizationAffiliations, { list: organizationAffiliationOperations.list, create: organizationAffiliationOperations.create, update: organizationAffiliationOperations.update, delete: organizationAffiliationOperations.delete }],
  [OrganizationInvoices, { list: organizationInvoiceOperations.list }],
  [OrganizationOrders, { list: organizationOrderOperations.list }],
  [Organizations, { list: organizationOperations.list, get: organizationOperations.get }],
  [Tasks, { list: taskOperations.list, create: taskOperations.create, get: taskOperations.get, update: taskOperations.update, delete: taskOperations.delete }],
  [Users, { list: userOperations.list, create: userOperations.create, get: userOperations.get, update: userOperations.update }],
  [Attendances, { list: attendanceOperations.list, set: attendanceOperations.set }],
  [AdminAttendances, { get: attendanceOperations.get }],
  [Certificates, { list: certificateOperations.list, get: certificateOperations.get }],
  [Enrollments, { list: enrollmentOperations.list, get: enrollmentOperations.get, update: enrollmentOperations.update, cancel: enrollmentOperations.cancel }],
  [AdminEnrollments, { awardCertificate: enrollmentOperations.awardCertificate }],
  [Grades, { create: gradeOperations.create, get: gradeOperations.get, delete: gradeOperations.delete, update: gradeOperations.update }],
  [MaterialGroups, { list: materialGroupOperations.list, create: materialGroupOperations.create, update: materialGroupOperations.update, get: materialGroupOperations.get, delete: materialGroupOperations.delete }],
  [Materials, { list: materialOperations.list, create: materialOperations.create, update: materialOperations.update, delete: materialOperations.delete }],
  [MeetingLocations, { list: meetingLocationOperations.list, create: meetingLocationOperations.create, get: meetingLocationOperations.get, update: meetingLocationOperations.update, delete: meetingLocationOperations.delete }],
  [
    Meetings,
    {
      list: meetingOperations.list,
      create: meetingOperations.create,
      update: meetingOperations.update,
      listForPlannedCourse: meetingOperations.listForPlannedCourse,
      createForPlannedCourse: meetingOperations.createForPlannedCourse,
      get: meetingOperations.get,
      delete: meetingOperations.delete,
      listMaterials: meetingOperations.listMaterials,
    },
  ],
  [PlannedCourses, { list: plannedCourseOperations.list, create: plannedCourseOperations.create, get: plannedCourseOperations.get, update: plannedCourseOperations.update, cancel: plannedCourseOperations.cancel, listForCourse: plannedCourseOperations.listForCourse, getForCourse: plannedCourseOperations.getForCourse }],
  [PlanningAttendees, { create: planningAttendeeOperations.create, delete: planningAttendeeOperations.delete }],
  [PlanningConflicts, { list: planningConflictOperations.list }],
  [PlanningEvents, { list: planningEventOperations.list, get: planningEventOperations.get, delete: planningEventOperations.delete, listMaterials: planningEventOperations.listMaterials }],
  [PlanningLocations, { list: planningLocationOperations.list }],
  [PlanningMaterials, { list: planningMaterialOperations.list }],
  [PlanningTeachers, { list: planningTeacherOperations.list }],
  [RequiredTeacherGroupAttendees, { create: requiredTeacherGroupAttendeeOperations.create }],
  [PersonalProgramElements, { list: personalProgramElementOperations.list }],
  [ProgramEditions, { list: programEditionOperations.list, create: programEditionOperations.create, get: programEditionOperations.get, update: programEditionOperations.update, delete: programEditionOperations.delete, listElements: programEditionOperations.listElements }],
  [AdminProgramEditions, { create: adminProgramEditionOperations.create, update: adminProgramEditionOperations.update, createElements: adminProgramEditionOperations.createElements }],
  [ProgramElements, { list: programElementOperations.list, create: programElementOperations.create, get: programElementOperations.get, update: programElementOperations.update, delete: programElementOperations.delete }],
  [ProgramEnrollments, { list: programEnrollmentOperations.list, get: programEnrollmentOperations.get, cancel: programEnrollmentOperations.cancel, awardCertificate: programEnrollmentOperations.awardCertificate, deleteCertificate: programEnrollmentOperations.deleteCertificate }],
  [ProviderPrograms, { list: programOperations.list, create: programOperations.create, get: programOperations.get, delete: programOperations.delete }],
  [Programs, { update: programOperations.update }],
  [AdminPrograms, { update: adminProgramOperations.update }],
  [Theses, { list: thesisOperations.list }],
  [Departments, { list: departmentOperations.list }],
  [Educators, { get: educatorOperations.get }],
  [Referrals, { list: referralOperations.list }],
  [SignupQuestions, { list: signupQuestionOperations.list }],
  [Webhooks, { list: webhookOperations.list, create: webhookOperations.create, get: webhookOperations.get, update: webhookOperations.update, delete: webhookOperations.delete, listNotifications: webhookOperations.listNotifications, listFailedNotifications: webhookOperations.listFailedNotifications }],
  [
    TeacherEnrollments,
    {
      list: teacherEnrollmentOperations.list,
      create: teacherEnrollmentOperations.create,
      update: teacherEnrollmentOperations.update,
      delete: teacherEnrollmentOperations.delete,
      listForPlannedCourse: teacherEnrollmentOperations.listForPlannedCourse,
      createForPlannedCourse: teacherEnrollmentOperations.createForPlannedCourse,
    },
  ],
  [TeacherRoles, { list: teacherRoleOperations.list, create: teacherRoleOperations.create, get: teacherRoleOperations.get, update: teacherRoleOperations.update, delete: teacherRoleOperations.delete }],
  [Teachers, { list: teacherOperations.list, create: teacherOperations.create, get: teacherOperations.get, activate: teacherOperations.activate, deactivate: teacherOperations.deactivate }],
]);
