import { byName } from "./by-name.js";
import type { RelatedByName } from "./domain.js";

/**
 * The records of each kind that a pair of fields such as `commentable_type` and `commentable_id` can name. Other kinds have no list, so
 * any identifier of theirs is accepted. @internal
 */
export const KINDS: RelatedByName = /* @__PURE__ */ byName({
  Account: (store) => store.accounts,
  Course: (store) => store.courses,
  Enrollment: (store) => store.enrollments,
  Invoice: (store) => store.invoices,
  Lead: (store) => store.leads,
  Order: (store) => store.orders,
  PlannedCourse: (store) => store.plannedCourses,
  "Program::Edition": (store) => store.programEditions,
  "Program::Editions::Edition": (store) => store.programEditions,
  "Program::Enrollment": (store) => store.programEnrollments,
  "Program::Program": (store) => store.programs,
  Task: (store) => store.tasks,
  User: (store) => store.users,
  course_enrollment: (store) => store.enrollments,
  program_enrollment: (store) => store.programEnrollments,
} satisfies RelatedByName);
