import type { Attendance } from "../../resources/planning/attendances.js";
import type { Certificate } from "../../resources/planning/certificates.js";
import type { Enrollment } from "../../resources/planning/enrollments.js";
import type { Grade } from "../../resources/planning/grades.js";
import type { MaterialGroup } from "../../resources/planning/material-groups.js";
import type { Material } from "../../resources/planning/materials.js";
import type { MeetingLocation } from "../../resources/planning/meeting-locations.js";
import type { Meeting } from "../../resources/planning/meetings.js";
import type { Collection, Identified } from "../data/collection.js";

/** A course in a certain period. The Main and Admin API do not list them; the Organization API lists them as course editions. */
export interface PlannedCourse extends Identified {
  course_id: number;
  name: string;
  /** yyyy-MM-dd. */
  start_date: string | null;
  /** yyyy-MM-dd; null for a flexible course, whose enrollments have their own end dates. */
  end_date: string | null;
  status: "planned" | "active" | "completed" | "canceled";
}

/** The sandbox's planned courses, meetings, enrollments and grades, and the rooms and materials they use. */
export interface PlanningStore {
  readonly attendances: Collection<Attendance>;
  readonly certificates: Collection<Certificate>;
  readonly enrollments: Collection<Enrollment>;
  readonly grades: Collection<Grade>;
  readonly materialGroups: Collection<MaterialGroup>;
  readonly materials: Collection<Material>;
  readonly meetingLocations: Collection<MeetingLocation>;
  readonly meetings: Collection<Meeting>;
  /** Planned courses: other records refer to them; the Organization API lists them as course editions. */
  readonly plannedCourses: Collection<PlannedCourse>;
}
