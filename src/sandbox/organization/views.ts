import type { AttendanceRecord } from "../../resources/organization/attendance-records.js";
import type { Contact } from "../../resources/organization/contacts.js";
import type { CourseEdition, CourseEditionStatus } from "../../resources/organization/course-editions.js";
import type { CourseEnrollment } from "../../resources/organization/course-enrollments.js";
import type { OrganizationMeeting } from "../../resources/organization/meetings.js";
import type { OrganizationProgramEdition } from "../../resources/organization/program-editions.js";
import type { OrganizationProgramEnrollment } from "../../resources/organization/program-enrollments.js";
import type { User } from "../../resources/people/users.js";
import type { Attendance } from "../../resources/planning/attendances.js";
import type { Enrollment } from "../../resources/planning/enrollments.js";
import type { Meeting } from "../../resources/planning/meetings.js";
import type { PlannedCourse } from "../../resources/planning/planned-courses.js";
import type { ProgramEdition } from "../../resources/programs/program-editions.js";
import type { ProgramEnrollment } from "../../resources/programs/program-enrollments.js";

import type { Store } from "../data/store.js";
import { View } from "../data/view.js";
import type { OrganizationStore } from "./store.js";

// assumes: values that the description of the Organization API does not show are those of the Main API.

/** The data of the Main and Admin API in the form of the Organization API. @internal */
export function organizationViews(store: Store): OrganizationStore {
  const meeting = (id: number) => store.meetings.peek(id) ?? store.meetings.seeded(id);
  const course = (id: number) => store.courses.peek(id) ?? store.courses.seeded(id);
  const program = (id: number) => store.programs.peek(id) ?? store.programs.seeded(id);
  const location = (id: number | null) => (id === null ? undefined : store.meetingLocations.peek(id));
  return {
    attendanceRecords: new View<AttendanceRecord, Attendance>(store.attendances, {
      meeting_id: ({ meeting_id }) => meeting_id,
      start_date_time: ({ meeting_id }) => meeting(meeting_id).start_date_time,
      end_date_time: ({ meeting_id }) => meeting(meeting_id).end_date_time,
      enrollment_id: ({ enrollment_id }) => enrollment_id,
      user_id: ({ enrollment_id: id }) => (store.enrollments.peek(id) ?? store.enrollments.seeded(id)).student_id,
      attendance_state: ({ state }) => state,
      comment: ({ comment }) => comment,
      course_edition_id: ({ meeting_id }) => meeting(meeting_id).planned_course_id,
    }),
    contacts: new View<Contact, User>(store.users, {
      first_name: ({ first_name }) => first_name,
      middle_name: ({ middle_name }) => middle_name,
      last_name: ({ last_name }) => last_name,
      email: ({ email }) => email,
    }),
    courseEditions: new View<CourseEdition, PlannedCourse>(store.plannedCourses, {
      name: ({ id, course_id, start_date, created_at }) =>
        `${course(course_id).name} ${(start_date ?? created_at).slice(0, 4)}-${id}`,
      start_date: ({ start_date }) => start_date,
      end_date: ({ end_date }) => end_date,
      status: ({ status }) => status as CourseEditionStatus,
      course_template_id: ({ course_id }) => course_id,
      course_template_name: ({ course_id }) => course(course_id).name,
    }),
    courseEnrollments: new View<CourseEnrollment, Enrollment>(store.enrollments, {
      course_edition_id: ({ planned_course_id }) => planned_course_id,
      start_date: ({ start_date }) => start_date,
      end_date: ({ end_date }) => end_date,
      status: ({ status }) => status,
      grade: ({ grade }) => grade?.grade ?? null,
      graduation_state: ({ graduation_state }) => graduation_state,
      contact_id: ({ student_id }) => student_id,
    }),
    meetings: new View<OrganizationMeeting, Meeting>(store.meetings, {
      name: ({ name }) => name,
      start_date_time: ({ start_date_time }) => start_date_time,
      end_date_time: ({ end_date_time }) => end_date_time,
      description: ({ description }) => description,
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
    programEditions: new View<OrganizationProgramEdition, ProgramEdition>(store.programEditions, {
      name: ({ name }) => name,
      program_template_name: ({ program_id }) => program(program_id).name,
    }),
    programEnrollments: new View<OrganizationProgramEnrollment, ProgramEnrollment>(store.programEnrollments, {
      program_edition_id: ({ edition_id }) => edition_id,
      state: ({ state }) => state,
      grade: ({ grade }) => grade?.grade ?? null,
      graduation_state: ({ graduation_state }) => graduation_state,
      contact_id: ({ student_id }) => student_id,
    }),
  };
}
