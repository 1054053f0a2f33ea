import type { MainClient } from "../clients/main.js";
import { type Fail, must, type OptionTable } from "../core/option-checks.js";
import { type Attendance, AttendanceState } from "../resources/planning/attendances.js";
import { type ActOptions, checkAct, isConfirmed, readList, readOne, refusal } from "./node-act.js";

/** The user identifier or the e-mail address of a student. */
export type StudentName = number | string;

/** Who attended a meeting. A student in none of the lists keeps the current state, unless `others` is given. */
export interface AttendanceLists {
  readonly present?: readonly StudentName[] | undefined;
  readonly absent?: readonly StudentName[] | undefined;
  readonly late?: readonly StudentName[] | undefined;
  /** Absent with leave. */
  readonly excused?: readonly StudentName[] | undefined;
  /** The state of all other students of the course. Default: their states stay as they are. */
  readonly others?: AttendanceState | undefined;
}

/** The attendance of one student. */
export interface MarkedAttendance {
  readonly student: number;
  readonly email: string | null;
  /** The state as the service confirmed it; before a confirmation, the wanted state. */
  readonly state: AttendanceState;
  /** The state before this call; null if there was none. */
  readonly before: string | null;
  /** False if the student already had the state, or the act was not confirmed. */
  readonly isChanged: boolean;
}

const LISTS: OptionTable<AttendanceLists> = {
  present: [people],
  absent: [people],
  late: [people],
  excused: [people],
  others: [
    must(
      (value) => AttendanceState.schema.safeParse(value).success,
      `must be one of ${AttendanceState.values.join(", ")}`,
    ),
  ],
};

const STATES = { present: "attended", absent: "absent", late: "late", excused: "absent_with_leave" } as const;

/**
 * Marks who was at a meeting. Checks all students before it writes the first state, and writes only states that differ,
 * with one request each, so an interrupted call can be repeated.
 * @throws InputError if a student is not in the course or is named twice, or if all lists are empty; nothing is sent
 * then.
 * @example
 * await markAttendance(client, 1, { others: "attended" });
 */
export async function markAttendance(
  client: Pick<MainClient, "attendances" | "enrollments" | "meetings">,
  meeting: number,
  lists: AttendanceLists,
  options: Pick<ActOptions, "confirm" | "signal"> = {},
): Promise<readonly MarkedAttendance[]> {
  const fail = (path: string, message: string) => refusal("markAttendance", path, message);
  checkAct("markAttendance", lists, LISTS, options, ["confirm", "signal"]);
  const { planned_course_id } = await readOne("meetings.get", meeting, client.meetings.get(meeting));
  const list = client.enrollments.list({ planned_course_id, with_canceled: false }).with({ student: true });
  const found = await readList("enrollments.list", list);
  const enrolled = found.filter((one) => one.planned_course_id === planned_course_id && one.status !== "canceled");
  const nameIn = (name: StudentName) => (typeof name === "string" ? name.trim().toLowerCase() : name);
  const states = new Map<number, AttendanceState>();
  for (const [list, state] of Object.entries(STATES)) {
    for (const given of lists[list as keyof typeof STATES] ?? []) {
      const name = nameIn(given);
      const students = enrolled.filter(
        ({ student_id, student }) => name === (typeof name === "number" ? student_id : student?.email?.toLowerCase()),
      );
      const ids = new Set(students.map(({ student_id }) => student_id));
      const [id] = ids;
      if (id === undefined) throw fail(list, `names ${given}, who is not in planned course ${planned_course_id}`);
      if (ids.size > 1) throw fail(list, `names ${given}, which matches ${ids.size} students: give the identifier`);
      if (states.has(id)) throw fail(list, `names ${given}, who is named twice`);
      states.set(id, state);
    }
  }
  if (states.size === 0 && lists.others === undefined) throw fail("", "names nobody");
  const now = new Map<number, string>();
  for (const one of await readList("attendances.list", client.attendances.list({ meeting_id: meeting })))
    if (one.meeting_id === meeting) now.set(one.enrollment_id, one.state);
  const marked = enrolled.flatMap(({ id, student_id, student }) => {
    const state = states.get(student_id) ?? lists.others;
    const before = now.get(id) ?? null;
    return state === undefined
      ? []
      : [{ id, student: student_id, email: student?.email ?? null, state, before, isChanged: before !== state }];
  });
  const steps = marked
    .filter(({ isChanged }) => isChanged)
    .map(({ student, email, state, before }) => `${email ?? student}: ${before ?? "none"} -> ${state}`);
  const isAgreed = await isConfirmed(options, steps);
  const done: MarkedAttendance[] = [];
  for (const { id, ...one } of marked) {
    if (!(one.isChanged && isAgreed)) {
      done.push({ ...one, isChanged: false });
      continue;
    }
    const body = { meeting_id: meeting, enrollment_id: id, state: one.state };
    const stored: Partial<Attendance> | undefined = await client.attendances.set(body, { signal: options.signal });
    // A success may have no body.
    const state = (stored?.state as AttendanceState | undefined) ?? one.state;
    done.push({ ...one, state, isChanged: state !== one.before });
  }
  return done;
}

function people(list: string, names: readonly StudentName[], fail: Fail): readonly StudentName[] {
  if (Array.isArray(names)) return names;
  throw fail(list, "must be a list of identifiers or e-mail addresses");
}
