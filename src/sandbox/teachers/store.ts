import type { TeacherEnrollment } from "../../resources/teachers/teacher-enrollments.js";
import type { TeacherRole } from "../../resources/teachers/teacher-roles.js";
import type { Teacher } from "../../resources/teachers/teachers.js";
import type { Collection } from "../data/collection.js";

/** The sandbox's teachers, their roles, and their places in planned courses. */
export interface TeachersStore {
  readonly teacherEnrollments: Collection<TeacherEnrollment>;
  readonly teacherRoles: Collection<TeacherRole>;
  /** Users who can teach: a teacher has the identifier of their user. */
  readonly teachers: Collection<Teacher>;
}
