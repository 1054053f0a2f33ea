// Twenty tasks, and the programs to which the skill leads somebody who knows nothing else: a sentence of it that is no longer true, or
// is missing, is noticed here. To grade programs of somebody else, such as a model that was given one of the texts:
// WRITTEN=<folder of <task>.ts> npx vitest run --project full test/docs/written-programs.test.ts
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { SKILL } from "../../scripts/lib/llms-full.ts";
import { root } from "./support/code-blocks.ts";
import { compile } from "./support/compile.ts";
import { start } from "./support/example.ts";
import { libraryWords } from "./support/library-words.ts";
import { place } from "./support/place.ts";
import { graders } from "./written-by-assistants/graders.ts";

const here = join(root, "test/docs/written-by-assistants");
const tasks = Object.keys(JSON.parse(readFileSync(join(here, "tasks.json"), "utf8")) as Record<string, string>);
const { WRITTEN } = process.env;
const folder = WRITTEN ? resolve(WRITTEN) : join(here, "programs");
const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
const paths = files.map((name) => join(folder, name));
const pathOf = (task: string) => join(folder, `${task}.ts`);

test("every task has a grader", () => {
  expect(tasks).toHaveLength(20);
  expect(Object.keys(graders)).toEqual(tasks);
});

describe("compiles as strictly as the library", async () => {
  const mistakes = await compile(paths);
  test.each(tasks)("%s", (task) => {
    expect(files).toContain(`${task}.ts`);
    expect(mistakes.get(pathOf(task))).toEqual([]);
  });
});

describe("does what was asked", () => {
  test.each(Object.entries(graders))("%s", async (task, grade) => {
    const where = await place({ size: 250 });
    const begin = (args: readonly string[] = [], env: Record<string, string> = {}) =>
      start(pathOf(task), args, { cwd: where.cwd, env: { ...where.env, ...env } });
    await grade(begin, where);
  });
});

// Otherwise nobody who knows only the text could have written it.
if (WRITTEN === undefined)
  describe("names nothing of the library that the text does not name", () => {
    const words = libraryWords(paths);
    test.each([SKILL, "llms-full.txt"])("%s", (text) => {
      const known = new Set(readFileSync(join(root, text), "utf8").match(/\w+/g));
      const unknown = [...words].flatMap(([file, used]) =>
        [...used]
          .filter((word) => !word.split("/").every((part) => part === "" || known.has(part)))
          .map((word) => `${file}: ${word}`),
      );
      expect(unknown).toEqual([]);
      expect(new Set([...words.values()].flatMap((used) => [...used])).size).toBeGreaterThan(100);
    });
  });
