import type { Store } from "../data/store.js";

/** Gives a planned course these teachers and no others; those who stay keep their roles. @internal */
export function setTeachers(store: Store, plannedCourseId: number, teacherIds: readonly number[]): void {
  const { teacherEnrollments: places } = store;
  const before = places.filter(({ planned_course_id }) => planned_course_id === plannedCourseId);
  for (const { id, teacher_id } of before) if (!teacherIds.includes(teacher_id)) places.delete(id);
  for (const teacher_id of new Set(teacherIds)) {
    if (before.some((place) => place.teacher_id === teacher_id)) continue;
    places.insert({ planned_course_id: plannedCourseId, teacher_id, teacher_role_id: null });
  }
}
