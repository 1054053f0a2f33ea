import type { PlannedCourse } from "../../resources/planning/planned-courses.js";
import { daysAfter } from "../../work/days.js";
import { hasPrice, schemeOf } from "../catalog/offers.js";
import { COURSE_VARIANT_COUNT, currencyOf, educatorCurrency } from "../catalog/seed.js";
import type { Columns } from "../data/collection.js";
import { amount, timestamps, type World } from "../data/world.js";
import { daysOf, hasPlaces, seededParticipants, seededRequests } from "./participants.js";
import { CLASHING, COURSE_DAYS, MEETINGS_EACH, presentTimetable, roomOf, timetableOf } from "./timetable.js";

export function courseOf(plannedCourseId: number, { counts }: World): number {
  return ((plannedCourseId - 1) % counts.courses) + 1;
}

function statusAt({ start_date, end_date }: Partial<PlannedCourse>, today: string): PlannedCourse["status"] {
  if (end_date && end_date < today) return "completed";
  const start = start_date ?? (end_date ? daysAfter(end_date, -COURSE_DAYS) : null);
  if (start === null || start > today) return "planned";
  return (end_date ?? daysAfter(start, COURSE_DAYS)) < today ? "completed" : "active";
}

function startAt(id: number, status: string, today: string): string {
  if (status === "completed") return daysAfter(today, -COURSE_DAYS - 1 - (id % 90));
  return daysAfter(today, status === "active" ? -(id % COURSE_DAYS) : 1 + (id % 90));
}

function startBefore(end: string, status: string, today: string): string {
  const start = daysAfter(end, -COURSE_DAYS);
  if (status === "active" && start > today) return today;
  return status === "planned" && start <= today && end > today ? daysAfter(today, 1) : start;
}

export function plannedCourseColumns(world: World): Columns<PlannedCourse> {
  const { counts, store } = world;
  const isPresent = (id: number, seeded: boolean) => seeded && presentTimetable(id, counts) !== undefined;
  return {
    status: ({ id }, _, { given, now, seeded }) => {
      return seeded ? timetableOf(id, counts).status : statusAt(given, now.slice(0, 10));
    },
    duration_in_days: ({ id, type, start_date, end_date }, _, { seeded }) => {
      if (type === "FlexiblePlannedCourse") return 30 * ((id % 3) + 1);
      return daysOf({ start_date, end_date }, seeded ? MEETINGS_EACH : 0);
    },
    availability_state: ({ id }, random, { seeded }) =>
      isPresent(id, seeded) || random.chance(0.9) ? "open" : "closed",
    payable: ({ cost_scheme }) => hasPrice(cost_scheme),
    current_participants: ({ id }, _, { given, seeded }) => {
      if (given.confirmed_active_and_completed_enrollments_count !== undefined) {
        return given.confirmed_active_and_completed_enrollments_count;
      }
      return seeded ? seededParticipants(id, world) : 0;
    },
    confirmed_active_and_completed_enrollments_count: ({ current_participants }) => current_participants,
    requested_enrollments_count: ({ id }, _, { seeded }) => (seeded ? seededRequests(id, world) : 0),
    available_places: hasPlaces,
    canvas_link: ({ id }) => (id % 8 === 0 ? `https://canvas.example.org/courses/${id}` : undefined),
    currency: ({ course_id }, _, making) =>
      making.seeded ? currencyOf(course_id, world) : educatorCurrency(store, making),
    cost_multiplier: () => "1.0",
    custom: () => ({}),
    is_published: ({ id }, random, { seeded }) =>
      seeded ? store.catalogVariants.seeded(id).is_published : random.chance(0.85),
    course_id: ({ id }) => courseOf(id, world),
    type: ({ id }, _, { given, seeded }) => {
      const isDated = typeof (given.start_date ?? given.end_date) === "string";
      return !isDated && id % 10 === 7 && !isPresent(id, seeded) ? "FlexiblePlannedCourse" : "FixedPlannedCourse";
    },
    start_date: ({ id, type, status }, _, { given, now, day, seeded }) => {
      if (type === "FlexiblePlannedCourse") return null;
      if (given.end_date) return startBefore(given.end_date, status, now.slice(0, 10));
      return seeded ? day(timetableOf(id, counts).start) : startAt(id, status, now.slice(0, 10));
    },
    end_date: ({ id, type, start_date, status }, _, { seeded, now, day }) => {
      if (type === "FlexiblePlannedCourse" || start_date === null) return null;
      if (seeded) return day(timetableOf(id, counts).end);
      const [end, today] = [daysAfter(start_date, COURSE_DAYS), now.slice(0, 10)];
      if (end < start_date) return end;
      // The end of a course in progress is not in the past; the end of a completed course is not in the future.
      if (status === "active" && end < today) return daysAfter(today, COURSE_DAYS);
      return status === "completed" && end > today && start_date <= today ? today : end;
    },
    min_participants: ({ id, current_participants: taken, max_participants: most }, random, { seeded }) => {
      if (seeded && presentTimetable(id, counts) === CLASHING) return taken + 2;
      const least = random.int(1, seeded && id % 4 === 3 ? 14 : 6);
      return Math.min(least, most ?? least);
    },
    max_participants: ({ id, current_participants: taken }, random, { given, seeded }) => {
      if (given.available_places === false) return taken;
      if (!seeded) return taken + random.int(6, 16);
      const left = store.catalogVariants.seeded(id).available_places;
      return left === null ? null : taken + left;
    },
    cost_scheme: ({ course_id }, _, { given, look }) => {
      if (given.cost === undefined && given.payable !== undefined) return given.payable ? "student" : "free";
      return schemeOf(given) ?? look(store.courses, course_id).cost_scheme;
    },
    cost: ({ course_id, cost_scheme }, random, { look }) =>
      hasPrice(cost_scheme) ? (look(store.courses, course_id).cost ?? amount(random.int(5, 150) * 1_000)) : null,
    course_variant_id: (_, random) => (random.chance(0.7) ? random.int(1, COURSE_VARIANT_COUNT) : null),
    course_location_id: ({ id }) => ((roomOf(id, counts) - 1) % counts.courseLocations) + 1,
    ...timestamps(counts.plannedCourses),
  };
}
