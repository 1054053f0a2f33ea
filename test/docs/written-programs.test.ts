// Tasks, forty of them acts of a school, and the programs to which the texts for assistants lead somebody who knows nothing else: a
// sentence that is no longer true, or is missing, is noticed here. To grade programs of somebody else, such as a model that was given one
// of the texts: WRITTEN=<folder of <task>.ts> npx vitest run --project full test/docs/written-programs.test.ts
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { SKILL } from "../../scripts/lib/llms-full.ts";
import { drawn } from "../support/amount.ts";
import { start } from "../support/program.ts";
import { makeFolder } from "../support/type-check.ts";
import { root } from "./support/code-blocks.ts";
import { compile } from "./support/compile.ts";
import { libraryWords } from "./support/library-words.ts";
import { place } from "./support/place.ts";
import { BY_HAND } from "./support/tasks.ts";
import { type Grader, graders } from "./written-by-assistants/graders.ts";
import { gradersByLlms } from "./written-by-assistants/graders-by-llms.ts";
import { gradersBySkill } from "./written-by-assistants/graders-by-skill.ts";

const { WRITTEN } = process.env;
// Below the project, so that imports find its dependencies; not in git.
const folder = WRITTEN ? resolve(WRITTEN) : makeFolder();
afterAll(() => WRITTEN || rmSync(folder, { recursive: true }));

interface Part {
  readonly name: string;
  readonly graders: Readonly<Record<string, Grader>>;
  /** Each has every name of the library that the programs use: otherwise nobody who knows only that text could have written them. */
  readonly texts: readonly string[];
}

const PARTS: readonly Part[] = [
  { name: "parts", graders, texts: [SKILL, "llms-full.txt"] },
  { name: "acts-by-skill", graders: gradersBySkill, texts: [SKILL] },
  { name: "acts-by-llms", graders: gradersByLlms, texts: ["llms-full.txt"] },
];

/** Twelve jobs that a newcomer did in 210 lines; invoice and credit are two programs of one. Editors write the imports. */
const JOBS = {
  "enroll people": ["enroll"],
  "move somebody to another course": ["move"],
  "mark attendance": ["attendance"],
  "invoice and credit": ["invoice-orders", "credit"],
  "who has not paid": ["who-owes"],
  "some rows to a file": ["open-invoices-file"],
  "plan a course with meetings and teachers": ["plan-course"],
  "publish to a website": ["website"],
  "remind everybody, nobody twice": ["remind"],
  "hand over to accounting": ["accounting"],
  "a year's statistics": ["year-numbers"],
  "the nightly jobs of thirty schools": ["thirty-schools"],
};

/** The programs of a part, by task. */
function programsOf(part: string): Map<string, string> {
  const text = readFileSync(join(root, `test/docs/written-by-assistants/${part}.md`), "utf8");
  const sections = text.matchAll(/^## (\S+)\n\n[^`\n].*\n\n```ts\n([\s\S]*?)^```$/gm);
  return new Map([...sections].map(([, task = "", code = ""]) => [task, code]));
}

const all = new Map(PARTS.flatMap(({ name }) => [...programsOf(name)]));

test("the twelve jobs take at most 126 lines beside imports, and write no CSV, ask for no page and repeat nothing by hand", () => {
  const lines = (code: string) => code.split("\n").filter((line) => line !== "" && !line.startsWith("import "));
  const counts = Object.entries(JOBS).map(([job, tasks]) => {
    const code = tasks.map((task) => all.get(task) ?? `${task} has no program by hand: cursor`).join("");
    expect([job, BY_HAND.exec(code), lines(code).filter((line) => line.length > 120)]).toEqual([job, null, []]);
    return [job, tasks.join(", "), lines(code).length] as const;
  });
  console.log(counts.map((row) => row.join(" | ")).join("\n"));
  expect(counts).toHaveLength(12);
  expect(counts.reduce((sum, [, , count]) => sum + count, 0)).toBeLessThanOrEqual(126);
});

describe.each(PARTS)("$name", async ({ name, graders, texts }) => {
  const programs = programsOf(name);
  const tasks = Object.keys(graders);
  const pathOf = (task: string) => join(folder, `${task}.ts`);
  if (!WRITTEN) for (const [task, code] of programs) writeFileSync(pathOf(task), code);
  // Of another's programs, those of the part that are there; of ours, as each takes seconds, others tomorrow.
  const solved = WRITTEN ? tasks.filter((task) => existsSync(pathOf(task))) : drawn(tasks, 3, 3);
  const mistakes = await compile(solved.map(pathOf));

  test("every task has a grader and a program", () => {
    expect([...programs.keys()]).toEqual(tasks);
    expect(tasks).toHaveLength(name === "parts" ? 13 : 20);
  });

  test.each(solved)("%s compiles as strictly as the library", (task) => {
    expect(mistakes.get(pathOf(task))).toEqual([]);
  });

  test.each(solved)("%s does what was asked", async (task) => {
    const where = await place({ size: 250 });
    const begin = (args: readonly string[] = [], env: Record<string, string> = {}) =>
      start(pathOf(task), args, { cwd: where.cwd, env: { ...where.env, ...env } });
    await graders[task]?.(begin, where);
  });

  test.each(WRITTEN ? [] : texts)("the programs name nothing of the library that %s does not name", (text) => {
    const words = libraryWords(tasks.map(pathOf));
    const known = new Set(readFileSync(join(root, text), "utf8").match(/\w+/g));
    const unknown = [...words].flatMap(([file, used]) =>
      [...used]
        .filter((word) => !word.split("/").every((part) => part === "" || known.has(part)))
        .map((word) => `${file}: ${word}`),
    );
    expect(unknown).toEqual([]);
    expect(new Set([...words.values()].flatMap((used) => [...used])).size).toBeGreaterThan(60);
  });
});
