import type { Domain } from "../engine/domain.js";
import { planningBehaviours } from "./behaviours.js";
import { planningSeeds } from "./seed.js";
import type { PlanningStore } from "./store.js";

/** The planning domain of the sandbox. @internal */
export const planning: Domain<PlanningStore> = {
  seeds: planningSeeds,
  behaviours: planningBehaviours,
  references: {
    enrollment_id: ({ enrollments }) => enrollments,
    grader_id: ({ users }) => users,
    material_group_id: ({ materialGroups }) => materialGroups,
    material_id: ({ materials }) => materials,
    material_ids: ({ materials }) => materials,
    meeting_id: ({ meetings }) => meetings,
    meeting_location_id: ({ meetingLocations }) => meetingLocations,
    planned_course_id: ({ plannedCourses }) => plannedCourses,
    planning_meeting_location_ids: ({ meetingLocations }) => meetingLocations,
  },
  factories: {
    adminPlanningEvent: ({ planningEvents }) => planningEvents,
    attendanceSummary: ({ attendances }) => attendances,
  },
};
