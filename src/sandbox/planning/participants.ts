import type { Enrollment, Meeting, Order, PlannedCourse } from "../../generated/resources.js";
import { daysBetween } from "../../work/days.js";
import { moveParticipant } from "../catalog/offers.js";
import { where } from "../data/domain.js";
import type { Store } from "../data/store.js";
import type { World } from "../data/world.js";
import { presentTimetable, SUNDAYS } from "./timetable.js";

/**
 * The planned course of the seeded order and enrollment with this identifier. Higher identifiers belong to later
 * courses. Of every four courses, the first has twice the usual number of participants and the second has none.
 */
export function plannedCourseOf(enrollmentId: number, { counts }: World): number {
  const place = (enrollmentId - 1) % counts.people;
  const even = Math.floor((place * counts.plannedCourses) / counts.people);
  return even % 4 === 1 ? even : even + 1;
}

/**
 * The order that led to the seeded enrollment with this identifier: usually the order with the same identifier. One
 * order in fifty has three students; the orders with the identifiers of its other enrollments were never approved.
 */
export function orderFor(enrollmentId: number, world: World): number {
  const first = enrollmentId - (enrollmentId % 50) + 20;
  const isOfThree = enrollmentId >= first && enrollmentId < first + 3 && first + 2 <= world.counts.people;
  return isOfThree && plannedCourseOf(first, world) === plannedCourseOf(first + 2, world) ? first : enrollmentId;
}

/**
 * True if a seeded enrollment is a second try by the student who canceled the previous enrollment in the same planned
 * course. It is the last enrollment in a course on Sundays, made after the first lesson.
 */
export function isSecondTry(enrollmentId: number, world: World): boolean {
  const { counts } = world;
  const plannedCourse = plannedCourseOf(enrollmentId, world);
  if (enrollmentId > counts.people || presentTimetable(plannedCourse, counts) !== SUNDAYS) return false;
  return isLastEnrollment(enrollmentId, world) && plannedCourseOf(enrollmentId - 1, world) === plannedCourse;
}

export function seededParticipants(plannedCourseId: number, world: World): number {
  return seededIn(plannedCourseId, world, (id) => (takesPlace(world.store.enrollments.seeded(id)) ? 1 : 0));
}

/** The number of students in requested orders for a seeded planned course. */
export function seededRequests(plannedCourseId: number, world: World): number {
  return seededIn(plannedCourseId, world, (id) => requestedIn(world.store.orders.seeded(id)));
}

// Sums an amount over the seeded orders or enrollments of a planned course.
function seededIn(plannedCourseId: number, { counts }: World, amountOf: (id: number) => number): number {
  const shares = [2, 0, 1, 1][(plannedCourseId - 1) % 4] ?? 1;
  const end = firstEnrollment(plannedCourseId + shares, counts);
  let sum = 0;
  for (let id = firstEnrollment(plannedCourseId, counts); id < end; id++) sum += amountOf(id);
  return sum;
}

/** The first seeded enrollment in a planned course or, if the course has no enrollments, in a later course. */
export function firstEnrollment(plannedCourseId: number, { people, plannedCourses }: World["counts"]): number {
  return Math.ceil(((Math.min(plannedCourseId, plannedCourses + 1) - 1) * people) / plannedCourses) + 1;
}

export function isLastEnrollment(id: number, world: World): boolean {
  return id === world.counts.people || plannedCourseOf(id, world) !== plannedCourseOf(id + 1, world);
}

function requestedIn({ status, number_of_students }: Readonly<Order>): number {
  return status === "requested" ? number_of_students : 0;
}

function takesPlace({ status }: Readonly<Enrollment>): boolean {
  return status === "confirmed" || status === "active" || status === "completed";
}

export function followEnrollment(store: Store, after: Enrollment | undefined, before: Enrollment | undefined): void {
  const courseOf = (each: Enrollment | undefined) => (each && takesPlace(each) ? each.planned_course_id : null);
  const [from, to] = [courseOf(before), courseOf(after)];
  store.plannedCourses.recount("confirmed_active_and_completed_enrollments_count", from, to);
  moveParticipant(store, "PlannedCourse", from, to);
  for (const id of [from, to]) {
    const planned = id === null ? undefined : store.plannedCourses.peek(id);
    if (planned) store.plannedCourses.revise(planned.id, { available_places: hasPlaces(planned) });
  }
}

export function followOrder({ plannedCourses }: Store, after: Order | undefined, before: Order | undefined): void {
  if (before) plannedCourses.addTo(before.planned_course_id, "requested_enrollments_count", -requestedIn(before));
  if (after) plannedCourses.addTo(after.planned_course_id, "requested_enrollments_count", requestedIn(after));
}

/** Recounts the days of a fixed planned course when a meeting is added, removed or moved to another course. */
export function followMeeting(store: Store, after: Meeting | undefined, before: Meeting | undefined): void {
  if (after?.planned_course_id === before?.planned_course_id) return;
  for (const id of [before?.planned_course_id, after?.planned_course_id]) {
    const planned = id === undefined ? undefined : store.plannedCourses.peek(id);
    if (planned?.type !== "FixedPlannedCourse") continue;
    store.plannedCourses.revise(planned.id, {
      duration_in_days: daysOf(planned, meetingsOf(store, planned.id).length),
    });
  }
}

export function meetingsOf({ meetings }: Store, plannedCourseId: number): Meeting[] {
  return meetings.filter(where({ planned_course_id: plannedCourseId }));
}

export function daysOf(dates: Pick<PlannedCourse, "start_date" | "end_date">, meetings: number): number | null {
  const { start_date, end_date } = dates;
  if (meetings > 0) return meetings;
  if (start_date === null || end_date === null) return null;
  return daysBetween(start_date, end_date) + 1;
}

export function hasPlaces(planned: Pick<PlannedCourse, "max_participants" | "current_participants">): boolean {
  return planned.max_participants === null || planned.current_participants < planned.max_participants;
}
