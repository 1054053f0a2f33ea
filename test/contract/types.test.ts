import { globSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { makeFolder, typeCheck } from "../support/type-check.js";
import { operations, records, unionNames } from "./support/contract-data.js";
import { PRELUDE, type TypeLine, typeLines } from "./support/type-lines.js";

// The compiler's errors, by the subject of the line that caused them.
const complaints = new Map<string, string[]>();
const UNTRUE: TypeLine = { subject: "an untrue line", code: 'holds<Same<keyof MainClient["accounts"], "list">>();' };
const lines: readonly TypeLine[] = [...typeLines(), UNTRUE];
const typeTests = globSync("test/types/*.test-d.ts").map((file) => resolve(file));
let wrongTypeTests: unknown[];

beforeAll(async () => {
  // The folder is as deep in the project as this file, so that the imports in the lines resolve.
  const folder = makeFolder();
  const file = join(folder, "lines.ts");
  writeFileSync(file, [...PRELUDE, ...lines.map((line) => line.code)].join("\n"));
  // Checks all files in one run, because the sources that they share take most of the time.
  const found = await typeCheck([file, ...typeTests]);
  const mistakes = found.get(file) ?? [];
  wrongTypeTests = typeTests.flatMap((path) => (found.get(path) ?? []).map((mistake) => ({ path, ...mistake })));
  rmSync(folder, { recursive: true });
  for (const { line, message } of mistakes) {
    const about = lines[line - 1 - PRELUDE.length];
    const subject = about?.subject ?? "the prelude";
    complaints.set(subject, [...(complaints.get(subject) ?? []), `${about?.code ?? ""} ${message}`]);
  }
}, 240_000);

describe("clients have exactly the contract's resources and methods in their types", () => {
  test.each(["MainClient", "AdminClient", "OrganizationClient"])("%s", holds);
});

describe("operations accept and return the contract's types", () => {
  test.each(operations.map((operation) => operation.id))("%s", holds);
});

describe("records have the contract's fields and types", () => {
  test.each([...records.keys(), ...unionNames.read])("%s", holds);
});

test("the public types pass the type tests", () => {
  expect(typeTests.length).toBeGreaterThanOrEqual(5);
  expect(wrongTypeTests).toEqual([]);
});

test("there are no other errors, and a false line is detected", () => {
  expect(complaints.get("the prelude")).toBeUndefined();
  expect(complaints.get(UNTRUE.subject)).toHaveLength(1);
});

function holds(subject: string): void {
  expect(lines.filter((line) => line.subject === subject).length, "lines about it").toBeGreaterThan(0);
  expect(complaints.get(subject) ?? []).toEqual([]);
}
