import type { Operation, OperationTable } from "./core/operation.js";
import { organizationTables } from "./organization/tables.js";
import { accountOperations } from "./resources/accounts.js";
import { affiliationOperations } from "./resources/affiliations.js";
import { attendanceOperations } from "./resources/attendances.js";
import { authenticationOperations } from "./resources/authentications.js";
import { catalogProductOperations } from "./resources/catalog-products.js";
import { adminCatalogVariantOperations, catalogVariantOperations } from "./resources/catalog-variants.js";
import { categoryOperations } from "./resources/categories.js";
import { certificateOperations } from "./resources/certificates.js";
import { adminCommentOperations, commentOperations } from "./resources/comments.js";
import { courseLocationOperations } from "./resources/course-locations.js";
import { courseTabOperations } from "./resources/course-tabs.js";
import { courseVariantOperations } from "./resources/course-variants.js";
import { courseOperations } from "./resources/courses.js";
import { creditCategoryOperations } from "./resources/credit-categories.js";
import { creditOperations } from "./resources/credits.js";
import { customAssociationOperations } from "./resources/custom-associations.js";
import { customFieldOptionOperations } from "./resources/custom-field-options.js";
import { customObjectOperations } from "./resources/custom-objects.js";
import { customRecordOperations } from "./resources/custom-records.js";
import { departmentOperations } from "./resources/departments.js";
import { discountCodeOperations } from "./resources/discount-codes.js";
import { editionDescriptionSectionOperations } from "./resources/edition-description-sections.js";
import { educatorOperations } from "./resources/educators.js";
import { emailOperations } from "./resources/emails.js";
import { enrollmentOperations } from "./resources/enrollments.js";
import { gradeOperations } from "./resources/grades.js";
import { invoiceVatOperations } from "./resources/invoice-vats.js";
import { invoiceOperations } from "./resources/invoices.js";
import { labelOperations } from "./resources/labels.js";
import { leadOperations } from "./resources/leads.js";
import { materialGroupOperations } from "./resources/material-groups.js";
import { materialOperations } from "./resources/materials.js";
import { meetingLocationOperations } from "./resources/meeting-locations.js";
import { meetingOperations } from "./resources/meetings.js";
import { orderOperations } from "./resources/orders.js";

/**
 * The tables of every resource: those of the Main and the Admin API, then the Organization API's. Where Main and Admin
 * differ in more than presence, the resource has a second table whose rows have the same ids but other `apis`.
 */
export const operationTables: readonly OperationTable[] = /* @__PURE__ */ [
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
].concat(organizationTables);

/**
 * Every row of every table. An id can come twice, once for Main and once for Admin, never twice for one API. For
 * routes, documentation, the sandbox and contract checks: a client needs only the rows of the resources it has.
 */
export const allOperations: readonly Operation[] = /* @__PURE__ */ operationTables.flatMap((table) =>
  Object.values(table),
);
