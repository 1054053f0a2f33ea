import { existsSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, test } from "vitest";
import { observedFields } from "../../src/cli/types/observe-fields.js";
import { definitionsIn, hasTypesOf, schoolFile } from "../../src/cli/types/school-file.js";
import type { SchoolDefinitions } from "../../src/school/index.js";
import { fieldsOfQuestions } from "../../src/school/read-school.js";
import { changesOf } from "../../src/school/school-changes.js";
import { temporaryFolder } from "./types-support.js";

let out: string;
beforeEach(() => {
  out = join(temporaryFolder(), "src", "school.ts");
});

describe("a file of definitions", () => {
  test("can contain any slug, title and option of the service", () => {
    const definitions: SchoolDefinitions = {
      accounts: Object.fromEntries([
        ["with space", { type: "string", title: "*/ alert(1) /*" }],
        ["quote\"'\\", { type: "select", options: ['a"b', "c'd", "e\\f", "g\nh", "ü😀"] }],
        ["1st", "boolean"],
        ["class", "text"],
        ["newer", "colour"],
        ["tick`", { type: "select", options: ["\u0024{process.exit(9)}", "\\`", "$", "\\\u0024{"] }],
      ]),
      objects: JSON.parse('{"__proto__": {"__proto__": "string"}}'),
    };
    const text = schoolFile(definitions);
    expect(changesOf(definitions, definitionsIn(text) ?? {})).toEqual([]);
    // A program must read exactly the same definitions as the command.
    const literal = text.slice(text.indexOf("defineSchool(`") + 13, text.lastIndexOf(");"));
    expect(JSON.parse(runInNewContext(literal))).toEqual(definitionsIn(text));
    expect(Object.keys(definitionsIn(text)?.objects ?? {})).toEqual(["__proto__"]);
    expect(text).toContain("/** *\\/ alert(1) /* */");
    expect(text).toContain("newer: string | number | boolean | readonly string[];");
  });

  test("matches its definitions, even after a formatter has run and whatever its options contain", () => {
    const options = ["http://a", "it's", 'say "x"', "a`b", "/* c", "d */", "e | f"];
    const definitions: SchoolDefinitions = {
      accounts: { way: { type: "multiselect", options, title: '`It\'s` // "this"' } },
    };
    const text = schoolFile(definitions);
    const formatted = text
      .replace('"it\'s"', "'it\\'s'")
      .replace('"http://a"', "'http://a'")
      .replace(/" \| (?=["'])/g, '"\n    | ');
    expect(formatted).not.toBe(text);
    for (const same of [text, formatted, `/* eslint-disable */\n${text}`])
      expect(hasTypesOf(same, definitions)).toBe(true);
    for (const option of options) {
      const edited = text.replace(JSON.stringify(option), '"other"');
      expect(edited).not.toBe(text);
      expect(hasTypesOf(edited, definitions), option).toBe(false);
    }
  });

  test("has one field for two questions with the same slug, and keeps the older question", () => {
    const question = { field_type: "string", title: "A", slug: "a", for_type: "account", choices: [], required: false };
    const questions = [
      { ...question, id: 2, field_type: "boolean" },
      { ...question, id: 1 },
      { ...question, id: 3, for_type: "spaceship" },
    ];
    expect(fieldsOfQuestions(questions as never)).toEqual({ accounts: { a: { type: "string" } } });
  });

  test("leaves out a question of an unknown type, and names it", () => {
    const question = { title: "A b", for_type: "account", field_type: "select", choices: ["x"], required: false };
    const notes: string[] = [];
    const fields = fieldsOfQuestions(
      [
        { ...question, id: 1, slug: "a", choices: null },
        { ...question, id: 2, slug: "b", choices: undefined },
        { ...question, id: 3, slug: "c", choices: "x" },
        { ...question, id: 4, slug: "d", choices: ["x", null] },
        { ...question, id: 5, slug: "e", choices: [1, 2] },
        { ...question, id: 6, slug: "f", title: null, required: "yes" },
        { ...question, id: 7, slug: "g", field_type: null },
        { ...question, id: 8, slug: null },
        { ...question, id: 9, slug: "h", for_type: 7 },
        { ...question, id: null, slug: "i", choices: null },
        { ...question, id: 10, slug: "j", field_type: "string", choices: 7 },
        null,
        "question",
      ] as never,
      (note) => notes.push(note),
    );
    const select = { type: "select", title: "A b" };
    expect(fields).toEqual({
      accounts: {
        ...{ a: select, b: select, c: select, d: select, e: select, i: select },
        f: { type: "select", options: ["x"] },
        g: { type: "unknown", title: "A b" },
        j: { type: "string", title: "A b" },
      },
    });
    expect(notes.sort()).toEqual(
      [
        'The sign-up question "c" (3) has choices that are not a list of strings, so its field accepts any text.',
        'The sign-up question "d" (4) has choices that are not a list of strings, so its field accepts any text.',
        'The sign-up question "e" (5) has choices that are not a list of strings, so its field accepts any text.',
        'The sign-up question "g" (7) has a field_type that is not text, so its field accepts any value.',
        "The sign-up question 8 is left out, because its slug is not text.",
        'The sign-up question "h" (9) is left out, because its for_type is not text.',
        "A sign-up question is not an object, so it is left out.",
        "A sign-up question is not an object, so it is left out.",
      ].sort(),
    );
    expect(definitionsIn(schoolFile(fields))).toEqual(fields);
  });

  test("gives observed fields the type unknown if their values do not determine one", () => {
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

  test("is read without being run", () => {
    for (const text of [
      "",
      "defineSchool(",
      "defineSchool(make())",
      'defineSchool({ accounts: { a: "string" } })',
      "defineSchool(`{`)",
      "defineSchool(`[]`)",
      "defineSchool(`{}",
    ]) {
      expect(definitionsIn(text), text).toBeNull();
    }
    expect(existsSync(out), "the file exists").toBe(false);
  });
});
