// Written by npm run generate from src/models and src/resources; do not edit.
import type { OperationTable, TableNotes } from "../core/operation.js";
import { catalogProductNotes, catalogProductOperations } from "../resources/catalog/catalog-products.js";
import {
  adminCatalogVariantNotes,
  adminCatalogVariantOperations,
  catalogVariantNotes,
  catalogVariantOperations,
} from "../resources/catalog/catalog-variants.js";
import { categoryNotes, categoryOperations } from "../resources/catalog/categories.js";
import { courseLocationNotes, courseLocationOperations } from "../resources/catalog/course-locations.js";
import { courseTabNotes, courseTabOperations } from "../resources/catalog/course-tabs.js";
import { courseVariantNotes, courseVariantOperations } from "../resources/catalog/course-variants.js";
import { courseNotes, courseOperations } from "../resources/catalog/courses.js";
import {
  editionDescriptionSectionNotes,
  editionDescriptionSectionOperations,
} from "../resources/catalog/edition-description-sections.js";
import { customAssociationNotes, customAssociationOperations } from "../resources/custom/custom-associations.js";
import { customFieldOptionNotes, customFieldOptionOperations } from "../resources/custom/custom-field-options.js";
import { customObjectNotes, customObjectOperations } from "../resources/custom/custom-objects.js";
import { customRecordNotes, customRecordOperations } from "../resources/custom/custom-records.js";
import { creditCategoryNotes, creditCategoryOperations } from "../resources/finance/credit-categories.js";
import { creditNotes, creditOperations } from "../resources/finance/credits.js";
import { discountCodeNotes, discountCodeOperations } from "../resources/finance/discount-codes.js";
import { invoiceVatNotes, invoiceVatOperations } from "../resources/finance/invoice-vats.js";
import { invoiceNotes, invoiceOperations } from "../resources/finance/invoices.js";
import { orderNotes, orderOperations } from "../resources/finance/orders.js";
import { accountNotes, accountOperations } from "../resources/people/accounts.js";
import { affiliationNotes, affiliationOperations } from "../resources/people/affiliations.js";
import { authenticationNotes, authenticationOperations } from "../resources/people/authentications.js";
import {
  adminCommentNotes,
  adminCommentOperations,
  commentNotes,
  commentOperations,
} from "../resources/people/comments.js";
import { emailNotes, emailOperations } from "../resources/people/emails.js";
import { labelNotes, labelOperations } from "../resources/people/labels.js";
import { leadNotes, leadOperations } from "../resources/people/leads.js";
import { attendanceNotes, attendanceOperations } from "../resources/planning/attendances.js";
import { certificateNotes, certificateOperations } from "../resources/planning/certificates.js";
import { enrollmentNotes, enrollmentOperations } from "../resources/planning/enrollments.js";
import { gradeNotes, gradeOperations } from "../resources/planning/grades.js";
import { materialGroupNotes, materialGroupOperations } from "../resources/planning/material-groups.js";
import { materialNotes, materialOperations } from "../resources/planning/materials.js";
import { meetingLocationNotes, meetingLocationOperations } from "../resources/planning/meeting-locations.js";
import { meetingNotes, meetingOperations } from "../resources/planning/meetings.js";
import { educatorNotes, educatorOperations } from "../resources/settings/educators.js";

/** Each table that has notes, with its notes. */
export const tableNotes: readonly (readonly [OperationTable, TableNotes])[] = [
  [catalogProductOperations, catalogProductNotes],
  [catalogVariantOperations, catalogVariantNotes],
  [adminCatalogVariantOperations, adminCatalogVariantNotes],
  [categoryOperations, categoryNotes],
  [courseLocationOperations, courseLocationNotes],
  [courseTabOperations, courseTabNotes],
  [courseVariantOperations, courseVariantNotes],
  [courseOperations, courseNotes],
  [editionDescriptionSectionOperations, editionDescriptionSectionNotes],
  [customAssociationOperations, customAssociationNotes],
  [customFieldOptionOperations, customFieldOptionNotes],
  [customObjectOperations, customObjectNotes],
  [customRecordOperations, customRecordNotes],
  [creditCategoryOperations, creditCategoryNotes],
  [creditOperations, creditNotes],
  [discountCodeOperations, discountCodeNotes],
  [invoiceVatOperations, invoiceVatNotes],
  [invoiceOperations, invoiceNotes],
  [orderOperations, orderNotes],
  [accountOperations, accountNotes],
  [affiliationOperations, affiliationNotes],
  [authenticationOperations, authenticationNotes],
  [commentOperations, commentNotes],
  [adminCommentOperations, adminCommentNotes],
  [emailOperations, emailNotes],
  [labelOperations, labelNotes],
  [leadOperations, leadNotes],
  [attendanceOperations, attendanceNotes],
  [certificateOperations, certificateNotes],
  [enrollmentOperations, enrollmentNotes],
  [gradeOperations, gradeNotes],
  [materialGroupOperations, materialGroupNotes],
  [materialOperations, materialNotes],
  [meetingLocationOperations, meetingLocationNotes],
  [meetingOperations, meetingNotes],
  [educatorOperations, educatorNotes],
];
