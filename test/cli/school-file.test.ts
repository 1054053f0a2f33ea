import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { definitionsIn } from "../../src/cli/types/definitions-in.js";
import { observedFields } from "../../src/cli/types/observe-fields.js";
import { fieldsOfQuestions } from "../../src/cli/types/read-school.js";
import { changesOf } from "../../src/cli/types/school-changes.js";
import { schoolFile } from "../../src/cli/types/school-file.js";
import type { SchoolDefinitions } from "../../src/school/index.js";
import { temporaryFolder } from "./types-support.js";

let out: string;
beforeEach(() => {
  out = join(temporaryFolder(), "src", "school.ts");
});

describe("a file", () => {
  test("holds any slug, title and option the service may have", () => {
    const definitions: SchoolDefinitions = {
      accounts: Object.fromEntries([
        ["with space", { type: "string", title: "*/ alert(1) /*" }],
        ["quote\"'\\", { type: "select", options: ['a"b', "c'd", "e\\f", "g\nh", "ü😀"] }],
        ["1st", "boolean"],
        ["class", "text"],
        ["newer", "colour"],
      ]),
      objects: JSON.parse('{"__proto__": {"__proto__": "string"}}'),
    };
    const text = schoolFile(definitions);
    expect(changesOf(definitions, definitionsIn(text) ?? {})).toEqual([]);
    expect(Object.keys(definitionsIn(text)?.objects ?? {})).toEqual(["__proto__"]);
    expect(text).toContain("/** *\\/ alert(1) /* */");
    expect(text).toContain("newer: string | number | boolean | readonly string[];");
  });

  test("has one field where two questions have the same slug: that of the older question", () => {
    const question = { field_type: "string", title: "A", slug: "a", for_type: "account", choices: [], required: false };
    const questions = [
      { ...question, id: 2, field_type: "boolean" },
      { ...question, id: 1 },
      { ...question, id: 3, for_type: "spaceship" },
    ];
    expect(fieldsOfQuestions(questions as never)).toEqual({ accounts: { a: { type: "string" } } });
  });

  test("takes unknown for observed fields whose values tell nothing", () => {
    const found = observedFields([
      { a: null, b: 1, c: ["x"], d: true },
      { a: null, b: "1", c: null, d: false },
    ]);
    expect(Object.fromEntries([...found].map(([slug, { type }]) => [slug, type]))).toEqual({
      a: "unknown",
      b: "unknown",
      c: "multiselect",
      d: "boolean",
    });
  });

  test("is not run when it is read", () => {
    for (const text of [
      "",
      "defineSchool(",
      "defineSchool(make())",
      "defineSchool({ a: `x` })",
      "defineSchool({ a: 1 })",
    ]) {
      expect(definitionsIn(text), text).toBeNull();
    }
    expect(existsSync(out)).toBe(false);
  });
});
