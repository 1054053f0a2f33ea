import type { Counts } from "../data/world.js";

/** The number of elements directly in every seeded program edition. @internal */
export const ELEMENTS_EACH = 5;

/**
 * Whether a seeded program enrollment has a grade, which is a passing one: those in editions that have ended, which have
 * odd identifiers as their enrollments do.
 * @internal
 */
export function isGraded(programEnrollmentId: number): boolean {
  return programEnrollmentId % 2 === 1;
}

/** The number of seeded grades for program enrollments. @internal */
export function programGradeCount({ programEnrollments }: Counts): number {
  return Math.ceil(programEnrollments / 2);
}

/** The program enrollment that the seeded grade at this place, from 1, is for. @internal */
export function gradedAt(place: number): number {
  return place * 2 - 1;
}

/** The place, from 1, of a graded program enrollment's grade among those for program enrollments. @internal */
export function gradeAt(programEnrollmentId: number): number {
  return (programEnrollmentId + 1) / 2;
}

/** The number of seeded certificates for program enrollments: every second graded one has one. @internal */
export function programCertificateCount(counts: Counts): number {
  return Math.ceil(programGradeCount(counts) / 2);
}

/** The program enrollment that the seeded certificate at this place, from 1, is for. @internal */
export function certifiedAt(place: number): number {
  return place * 4 - 3;
}
