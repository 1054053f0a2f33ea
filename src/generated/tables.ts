// Written by npm run generate from src/models and src/resources; do not edit.
import type { OperationTable } from "../core/operation.js";
import { catalogProductOperations } from "../resources/catalog/catalog-products.js";
import { adminCatalogVariantOperations, catalogVariantOperations } from "../resources/catalog/catalog-variants.js";
import { categoryOperations } from "../resources/catalog/categories.js";
import { courseLocationOperations } from "../resources/catalog/course-locations.js";
import { courseTabOperations } from "../resources/catalog/course-tabs.js";
import { courseVariantOperations } from "../resources/catalog/course-variants.js";
import { courseOperations } from "../resources/catalog/courses.js";
import { editionDescriptionSectionOperations } from "../resources/catalog/edition-description-sections.js";
import { customAssociationOperations } from "../resources/custom/custom-associations.js";
import { customFieldOptionOperations } from "../resources/custom/custom-field-options.js";
import { customObjectOperations } from "../resources/custom/custom-objects.js";
import { customRecordOperations } from "../resources/custom/custom-records.js";
import { creditCategoryOperations } from "../resources/finance/credit-categories.js";
import { creditOperations } from "../resources/finance/credits.js";
import { discountCodeOperations } from "../resources/finance/discount-codes.js";
import { invoiceVatOperations } from "../resources/finance/invoice-vats.js";
import { invoiceOperations } from "../resources/finance/invoices.js";
import { orderOperations } from "../resources/finance/orders.js";
import { paymentMethodOperations } from "../resources/finance/payment-methods.js";
import { paymentOptionOperations } from "../resources/finance/payment-options.js";
import { paymentOperations } from "../resources/finance/payments.js";
import { attendanceRecordOperations } from "../resources/organization/attendance-records.js";
import { contactOperations } from "../resources/organization/contacts.js";
import { courseEditionOperations } from "../resources/organization/course-editions.js";
import { courseEnrollmentOperations } from "../resources/organization/course-enrollments.js";
import { organizationMeetingOperations } from "../resources/organization/meetings.js";
import { organizationProgramEditionOperations } from "../resources/organization/program-editions.js";
import { organizationProgramEnrollmentOperations } from "../resources/organization/program-enrollments.js";
import { accountOperations } from "../resources/people/accounts.js";
import { affiliationOperations } from "../resources/people/affiliations.js";
import { authenticationOperations } from "../resources/people/authentications.js";
import { adminCommentOperations, commentOperations } from "../resources/people/comments.js";
import { emailOperations } from "../resources/people/emails.js";
import { labelOperations } from "../resources/people/labels.js";
import { leadOperations } from "../resources/people/leads.js";
import { organizationAccountOperations } from "../resources/people/organization-accounts.js";
import { organizationAffiliationOperations } from "../resources/people/organization-affiliations.js";
import { organizationInvoiceOperations } from "../resources/people/organization-invoices.js";
import { organizationOrderOperations } from "../resources/people/organization-orders.js";
import { organizationOperations } from "../resources/people/organizations.js";
import { adminTaskOperations, taskOperations } from "../resources/people/tasks.js";
import { userOperations } from "../resources/people/users.js";
import { attendanceOperations } from "../resources/planning/attendances.js";
import { certificateOperations } from "../resources/planning/certificates.js";
import { enrollmentOperations } from "../resources/planning/enrollments.js";
import { gradeOperations } from "../resources/planning/grades.js";
import { materialGroupOperations } from "../resources/planning/material-groups.js";
import { materialOperations } from "../resources/planning/materials.js";
import { meetingLocationOperations } from "../resources/planning/meeting-locations.js";
import { meetingOperations } from "../resources/planning/meetings.js";
import { plannedCourseOperations } from "../resources/planning/planned-courses.js";
import { planningAttendeeOperations } from "../resources/planning/planning-attendees.js";
import { planningConflictOperations } from "../resources/planning/planning-conflicts.js";
import { adminPlanningEventOperations, planningEventOperations } from "../resources/planning/planning-events.js";
import { planningLocationOperations } from "../resources/planning/planning-locations.js";
import { planningMaterialOperations } from "../resources/planning/planning-materials.js";
import { planningTeacherOperations } from "../resources/planning/planning-teachers.js";
import { requiredTeacherGroupAttendeeOperations } from "../resources/planning/required-teacher-group-attendees.js";
import { personalProgramElementOperations } from "../resources/programs/personal-program-elements.js";
import { adminProgramEditionOperations, programEditionOperations } from "../resources/programs/program-editions.js";
import { programElementOperations } from "../resources/programs/program-elements.js";
import { programEnrollmentOperations } from "../resources/programs/program-enrollments.js";
import { adminProgramOperations, programOperations } from "../resources/programs/programs.js";
import { thesisOperations } from "../resources/programs/theses.js";
import { departmentOperations } from "../resources/settings/departments.js";
import { educatorOperations } from "../resources/settings/educators.js";
import { referralOperations } from "../resources/settings/referrals.js";
import { signupQuestionOperations } from "../resources/settings/signup-questions.js";
import { webhookOperations } from "../resources/settings/webhooks.js";
import { teacherEnrollmentOperations } from "../resources/teachers/teacher-enrollments.js";
import { teacherRoleOperations } from "../resources/teachers/teacher-roles.js";
import { teacherOperations } from "../resources/teachers/teachers.js";

/** The tables of the Main and the Admin API. */
export const providerTables: readonly OperationTable[] = [
  accountOperations,
  affiliationOperations,
  attendanceOperations,
  authenticationOperations,
  catalogProductOperations,
  catalogVariantOperations,
  adminCatalogVariantOperations,
  categoryOperations,
  certificateOperations,
  commentOperations,
  adminCommentOperations,
  courseLocationOperations,
  courseTabOperations,
  courseVariantOperations,
  courseOperations,
  creditCategoryOperations,
  creditOperations,
  customAssociationOperations,
  customFieldOptionOperations,
  customObjectOperations,
  customRecordOperations,
  departmentOperations,
  discountCodeOperations,
  editionDescriptionSectionOperations,
  educatorOperations,
  emailOperations,
  enrollmentOperations,
  gradeOperations,
  invoiceVatOperations,
  invoiceOperations,
  labelOperations,
  leadOperations,
  materialGroupOperations,
  materialOperations,
  meetingLocationOperations,
  meetingOperations,
  orderOperations,
  organizationAccountOperations,
  organizationAffiliationOperations,
  organizationInvoiceOperations,
  organizationOrderOperations,
  organizationOperations,
  paymentMethodOperations,
  paymentOptionOperations,
  paymentOperations,
  personalProgramElementOperations,
  plannedCourseOperations,
  planningAttendeeOperations,
  planningConflictOperations,
  planningEventOperations,
  adminPlanningEventOperations,
  planningLocationOperations,
  planningMaterialOperations,
  planningTeacherOperations,
  programEditionOperations,
  adminProgramEditionOperations,
  programElementOperations,
  programEnrollmentOperations,
  programOperations,
  adminProgramOperations,
  referralOperations,
  requiredTeacherGroupAttendeeOperations,
  signupQuestionOperations,
  taskOperations,
  adminTaskOperations,
  teacherEnrollmentOperations,
  teacherRoleOperations,
  teacherOperations,
  thesisOperations,
  userOperations,
  webhookOperations,
];

/** The tables of the Main API. */
export const mainTables: readonly OperationTable[] = [
  accountOperations,
  affiliationOperations,
  attendanceOperations,
  authenticationOperations,
  catalogProductOperations,
  catalogVariantOperations,
  categoryOperations,
  commentOperations,
  courseLocationOperations,
  courseTabOperations,
  courseVariantOperations,
  courseOperations,
  creditCategoryOperations,
  creditOperations,
  customAssociationOperations,
  customFieldOptionOperations,
  customObjectOperations,
  customRecordOperations,
  discountCodeOperations,
  educatorOperations,
  enrollmentOperations,
  gradeOperations,
  invoiceVatOperations,
  invoiceOperations,
  labelOperations,
  leadOperations,
  materialGroupOperations,
  materialOperations,
  meetingLocationOperations,
  meetingOperations,
  orderOperations,
  paymentMethodOperations,
  paymentOptionOperations,
  paymentOperations,
  plannedCourseOperations,
  planningConflictOperations,
  planningEventOperations,
  planningLocationOperations,
  planningMaterialOperations,
  planningTeacherOperations,
  programEditionOperations,
  programElementOperations,
  programEnrollmentOperations,
  programOperations,
  referralOperations,
  signupQuestionOperations,
  taskOperations,
  teacherEnrollmentOperations,
  teacherRoleOperations,
  teacherOperations,
  thesisOperations,
  userOperations,
  webhookOperations,
];

/** The tables of the Admin API. */
export const adminTables: readonly OperationTable[] = [
  accountOperations,
  affiliationOperations,
  attendanceOperations,
  authenticationOperations,
  catalogProductOperations,
  adminCatalogVariantOperations,
  categoryOperations,
  certificateOperations,
  commentOperations,
  adminCommentOperations,
  courseLocationOperations,
  courseTabOperations,
  courseVariantOperations,
  courseOperations,
  creditCategoryOperations,
  creditOperations,
  customAssociationOperations,
  customFieldOptionOperations,
  customObjectOperations,
  customRecordOperations,
  departmentOperations,
  discountCodeOperations,
  editionDescriptionSectionOperations,
  educatorOperations,
  emailOperations,
  enrollmentOperations,
  gradeOperations,
  labelOperations,
  leadOperations,
  materialGroupOperations,
  materialOperations,
  meetingLocationOperations,
  meetingOperations,
  orderOperations,
  organizationAccountOperations,
  organizationAffiliationOperations,
  organizationInvoiceOperations,
  organizationOrderOperations,
  organizationOperations,
  paymentMethodOperations,
  paymentOptionOperations,
  paymentOperations,
  personalProgramElementOperations,
  plannedCourseOperations,
  planningAttendeeOperations,
  planningConflictOperations,
  planningEventOperations,
  adminPlanningEventOperations,
  planningLocationOperations,
  planningMaterialOperations,
  planningTeacherOperations,
  programEditionOperations,
  adminProgramEditionOperations,
  programElementOperations,
  programEnrollmentOperations,
  programOperations,
  adminProgramOperations,
  referralOperations,
  requiredTeacherGroupAttendeeOperations,
  signupQuestionOperations,
  taskOperations,
  adminTaskOperations,
  teacherEnrollmentOperations,
  teacherRoleOperations,
  teacherOperations,
  thesisOperations,
  userOperations,
  webhookOperations,
];

/** The tables of the Organization API. */
export const organizationTables: readonly OperationTable[] = [
  attendanceRecordOperations,
  contactOperations,
  courseEditionOperations,
  courseEnrollmentOperations,
  organizationMeetingOperations,
  organizationProgramEditionOperations,
  organizationProgramEnrollmentOperations,
];
