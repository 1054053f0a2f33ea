import type * as sdk from "../../generated/resources.js";
import {
  type ProgramEditionElementType,
  programEditionElementSchema,
} from "../../resources/programs/program-edition-elements.js";
import { daysAfter } from "../../work/days.js";
import { hasPrice, moveParticipant, schemeOf } from "../catalog/offers.js";
import type { Columns } from "../data/collection.js";
import { having, type Seeds, type Wants } from "../data/domain.js";
import { complete } from "../data/row-maker.js";
import type { StoredProgramElement } from "../data/store.js";
import { amount, slugOf, type World } from "../data/world.js";
import { fullName, labelFor } from "../people/seed.js";
import { elementOf, elementsOf, isProgramElement } from "./elements.js";

export function programsSeeds(world: World) {
  const { counts, store } = world;
  return {
    personalProgramElements: {
      count: counts.programEnrollments * PERSONAL_EACH,
      columns: personalProgramElementColumns(world),
      wants: personalWants(world),
    },
    programEditions: {
      count: counts.programEditions,
      columns: programEditionColumns(world),
      event: "program_edition",
    },
    programElements: {
      stored: () => ({ element: programEditionElementSchema }),
      count: counts.programEditions * ELEMENTS_EACH,
      columns: programElementColumns(world),
      wants: {
        course_id: (_, { planned_course_id: planned }) => ({
          fits: ({ id }: sdk.Course) =>
            typeof planned !== "number" || store.plannedCourses.peek(planned)?.course_id === id,
        }),
      },
    },
    programEnrollments: {
      count: counts.programEnrollments,
      columns: programEnrollmentColumns(world),
      event: "program_enrollment",
      furtherEvent,
      follow: (after, before) => moveParticipant(store, "Program::Edition", editionOf(before), editionOf(after)),
    },
    programs: { count: counts.programs, columns: programColumns(world), event: "program" },
    theses: { count: Math.max(3, Math.ceil(counts.people / 50)), columns: thesisColumns(world) },
  } satisfies Partial<Seeds>;
}

function furtherEvent(enrollment: sdk.ProgramEnrollment, before: sdk.ProgramEnrollment): string | null {
  if (enrollment.state === "canceled" && before.state !== "canceled") return "cancel";
  const [passes, passed] = [enrollment, before].map((each) => each.graduation_state === "passed");
  if (passes === passed) return null;
  return passes ? "pass" : "graduation_revoked";
}

const ELEMENTS_EACH = 5;

// Seeded program enrollments with an odd identifier are in ended editions, so they have grades.
function isGraded(programEnrollmentId: number): boolean {
  return programEnrollmentId % 2 === 1;
}

export function programGradeCount({ programEnrollments }: World["counts"]): number {
  return Math.ceil(programEnrollments / 2);
}

/** The program enrollment of the n-th seeded grade, counted from 1. */
export function gradedAt(place: number): number {
  return place * 2 - 1;
}

export function programCertificateCount(counts: World["counts"]): number {
  return Math.ceil(programGradeCount(counts) / 2);
}

/** The program enrollment of the n-th seeded certificate, counted from 1. */
export function certifiedAt(place: number): number {
  return place * 4 - 3;
}

function seededProgramParticipants(editionId: number, { counts, store }: World): number {
  let participants = 0;
  for (let id = editionId; id <= counts.programEnrollments; id += counts.programEditions) {
    if (editionOf(store.programEnrollments.seeded(id)) !== null) participants++;
  }
  return participants;
}

function editionOf(enrollment: Readonly<sdk.ProgramEnrollment> | undefined): number | null {
  return enrollment && enrollment.state !== "canceled" ? enrollment.edition_id : null;
}

function programColumns({ counts, store }: World): Columns<sdk.Program> {
  const product = (id: number) => store.catalogProducts.seeded(counts.courses + id);
  return {
    signup_url: ({ slug }) => `https://www.example.org/programs/${slug}/signup`,
    name: ({ id }) => product(id).name,
    cost: ({ id, cost_scheme }, random) =>
      hasPrice(cost_scheme) ? (product(id).cost ?? amount(random.int(200, 900) * 1_000)) : null,
    cost_scheme: ({ id }, _, { given }) => schemeOf(given) ?? product(id).cost_scheme,
    is_published: ({ id }) => product(id).is_published,
    category_id: ({ id }) => product(id).category_id,
    conditions: () => null,
    slug: ({ id, name }) => `${slugOf(name)}-${id}`,
  };
}

const DAYS_EACH = 340;

// Two editions per program: first one that has ended, then one that begins in four weeks.
function programEditionColumns(world: World): Columns<sdk.ProgramEdition> {
  const { counts, store } = world;
  const start = (id: number) => (id % 2 === 1 ? -371 : 28);
  const variant = (id: number) => store.catalogVariants.seeded(counts.plannedCourses + id);
  return {
    name: ({ id, program_id, start_date, end_date }, _, { look, day }) => {
      const year = (start_date ?? end_date ?? day(start(id))).slice(0, 4);
      return `${look(store.programs, program_id).name} ${year}`;
    },
    program_id: ({ id }) => ((Math.ceil(id / 2) - 1) % counts.programs) + 1,
    cost: ({ program_id, cost_scheme }, random, { look }) =>
      hasPrice(cost_scheme) ? (look(store.programs, program_id).cost ?? amount(random.int(200, 900) * 1_000)) : null,
    cost_scheme: ({ program_id }, _, { given, look }) =>
      schemeOf(given) ?? look(store.programs, program_id).cost_scheme,
    min_participants: ({ id, current_participants: taken, max_participants: most }, random, { seeded }) => {
      // The last edition has too few participants so far.
      const isLast = seeded && id === counts.programEditions;
      return isLast ? taken + 2 : Math.min(random.int(1, 6), most ?? 6);
    },
    max_participants: ({ id, current_participants: taken }, random, { given, seeded }) => {
      if (!seeded) return Math.max(taken, given.min_participants ?? 0) + random.int(6, 16);
      const left = variant(id).available_places;
      return left === null ? null : taken + left;
    },
    current_participants: ({ id }, _, { seeded }) => (seeded ? seededProgramParticipants(id, world) : 0),
    is_published: ({ id }, random, { seeded }) => (seeded ? variant(id).is_published : random.chance(0.85)),
    start_date: ({ id }, _, { given, day }) =>
      given.end_date ? daysAfter(given.end_date, -DAYS_EACH) : day(start(id)),
    end_date: ({ start_date }) => (start_date === null ? null : daysAfter(start_date, DAYS_EACH)),
  };
}

// The kind of element at each position in a seeded edition; the fourth varies between editions.
const KINDS = ["CourseElement", "CourseElement", "BlockElement", "ElectiveElement", "ThesisElement"] as const;

function kindOf({ id, edition_id }: Readonly<StoredProgramElement>): ProgramEditionElementType {
  const kind = KINDS[(id - 1) % ELEMENTS_EACH] ?? "CourseElement";
  return kind === "ElectiveElement" && edition_id % 2 === 0 ? "EvaluationElement" : kind;
}

function programElementColumns(world: World): Columns<StoredProgramElement> {
  const { counts } = world;
  return {
    edition_id: ({ id }) => (Math.floor((id - 1) / ELEMENTS_EACH) % counts.programEditions) + 1,
    position: ({ id, edition_id }, _, { seeded }) =>
      seeded ? ((id - 1) % ELEMENTS_EACH) + 1 : elementsOf(world.store, edition_id).length + 1,
    course_id: ({ id }) => ((id * 3 - 1) % counts.courses) + 1,
    // Every course has two planned courses; take the one in the edition's year.
    planned_course_id: ({ course_id, edition_id }, _, { seeded }) => {
      if (!seeded || course_id > counts.courses) return null;
      return edition_id % 2 === 1 ? course_id : course_id + counts.courses;
    },
    // An added record is a course, because the program elements in the APIs are all courses.
    element: (row, _, { seeded }) =>
      elementOf(world, seeded ? kindOf(row) : "CourseElement", { ...row, id: row.id }, row),
  };
}

function programEnrollmentColumns({ counts, store }: World): Columns<sdk.ProgramEnrollment> {
  return {
    student_id: ({ id }, _, { look }) => look(store.enrollments, id).student_id,
    edition_id: ({ id }) => ((id - 1) % counts.programEditions) + 1,
    personal_program_id: ({ id }) => id,
    label_ids: (_, random) => (random.chance(0.2) ? [labelFor("Program::Enrollment", random)] : []),
    order_id: () => null,
    state: ({ id }, random, { seeded }) => (seeded && !isGraded(id) && random.chance(0.2) ? "canceled" : "confirmed"),
    graduation_state: ({ id, grade }, _, { given, seeded }) => {
      if (typeof given.graduation_date === "string") return "passed";
      const result = grade?.result ?? null;
      if (seeded && isGraded(id)) return "passed";
      return result === "passed" || result === "failed" ? result : "awaiting_judgement";
    },
    graduation_date: ({ edition_id, graduation_state }, _, { look, day }) =>
      graduation_state === "passed" ? (look(store.programEditions, edition_id).end_date ?? day(-14)) : null,
    grade: ({ id }, _, { seeded }) =>
      seeded && isGraded(id) ? complete(store.grades.seeded(counts.courseGrades + (id + 1) / 2)) : null,
  };
}

// Each personal program has the two courses that its edition contains directly and one that the student chose.
const PERSONAL_EACH = 3;

function personalProgramElementColumns({ counts, store }: World): Columns<sdk.PersonalProgramElement> {
  const place = (id: number) => (id - 1) % PERSONAL_EACH;
  const isOwnChoice = (id: number) => place(id) === PERSONAL_EACH - 1;
  return {
    enrollment_id: ({ id }) => (Math.floor((id - 1) / PERSONAL_EACH) % counts.programEnrollments) + 1,
    course_id: ({ id, element_id, course_enrollment_id }, _, { seeded, look }) => {
      if (!seeded && element_id === null && course_enrollment_id === null) return ((id - 1) % counts.courses) + 1;
      if (element_id !== null) return look(store.programElements, element_id).course_id;
      const planned = look(store.enrollments, course_enrollment_id ?? 1).planned_course_id;
      return look(store.plannedCourses, planned).course_id;
    },
    course_enrollment_id: ({ id, enrollment_id }, _, { seeded }) => (seeded && isOwnChoice(id) ? enrollment_id : null),
    element_id: ({ id, enrollment_id }, _, { given, look }) => {
      if (isOwnChoice(id) || given.course_id !== undefined || given.course_enrollment_id != null) return null;
      const edition = look(store.programEnrollments, enrollment_id).edition_id;
      return (edition - 1) * ELEMENTS_EACH + place(id) + 1;
    },
  };
}

function personalWants({ store }: World): Wants<sdk.PersonalProgramElement> {
  const editionOfEnrollment = (id: number) => store.programEnrollments.peek(id)?.edition_id;
  return {
    enrollment_id: (_, { element_id: element }) =>
      typeof element === "number" ? having({ edition_id: store.programElements.peek(element)?.edition_id }) : {},
    element_id: ({ enrollment_id }) => {
      const isOfIt = (row: StoredProgramElement) =>
        row.edition_id === editionOfEnrollment(enrollment_id) && isProgramElement(row);
      return store.programElements.find(isOfIt) ? { fits: isOfIt } : null;
    },
  };
}

const SUBJECTS = ["Safety at work", "Teamwork", "Quality of care", "Energy use", "Learning online"] as const;

function thesisColumns({ counts, store }: World): Columns<sdk.Thesis> {
  return {
    title: ({ id }) => `${SUBJECTS[id % SUBJECTS.length]} in practice`,
    subtitle: (_, random) => (random.chance(0.4) ? "A case study" : null),
    keywords: ({ id }) => [String(SUBJECTS[id % SUBJECTS.length]).toLowerCase(), "practice"],
    abstract: ({ title }, random) => (random.chance(0.8) ? `${title}: what was asked, and what was found.` : null),
    authors: ({ id }, _, { look }) => [fullName(look(store.users, look(store.enrollments, id).student_id))],
    date: ({ id }, _, { day }) => day(-160 + (id % 140)),
    supervisors: ({ id }, _, { look }) => [fullName(look(store.users, (id % counts.teachers) + 1))],
    confidentiality: (_, random) => random.pick(["no", "no", "yes", "on_request"]),
    locale: (_, random) => random.pick(["english", "dutch"]),
    file_url: ({ id, confidentiality }) =>
      confidentiality === "yes" ? null : `https://www.example.org/theses/${id}.pdf`,
  };
}
