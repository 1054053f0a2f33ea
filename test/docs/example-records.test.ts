import { expect, test } from "vitest";
import * as z from "zod/mini";
import { exampleRecords } from "../../scripts/docs/example-records.ts";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import type { Schema } from "../../src/core/schema/traits.js";
import { allOperations } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";

const exampleOf = exampleRecords(schemas);
const answering = allOperations.filter(({ response }) => response !== undefined);

test("the reference shows a valid record for every operation that returns one", () => {
  expect(answering.length).toBeGreaterThan(150);
  const wrong = answering.flatMap(({ id, response }) => {
    const { success, error } = z.safeParse(strictSchema(response as Schema, "input"), exampleOf(response));
    return success ? [] : `${id}: ${error?.message}`;
  });
  expect(wrong).toEqual([]);
});
