import type { Counts } from "../data/world.js";
import { untaughtCourse } from "../planning/timetable.js";

const LEAD = 1;
const ASSISTANT = 2;

// Every planned course except `untaughtCourse` has a lead teacher; every third also has an assistant, unless the school
// has only one teacher.
const ASSISTED_EVERY = 3;

export const MOST_TEACHERS = 2;

/** The number of seeded teacher enrollments: those of lead teachers, then those of assistants. */
export function placeCount({ plannedCourses, teachers }: Counts): number {
  return plannedCourses - 1 + (teachers > 1 ? Math.floor(plannedCourses / ASSISTED_EVERY) : 0);
}

/** The planned course and role of a teacher enrollment; for identifiers above the seeded ones, both repeat. */
export function seededPlace(enrollmentId: number, counts: Counts) {
  const { plannedCourses } = counts;
  const place = ((enrollmentId - 1) % placeCount(counts)) + 1;
  if (place < plannedCourses) {
    return { planned_course_id: place < untaughtCourse(counts) ? place : place + 1, role: LEAD };
  }
  return { planned_course_id: (place - plannedCourses + 1) * ASSISTED_EVERY, role: ASSISTANT };
}

export function teacherIn(plannedCourseId: number, role: number, { teachers }: Counts): number {
  return ((plannedCourseId + (role === ASSISTANT ? 1 : 0)) % teachers) + 1;
}

export function teachersIn(plannedCourseId: number, counts: Counts) {
  const { plannedCourses, teachers } = counts;
  if (plannedCourseId > plannedCourses || plannedCourseId === untaughtCourse(counts)) return [];
  const assisted = teachers > 1 && plannedCourseId % ASSISTED_EVERY === 0;
  return (assisted ? [LEAD, ASSISTANT] : [LEAD]).map((role) => ({
    teacher_id: teacherIn(plannedCourseId, role, counts),
    teacher_role_id: role,
  }));
}

export function placeCountOf(teacherId: number, counts: Counts): number {
  const { plannedCourses, teachers } = counts;
  if (teacherId > teachers) return 0;
  let places = 0;
  // With n teachers, the same teacher leads every n-th planned course.
  for (let led = teacherId - 1; led <= plannedCourses + 1; led += teachers) {
    for (const course of [led, led - 1]) {
      if (course < 1 || course > plannedCourses) continue;
      const role = course === led ? LEAD : ASSISTANT;
      if (teachersIn(course, counts).some((place) => place.teacher_role_id === role)) places++;
    }
  }
  return places;
}
