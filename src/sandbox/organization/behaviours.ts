import type { AttendanceRecord } from "../../resources/organization/attendance-records.js";
import type { CourseEdition } from "../../resources/organization/course-editions.js";
import type { CourseEnrollment } from "../../resources/organization/course-enrollments.js";
import type { OrganizationMeeting } from "../../resources/organization/meetings.js";
import type { Store } from "../data/store.js";
import { type AnyBehaviour, behaviour } from "../engine/behaviour.js";

/** Behaviours of the Organization API. @internal */
export function organizationBehaviours({ organization }: Store): Record<string, AnyBehaviour> {
  const { attendanceRecords, contacts, courseEditions, courseEnrollments, meetings } = organization;
  const { programEditions, programEnrollments } = organization;
  return {
    "organization.attendanceRecords": behaviour<AttendanceRecord>({
      records: () => attendanceRecords,
      filters: { course_enrollment_id: (id: number) => (row) => row.enrollment_id === id },
    }),
    "organization.contacts": behaviour({ records: () => contacts }),
    "organization.courseEditions": behaviour<CourseEdition>({
      records: () => courseEditions,
      filters: {
        // Flexible editions, which have no end date, are always included (service description, Organization API).
        end_date_from: (day: string) => (row) => row.end_date === null || row.end_date > day,
      },
    }),
    "organization.courseEnrollments": behaviour<CourseEnrollment>({
      records: () => courseEnrollments,
      filters: {
        start_date_from: (day: string) => (row) => row.start_date !== null && row.start_date > day,
        start_date_until: (day: string) => (row) => row.start_date !== null && row.start_date < day,
        end_date_from: (day: string) => (row) => row.end_date !== null && row.end_date > day,
        end_date_until: (day: string) => (row) => row.end_date !== null && row.end_date < day,
      },
    }),
    "organization.meetings": behaviour<OrganizationMeeting>({
      records: () => meetings,
      filters: {
        start: (time: string) => (row) => row.end_date_time > time,
        end: (time: string) => (row) => row.start_date_time < time,
      },
    }),
    "organization.programEditions": behaviour({ records: () => programEditions }),
    "organization.programEnrollments": behaviour({ records: () => programEnrollments }),
  };
}
