import { parse } from "csv-parse/sync";
import { expect } from "vitest";
import type { RunningProgram } from "../../support/program.ts";
import type { Place } from "../support/place.ts";

/** What a program printed when it ended with this status; anything else fails. */
export async function finished(running: RunningProgram, code = 0): Promise<string> {
  const ended = await running.ended;
  expect(ended).toMatchObject({ code });
  return ended.output;
}

/** The lines of a text. */
export const linesOf = (output: string) => output.trim().split("\n");
/** What a program printed, a JSON text a line. */
export const jsonLines = async (running: RunningProgram, code = 0) =>
  linesOf(await finished(running, code)).map((line) => JSON.parse(line) as Record<string, unknown>);
/** What a program printed at its end, one JSON text; a long pause between attempts is told before. */
export const json = async (running: RunningProgram, code = 0) =>
  JSON.parse(linesOf(await finished(running, code)).at(-1) ?? "") as unknown;

/** The newest record of a collection. */
export const last = <T>(records: Iterable<T>) => [...records].at(-1) as T;

type Store = Place["sandbox"]["store"];

/** The first that fits. */
export function one<T>(records: Iterable<T>, fits: (record: T) => boolean = () => true): T {
  for (const record of records) if (fits(record)) return record;
  throw new Error("the sandbox has no such record");
}
export const owed = (status: string) => status === "open" || status === "expired";
export const billed = (status: string) => owed(status) || status === "paid";
export const holds = (status: string) => status === "confirmed" || status === "active";
export const placesIn = ({ enrollments }: Store, course: number, fits: (status: string) => boolean = holds) =>
  enrollments.filter(({ planned_course_id, status }) => planned_course_id === course && fits(status));
/** A planned course in which somebody has a place. */
export const courseOf = ({ enrollments }: Store, fits: (status: string) => boolean = holds) =>
  one(enrollments, ({ status }) => fits(status)).planned_course_id;
export const sorted = (records: object[]) => records.map((record) => JSON.stringify(record)).sort();
/** The rows of a CSV file as Excel wants it where decimals have a comma. */
export const excel = (text: string) => {
  expect(text.codePointAt(0)).toBe(0xfeff);
  return parse(text, { columns: true, delimiter: ";", bom: true }) as Record<string, string>[];
};
export const comma = (amount: string) => amount.replace(".", ",");
/** A variant that still has places, of a planned course to come in which `user` has none. */
export const offered = ({ catalogVariants, enrollments, plannedCourses }: Store, user: number, not = 0) =>
  one(
    catalogVariants,
    ({ variantable_type, variantable_id, available_places }) =>
      variantable_type === "PlannedCourse" &&
      variantable_id !== not &&
      plannedCourses.get(variantable_id)?.status === "planned" &&
      (available_places ?? 9) > 2 &&
      !enrollments.find((one) => one.planned_course_id === variantable_id && one.student_id === user),
  );
