import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFolder } from "../support/type-check.ts";
import { programsOfDocstrings } from "./support/code-blocks.ts";
import { write } from "./support/compile.ts";
import { run } from "./support/run.ts";
import type { Outcome } from "./support/run-programs.ts";

// That they compile is seen in code-blocks.test.ts.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
const programs = write(await programsOfDocstrings(), folder);

let outcomes: ReadonlyMap<string, Outcome>;
beforeAll(async () => {
  outcomes = new Map((await run(programs)).map((outcome) => [outcome.name, outcome]));
}, 300_000);

test.each(programs)("$name runs against the sandbox", ({ name }) => {
  expect(outcomes.get(name)?.failure).toBeNull();
});

test("there are more than two hundred", () => expect(programs.length).toBeGreaterThan(200));
