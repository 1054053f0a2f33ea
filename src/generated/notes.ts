// Written by npm run generate from src/models and src/resources; do not edit.
import type { OperationTable, TableNotes } from "../core/operation.js";
import {
  adminCatalogVariantNotes,
  adminCatalogVariantOperations,
  catalogVariantNotes,
  catalogVariantOperations,
} from "../resources/catalog/catalog-variants.js";
import { categoryNotes, categoryOperations } from "../resources/catalog/categories.js";
import { courseNotes, courseOperations } from "../resources/catalog/courses.js";
import { customFieldOptionNotes, customFieldOptionOperations } from "../resources/custom/custom-field-options.js";
import { customRecordNotes, customRecordOperations } from "../resources/custom/custom-records.js";
import { creditCategoryNotes, creditCategoryOperations } from "../resources/finance/credit-categories.js";
import { creditNotes, creditOperations } from "../resources/finance/credits.js";
import { invoiceNotes, invoiceOperations } from "../resources/finance/invoices.js";
import { orderNotes, orderOperations } from "../resources/finance/orders.js";
import { paymentMethodNotes, paymentMethodOperations } from "../resources/finance/payment-methods.js";
import { paymentOptionNotes, paymentOptionOperations } from "../resources/finance/payment-options.js";
import { paymentNotes, paymentOperations } from "../resources/finance/payments.js";
import { accountNotes, accountOperations } from "../resources/people/accounts.js";
import { affiliationNotes, affiliationOperations } from "../resources/people/affiliations.js";
import { authenticationNotes, authenticationOperations } from "../resources/people/authentications.js";
import { emailNotes, emailOperations } from "../resources/people/emails.js";
import { labelNotes, labelOperations } from "../resources/people/labels.js";
import { leadNotes, leadOperations } from "../resources/people/leads.js";
import { organizationAccountNotes, organizationAccountOperations } from "../resources/people/organization-accounts.js";
import {
  organizationAffiliationNotes,
  organizationAffiliationOperations,
} from "../resources/people/organization-affiliations.js";
import { organizationInvoiceNotes, organizationInvoiceOperations } from "../resources/people/organization-invoices.js";
import { organizationOrderNotes, organizationOrderOperations } from "../resources/people/organization-orders.js";
import { organizationNotes, organizationOperations } from "../resources/people/organizations.js";
import { adminTaskNotes, adminTaskOperations, taskNotes, taskOperations } from "../resources/people/tasks.js";
import { userNotes, userOperations } from "../resources/people/users.js";
import { enrollmentNotes, enrollmentOperations } from "../resources/planning/enrollments.js";
import { gradeNotes, gradeOperations } from "../resources/planning/grades.js";
import { materialGroupNotes, materialGroupOperations } from "../resources/planning/material-groups.js";
import { materialNotes, materialOperations } from "../resources/planning/materials.js";
import { meetingLocationNotes, meetingLocationOperations } from "../resources/planning/meeting-locations.js";
import { meetingNotes, meetingOperations } from "../resources/planning/meetings.js";
import { plannedCourseNotes, plannedCourseOperations } from "../resources/planning/planned-courses.js";
import { planningAttendeeNotes, planningAttendeeOperations } from "../resources/planning/planning-attendees.js";
import { planningConflictNotes, planningConflictOperations } from "../resources/planning/planning-conflicts.js";
import {
  adminPlanningEventNotes,
  adminPlanningEventOperations,
  planningEventNotes,
  planningEventOperations,
} from "../resources/planning/planning-events.js";
import { planningLocationNotes, planningLocationOperations } from "../resources/planning/planning-locations.js";
import { planningMaterialNotes, planningMaterialOperations } from "../resources/planning/planning-materials.js";
import { planningTeacherNotes, planningTeacherOperations } from "../resources/planning/planning-teachers.js";
import {
  requiredTeacherGroupAttendeeNotes,
  requiredTeacherGroupAttendeeOperations,
} from "../resources/planning/required-teacher-group-attendees.js";
import {
  personalProgramElementNotes,
  personalProgramElementOperations,
} from "../resources/programs/personal-program-elements.js";
import {
  adminProgramEditionNotes,
  adminProgramEditionOperations,
  programEditionNotes,
  programEditionOperations,
} from "../resources/programs/program-editions.js";
import { programElementNotes, programElementOperations } from "../resources/programs/program-elements.js";
import { programEnrollmentNotes, programEnrollmentOperations } from "../resources/programs/program-enrollments.js";
import {
  adminProgramNotes,
  adminProgramOperations,
  programNotes,
  programOperations,
} from "../resources/programs/programs.js";
import { thesisNotes, thesisOperations } from "../resources/programs/theses.js";
import { educatorNotes, educatorOperations } from "../resources/settings/educators.js";
import { referralNotes, referralOperations } from "../resources/settings/referrals.js";
import { signupQuestionNotes, signupQuestionOperations } from "../resources/settings/signup-questions.js";
import { webhookNotes, webhookOperations } from "../resources/settings/webhooks.js";
import { teacherEnrollmentNotes, teacherEnrollmentOperations } from "../resources/teachers/teacher-enrollments.js";
import { teacherRoleNotes, teacherRoleOperations } from "../resources/teachers/teacher-roles.js";
import { teacherNotes, teacherOperations } from "../resources/teachers/teachers.js";

/** Each table that has notes, with its notes. */
export const tableNotes: readonly (readonly [OperationTable, TableNotes])[] = [
  [catalogVariantOperations, catalogVariantNotes],
  [adminCatalogVariantOperations, adminCatalogVariantNotes],
  [categoryOperations, categoryNotes],
  [courseOperations, courseNotes],
  [customFieldOptionOperations, customFieldOptionNotes],
  [customRecordOperations, customRecordNotes],
  [creditCategoryOperations, creditCategoryNotes],
  [creditOperations, creditNotes],
  [invoiceOperations, invoiceNotes],
  [orderOperations, orderNotes],
  [paymentMethodOperations, paymentMethodNotes],
  [paymentOptionOperations, paymentOptionNotes],
  [paymentOperations, paymentNotes],
  [accountOperations, accountNotes],
  [affiliationOperations, affiliationNotes],
  [authenticationOperations, authenticationNotes],
  [emailOperations, emailNotes],
  [labelOperations, labelNotes],
  [leadOperations, leadNotes],
  [organizationAccountOperations, organizationAccountNotes],
  [organizationAffiliationOperations, organizationAffiliationNotes],
  [organizationInvoiceOperations, organizationInvoiceNotes],
  [organizationOrderOperations, organizationOrderNotes],
  [organizationOperations, organizationNotes],
  [taskOperations, taskNotes],
  [adminTaskOperations, adminTaskNotes],
  [userOperations, userNotes],
  [enrollmentOperations, enrollmentNotes],
  [gradeOperations, gradeNotes],
  [materialGroupOperations, materialGroupNotes],
  [materialOperations, materialNotes],
  [meetingLocationOperations, meetingLocationNotes],
  [meetingOperations, meetingNotes],
  [plannedCourseOperations, plannedCourseNotes],
  [planningAttendeeOperations, planningAttendeeNotes],
  [planningConflictOperations, planningConflictNotes],
  [planningEventOperations, planningEventNotes],
  [adminPlanningEventOperations, adminPlanningEventNotes],
  [planningLocationOperations, planningLocationNotes],
  [planningMaterialOperations, planningMaterialNotes],
  [planningTeacherOperations, planningTeacherNotes],
  [requiredTeacherGroupAttendeeOperations, requiredTeacherGroupAttendeeNotes],
  [personalProgramElementOperations, personalProgramElementNotes],
  [programEditionOperations, programEditionNotes],
  [adminProgramEditionOperations, adminProgramEditionNotes],
  [programElementOperations, programElementNotes],
  [programEnrollmentOperations, programEnrollmentNotes],
  [programOperations, programNotes],
  [adminProgramOperations, adminProgramNotes],
  [thesisOperations, thesisNotes],
  [educatorOperations, educatorNotes],
  [referralOperations, referralNotes],
  [signupQuestionOperations, signupQuestionNotes],
  [webhookOperations, webhookNotes],
  [teacherEnrollmentOperations, teacherEnrollmentNotes],
  [teacherRoleOperations, teacherRoleNotes],
  [teacherOperations, teacherNotes],
];
