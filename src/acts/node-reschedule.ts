import { change } from "../bulk/change.js";
import { type LaterBy, later } from "../bulk/later.js";
import { apply, reportOf } from "../bulk/node-apply.js";
import { rowsOf } from "../bulk/node-state.js";
import type { BulkJournal, BulkReport } from "../bulk/types.js";
import type { MainClient } from "../clients/main.js";
import { NotFoundError, PermissionDeniedError } from "../core/errors.js";
import { acceptAny, checkNames, flag, type OptionTable, record } from "../core/option-checks.js";
import type { Meeting } from "../resources/planning/meetings.js";
import { daysBetween, isDay } from "../work/days.js";
import { zoneOf } from "../work/zone.js";
import {
  type ActOptions,
  checkAct,
  isBegun,
  isConfirmed,
  ofPlan,
  type Place,
  placeOf,
  planWhole,
  readList,
  readOne,
  refusal,
} from "./node-act.js";

/** How to move a planned course: by days, weeks or months, or to a new first day. */
export type Rescheduling = ({ readonly by: LaterBy } | { readonly to: string }) & {
  /**
   * True to move the course even if a teacher or a room is planned elsewhere at the new times. Default false: such a
   * move needs a `confirm`, which is called with these conflicts.
   */
  readonly allowConflicts?: boolean | undefined;
  /** True to make the same move once more after it was carried out. Default false. */
  readonly again?: boolean | undefined;
};

/** Result of `reschedule`. */
export interface Rescheduled {
  /** True if an earlier call carried out this move, so that this call changed nothing. */
  readonly before: boolean;
  /** True if the course and all its meetings have been moved; false if a meeting was added during the call. */
  readonly complete: boolean;
  /** Teachers and rooms that are planned elsewhere at the new times, as sentences. */
  readonly conflicts: readonly string[];
  /** The reports of the meetings and the course; null if the act was not confirmed. */
  readonly meetings: BulkReport | null;
  readonly course: BulkReport | null;
  /** The plans of the move; `undo` reverses each of them. */
  readonly plans: readonly [meetings: string | BulkJournal, course: string | BulkJournal];
}

type Client = Pick<MainClient, "meetings" | "plannedCourses" | "educators">;

const MOVE: OptionTable<Record<"by" | "to", unknown> & Pick<Rescheduling, "allowConflicts" | "again">> = {
  by: [acceptAny],
  to: [acceptAny],
  allowConflicts: [flag],
  again: [flag],
};

/**
 * Moves a planned course with its meetings. They keep their hour on the school's clock across changes to and from
 * summer time. A second call with the same move changes nothing unless `again` is true.
 * @throws InputError if the course has no dates, is canceled or was moved again after this move, an hour does not exist
 * on its new day or occurs twice, or a teacher or room is planned elsewhere at the new times; nothing is sent in these
 * cases. The errors of `plan` and `apply`.
 * @example
 * const { complete, plans } = await reschedule(client, 1, { by: { weeks: 2 }, allowConflicts: true });
 * console.log(complete, plans);
 */
export async function reschedule(
  client: Client,
  plannedCourse: number,
  move: Rescheduling,
  options: ActOptions = {},
): Promise<Rescheduled> {
  const fail = (path: string, message: string) => refusal("reschedule", path, message);
  checkAct("reschedule", move, MOVE, options);
  if ("to" in move && "by" in move) throw fail("to", "cannot be combined with `by`: name one of them");
  if ("to" in move && !isDay(move.to)) throw fail("to", "must be a day, such as 2030-03-04");
  const { days = 0, weeks = 0, months = 0, ...unknown } = "to" in move ? {} : record("by", move.by, fail);
  checkNames(unknown, {}, fail, "by.");
  const name = `reschedule-${plannedCourse}-${"to" in move ? `to-${move.to}` : `by-${months}m${days + 7 * weeks}d`}`;
  if (!("to" in move) && days + 7 * weeks === 0 && months === 0) throw fail("by", "must not add up to zero");
  let plans: Rescheduled["plans"];
  let isDone: boolean;
  let times = 1;
  do {
    const mark = times++ === 1 ? name : `${name}-${times - 1}`;
    plans = [placeOf(options, `${mark}.meetings`), placeOf(options, `${mark}.course`)];
    isDone = (await isComplete(plans[1])) && (await isComplete(plans[0]));
  } while (isDone && move.again);
  const [meetings, course] = plans;
  if (isDone) {
    const { start_date, end_date } = await readOne(
      "plannedCourses.get",
      plannedCourse,
      client.plannedCourses.get(plannedCourse),
    );
    const now: Readonly<Record<string, unknown>> = { start_date, end_date };
    for await (const { send } of rowsOf(course))
      for (const [field, day] of Object.entries(send))
        if (now[field] !== day)
          throw fail(
            "plannedCourse",
            `${plannedCourse} was already moved by this move, but its ${field} is now ${now[field]} instead of ${day}: somebody moved it back or elsewhere. To repeat the move, set again to true (--again)`,
          );
    return {
      before: true,
      complete: true,
      conflicts: [],
      meetings: await reportOf(meetings),
      course: await reportOf(course),
      plans,
    };
  }
  let conflicts: readonly string[] = [];
  if (!(await isBegun(meetings)) && !(await isBegun(course))) {
    const { start_date, end_date, status } = await readOne(
      "plannedCourses.get",
      plannedCourse,
      client.plannedCourses.get(plannedCourse),
    );
    if (start_date === null) throw fail("plannedCourse", `${plannedCourse} has no dates: each enrollment has its own`);
    if (status === "canceled") throw fail("plannedCourse", `${plannedCourse} is canceled`);
    const by = "to" in move ? { days: daysBetween(start_date, move.to) } : move.by;
    if (by.days === 0 && "to" in move)
      throw fail(
        "to",
        `is already the first day of planned course ${plannedCourse}; if somebody is moving it, its meetings will follow`,
      );
    const zone = await zoneOf(() => client.educators.get());
    if (zone === null) throw fail("", "the school's time zone cannot be read with this key");
    const list = readList("meetings.list", client.meetings.list({ planned_course_id: plannedCourse }));
    const own = (await list).filter((one) => one.planned_course_id === plannedCourse);
    const moved = (one: Meeting) => ({
      start_date_time: later(one.start_date_time, by, zone),
      end_date_time: later(one.end_date_time, by, zone),
    });
    conflicts = await conflictsOf(
      client,
      own.map((one) => ({ ...one, ...moved(one) })),
    );
    if (conflicts.length > 0 && !options.confirm && !move.allowConflicts)
      throw fail("allowConflicts", `must be true to accept these double bookings: ${conflicts.join("; ")}`);
    // Plans course and meetings before the first write: a later plan could find dates that were already moved.
    await planWhole("reschedule", client.meetings, change<Meeting>(moved), {
      to: meetings,
      where: `planned_course_id=${plannedCourse}`,
    });
    const dates = {
      id: plannedCourse,
      start_date: later(start_date, by, zone),
      ...(end_date !== null && { end_date: later(end_date, by, zone) }),
    };
    await planWhole("reschedule", client.plannedCourses, [dates], { to: course, key: "id" });
    const steps = [
      `move planned course ${plannedCourse} from ${start_date} to ${dates.start_date}, with ${own.length} meetings`,
      ...conflicts,
    ];
    if (!(await isConfirmed(options, steps)))
      return { before: false, complete: false, conflicts, meetings: null, course: null, plans };
  }
  const { settleMs, signal } = options;
  // Moves the course before its meetings: a colleague who makes the same move at the same time then finds the course
  // moved, and does not move the meetings twice.
  const dates = await apply(client as MainClient, course, { settleMs, signal, sideEffects: ["status"] });
  const all = await apply(client as MainClient, meetings, { settleMs, signal });
  const complete = dates.complete && all.complete && (all.joined ?? []).length === 0;
  return { before: false, complete, conflicts, meetings: all, course: dates, plans };
}

// Also true if nothing was sent, because somebody else had already made the same move.
async function isComplete(at: Place): Promise<boolean> {
  return await ofPlan(async () => {
    const { complete, open } = await reportOf(at, ["status"]);
    return complete && open === 0;
  });
}

type Planned = Pick<
  Meeting,
  | "id"
  | "planned_course_id"
  | "start_date_time"
  | "end_date_time"
  | "meeting_location_id"
  | "planning_meeting_location_ids"
  | "planning_attendees"
>;

async function conflictsOf({ meetings, plannedCourses }: Client, moved: readonly Planned[]): Promise<string[]> {
  if (moved.length === 0) return [];
  const start = moved.map((one) => one.start_date_time).sort()[0] as string;
  const end = moved
    .map((one) => one.end_date_time)
    .sort()
    .at(-1) as string;
  const found: { readonly course: number | null; readonly text: string }[] = [];
  for (const other of await readList("meetings.list", meetings.list({ start, end }))) {
    for (const one of moved) {
      if (other.planned_course_id === one.planned_course_id) continue;
      const isApart =
        Date.parse(other.end_date_time) <= Date.parse(one.start_date_time) ||
        Date.parse(other.start_date_time) >= Date.parse(one.end_date_time);
      const shared = isApart ? [] : usedBy(other).filter((what) => usedBy(one).includes(what));
      for (const what of shared)
        found.push({
          course: other.planned_course_id,
          text: `${what} is planned for meeting ${other.id} of planned course ${other.planned_course_id} at ${other.start_date_time}`,
        });
    }
  }
  const ids = [...new Set(found.flatMap(({ course }) => course ?? []))];
  const canceled = new Set<number | null>();
  for (const id of ids) {
    // A course that cannot be read still counts as a conflict: it may take place.
    const other = await plannedCourses.get(id).catch(ignoreRefusal);
    if (other?.id === id && other.status === "canceled") canceled.add(id);
  }
  return found.flatMap(({ course, text }) => (canceled.has(course) ? [] : text));
}

function ignoreRefusal(error: unknown): null {
  if (error instanceof NotFoundError || error instanceof PermissionDeniedError) return null;
  throw error;
}

function usedBy({ meeting_location_id, planning_meeting_location_ids, planning_attendees }: Planned): string[] {
  const rooms = new Set([
    ...planning_meeting_location_ids,
    ...(meeting_location_id === null ? [] : [meeting_location_id]),
  ]);
  const teachers = new Set(planning_attendees.map(({ teacher_id }) => teacher_id));
  return [...[...rooms].map((id) => `room ${id}`), ...[...teachers].map((id) => `teacher ${id}`)];
}
