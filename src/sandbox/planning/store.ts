import type { Attendance } from "../../resources/planning/attendances.js";
import type { Certificate } from "../../resources/planning/certificates.js";
import type { Enrollment } from "../../resources/planning/enrollments.js";
import type { Grade } from "../../resources/planning/grades.js";
import type { MaterialGroup } from "../../resources/planning/material-groups.js";
import type { Material } from "../../resources/planning/materials.js";
import type { MeetingLocation } from "../../resources/planning/meeting-locations.js";
import type { Meeting } from "../../resources/planning/meetings.js";
import type { PlannedCourse } from "../../resources/planning/planned-courses.js";
import type { AdminPlanningEvent } from "../../resources/planning/planning-events.js";
import type { Collection } from "../data/collection.js";

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
  /** Planned courses; the Organization API lists them as course editions. */
  readonly plannedCourses: Collection<PlannedCourse>;
  /** Parts of meetings that are planned by themselves. */
  readonly planningEvents: Collection<AdminPlanningEvent>;
}
