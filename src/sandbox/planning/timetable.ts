import type { PlannedCourse } from "../../generated/resources.js";
import type { Counts } from "../data/world.js";

/** The days of a seeded planned course, relative to the Monday of the sandbox's week. */
export interface Timetable {
  readonly status: PlannedCourse["status"];
  readonly start: number;
  readonly end: number;
  readonly lessons: readonly number[];
  readonly hour: number;
  /** The index of the lesson that has no room yet. */
  readonly roomless?: number;
}

export const MEETINGS_EACH = 3;

export const COURSE_DAYS = 7 * (MEETINGS_EACH - 1);

const weekly = (status: Timetable["status"], start: number, hour = 9): Timetable => ({
  status,
  start,
  end: start + COURSE_DAYS,
  lessons: [start, start + 7, start + COURSE_DAYS],
  hour,
});

const inPerson = { status: "active", start: 0, hour: 9 } as const;

/** A course that begins and ends this week. */
export const THREE_DAYS: Timetable = { ...inPerson, end: 6, lessons: [2, 3, 4] };
/** A course whose latest lesson, on the day before this week, had absent participants. */
export const SUNDAYS: Timetable = weekly("active", -8, 10);
// On any day, one of these two courses has a lesson without a room in the next seven days.
const MONDAYS: Timetable = { ...weekly("active", -7), roomless: 2 };
const TUESDAYS: Timetable = { ...inPerson, end: 8, lessons: [1, 4, 8], roomless: 1 };
/** A course that is canceled although somebody is enrolled. */
export const CALLED_OFF: Timetable = weekly("canceled", 14);
/** A course without free places, with two lessons in its first week. */
export const FULL: Timetable = { ...weekly("planned", 7), lessons: [7, 10, 21] };
/** A course in which nobody is enrolled yet. */
export const UNSOLD: Timetable = weekly("planned", 9);
/**
 * A course with deliberate problems: too few participants, a room that `FULL` uses too, and a participant who is also
 * in `FULL`.
 */
export const CLASHING: Timetable = weekly("planned", 7);

// The courses in progress, and the next four courses. Both lists are indexed by the planned course's identifier modulo
// 4, because its number of participants depends on that remainder.
const RUNNING = [THREE_DAYS, SUNDAYS, MONDAYS, TUESDAYS];
const NEXT = [CALLED_OFF, FULL, UNSOLD, CLASHING];

/** A course that ended last week; attendance at its last lesson has not been marked yet. */
export const JUST_ENDED: Timetable = weekly("completed", -COURSE_DAYS - 5);
const ENDED_EACH = 3;

/** The timetable of a planned course around this week; undefined if the course is further away. */
export function presentTimetable(id: number, counts: Counts): Timetable | undefined {
  const { pastPlannedCourses: past, startedPlannedCourses: started } = counts;
  if (id <= past) return id > past - ENDED_EACH ? JUST_ENDED : undefined;
  return id <= started ? RUNNING[id % 4] : id <= started + NEXT.length ? NEXT[id % 4] : undefined;
}

/** The identifier of the upcoming planned course with this timetable of `NEXT`. */
export function nextCourse(timetable: Timetable, { startedPlannedCourses: started }: Counts): number {
  const ids = NEXT.map((_, at) => started + 1 + at);
  return ids.find((id) => NEXT[id % 4] === timetable) ?? started;
}

/**
 * The planned course that has no teacher yet. Its identifier is not divisible by three, so it has no assistant either.
 */
export function untaughtCourse(counts: Counts): number {
  const ids = [UNSOLD, CLASHING, FULL].map((next) => nextCourse(next, counts));
  return ids.find((id) => id % 3 !== 0) as number;
}

export function timetableOf(id: number, counts: Counts): Timetable {
  const { pastPlannedCourses: past, startedPlannedCourses: started, plannedCourses: all } = counts;
  const present = presentTimetable(id, counts);
  if (present) return present;
  const week = (place: number, from: number, until: number) => Math.floor(from + place * (until - from));
  const status = id % 20 === 19 ? "canceled" : id <= past ? "completed" : "planned";
  if (id <= past) return weekly(status, 7 * week(id / past, -40, -4) + (id % 5));
  return weekly(status, 7 * week((id - started) / (all - started), 1, 29) + (id % 5));
}

export function roomOf(plannedCourseId: number, counts: Counts): number {
  const clashes = plannedCourseId === nextCourse(CLASHING, counts);
  return ((clashes ? nextCourse(FULL, counts) : plannedCourseId) % counts.meetingLocations) + 1;
}

/** The room of the first course with the timetable `SUNDAYS`, deliberately too small for that course. */
export function smallRoom(counts: Counts): number {
  const first = counts.pastPlannedCourses + 1;
  return roomOf(first + ((((RUNNING.indexOf(SUNDAYS) - first) % 4) + 4) % 4), counts);
}
