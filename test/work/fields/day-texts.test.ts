import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { fieldOf } from "../../../src/work/fields/path.js";

// Conditions know days and times that are described as text by their names, so models and names must agree.
test("the fields declared as days or times in text are exactly those that contain one", () => {
  const files = globSync("src/{models,resources}/**/*.ts");
  const fields = files.flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/^\s+(\w+): .*?\b(dayText|timeText|z\.string)\(\)/gm),
  ]);
  const declared = fields.map(([, name = "", how]) => [name, how, fieldOf(name, [name], z.string()).kind]);
  const expected = { day: "dayText", instant: "timeText", text: "z.string" };
  expect(declared.filter(([, how, kind]) => expected[kind as keyof typeof expected] !== how)).toEqual([]);
  expect(declared.filter(([, how]) => how !== "z.string").length).toBeGreaterThan(15);
});
