import type { Attendance } from "../../resources/planning/attendances.js";
import type { Certificate } from "../../resources/planning/certificates.js";
import type { Enrollment } from "../../resources/planning/enrollments.js";
import type { Grade } from "../../resources/planning/grades.js";
import type { MaterialGroup } from "../../resources/planning/material-groups.js";
import type { Material } from "../../resources/planning/materials.js";
import type { MeetingLocation } from "../../resources/planning/meeting-locations.js";
import type { Meeting } from "../../resources/planning/meetings.js";
import type { Columns } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import { day, timestamps, type World } from "../data/world.js";
import type { PlannedCourse, PlanningStore } from "./store.js";

/** How planned courses, meetings, enrollments, grades, and the rooms and materials they use are seeded. @internal */
export function planningSeeds(world: World): Seeds<PlanningStore> {
  const { counts } = world;
  return {
    attendances: { count: attendanceCount(counts), columns: attendanceColumns(world) },
    certificates: {
      count: certificateCount(counts),
      columns: certificateColumns(world),
      event: "certificate",
      createdAs: "awarded",
    },
    enrollments: { count: counts.people, columns: enrollmentColumns(world), event: "enrollment" },
    grades: { count: counts.pastEnrollments, columns: gradeColumns(world) },
    materialGroups: { count: MATERIAL_GROUP_COUNT, columns: materialGroupColumns },
    materials: { count: MATERIAL_COUNT, columns: materialColumns },
    meetingLocations: {
      count: counts.meetingLocations,
      columns: meetingLocationColumns(world),
      event: "meeting_location",
    },
    meetings: { count: meetingCount(counts), columns: meetingColumns(world), event: "meeting" },
    plannedCourses: { count: counts.plannedCourses, columns: plannedCourseColumns(world), event: "planned_course" },
  };
}

const MEETINGS_EACH = 3;

const PLANNING_DAYS = 540;

/** The planned course of the order and the enrollment with this identifier. Later ones are in later courses. @internal */
export function plannedCourseOf(enrollmentId: number, { counts }: World): number {
  const place = (enrollmentId - 1) % counts.people;
  return Math.floor((place * counts.plannedCourses) / counts.people) + 1;
}

/** @internal */
export function plannedCourseColumns({ counts, store }: World): Columns<PlannedCourse> {
  const start = (id: number) => Math.floor((id / counts.plannedCourses) * PLANNING_DAYS);
  // Those that are over come first, then those in progress, then those to come.
  const underWay = counts.pastPlannedCourses + Math.ceil(counts.plannedCourses / 8);
  const isFlexible = (id: number) => id % 10 === 7;
  return {
    course_id: ({ id }) => ((id - 1) % counts.courses) + 1,
    name: (row) => `${store.courses.seeded(row.course_id).name} ${start(row.id) < 360 ? 2025 : 2026}-${row.id}`,
    start_date: ({ id }) => day(start(id)),
    end_date: ({ id }) => (isFlexible(id) ? null : day(start(id) + 7 * (MEETINGS_EACH - 1))),
    status: ({ id }) => {
      if (id % 20 === 19) return "canceled";
      if (id <= counts.pastPlannedCourses) return "completed";
      return id <= underWay ? "active" : "planned";
    },
  };
}

/** How many meetings are seeded. @internal */
export function meetingCount({ plannedCourses }: World["counts"]): number {
  return plannedCourses * MEETINGS_EACH;
}

/** @internal */
export function meetingColumns({ counts, store }: World): Columns<Meeting> {
  const place = (id: number) => (id - 1) % MEETINGS_EACH;
  const at = (row: Readonly<Meeting>, time: string) => {
    const first = Date.parse(store.plannedCourses.seeded(row.planned_course_id).start_date ?? day(0));
    return `${new Date(first + place(row.id) * 7 * 86_400_000).toISOString().slice(0, 10)}T${time}:00.000Z`;
  };
  return {
    name: ({ id }) => `Day ${place(id) + 1}`,
    planned_course_id: ({ id }) => (Math.floor((id - 1) / MEETINGS_EACH) % counts.plannedCourses) + 1,
    start_date_time: (row) => at(row, "09:00"),
    end_date_time: (row) => at(row, "16:30"),
    meeting_location_id: (row, random) =>
      random.chance(0.9) ? (row.planned_course_id % counts.meetingLocations) + 1 : null,
    description: (_, random) => (random.chance(0.4) ? "Coffee from half past eight." : null),
    description_dashboard: () => null,
    ...timestamps(meetingCount(counts)),
    planning_meeting_location_ids: ({ meeting_location_id: location }) => (location === null ? [] : [location]),
  };
}

/** @internal */
export function enrollmentColumns(world: World): Columns<Enrollment> {
  const { counts, store } = world;
  const planned = (row: Readonly<Enrollment>) => store.plannedCourses.seeded(row.planned_course_id);
  return {
    student_id: ({ id }) => ((id * 11) % counts.people) + 1,
    planned_course_id: ({ id }) => plannedCourseOf(id, world),
    order_id: ({ id }) => id,
    start_date: (row) => planned(row).start_date,
    end_date: (row) => {
      const { start_date, end_date } = planned(row);
      if (end_date !== null || start_date === null) return end_date;
      return new Date(Date.parse(start_date) + (30 + (row.id % 60)) * 86_400_000).toISOString().slice(0, 10);
    },
    status: (row, random) => {
      const { status } = planned(row);
      if (status === "canceled" || random.chance(0.08)) return "canceled";
      return status === "planned" ? "confirmed" : status;
    },
    graduation_state: (row) => {
      const score = row.grade?.score;
      return score ? (Number(score) >= 5.5 ? "passed" : "failed") : "awaiting_judgement";
    },
    ...timestamps(counts.people),
    grade: ({ id }) => (id <= counts.pastEnrollments ? { ...gradeOf(store.grades.seeded(id)) } : null),
  };
}

// A seeded record works its fields out when they are read; what stands inside another one is written out.
function gradeOf(row: Readonly<Grade>): Grade {
  const { id, grader_id, result, grade, score, gradeable_id, gradeable_type, comment, updated_at, created_at } = row;
  return { id, grader_id, result, grade, score, gradeable_id, gradeable_type, comment, updated_at, created_at };
}

/** The `gradeable_type` of a grade for an enrollment. @internal */
export const GRADED_ENROLLMENT = "Enrollment";

/** Grades: one for every enrollment in a course that is over, with its number. @internal */
export function gradeColumns({ counts }: World): Columns<Grade> {
  return {
    grader_id: (_, random) => random.int(1, counts.people),
    result: ({ score }) => (Number(score) >= 5.5 ? "passed" : "failed"),
    grade: ({ score }) => score,
    score: (_, random) => (random.int(40, 100) / 10).toFixed(1),
    gradeable_id: ({ id }) => id,
    gradeable_type: () => GRADED_ENROLLMENT,
    comment: (_, random) => (random.chance(0.2) ? "Well done." : null),
    ...timestamps(counts.pastEnrollments),
  };
}

/** How many attendances are seeded: one for every meeting of every enrollment in a course that is over. @internal */
export function attendanceCount({ pastEnrollments }: World["counts"]): number {
  return pastEnrollments * MEETINGS_EACH;
}

/** @internal */
export function attendanceColumns(world: World): Columns<Attendance> {
  const { counts } = world;
  return {
    enrollment_id: ({ id }) => (Math.floor((id - 1) / MEETINGS_EACH) % counts.people) + 1,
    meeting_id: (row) =>
      (plannedCourseOf(row.enrollment_id, world) - 1) * MEETINGS_EACH + ((row.id - 1) % MEETINGS_EACH) + 1,
    state: (_, random) =>
      random.pick(["attended", "attended", "attended", "attended", "late", "absent", "absent_with_leave"]),
    comment: ({ state }) => (state === "absent_with_leave" ? "Called in the morning." : null),
    ...timestamps(attendanceCount(counts)),
  };
}

/** How many certificates are seeded: for every second enrollment in a course that is over. @internal */
export function certificateCount({ pastEnrollments }: World["counts"]): number {
  return Math.floor(pastEnrollments / 2);
}

/** @internal */
export function certificateColumns({ counts }: World): Columns<Certificate> {
  return {
    certifiable_id: ({ id }) => ((id * 2 - 1) % counts.people) + 1,
    certifiable_type: () => "course_enrollment",
    pdf_url: ({ id }) => `https://www.example.org/certificates/${id}.pdf`,
    created_at: timestamps(certificateCount(counts)).created_at,
  };
}

/** @internal */
export function meetingLocationColumns({ counts, store }: World): Columns<MeetingLocation> {
  return {
    course_location_id: ({ id }) => ((id - 1) % counts.courseLocations) + 1,
    name: ({ id }) => `Room ${id}`,
    capacity: (_, random) => (random.chance(0.9) ? random.int(6, 40) : null),
    ...timestamps(counts.meetingLocations),
    address: (row) => store.courseLocations.seeded(row.course_location_id).address,
  };
}

const MATERIAL_NAMES = ["Projector", "Course book", "Name tags", "Practice dummy", "Laptop", "Notebook"] as const;

const MATERIAL_GROUP_NAMES = ["Equipment", "Books", "Consumables"] as const;

/** How many material groups are seeded. @internal */
export const MATERIAL_GROUP_COUNT = MATERIAL_GROUP_NAMES.length;

/** How many materials are seeded. @internal */
export const MATERIAL_COUNT = MATERIAL_NAMES.length;

/** @internal */
export const materialGroupColumns: Columns<MaterialGroup> = {
  name: ({ id }) => MATERIAL_GROUP_NAMES[(id - 1) % MATERIAL_GROUP_COUNT] as string,
  ...timestamps(MATERIAL_GROUP_COUNT),
};

/** @internal */
export const materialColumns: Columns<Material> = {
  name: ({ id }) => MATERIAL_NAMES[(id - 1) % MATERIAL_COUNT] as string,
  use_type: ({ id }) => (id % 3 === 0 ? "consumable" : "reservable"),
  material_group_id: ({ id }) => ((id - 1) % MATERIAL_GROUP_COUNT) + 1,
  ...timestamps(MATERIAL_COUNT),
};
