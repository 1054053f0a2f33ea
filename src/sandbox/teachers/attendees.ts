import type { Meeting, PlanningAttendee, PlanningEventType, TeacherEnrollment } from "../../generated/resources.js";
import { where } from "../data/domain.js";
import type { Store } from "../data/store.js";
import type { World } from "../data/world.js";
import { MOST_TEACHERS, teachersIn } from "./places.js";

type Attended = Readonly<Pick<Meeting, "planning_attendees">>;

type Place = Pick<TeacherEnrollment, "teacher_id"> & { readonly teacher_role_id?: number | null | undefined };

export function seededAttendees(
  meeting: Pick<Meeting, "id" | "planned_course_id">,
  { counts }: World,
): PlanningAttendee[] {
  const firstId = (meeting.id - 1) * MOST_TEACHERS + 1;
  return attendeesFrom(teachersIn(meeting.planned_course_id, counts), meeting.id, firstId);
}

/** The attendees of a new meeting by default: the teachers of its planned course. */
export function attendeesOfNew(store: Store, meetingId: number, plannedCourseId: number): PlanningAttendee[] {
  const places = store.teacherEnrollments.filter(where({ planned_course_id: plannedCourseId }));
  return attendeesFrom(places, meetingId, nextAttendeeId(store));
}

export function hasOtherAttendees(after: Attended, before: Attended): boolean {
  return textOf(after.planning_attendees) !== textOf(before.planning_attendees);
}

export function changeMeetings(
  { meetings }: Store,
  plannedCourseId: number,
  change: (attendees: readonly PlanningAttendee[], meetingId: number) => readonly PlanningAttendee[],
): void {
  for (const meeting of meetings.filter(where({ planned_course_id: plannedCourseId }))) {
    const planning_attendees = [...change(meeting.planning_attendees, meeting.id)];
    if (hasOtherAttendees({ ...meeting, planning_attendees }, meeting))
      meetings.update(meeting.id, { planning_attendees });
  }
}

export function nextAttendeeId(store: Store): number {
  let last = 0;
  for (const { id } of allAttendees(store)) last = Math.max(last, id);
  return last + 1;
}

/** Yields shared records: do not change them. */
export function* allAttendees({ meetings, planningEvents }: Store): Generator<PlanningAttendee> {
  for (const records of [meetings, planningEvents]) {
    for (const { planning_attendees } of records.rows()) yield* planning_attendees;
  }
}

export function attendeesFrom(places: readonly Place[], meetingId: number, firstId: number): PlanningAttendee[] {
  return places.map((place, at) => attendeeOf(firstId + at, "Meeting", meetingId, place));
}

export function attendeeOf(
  id: number,
  attendable_type: PlanningEventType,
  attendable_id: number,
  { teacher_id, teacher_role_id = null, comment = null }: Place & { readonly comment?: string | null | undefined },
): PlanningAttendee {
  return { id, attendable_id, attendable_type, teacher_id, teacher_role_id, comment };
}

function textOf(attendees: readonly PlanningAttendee[]): string {
  return JSON.stringify(attendees.map(({ teacher_id, teacher_role_id }) => [teacher_id, teacher_role_id]));
}

/** Gives a planned course exactly these teachers; those who stay keep their roles. */
export function setTeachers(store: Store, plannedCourseId: number, teacherIds: readonly number[]): void {
  const { teacherEnrollments: places } = store;
  const before = places.filter(where({ planned_course_id: plannedCourseId }));
  for (const { id, teacher_id } of before) if (!teacherIds.includes(teacher_id)) places.delete(id);
  for (const teacher_id of new Set(teacherIds)) {
    if (before.some((place) => place.teacher_id === teacher_id)) continue;
    places.insert({ planned_course_id: plannedCourseId, teacher_id, teacher_role_id: null });
  }
}
