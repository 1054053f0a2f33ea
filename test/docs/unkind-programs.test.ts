import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MANNERS, type Manner, PARTS, type SandboxMannerOptions } from "../../src/sandbox/data/manners.js";
import { drawCases } from "../support/amount.ts";
import { makeFolder } from "../support/type-check.ts";
import { programsOf } from "./support/code-blocks.ts";
import { write } from "./support/compile.ts";
import { run } from "./support/run.ts";
import type { Service } from "./support/run-programs.ts";

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

// "least kind" has all of these manners at once, and one may hide what another does alone.
const SINGLE = Object.keys(PARTS.Others).map((name): SandboxMannerOptions => {
  const { values, beyond } = MANNERS[name] as Manner;
  return { [name]: beyond.at(-1) ?? values.at(-1) };
});
const SERVICES: readonly Service[] = ["least kind", "twin", ...drawCases(SINGLE, 2)];

describe.each(SERVICES.map((service) => [JSON.stringify(service), service] as const))("against %s", (_, service) => {
  const failures = new Map<string, string | null>();
  beforeAll(async () => {
    for (const { name, failure } of await run(programs, service)) failures.set(name, failure);
  }, 120_000);

  test.each(programs)("$name runs", ({ name }) => {
    expect(failures.get(name)).toBeNull();
  });
});
