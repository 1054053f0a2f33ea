import { expect, test } from "vitest";
import { doors } from "../../scripts/lib/doors.ts";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { readExports } from "../../scripts/lib/source-exports.ts";
import { allOperations, type OperationId } from "../../src/operations.js";

test("what is generated from the resources is in step with them", () => {
  expect(outOfStep(doors(readExports())), "run npm run generate").toEqual([]);
});

test("a file that was edited by hand is noticed", () => {
  expect(outOfStep({ "src/generated/operation-id.ts": "export type OperationId = string;\n" })).toEqual([
    "src/generated/operation-id.ts",
  ]);
});

test("OperationId has the id of every row and of nothing else", () => {
  const text = doors(readExports())["src/generated/operation-id.ts"] ?? "";
  const ids = [...text.matchAll(/\| "([\w.]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(allOperations.map(({ id }) => id))].sort());
  const known: OperationId = "accounts.list";
  // @ts-expect-error: an id no table has.
  const unknown: OperationId = "accounts.lists";
  expect([known, unknown]).toHaveLength(2);
});
