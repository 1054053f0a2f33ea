import type { Behaviours } from "../engine/behaviour.js";

/** Behaviours of the Organization API. @internal */
export function organizationBehaviours(): Behaviours {
  return {
    "organization.attendanceRecords": {
      filters: { course_enrollment_id: (id: number) => (row) => row.enrollment_id === id },
    },
    "organization.courseEditions": {
      filters: {
        // Flexible editions, which have no end date, are always included (service description, Organization API).
        end_date_from: (day: string) => (row) => row.end_date === null || row.end_date > day,
      },
    },
    "organization.courseEnrollments": {
      filters: {
        start_date_from: (day: string) => (row) => row.start_date !== null && row.start_date > day,
        start_date_until: (day: string) => (row) => row.start_date !== null && row.start_date < day,
        end_date_from: (day: string) => (row) => row.end_date !== null && row.end_date > day,
        end_date_until: (day: string) => (row) => row.end_date !== null && row.end_date < day,
      },
    },
    "organization.meetings": {
      filters: {
        start: (time: string) => (row) => row.end_date_time > time,
        end: (time: string) => (row) => row.start_date_time < time,
      },
    },
  };
}
