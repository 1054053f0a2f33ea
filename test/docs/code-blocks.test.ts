import { globSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importedNames, programFrom } from "../../scripts/run-in-page/programs.ts";
import { writeRecipes } from "../sandbox/recipe-files.ts";
import { makeFolder } from "../support/type-check.ts";
import { documents, fencesOf, programsOf, programsOfDocstrings, root } from "./support/code-blocks.ts";
import { compile, type WrittenProgram, write } from "./support/compile.ts";
import { EXAMPLES } from "./support/place.ts";
import { run } from "./support/run.ts";
import type { Outcome } from "./support/run-programs.ts";
import { TASK_PAGES, writeTask } from "./support/tasks.ts";

// What is marked "test" needs a test runner and is run in test/sandbox/recipes.test.ts.
// "ts compile" needs a package that this project does not have: it is compiled only.
const LANGUAGES = ["ts", "ts compile", "sh", "json", "html", "text", "ts test", "ts task", "tsx"];

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
const ofDocuments = documents().map((file) => write(programsOf(file), folder));
// Those of docstrings are run in docstrings.test.ts.
const ofDocstrings = write(await programsOfDocstrings(), folder);
const programs: readonly WrittenProgram[] = [...ofDocuments.flat(), ...ofDocstrings];
// These are run by tests of their own.
const alone: readonly string[] = [
  ...TASK_PAGES.flatMap((page) => [...writeTask(page, folder).values()]),
  ...writeRecipes(join(folder, "recipes")).filter((path) => path.endsWith(".ts")),
  ...globSync(EXAMPLES.map((name) => join(root, `examples/${name}/*.ts`))),
];

const mistakes = new Map<string, string[]>();
const outcomes = new Map<string, Outcome>();

// To start a process takes longer than to run a document's programs.
const DOCUMENTS_OF_A_PROCESS = 8;

// Everything is compiled as one program, and run in a few processes while that goes on.
beforeAll(async () => {
  const queue: WrittenProgram[][] = [];
  for (let at = 0; at < ofDocuments.length; at += DOCUMENTS_OF_A_PROCESS) {
    queue.push(ofDocuments.slice(at, at + DOCUMENTS_OF_A_PROCESS).flat());
  }
  const work = async () => {
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      for (const outcome of await run(batch)) outcomes.set(outcome.name, outcome);
    }
  };
  const running = [work(), work()];
  const compiled = await compile([...programs.map(({ path }) => path), ...alone]);
  for (const path of alone) {
    const wrong = compiled.get(path)?.map(({ line, message }) => `${path}: line ${line} ${message}`);
    mistakes.set(path, wrong ?? [`${path} was not compiled`]);
  }
  for (const { name, path, blocks } of programs) {
    const wrong = compiled.get(path)?.map(({ line, message }) => `${blocks[0]?.file}:${line} ${message}`);
    mistakes.set(name, wrong ?? []);
  }
  await Promise.all(running);
  writeFileSync(join(root, ".artefacts/code-blocks.md"), list());
}, 300_000);

describe("code blocks", () => {
  test.each(programs)("$name compiles", ({ name }) => {
    expect(mistakes.get(name)).toEqual([]);
  });

  test("task pages, recipes and examples compile", () => {
    expect(alone.length).toBeGreaterThan(TASK_PAGES.length + EXAMPLES.length);
    expect(alone.flatMap((path) => mistakes.get(path))).toEqual([]);
  });

  test.each(ofDocuments.flat())("$name runs against the sandbox", ({ name }) => {
    expect(outcomes.get(name)?.failure).toBeNull();
  });

  test.each(documents())("%s has only blocks of languages that are either run or not code", (file) => {
    const others = fencesOf(file).filter(({ language }) => !LANGUAGES.includes(language));
    expect(others.map(({ line, language }) => `${file}:${line} ${language}`)).toEqual([]);
  });

  test.each([
    ["with the DOM's types", ["ES2023", "DOM"]],
    ["without them", ["ES2023"]],
  ] as const)(
    'every "ts compile" block compiles as strictly as the library, %s',
    async (_, lib) => {
      const written = documents()
        .flatMap((file) => fencesOf(file).filter(({ language }) => language === "ts compile"))
        .map((block) => write([programFrom([block])], folder)[0] as WrittenProgram);
      expect(written).not.toEqual([]);
      const wrong = [
        ...(await compile(
          written.map(({ path }) => path),
          { lib },
        )),
      ].flatMap(([path, found]) =>
        found.map(({ line, message }) => `${written.find((one) => one.path === path)?.name}: line ${line} ${message}`),
      );
      expect(wrong).toEqual([]);
    },
    60_000,
  );

  test("a block that imports a name again begins a new program, others go on with the one before", () => {
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

// For readers of the test: .artefacts/code-blocks.md names every block, whether it ran, and what its program printed.
function list(): string {
  const rows = ofDocuments.flat().flatMap(({ name, blocks }) => {
    const { failure = "", ms = 0 } = outcomes.get(name) ?? {};
    const result = failure === null && mistakes.get(name)?.length === 0 ? "run" : "FAILED";
    return blocks.map((block) => `| ${block.file}:${block.line} | ${result} | ${ms} |`);
  });
  const printed = ofDocuments.flat().flatMap(({ name }) => {
    const { output = "" } = outcomes.get(name) ?? {};
    return output === "" ? [] : [`## ${name}`, "", "```text", output.trimEnd(), "```", ""];
  });
  const head = ["# Code blocks", "", "| block | result | ms of its program |", "| --- | --- | --- |"];
  return [...head, ...rows, "", "# Output", "", ...printed].join("\n");
}
