import type { AttendanceRecord } from "../../resources/organization/attendance-records.js";
import type { Contact } from "../../resources/organization/contacts.js";
import type { CourseEdition } from "../../resources/organization/course-editions.js";
import type { CourseEnrollment } from "../../resources/organization/course-enrollments.js";
import type { OrganizationMeeting } from "../../resources/organization/meetings.js";
import type { OrganizationProgramEdition } from "../../resources/organization/program-editions.js";
import type { OrganizationProgramEnrollment } from "../../resources/organization/program-enrollments.js";
import type { Records } from "../data/collection.js";

/** The lists of the Organization API: views of other collections, whose changes they show. */
export interface OrganizationStore {
  readonly attendanceRecords: Records<AttendanceRecord>;
  readonly contacts: Records<Contact>;
  readonly courseEditions: Records<CourseEdition>;
  readonly courseEnrollments: Records<CourseEnrollment>;
  readonly meetings: Records<OrganizationMeeting>;
  readonly programEditions: Records<OrganizationProgramEdition>;
  readonly programEnrollments: Records<OrganizationProgramEnrollment>;
}
