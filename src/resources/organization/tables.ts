import type { OperationTable } from "../../core/operation.js";
import { attendanceRecordOperations } from "./attendance-records.js";
import { contactOperations } from "./contacts.js";
import { courseEditionOperations } from "./course-editions.js";
import { courseEnrollmentOperations } from "./course-enrollments.js";
import { organizationMeetingOperations } from "./meetings.js";
import { programEditionOperations } from "./program-editions.js";
import { programEnrollmentOperations } from "./program-enrollments.js";

/** The tables of the Organization API. */
export const organizationTables: readonly OperationTable[] = [
  attendanceRecordOperations,
  contactOperations,
  courseEditionOperations,
  courseEnrollmentOperations,
  organizationMeetingOperations,
  programEditionOperations,
  programEnrollmentOperations,
];
