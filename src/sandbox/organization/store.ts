import type { AttendanceRecord } from "../../resources/organization/attendance-records.js";
import type { Contact } from "../../resources/organization/contacts.js";
import type { CourseEdition } from "../../resources/organization/course-editions.js";
import type { CourseEnrollment } from "../../resources/organization/course-enrollments.js";
import type { OrganizationMeeting } from "../../resources/organization/meetings.js";
import type { OrganizationProgramEdition } from "../../resources/organization/program-editions.js";
import type { OrganizationProgramEnrollment } from "../../resources/organization/program-enrollments.js";
import type { Collection, Records } from "../data/collection.js";

/** What the Organization API shows. Most of it is a view of the other collections and follows them. */
export interface OrganizationStore extends OrganizationCollections {
  readonly attendanceRecords: Records<AttendanceRecord>;
  readonly contacts: Records<Contact>;
  readonly courseEditions: Records<CourseEdition>;
  readonly courseEnrollments: Records<CourseEnrollment>;
  readonly meetings: Records<OrganizationMeeting>;
}

/** The lists of the Organization API that are no view of others. */
export interface OrganizationCollections {
  readonly programEditions: Collection<OrganizationProgramEdition>;
  readonly programEnrollments: Collection<OrganizationProgramEnrollment>;
}
