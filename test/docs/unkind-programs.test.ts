import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeFolder } from "../support/type-check.ts";
import { programsOf } from "./support/code-blocks.ts";
import { write } from "./support/compile.ts";
import { run } from "./support/run.ts";

// The programs that people copy most must also work with a service that does its worst wherever its documents leave
// something open.
const DOCUMENTS = [
  "README.md",
  ...["getting-started", "nightly-export", "import", "webhooks", "enroll", "own-school"].map(
    (name) => `docs/guides/${name}.md`,
  ),
];
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
const programs = DOCUMENTS.flatMap((file) => write(programsOf(file), folder));

describe.each(["least kind", "twin"] as const)("against the least kind service, or its twin: %s", (service) => {
  const failures = new Map<string, string | null>();
  beforeAll(async () => {
    for (const { name, failure } of await run(programs, service)) failures.set(name, failure);
  }, 120_000);

  test.each(programs)("$name runs", ({ name }) => {
    expect(failures.get(name)).toBeNull();
  });
});
