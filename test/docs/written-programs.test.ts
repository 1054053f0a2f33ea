// Twenty tasks that the skill prepares its reader for, twenty more for whoever has llms-full.txt, and the programs to which these texts
// lead somebody who knows nothing else: a sentence that is no longer true, or is missing, is noticed here. To grade programs of somebody
// else, such as a model that was given one of the texts:
// WRITTEN=<folder of <task>.ts> npx vitest run --project full test/docs/written-programs.test.ts
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { SKILL } from "../../scripts/lib/llms-full.ts";
import { drawn } from "../support/amount.ts";
import { start } from "../support/program.ts";
import { root } from "./support/code-blocks.ts";
import { compile } from "./support/compile.ts";
import { libraryWords } from "./support/library-words.ts";
import { place } from "./support/place.ts";
import { type Grader, graders } from "./written-by-assistants/graders.ts";
import { gradersWithCalls } from "./written-by-assistants/graders-with-calls.ts";

const here = join(root, "test/docs/written-by-assistants");
const { WRITTEN } = process.env;

interface Part {
  readonly name: string;
  readonly title: string;
  readonly graders: Readonly<Record<string, Grader>>;
  /** Each has every name of the library that the programs use: otherwise nobody who knows only that text could have written them. */
  readonly texts: readonly string[];
}

const PARTS: readonly Part[] = [
  { name: "", title: "by the skill or llms-full.txt", graders, texts: [SKILL, "llms-full.txt"] },
  { name: "-with-calls", title: "by llms-full.txt", graders: gradersWithCalls, texts: ["llms-full.txt"] },
];

describe.each(PARTS)("$title", async ({ name, graders, texts }) => {
  const folder = WRITTEN ? resolve(WRITTEN) : join(here, `programs${name}`);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  const tasks = Object.keys(JSON.parse(readFileSync(join(here, `tasks${name}.json`), "utf8")) as object);
  // Of another's programs, those of the part that are there; of ours, as each takes seconds, others tomorrow.
  const solved = WRITTEN ? tasks.filter((task) => files.includes(`${task}.ts`)) : drawn(tasks, 4, 4);
  const pathOf = (task: string) => join(folder, `${task}.ts`);
  const mistakes = await compile(solved.map(pathOf));

  test("every task has a grader and a program", () => {
    expect(tasks).toHaveLength(20);
    expect(Object.keys(graders)).toEqual(tasks);
    if (!WRITTEN) expect(files.sort()).toEqual(tasks.map((task) => `${task}.ts`).sort());
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
    const words = libraryWords(files.map((file) => join(folder, file)));
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
