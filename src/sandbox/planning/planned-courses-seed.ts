import type { PlannedCourse } from "../../resources/planning/planned-courses.js";
import { COURSE_VARIANT_COUNT } from "../catalog/seed.js";
import type { Columns } from "../data/collection.js";
import { amount, day, timestamps, type World } from "../data/world.js";
import { daysOf, hasPlaces, seededParticipants, seededRequests } from "./participants.js";

/** The number of meetings that every seeded planned course has. @internal */
export const MEETINGS_EACH = 3;

const PLANNING_DAYS = 540;

/** The days from the first to the last meeting of a seeded planned course. @internal */
export const COURSE_DAYS = 7 * (MEETINGS_EACH - 1);

/** The date a number of days later. @internal */
export function later(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** @internal */
export function plannedCourseColumns(world: World): Columns<PlannedCourse> {
  const { counts, store } = world;
  const start = (id: number) => Math.floor((id / counts.plannedCourses) * PLANNING_DAYS);
  // Ended courses have the lowest identifiers, then those in progress, then future ones.
  const underWay = counts.pastPlannedCourses + Math.ceil(counts.plannedCourses / 8);
  const hasPrice = ({ cost_scheme: scheme }: Readonly<PlannedCourse>) => scheme === "student" || scheme === "order";
  return {
    status: ({ id }) => {
      if (id % 20 === 19) return "canceled";
      if (id <= counts.pastPlannedCourses) return "completed";
      return id <= underWay ? "active" : "planned";
    },
    duration_in_days: ({ id, type, start_date, end_date }, _, { given }) => {
      if (type === "FlexiblePlannedCourse") return 30 * ((id % 3) + 1);
      return daysOf({ start_date, end_date }, given.id === undefined ? MEETINGS_EACH : 0);
    },
    availability_state: (_, random) => (random.chance(0.9) ? "open" : "closed"),
    payable: hasPrice,
    current_participants: ({ id }, _, { given }) => {
      if (given.confirmed_active_and_completed_enrollments_count !== undefined) {
        return given.confirmed_active_and_completed_enrollments_count;
      }
      return given.id === undefined ? seededParticipants(id, world) : 0;
    },
    confirmed_active_and_completed_enrollments_count: ({ current_participants }) => current_participants,
    requested_enrollments_count: ({ id }, _, { given }) => (given.id === undefined ? seededRequests(id, world) : 0),
    available_places: hasPlaces,
    canvas_link: ({ id }) => (id % 8 === 0 ? `https://canvas.example.org/courses/${id}` : undefined),
    currency: () => "EUR",
    cost_multiplier: () => "1.0",
    is_published: ({ id }, random, { given }) =>
      given.id === undefined ? store.catalogVariants.seeded(id).is_published : random.chance(0.85),
    course_id: ({ id }) => ((id - 1) % counts.courses) + 1,
    type: ({ id }, _, { given }) => {
      const isDated = typeof (given.start_date ?? given.end_date) === "string";
      return !isDated && id % 10 === 7 ? "FlexiblePlannedCourse" : "FixedPlannedCourse";
    },
    start_date: ({ id, type }, _, { given }) => {
      if (type === "FlexiblePlannedCourse") return null;
      return given.end_date ? later(given.end_date, -COURSE_DAYS) : day(start(id));
    },
    end_date: ({ type, start_date }) =>
      type === "FlexiblePlannedCourse" || start_date === null ? null : later(start_date, COURSE_DAYS),
    min_participants: ({ max_participants: most }, random) => Math.min(random.int(1, 6), most ?? 6),
    max_participants: ({ id, current_participants: taken }, random, { given }) => {
      if (given.available_places === false) return taken;
      if (given.id !== undefined) return taken + random.int(6, 16);
      const left = store.catalogVariants.seeded(id).available_places;
      return left === null ? null : taken + left;
    },
    cost_scheme: ({ course_id }, _, { given, look }) => {
      if (given.cost !== undefined) return given.cost === null ? "free" : "student";
      if (given.payable !== undefined) return given.payable ? "student" : "free";
      return look(store.courses, course_id).cost_scheme;
    },
    cost: (row, random, { look }) => {
      if (!hasPrice(row)) return null;
      return look(store.courses, row.course_id).cost ?? amount(random.int(5, 150) * 1_000);
    },
    course_variant_id: (_, random) => (random.chance(0.7) ? random.int(1, COURSE_VARIANT_COUNT) : null),
    // Where its meetings are held.
    course_location_id: ({ id }) => ((id % counts.meetingLocations) % counts.courseLocations) + 1,
    ...timestamps(counts.plannedCourses),
  };
}
