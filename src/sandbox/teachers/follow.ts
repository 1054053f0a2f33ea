import type { PlanningAttendee, Teacher, TeacherEnrollment, User } from "../../generated/resources.js";
import type { RelatedEvent } from "../data/domain.js";
import type { Store } from "../data/store.js";
import { attendeesFrom, changeMeetings, nextAttendeeId } from "./attendees.js";

type Place = TeacherEnrollment | undefined;

/** The fields that a teacher shares with their user. */
export const SHARED = [
  "first_name",
  "middle_name",
  "last_name",
  "email",
  "slug",
  "avatar_url",
  "employee_number",
  "teacher_headline",
  "teacher_description",
  "locale",
] as const satisfies readonly (keyof Teacher & keyof User)[];

export function followUser({ teachers }: Store, after: User | undefined, before: User | undefined): void {
  if (!before || !teachers.peek(before.id)) return;
  if (!after) {
    teachers.delete(before.id);
    return;
  }
  const changed = SHARED.filter((field) => after[field] !== before[field]);
  if (changed.length === 0) return;
  const changes = Object.fromEntries(changed.map((field) => [field, after[field]]));
  teachers.update(after.id, changes);
}

/** Updates the teacher's count of teacher enrollments, and the attendees at the planned course's meetings. */
export function followPlace(store: Store, after: Place, before: Place): void {
  if (!isChanged(after, before)) return;
  const isIts = (place: TeacherEnrollment) => (attendee: PlanningAttendee) => attendee.teacher_id === place.teacher_id;
  if (after && before && isSamePlace(after, before)) {
    const { teacher_role_id = null } = after;
    changeMeetings(store, after.planned_course_id, (attendees) =>
      attendees.map((attendee) => (isIts(after)(attendee) ? { ...attendee, teacher_role_id } : attendee)),
    );
    return;
  }
  if (before) {
    count(store, before.teacher_id, -1);
    changeMeetings(store, before.planned_course_id, (attendees) =>
      attendees.filter((attendee) => !isIts(before)(attendee)),
    );
  }
  if (after) {
    count(store, after.teacher_id, 1);
    let id = nextAttendeeId(store);
    changeMeetings(store, after.planned_course_id, (attendees, meetingId) =>
      attendees.some(isIts(after)) ? attendees : [...attendees, ...attendeesFrom([after], meetingId, id++)],
    );
  }
}

export function eventsOfPlace({ plannedCourses }: Store, after: Place, before: Place): RelatedEvent[] {
  if (!isChanged(after, before)) return [];
  const ids = new Set([before, after].flatMap((place) => (place ? [place.planned_course_id] : [])));
  return [...ids].flatMap((id) => {
    const record = plannedCourses.get(id);
    return record ? [{ event: "planned_course.teacher_attendees_changed", record }] : [];
  });
}

function isSamePlace(after: TeacherEnrollment, before: TeacherEnrollment): boolean {
  return after.planned_course_id === before.planned_course_id && after.teacher_id === before.teacher_id;
}

function isChanged(after: Place, before: Place): boolean {
  if (!after || !before) return true;
  return !isSamePlace(after, before) || after.teacher_role_id !== before.teacher_role_id;
}

function count({ teachers, users }: Store, teacherId: number, by: 1 | -1): void {
  teachers.addTo(teacherId, "teacher_enrollments_count", by);
  users.addTo(teacherId, "teacher_enrollments_count", by);
}
