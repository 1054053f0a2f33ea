import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importedNames, programFrom } from "../../scripts/run-in-page/programs.ts";
import { writeRecipes } from "../sandbox/recipe-files.ts";
import { makeFolder } from "../support/type-check.ts";
import { documents, fencesOf, programsOf, programsOfDocstrings, root } from "./support/code-blocks.ts";
import { compile, write } from "./support/compile.ts";
import { EXAMPLES } from "./support/place.ts";
import { TASK_PAGES, writeTask } from "./support/tasks.ts";

// Blocks marked "test" need a test runner; test/sandbox/recipes.test.ts runs them. "ts compile" blocks need a package
// that this project does not have, so they are only compiled.
const LANGUAGES = ["mermaid", "ts", "ts compile", "sh", "json", "html", "text", "ts test", "ts task", "tsx"];

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
// runs.test.ts runs these programs.
const programs = [...write(documents().flatMap(programsOf), folder), ...write(await programsOfDocstrings(), folder)];
const compiledOnly = write(
  documents()
    .flatMap((file) => fencesOf(file).filter(({ language }) => language === "ts compile"))
    .map((block) => programFrom([block])),
  folder,
);
// This file only compiles these programs; other tests run those that can run.
const alone: readonly string[] = [
  ...compiledOnly.map(({ path }) => path),
  ...TASK_PAGES.flatMap((page) => [...writeTask(page, folder).values()]),
  ...writeRecipes(join(folder, "recipes")).filter((path) => path.endsWith(".ts")),
  ...globSync(EXAMPLES.map((name) => join(root, `examples/${name}/*.ts`))),
];

const mistakes = new Map<string, string[]>();

// Compiles everything as one program.
beforeAll(async () => {
  const compiled = await compile([...programs.map(({ path }) => path), ...alone]);
  for (const path of alone) {
    const wrong = compiled.get(path)?.map(({ line, message }) => `${path}: line ${line} ${message}`);
    mistakes.set(path, wrong ?? [`${path} was not compiled`]);
  }
  for (const { name, path, blocks } of programs) {
    const wrong = compiled.get(path)?.map(({ line, message }) => `${blocks[0]?.file}:${line} ${message}`);
    mistakes.set(name, wrong ?? []);
  }
}, 300_000);

describe("code blocks", () => {
  test.each(programs)("$name compiles", ({ name }) => {
    expect(mistakes.get(name)).toEqual([]);
  });

  test("task pages, recipes, examples and blocks that no test runs compile", () => {
    expect(alone.length).toBeGreaterThan(TASK_PAGES.length + EXAMPLES.length);
    expect(alone.flatMap((path) => mistakes.get(path))).toEqual([]);
  });

  test.each(documents())("every block of %s is either run or in a language that is not code", (file) => {
    const others = fencesOf(file).filter(({ language }) => !LANGUAGES.includes(language));
    expect(others.map(({ line, language }) => `${file}:${line} ${language}`)).toEqual([]);
  });

  test('every "ts compile" block compiles even without the types of the DOM', async () => {
    const paths = compiledOnly.map(({ path }) => path);
    const found = [...(await compile(paths, { lib: ["ES2023"] }))];
    expect(found.map(([path]) => path)).toEqual(paths);
    expect(found.filter(([, wrong]) => wrong.length > 0)).toEqual([]);
  });

  test("a block that imports a name again begins a new program; any other block continues the previous one", () => {
    expect(importedNames('import { a, type b, c as d } from "x";\nimport type { e } from "y";')).toEqual([
      "a",
      "b",
      "d",
      "e",
    ]);
    const lines = programFrom([
      { file: "a.md", line: 3, code: "one();" },
      { file: "a.md", line: 7, code: "two();" },
    ]).code.split("\n");
    expect([lines[2], lines[6]]).toEqual(["one();", "two();"]);
  });
});
