import type { TeacherEnrollment } from "../../resources/teachers/teacher-enrollments.js";
import type { TeacherRole } from "../../resources/teachers/teacher-roles.js";
import type { Teacher } from "../../resources/teachers/teachers.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import { timestamps, type World } from "../data/world.js";
import { labelFor } from "../people/seed.js";
import type { TeachersStore } from "./store.js";

/** The seeds of teachers, their roles, and their places in planned courses. @internal */
export function teachersSeeds(world: World): Seeds<TeachersStore> {
  const { counts } = world;
  return {
    teacherEnrollments: { count: teacherEnrollmentCount(counts), columns: teacherEnrollmentColumns(world) },
    teacherRoles: { count: ROLE_NAMES.length, columns: teacherRoleColumns, event: "teacher_role" },
    teachers: { count: counts.teachers, columns: teacherColumns(world), event: "teacher" },
  };
}

const ROLE_NAMES = ["Lead teacher", "Assistant", "Examiner"] as const;
const LEAD = 1;
const ASSISTANT = 2;

/** @internal */
export const teacherRoleColumns: Columns<TeacherRole> = {
  name: ({ id }) => ROLE_NAMES[id - 1] ?? `Role ${id}`,
  ...timestamps(ROLE_NAMES.length),
};

// Every planned course has a lead teacher, and every third an assistant: the teacher after the lead teacher. With one
// teacher only, nobody is left to assist.
const ASSISTED_EVERY = 3;

// Counted from a planned course, so that neighbouring courses have different teachers.
const teacherAfter = (place: number, teachers: number) => (place % teachers) + 1;

function teacherEnrollmentCount({ plannedCourses, teachers }: World["counts"]): number {
  return plannedCourses + (teachers > 1 ? Math.floor(plannedCourses / ASSISTED_EVERY) : 0);
}

/** The places that the seeded teachers have in a planned course. @internal */
export function seededTeachersOf(
  plannedCourseId: number,
  { counts }: World,
): { teacher_id: number; teacher_role_id: number }[] {
  const { plannedCourses, teachers } = counts;
  if (plannedCourseId > plannedCourses) return [];
  const lead = { teacher_id: teacherAfter(plannedCourseId, teachers), teacher_role_id: LEAD };
  if (teachers === 1 || plannedCourseId % ASSISTED_EVERY !== 0) return [lead];
  return [lead, { teacher_id: teacherAfter(plannedCourseId + 1, teachers), teacher_role_id: ASSISTANT }];
}

/** The number of seeded places of a teacher. @internal */
export function seededPlacesOf(teacherId: number, { counts }: World): number {
  const { plannedCourses, teachers } = counts;
  if (teacherId > teachers) return 0;
  let places = 0;
  // The courses that lead to this teacher by `teacherAfter` lie as many apart as there are teachers.
  for (let course = teacherId - 1; course <= plannedCourses + 1; course += teachers) {
    if (course >= 1 && course <= plannedCourses) places++;
    const assisted = course - 1;
    if (teachers > 1 && assisted >= 1 && assisted % ASSISTED_EVERY === 0) places++;
  }
  return places;
}

/** @internal */
export function teacherEnrollmentColumns(world: World): Columns<TeacherEnrollment> {
  const { plannedCourses, teachers } = world.counts;
  const isLead = (id: number) => id <= plannedCourses;
  return {
    planned_course_id: ({ id }) => (isLead(id) ? id : ((ASSISTED_EVERY * (id - plannedCourses) - 1) % plannedCourses) + 1),
    teacher_id: ({ id, planned_course_id: course }) => teacherAfter(isLead(id) ? course : course + 1, teachers),
    teacher_role_id: ({ id }) => (isLead(id) ? LEAD : ASSISTANT),
    ...timestamps(teacherEnrollmentCount(world.counts)),
  };
}

/** @internal */
export function teacherColumns(world: World): Columns<Teacher> {
  const { counts, store } = world;
  return {
    first_name: ({ id }, _, { look }) => look(store.users, id).first_name,
    middle_name: ({ id }, _, { look }) => look(store.users, id).middle_name,
    last_name: ({ id }, _, { look }) => look(store.users, id).last_name,
    email: ({ id }, _, { look }) => look(store.users, id).email,
    slug: ({ id }, _, { look }) => look(store.users, id).slug,
    label_ids: (_, random) => (random.chance(0.3) ? [labelFor("Teacher", random)] : []),
    active: (_, random) => random.chance(0.9),
    avatar_url: ({ id }, _, { look }) => look(store.users, id).avatar_url,
    employee_number: ({ id }, _, { look }) => look(store.users, id).employee_number,
    note: (_, random) => (random.chance(0.2) ? "Prefers mornings." : null),
    teacher_headline: ({ id }, _, { look }) => look(store.users, id).teacher_headline,
    teacher_description: ({ id }, _, { look }) => look(store.users, id).teacher_description,
    teacher_enrollments_count: ({ id }) => seededPlacesOf(id, world),
    locale: ({ id }, _, { look }) => look(store.users, id).locale,
    ...timestamps(counts.teachers),
    custom: (_, random) => ({ day_rate: random.int(40, 90) * 10 }),
  };
}
