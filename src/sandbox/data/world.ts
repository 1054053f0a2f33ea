import type { Days } from "./days.js";
import type { SandboxManners } from "./manners.js";
import type { Random } from "./random.js";
import type { SeededSchool } from "./school.js";
import type { Store } from "./store.js";

/** The amount of data in a sandbox: a name, or the number of people, which determines the length of every list. */
export type SandboxSize = "small" | "medium" | "large" | number;

const SIZES = { small: 25, medium: 1_000, large: 100_000 } as const;

/** @internal */
export interface Counts {
  readonly people: number;
  /** Users who teach; they have the lowest identifiers. */
  readonly teachers: number;
  readonly categories: number;
  readonly courses: number;
  readonly programs: number;
  readonly programEditions: number;
  readonly plannedCourses: number;
  /** Planned courses that have ended; they have the lowest identifiers. */
  readonly pastPlannedCourses: number;
  /** Planned courses that have ended or are in progress; they have the lowest identifiers. */
  readonly startedPlannedCourses: number;
  /** Enrollments in planned courses that have ended; they have the lowest identifiers. */
  readonly pastEnrollments: number;
  /** Grades of enrollments in ended planned courses; the last of these enrollments has no grade yet. */
  readonly courseGrades: number;
  readonly courseLocations: number;
  readonly meetingLocations: number;
  readonly affiliations: number;
  readonly authentications: number;
  readonly comments: number;
  readonly leads: number;
  readonly tasks: number;
  readonly programEnrollments: number;
}

/** Input for making seeded records: how many to make, and the store with the records they refer to. @internal */
export interface World {
  readonly counts: Counts;
  readonly school: SeededSchool;
  readonly store: Store;
  readonly manners: Pick<SandboxManners, "currency" | "timeZone">;
}

/** @throws RangeError unless the size is a known name or a whole number from 1 to 10,000,000. @internal */
export function countsOf(size: SandboxSize): Counts {
  const people = typeof size === "number" ? size : SIZES[size];
  if (!(Number.isInteger(people) && people >= 1 && people <= 10_000_000)) {
    throw new RangeError("size must be small, medium, large or a whole number from 1 to 10,000,000");
  }
  const root = Math.sqrt(people);
  const courses = clamp(Math.round(root * 1.5), 6, 1_000);
  const programs = clamp(Math.round(courses / 8), 2, 100);
  const plannedCourses = Math.max(courses * 2, Math.ceil(people / 12));
  // Leaves room for four courses in progress and four that have not begun.
  const pastPlannedCourses = Math.min(Math.ceil(plannedCourses / 2), plannedCourses - 8);
  const pastEnrollments = Math.ceil((pastPlannedCourses * people) / plannedCourses);
  const courseLocations = clamp(Math.round(root / 6), 3, 40);
  return {
    people,
    teachers: Math.min(people, Math.max(2, Math.ceil(people / 10))),
    categories: clamp(Math.round(root / 4), 4, 60),
    courses,
    programs,
    programEditions: programs * 2,
    plannedCourses,
    pastPlannedCourses,
    startedPlannedCourses: pastPlannedCourses + Math.max(4, Math.ceil(plannedCourses / 8)),
    pastEnrollments,
    courseGrades: Math.max(0, pastEnrollments - 1),
    courseLocations,
    meetingLocations: courseLocations * 3,
    // Two people in ten have a second account, and one in ten has a second login.
    affiliations: people + 2 * Math.floor(people / 10),
    authentications: people + Math.floor(people / 10),
    comments: Math.max(8, Math.ceil(people / 4)),
    leads: Math.max(5, Math.ceil(people / 3)),
    tasks: Math.max(8, Math.ceil(people / 5)),
    programEnrollments: Math.max(4, Math.ceil(people / 10)),
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

// In each group of ten owners, one gets five records, five get one and four get none.
const UNEVEN: readonly number[] = [0, 1, 2, 2, 2, 2, 6, 7, 8, 2];

/**
 * Distributes records unevenly: maps the index of the owner in an even distribution to the index of the actual owner.
 * Indexes begin at 0.
 * @internal
 */
export function uneven(place: number): number {
  const at = place % UNEVEN.length;
  return place - at + (UNEVEN[at] ?? 0);
}

// The days when the first and the last seeded records were created, relative to the Monday of the sandbox's week.
const FIRST_DAY = -365;
const LAST_DAY = -9;
// The newest records are from the day before this week, so that on any day some records are at most seven days old.
const NEWEST_DAY = -1;

/** The identifier of a collection's last seeded record before the newest records. @internal */
export function lastOlder(count: number): number {
  return count - Math.max(Math.min(3, Math.floor(count / 8)), Math.ceil(count / 200));
}

/** @internal */
export function isNewest(id: number, count: number): boolean {
  return id > lastOlder(count);
}

export interface Dated {
  readonly id?: number | undefined;
  readonly created_at?: string | null | undefined;
  readonly updated_at?: string | null | undefined;
}

type Stamp = (
  row: Dated & { readonly id: number },
  random: Random,
  making: Days & { readonly given: Dated; readonly seeded: boolean; readonly now: string; readonly inserted: boolean },
) => string;

/**
 * The columns `created_at` and `updated_at`; higher identifiers are newer. A new record's `created_at` is never later
 * than now, its given `updated_at`, or its given fields named in `before`.
 * @param before the names of fields whose times cannot precede the creation.
 * @param first the day of the first record's creation.
 * @internal
 */
export function timestamps(
  count: number,
  before: readonly string[] = [],
  first = FIRST_DAY,
): { readonly created_at: Stamp; readonly updated_at: Stamp } {
  const dayOf = (id: number) =>
    isNewest(id, count) ? NEWEST_DAY : Math.floor(first + (Math.min(id, count) / count) * (LAST_DAY - first));
  const limits = ["updated_at", ...before];
  return {
    created_at: ({ id }, _, { given, now, inserted, moment }) => {
      const times = limits.map((name) => given[name as keyof Dated]);
      return [now, ...times].reduce<string>(
        (earliest, time) => (typeof time === "string" && time !== "" && time < earliest ? time : earliest),
        inserted ? now : moment(dayOf(id), isNewest(id, count) ? 17 : 8, id % 60),
      );
    },
    updated_at: ({ id, created_at }, random, { given, seeded, now, inserted, moment }) => {
      const made = dayOf(id);
      const changed = inserted ? now : moment(made + random.int(0, Math.min(30, -1 - made)), 15, id % 60);
      const latest = given.created_at === undefined && !seeded && now < changed ? now : changed;
      return created_at && created_at > latest ? created_at : latest;
    },
  };
}

/** @internal */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

/** @internal */
export function amount(cents: number): string {
  const sign = cents < 0 ? "-" : "";
  const whole = Math.abs(Math.round(cents));
  return `${sign}${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, "0")}`;
}

/** @internal */
export function cents(text: string): number {
  return Math.round(Number(text) * 100);
}
