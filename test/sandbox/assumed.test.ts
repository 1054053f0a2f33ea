import { expect, test } from "vitest";
import { assumptionsDoc, readRules } from "../../scripts/lib/assumptions.ts";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { MANNERS } from "../../src/sandbox/data/manners.js";

const rules = readRules();

test("a rule of the sandbox's school is said where it is followed, in a whole sentence", () => {
  expect(rules.length).toBeGreaterThan(40);
  for (const { file, sentence } of rules) expect(sentence, file).toMatch(/^[a-z`].*\.$/);
  expect(new Set(rules.map(({ sentence }) => sentence)).size).toBe(rules.length);
});

test("every sentence of docs/sandbox-assumptions.md belongs to a manner or is a rule", () => {
  const files = assumptionsDoc();
  const text = files["docs/sandbox-assumptions.md"] ?? "";
  const [manners = "", rest = ""] = text.split("\n## Rules\n");
  expect(manners.match(/^\| `/gm)).toHaveLength(Object.keys(MANNERS).length);
  expect(manners).not.toMatch(/^- /m);
  expect(rest.match(/^- /gm)).toHaveLength(rules.length);
  expect(outOfStep(files), "run npm run generate").toEqual([]);
});

test("a rule in a folder without a heading is refused, so that none is left out", () => {
  expect(() => assumptionsDoc([{ file: "rooms/behaviours.ts", sentence: "a room is free." }])).toThrow(
    "rooms/behaviours.ts",
  );
});
