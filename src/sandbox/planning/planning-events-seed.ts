import type { AdminPlanningEvent } from "../../resources/planning/planning-events.js";
import type { Columns } from "../data/collection.js";
import { shiftTime } from "../data/days.js";
import type { World } from "../data/world.js";
import { labelFor } from "../people/seed.js";
import { attendeeOf } from "../teachers/attendees.js";
import { MOST_TEACHERS, teachersIn } from "../teachers/places.js";
import { MEETINGS_EACH } from "./timetable.js";

const HOUR = 3_600_000;

export function meetingCount({ plannedCourses }: World["counts"]): number {
  return plannedCourses * MEETINGS_EACH;
}

/**
 * Planning events: one per planned course, at its first meeting. Most are for setting up the room in the hour before;
 * some take place while the same teacher is at the last meeting of the previous planned course, which is a deliberate
 * conflict.
 */
export function planningEventColumns(world: World): Columns<AdminPlanningEvent> {
  const { counts, store } = world;
  const isDoubleBooked = (id: number) => id % 8 === 2;
  const meeting = (id: number) => store.meetings.seeded(id);
  return {
    meeting_id: ({ id }) => ((id - 1) % counts.plannedCourses) * MEETINGS_EACH + 1,
    meeting_location_id: ({ id, meeting_id }, _, { look }) =>
      isDoubleBooked(id) ? null : look(store.meetings, meeting_id).meeting_location_id,
    name: ({ id }) => (isDoubleBooked(id) ? "Preparation" : "Set-up"),
    start_date_time: ({ id, meeting_id }, _, { given, look, seeded }) => {
      if (given.end_date_time !== undefined) return shiftTime(given.end_date_time, -HOUR);
      if (seeded && isDoubleBooked(id)) return shiftTime(meeting(meeting_id - 1).start_date_time, 4 * HOUR);
      return shiftTime(look(store.meetings, meeting_id).start_date_time, -HOUR);
    },
    end_date_time: ({ start_date_time }) => shiftTime(start_date_time, HOUR),
    planning_meeting_location_ids: ({ meeting_location_id: location }) => (location === null ? [] : [location]),
    planning_attendee_conditions: ({ required_teacher_groups: groups }) => groups,
    required_teacher_groups: ({ id }, random) => [
      { id, quantity: 2, teacher_label_ids: id % 2 === 0 ? [labelFor("Teacher", random)] : [] },
    ],
    planning_attendees: ({ id, meeting_id }, _, { seeded }) => {
      if (!seeded) return [];
      const course = meeting(meeting_id).planned_course_id;
      const [lead] = teachersIn(isDoubleBooked(id) ? course - 1 : course, counts);
      if (!lead) return [];
      return [attendeeOf(meetingCount(counts) * MOST_TEACHERS + id, "Planning::Event", id, lead)];
    },
    planning_materials: ({ id }) => [{ material_id: id % 2 === 0 ? 4 : 1, amount: 1, comment: null }],
  };
}
