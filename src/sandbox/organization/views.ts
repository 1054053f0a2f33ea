import * as schemas from "../../schemas.js";
import type { OrganizationStore, Store } from "../data/store.js";
import { View } from "../data/view.js";
import type { Behaviors } from "../engine/behavior.js";

// rule: where the description of the Organization API shows no values, they are the same as in the Main API.

export function organizationViews(store: Store): OrganizationStore {
  const { meetings, courses, programs, enrollments } = store;
  const location = (id: number | null) => (id === null ? undefined : store.meetingLocations.peek(id));
  return {
    attendanceRecords: new View(store.attendances, schemas.attendanceRecordSchema, {
      start_date_time: ({ meeting_id }) => meetings.look(meeting_id).start_date_time,
      end_date_time: ({ meeting_id }) => meetings.look(meeting_id).end_date_time,
      user_id: ({ enrollment_id }) => enrollments.look(enrollment_id).student_id,
      attendance_state: ({ state }) => state,
      course_edition_id: ({ meeting_id }) => meetings.look(meeting_id).planned_course_id,
    }),
    contacts: new View(store.users, schemas.contactSchema, {}),
    courseEditions: new View(store.plannedCourses, schemas.courseEditionSchema, {
      name: ({ id, course_id, start_date, created_at }) =>
        `${courses.look(course_id).name} ${(start_date ?? created_at).slice(0, 4)}-${id}`,
      course_template_id: ({ course_id }) => course_id,
      course_template_name: ({ course_id }) => courses.look(course_id).name,
    }),
    courseEnrollments: new View(enrollments, schemas.courseEnrollmentSchema, {
      course_edition_id: ({ planned_course_id }) => planned_course_id,
      grade: ({ grade }) => grade?.grade ?? null,
      contact_id: ({ student_id }) => student_id,
    }),
    meetings: new View(meetings, schemas.organizationMeetingSchema, {
      meeting_location_name: ({ meeting_location_id }) => location(meeting_location_id)?.name ?? null,
      meeting_location_address: ({ meeting_location_id }) => {
        const address = location(meeting_location_id)?.address;
        if (!address) return null;
        const { address: street, address_line2 = null, postal_code, city, country, state_province = null } = address;
        return { address: street, address_line2, postal_code, city, country, state_province };
      },
      course_edition_id: ({ planned_course_id }) => planned_course_id,
      attendance_status: ({ id, planned_course_id }) => {
        if (id % 9 === 0) return "excluded";
        return store.plannedCourses.peek(planned_course_id)?.status === "completed" ? "complete" : "incomplete";
      },
    }),
    programEditions: new View(store.programEditions, schemas.organizationProgramEditionSchema, {
      program_template_name: ({ program_id }) => programs.look(program_id).name,
    }),
    programEnrollments: new View(store.programEnrollments, schemas.organizationProgramEnrollmentSchema, {
      program_edition_id: ({ edition_id }) => edition_id,
      grade: ({ grade }) => grade?.grade ?? null,
      contact_id: ({ student_id }) => student_id,
    }),
  };
}

export function organizationBehaviors(): Behaviors {
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
