import type * as sdk from "../../generated/resources.js";
import { daysAfter } from "../../work/days.js";
import type { Columns, Identified, Making } from "../data/collection.js";
import { shiftTime } from "../data/days.js";
import { having, type Seed, type Seeds, type Wanted, type Wants } from "../data/domain.js";
import { complete, nameColumn } from "../data/row-maker.js";
import { timestamps, uneven, type World } from "../data/world.js";
import { certifiedAt, gradedAt, programCertificateCount, programGradeCount } from "../programs/seed.js";
import { attendeesOfNew, hasOtherAttendees, nextAttendeeId, seededAttendees } from "../teachers/attendees.js";
import {
  firstEnrollment,
  followEnrollment,
  followMeeting,
  isSecondTry,
  orderFor,
  plannedCourseOf,
} from "./participants.js";
import { plannedCourseColumns } from "./planned-courses-seed.js";
import { meetingCount, planningEventColumns } from "./planning-events-seed.js";
import {
  CALLED_OFF,
  CLASHING,
  COURSE_DAYS,
  FULL,
  JUST_ENDED,
  MEETINGS_EACH,
  nextCourse,
  presentTimetable,
  roomOf,
  SUNDAYS,
  smallRoom,
  timetableOf,
} from "./timetable.js";

export function planningSeeds(world: World) {
  const { counts, store } = world;
  return {
    attendances: attendanceSeed(world),
    certificates: certificateSeed(world),
    enrollments: {
      count: counts.people,
      columns: enrollmentColumns(world),
      wants: { planned_course_id: (_, given) => courseFor(given) },
      parts: {
        grade: ({ id, created_at }) => ({
          id: store.grades.nextId,
          grader_id: store.users.at(0)?.id ?? 1,
          gradeable_id: id,
          gradeable_type: GRADED_ENROLLMENT,
          created_at,
          updated_at: created_at,
        }),
      },
      event: "enrollment",
      follow: (enrollment, before) => {
        followEnrollment(store, enrollment, before);
        if (enrollment && !before) addGrade(store, enrollment);
      },
    },
    grades: {
      count: counts.courseGrades + programGradeCount(counts),
      columns: gradeColumns(world),
      wants: { gradeable_id: () => ({ fits: ({ grade }: Pick<sdk.Enrollment, "grade">) => grade === null }) },
      follow: (grade, before) => followGrade(store, grade, before),
    },
    materialGroups: {
      count: MATERIAL_GROUP_NAMES.length,
      columns: { ...nameColumn(MATERIAL_GROUP_NAMES), ...timestamps(MATERIAL_GROUP_NAMES.length) },
    },
    materials: {
      count: MATERIAL_NAMES.length,
      columns: {
        ...nameColumn(MATERIAL_NAMES),
        use_type: ({ id }) => (id % 3 === 0 ? "consumable" : "reservable"),
        material_group_id: ({ id }) => ((id - 1) % USED_GROUPS) + 1,
        ...timestamps(MATERIAL_NAMES.length),
      },
    },
    meetingLocations: {
      count: counts.meetingLocations,
      columns: {
        course_location_id: ({ id }) => ((id - 1) % counts.courseLocations) + 1,
        name: ({ id }) => `Room ${id}`,
        capacity: ({ id }, random, { seeded }) => {
          if (seeded && id === smallRoom(counts)) return 1;
          return random.chance(0.9) ? random.int(6, 40) : null;
        },
        ...timestamps(counts.meetingLocations),
        address: (row, _, { look }) => look(store.courseLocations, row.course_location_id).address,
      },
      event: "meeting_location",
    },
    meetings: {
      count: meetingCount(counts),
      columns: meetingColumns(world),
      parts: { planning_attendees: attendeeParts(store, "Meeting"), planning_materials: () => ({ amount: 1 }) },
      event: "meeting",
      furtherEvent: (meeting, before) => (hasOtherAttendees(meeting, before) ? "teacher_attendees_changed" : null),
      follow: (meeting, before) => followMeeting(store, meeting, before),
    },
    plannedCourses: {
      count: counts.plannedCourses,
      columns: plannedCourseColumns(world),
      event: "planned_course",
      furtherEvent: ({ status }, before) => (status === "canceled" && before.status !== "canceled" ? "canceled" : null),
    },
    planningEvents: {
      count: counts.plannedCourses,
      columns: planningEventColumns(world),
      parts: {
        planning_attendees: attendeeParts(store, "Planning::Event"),
        planning_materials: () => ({ amount: 1 }),
        required_teacher_groups: ({ id }, at) => ({ id: id * 100 + at, quantity: 1 }),
      },
      event: "planning_event",
      furtherEvent: (event, before) => (hasOtherAttendees(event, before) ? "teacher_attendees_changed" : null),
    },
  } satisfies Partial<Seeds>;
}

function attendeeParts(store: World["store"], attendable_type: "Meeting" | "Planning::Event") {
  return ({ id }: Identified, at: number) => ({ id: nextAttendeeId(store) + at, attendable_id: id, attendable_type });
}

// The day by which the first seeded planned course has ended, relative to the Monday of the sandbox's week. Grades and
// attendances are created from that day on, in the order of the courses.
const AFTER_COURSES = -258;

const MEETING_MS = 7.5 * 3_600_000;

function meetingColumns(world: World): Columns<sdk.Meeting> {
  const { counts, store } = world;
  const place = (id: number) => (id - 1) % MEETINGS_EACH;
  return {
    name: ({ id }) => `Day ${place(id) + 1}`,
    planned_course_id: ({ id }) => (Math.floor((id - 1) / MEETINGS_EACH) % counts.plannedCourses) + 1,
    start_date_time: (row, _, { given, look, moment, seeded }) => {
      if (given.end_date_time !== undefined) return shiftTime(given.end_date_time, -MEETING_MS);
      const plannedCourse = look(store.plannedCourses, row.planned_course_id);
      if (seeded && plannedCourse.start_date !== null) {
        const { lessons, hour } = timetableOf(plannedCourse.id, counts);
        return moment(lessons[place(row.id)] ?? 0, hour);
      }
      const first = plannedCourse.start_date ?? plannedCourse.created_at.slice(0, 10);
      return `${daysAfter(first, place(row.id) * 7)}T09:00:00.000Z`;
    },
    end_date_time: ({ start_date_time }) => shiftTime(start_date_time, MEETING_MS),
    meeting_location_id: (row, random, { given, seeded }) => {
      if (given.planning_meeting_location_ids) return given.planning_meeting_location_ids[0] ?? null;
      const present = seeded ? presentTimetable(row.planned_course_id, counts) : undefined;
      const hasRoom = present ? present.roomless !== place(row.id) : random.chance(0.9);
      return hasRoom ? roomOf(row.planned_course_id, counts) : null;
    },
    description: (_, random) => (random.chance(0.4) ? "Coffee from half past eight." : null),
    description_dashboard: () => null,
    ...timestamps(meetingCount(counts)),
    planning_attendees: (row, _, { seeded }) =>
      seeded ? seededAttendees(row, world) : attendeesOfNew(store, row.id, row.planned_course_id),
    planning_meeting_location_ids: ({ meeting_location_id: location }) => (location === null ? [] : [location]),
    // Uses consumable materials, which can be at several meetings at the same time.
    planning_materials: ({ planned_course_id: course }, _, { seeded }) =>
      seeded ? [{ material_id: course % 2 === 0 ? 6 : 3, amount: 1, comment: null }] : [],
  };
}

function enrollmentColumns(world: World): Columns<sdk.Enrollment> {
  const { counts, store } = world;
  const stamps = timestamps(counts.people);
  const timetableIn = (id: number) => presentTimetable(plannedCourseOf(id, world), counts);
  const lookUpPlannedCourse = (row: Readonly<sdk.Enrollment>, { look }: Making<sdk.Enrollment>) =>
    look(store.plannedCourses, row.planned_course_id);
  return {
    student_id: ({ id, order_id: order }, _, { seeded, look }) => {
      const [item] = seeded || order === null ? [] : (look(store.orders, order).order_items ?? []);
      // Deliberately, the first participant is the same person in two courses that begin on the same day.
      const [same, other] = [FULL, CLASHING].map((next) => firstEnrollment(nextCourse(next, counts), counts));
      if (seeded && id === other && same !== other) return store.enrollments.seeded(same ?? id).student_id;
      return item?.student_id ?? uneven(((isSecondTry(id, world) ? id - 1 : id) * 11) % counts.people) + 1;
    },
    planned_course_id: ({ id, order_id: order }, _, { look }) =>
      (order === null ? null : look(store.orders, order).planned_course_id) ?? plannedCourseOf(id, world),
    // Only active and canceled orders led to an enrollment; the other enrollments were made by hand.
    order_id: ({ id }, _, { look, seeded }) => {
      if (!seeded) return null;
      const order = orderFor(id, world);
      const { status } = look(store.orders, order);
      return status === "active" || status === "canceled" ? order : null;
    },
    start_date: (row, _, making) => {
      const { start_date, created_at } = lookUpPlannedCourse(row, making);
      // A flexible course has no dates; students start on different days.
      const start = start_date ?? daysAfter(created_at.slice(0, 10), row.id % 14);
      const { end_date } = making.given;
      return end_date && end_date < start ? end_date : start;
    },
    end_date: (row, _, making) => {
      const { start_date } = row;
      const { end_date } = lookUpPlannedCourse(row, making);
      if (start_date === null || (end_date !== null && end_date >= start_date)) return end_date;
      return daysAfter(start_date, end_date === null ? 30 + (row.id % 60) : COURSE_DAYS);
    },
    status: (row, random, making) => {
      const { status } = lookUpPlannedCourse(row, making);
      const order = row.order_id === null ? undefined : making.look(store.orders, row.order_id);
      if (status === "canceled" || order?.status === "canceled") return "canceled";
      if (making.seeded && !isSecondTry(row.id, world)) {
        if (isSecondTry(row.id + 1, world) || (!timetableIn(row.id) && random.chance(0.08))) return "canceled";
      }
      return status === "planned" ? "confirmed" : status;
    },
    graduation_state: (row) => {
      const score = row.grade?.score;
      return score ? (Number(score) >= 5.5 ? "passed" : "failed") : "awaiting_judgement";
    },
    created_at: (row, random, making) => {
      const isLate = making.seeded && isSecondTry(row.id, world);
      return isLate ? making.moment(-1, 18) : stamps.created_at(row, random, making);
    },
    updated_at: (row, random, making) => {
      const isToldOff = making.seeded && timetableIn(row.id) === CALLED_OFF;
      const [updated, canceled] = [stamps.updated_at(row, random, making), making.moment(-2)];
      return isToldOff && updated < canceled ? canceled : updated;
    },
    grade: ({ id }, _, { seeded }) => (seeded && id <= counts.courseGrades ? complete(store.grades.seeded(id)) : null),
  };
}

const OF_STATUS: Readonly<Record<string, string>> = { active: "active", completed: "completed", confirmed: "planned" };

function courseFor({ status, start_date, end_date, grade, graduation_state }: Partial<sdk.Enrollment>): Wanted {
  const judged = Boolean(grade) || graduation_state === "passed" || graduation_state === "failed";
  const wanted = status === undefined ? (judged ? "completed" : undefined) : OF_STATUS[status];
  const isDated = typeof (start_date ?? end_date) === "string";
  return {
    fits: (row: sdk.PlannedCourse) =>
      (wanted === undefined ? row.status !== "canceled" : row.status === wanted) &&
      (!isDated || row.type === "FlexiblePlannedCourse") &&
      (row.available_places || status === "canceled"),
    fields: isDated ? { status: wanted, type: "FlexiblePlannedCourse" } : { status: wanted },
  };
}

function followGrade(store: World["store"], after: sdk.Grade | undefined, before: sdk.Grade | undefined): void {
  const { id, gradeable_id, gradeable_type } = (after ?? before) as sdk.Grade;
  const holders = gradeable_type === GRADED_ENROLLMENT ? store.enrollments : store.programEnrollments;
  if (gradeable_type !== GRADED_ENROLLMENT && gradeable_type !== GRADED_PROGRAM_ENROLLMENT) return;
  const holder = holders.peek(gradeable_id);
  if (!holder || (!after && holder.grade?.id !== id)) return;
  // An enrollment inserted with its grade needs no update.
  if (after && !before && holder.grade?.id === id) return;
  holders.update(gradeable_id, { grade: after ?? null });
}

// Adds the grade of an inserted enrollment to the grades, so that it can also be read separately.
function addGrade({ grades }: World["store"], { grade }: sdk.Enrollment): void {
  if (grade && !grades.peek(grade.id)) grades.insert(grade);
}

function attendanceWants({ store }: World): Wants<sdk.Attendance> {
  return {
    enrollment_id: (_, { meeting_id: meeting }) => {
      const planned_course_id = meeting === undefined ? undefined : store.meetings.peek(meeting)?.planned_course_id;
      return planned_course_id === undefined ? {} : having({ planned_course_id });
    },
    meeting_id: ({ enrollment_id }) =>
      having({ planned_course_id: store.enrollments.peek(enrollment_id)?.planned_course_id }),
  };
}

export const GRADED_ENROLLMENT = "Enrollment";

export const GRADED_PROGRAM_ENROLLMENT = "Program::Enrollment";

// The first grades have the identifiers of the enrollments in ended courses, except the last enrollment. The grades of
// program enrollments follow, and all are passing grades.
function gradeColumns({ counts }: World): Columns<sdk.Grade> {
  const isOfProgram = (id: number, seeded: boolean) => seeded && id > counts.courseGrades;
  return {
    grader_id: (_, random) => random.int(1, counts.people),
    result: ({ score }) => (Number(score) >= 5.5 ? "passed" : "failed"),
    grade: ({ score }) => score,
    score: ({ id }, random, { given, seeded }) => {
      const isPassed = isOfProgram(id, seeded) || (seeded && id === counts.courseGrades);
      const { grade, result = isPassed ? "passed" : undefined } = given;
      if (typeof grade === "string" && Number.isFinite(Number(grade))) return grade;
      const least = result === "passed" ? 55 : 40;
      return (random.int(least, result === "failed" ? 54 : 100) / 10).toFixed(1);
    },
    gradeable_id: ({ id }, _, { seeded }) => (isOfProgram(id, seeded) ? gradedAt(id - counts.courseGrades) : id),
    gradeable_type: ({ id }, _, { seeded }) =>
      isOfProgram(id, seeded) ? GRADED_PROGRAM_ENROLLMENT : GRADED_ENROLLMENT,
    comment: (_, random) => (random.chance(0.2) ? "Well done." : null),
    ...timestamps(counts.pastEnrollments, [], AFTER_COURSES),
  };
}

// The number of meetings with attendances in a course in progress. In an ended course, every meeting has attendances.
const REGISTERS_OF_RUNNING = 2;

// The attendances in ended courses have lower identifiers than those in courses in progress.
function attendanceSeed(world: World): Seed<sdk.Attendance> {
  const { counts, store } = world;
  const { pastEnrollments, startedPlannedCourses, people } = counts;
  const ofPast = pastEnrollments * MEETINGS_EACH;
  const running = firstEnrollment(startedPlannedCourses + 1, counts) - 1 - pastEnrollments;
  const count = ofPast + running * REGISTERS_OF_RUNNING;
  const place = (id: number) => (id <= ofPast ? (id - 1) % MEETINGS_EACH : (id - ofPast - 1) % REGISTERS_OF_RUNNING);
  const stamps = timestamps(count, [], AFTER_COURSES);
  const seededState = ({ id, enrollment_id }: Readonly<sdk.Attendance>): sdk.Attendance["state"] | undefined => {
    const plannedCourse = plannedCourseOf(enrollment_id, world);
    if (id <= ofPast) {
      const isUnmarked = presentTimetable(plannedCourse, counts) === JUST_ENDED && place(id) === MEETINGS_EACH - 1;
      return isUnmarked ? "blanco" : undefined;
    }
    const { lessons, start } = timetableOf(plannedCourse, counts);
    const isToCome = (lessons[place(id)] ?? 0) >= 0;
    if (isToCome || (isSecondTry(enrollment_id, world) && place(id) === 0)) return "blanco";
    const at = enrollment_id - firstEnrollment(plannedCourse, counts);
    return start === SUNDAYS.start && (at < 2 || at % 7 === 6) ? "absent" : "attended";
  };
  const columns: Columns<sdk.Attendance> = {
    enrollment_id: ({ id }) => {
      if (id <= ofPast) return Math.floor((id - 1) / MEETINGS_EACH) + 1;
      return ((pastEnrollments + Math.floor((id - ofPast - 1) / REGISTERS_OF_RUNNING)) % people) + 1;
    },
    meeting_id: (row, _, { look }) => {
      const { planned_course_id: plannedCourse } = look(store.enrollments, row.enrollment_id);
      return (plannedCourse - 1) * MEETINGS_EACH + place(row.id) + 1;
    },
    state: (row, random, { seeded }) =>
      (seeded ? seededState(row) : undefined) ??
      random.pick(["attended", "attended", "attended", "attended", "late", "absent", "absent_with_leave"]),
    comment: ({ state }) => (state === "absent_with_leave" ? "Called in the morning." : null),
    ...stamps,
    created_at: (row, random, making) => {
      if (!making.seeded || row.id <= ofPast) return stamps.created_at(row, random, making);
      const lesson = timetableOf(plannedCourseOf(row.enrollment_id, world), counts).lessons[place(row.id)] ?? 0;
      return making.moment(Math.min(-1, lesson), 18);
    },
  };
  return { count, columns, wants: attendanceWants(world) };
}

// The first certificates are for every second enrollment in an ended course, except the last; certificates for program
// enrollments follow.
function certificateSeed({ counts }: World): Seed<sdk.Certificate> {
  const ofCourses = Math.max(0, Math.floor(counts.pastEnrollments / 2) - 1);
  const count = ofCourses + programCertificateCount(counts);
  const isOfProgram = (id: number) => id > ofCourses && id <= count;
  const columns: Columns<sdk.Certificate> = {
    certifiable_id: ({ id }) => (isOfProgram(id) ? certifiedAt(id - ofCourses) : ((id * 2 - 1) % counts.people) + 1),
    certifiable_type: ({ id }) => (isOfProgram(id) ? "program_enrollment" : "course_enrollment"),
    pdf_url: ({ id }) => `https://www.example.org/certificates/${id}.pdf`,
    created_at: timestamps(count, [], AFTER_COURSES).created_at,
  };
  return { count, columns, event: "certificate", createdAs: "awarded" };
}

const MATERIAL_NAMES = ["Projector", "Course book", "Name tags", "Practice dummy", "Laptop", "Notebook"] as const;

const MATERIAL_GROUP_NAMES = ["Equipment", "Books", "Consumables", "Furniture"] as const;

// The last group has no materials.
const USED_GROUPS = MATERIAL_GROUP_NAMES.length - 1;
