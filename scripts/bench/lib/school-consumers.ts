import { readFileSync } from "node:fs";
import { ROOT } from "./paths.ts";

/** The examples that are compiled with and without a school. */
export const SCHOOL_CONSUMERS = ["demo"] as const;

const fields = Object.fromEntries(
  Array.from({ length: 200 }, (_, at) => [
    `question_${at}`,
    at % 5 === 0 ? ({ type: "multiselect", options: ["first", "second", "third"] } as const) : ("boolean" as const),
  ]),
);

/** The definitions of a school with 200 custom fields for each of three kinds of record. */
export const LARGE_SCHOOL = { accounts: fields, orders: fields, users: fields };

/** Reads the source of one of the {@link SCHOOL_CONSUMERS}, whose clients have no school. */
export function consumerText(name: (typeof SCHOOL_CONSUMERS)[number]): string {
  return readFileSync(`${ROOT}examples/${name}/${name}.ts`, "utf8");
}

/**
 * Changes a program so that its clients use the school in `school.ts` beside it.
 * @throws Error if the program creates no MainClient.
 */
export function withSchool(text: string): string {
  const changed = text
    .replaceAll("new MainClient()", "new MainClient({})")
    .replaceAll("new MainClient({", "new MainClient<School>({ school,");
  if (!changed.includes("<School>")) throw new Error("the program creates no MainClient");
  return `import { type School, school } from "./school.js";\n${changed}`;
}
