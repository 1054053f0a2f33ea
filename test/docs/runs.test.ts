import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeFolder } from "../support/type-check.ts";
import { documents, programsOf, programsOfDocstrings, root } from "./support/code-blocks.ts";
import { write } from "./support/compile.ts";
import { run } from "./support/run.ts";
import type { Outcome } from "./support/run-programs.ts";

// code-blocks.test.ts compiles the programs that this file runs.
const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));
const ofDocuments = documents().map((file) => write(programsOf(file), folder));
const all = await programsOfDocstrings();
const ofDocstrings = write(all, folder);

// One process runs several documents, because starting a process takes longer than running one document's programs.
const DOCUMENTS_OF_A_PROCESS = 8;

const outcomes = new Map<string, Outcome>();
beforeAll(async () => {
  const queue = [ofDocstrings];
  for (let at = 0; at < ofDocuments.length; at += DOCUMENTS_OF_A_PROCESS) {
    queue.push(ofDocuments.slice(at, at + DOCUMENTS_OF_A_PROCESS).flat());
  }
  const work = async () => {
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      for (const outcome of await run(batch)) outcomes.set(outcome.name, outcome);
    }
  };
  await Promise.all([work(), work()]);
  writeFileSync(join(root, ".artefacts/code-blocks.md"), list());
}, 300_000);

test.each([...ofDocuments.flat(), ...ofDocstrings])("$name runs against the sandbox", ({ name }) => {
  expect(outcomes.get(name)?.failure).toBeNull();
});

test("docstrings contain more than two hundred programs", () => expect(all.length).toBeGreaterThan(200));

// The text of .artefacts/code-blocks.md, for people to read: every block of each document, whether it ran, and its
// output.
function list(): string {
  const rows = ofDocuments.flat().flatMap(({ name, blocks }) => {
    const { failure = "", ms = 0 } = outcomes.get(name) ?? {};
    return blocks.map((block) => `| ${block.file}:${block.line} | ${failure === null ? "run" : "FAILED"} | ${ms} |`);
  });
  const printed = ofDocuments.flat().flatMap(({ name }) => {
    const { output = "" } = outcomes.get(name) ?? {};
    return output === "" ? [] : [`## ${name}`, "", "```text", output.trimEnd(), "```", ""];
  });
  const head = ["# Code blocks", "", "| block | result | ms of its program |", "| --- | --- | --- |"];
  return [...head, ...rows, "", "# Output", "", ...printed].join("\n");
}
