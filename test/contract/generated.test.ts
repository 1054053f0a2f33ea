import { expect, test } from "vitest";
import { doors } from "../../scripts/lib/doors.ts";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { operationCalls } from "../../scripts/lib/operation-calls.ts";
import { readExports } from "../../scripts/lib/source-exports.ts";
import { allOperations, notesOf, type OperationId } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";

const exported = readExports();
const generated = doors(exported);

test("generated files match the resources", () => {
  expect(outOfStep(generated), "run npm run generate").toEqual([]);
});

test("every operation has types for its calls", () => {
  const calls = operationCalls({ operations: allOperations, notesOf }, schemas);
  expect(outOfStep(calls), "run npm run generate").toEqual([]);
  expect(Object.values(calls)[0]).not.toContain("Record<string, unknown>");
});

test("a generated file that was edited by hand is detected", () => {
  expect(outOfStep({ "src/generated/operation-id.ts": "export type OperationId = string;\n" })).toEqual([
    "src/generated/operation-id.ts",
  ]);
});

test("OperationId contains the id of every row and nothing else", () => {
  const text = generated["src/generated/operation-id.ts"] ?? "";
  const ids = [...text.matchAll(/\| "([\w.]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(allOperations.map(({ id }) => id))].sort());
  const known: OperationId = "accounts.list";
  // @ts-expect-error: no operation has this identifier.
  const unknown: OperationId = "accounts.lists";
  expect([known, unknown]).toHaveLength(2);
});
