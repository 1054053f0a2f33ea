import type { Teacher, User } from "../../generated/resources.js";
import { customColumn } from "../custom/definitions.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import { timestamps, type World } from "../data/world.js";
import { labelFor } from "../people/seed.js";
import { eventsOfPlace, followPlace, SHARED } from "./follow.js";
import { placeCount, placeCountOf, seededPlace, teacherIn } from "./places.js";

export function teachersSeeds(world: World) {
  const { counts, store } = world;
  return {
    teacherEnrollments: {
      count: placeCount(counts),
      columns: {
        planned_course_id: ({ id }) => seededPlace(id, counts).planned_course_id,
        teacher_id: ({ id, planned_course_id: course }) => teacherIn(course, seededPlace(id, counts).role, counts),
        teacher_role_id: ({ id }) => seededPlace(id, counts).role,
        ...timestamps(placeCount(counts)),
      },
      follow: (place, before) => followPlace(store, place, before),
      relatedEvents: (place, before) => eventsOfPlace(store, place, before),
    },
    teacherRoles: {
      count: ROLE_NAMES.length,
      columns: {
        name: ({ id }) => ROLE_NAMES[id - 1] ?? `Role ${id}`,
        ...timestamps(ROLE_NAMES.length),
      },
      event: "teacher_role",
    },
    teachers: {
      count: counts.teachers,
      columns: {
        ...columnsOfUser(store),
        label_ids: (_, random) => (random.chance(0.3) ? [labelFor("Teacher", random)] : []),
        // Deliberately, the last teacher has left but still has courses.
        active: ({ id }, random, { seeded }) => !(seeded && id === counts.teachers && id > 1) && random.chance(0.9),
        note: (_, random) => (random.chance(0.2) ? "Prefers mornings." : null),
        teacher_enrollments_count: ({ id }, _, { seeded }) => (seeded ? placeCountOf(id, counts) : 0),
        ...timestamps(counts.teachers),
        custom: customColumn(world, "teacher"),
      },
      // rule: a teacher has the same identifier as their user, and a user who is already a teacher cannot be made one
      // again (422).
      identify: (given, create) => userOf(store, given, create),
      event: "teacher",
    },
  } satisfies Partial<Seeds>;
}

// Chooses the user whose identifier a new teacher gets: a user with the role `teacher` who is not a teacher yet, else a
// new user.
function userOf({ teachers, users }: World["store"], given: Partial<Teacher>, create: boolean): number {
  const shared = Object.fromEntries(SHARED.flatMap((field) => (field in given ? [[field, given[field]]] : [])));
  const candidate = users.find(
    (user) =>
      user.roles.includes("teacher") &&
      !teachers.peek(user.id) &&
      Object.entries(shared).every(([field, value]) => user[field as keyof User] === value),
  );
  if (candidate) return candidate.id;
  return create ? users.insert({ ...shared, roles: ["teacher"] }).id : users.nextId;
}

// Ordered by the role identifiers `LEAD` and `ASSISTANT` of places.ts.
const ROLE_NAMES = ["Lead teacher", "Assistant", "Examiner"] as const;

function columnsOfUser(store: World["store"]): Pick<Columns<Teacher>, (typeof SHARED)[number]> {
  const columnOf = (field: keyof User) =>
    (({ id }, _, { look }) => look(store.users, id)[field]) as Columns<Teacher>["note"];
  return Object.fromEntries(SHARED.map((field) => [field, columnOf(field)])) as unknown as Columns<Teacher>;
}
