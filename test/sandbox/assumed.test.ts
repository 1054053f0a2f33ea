import { expect, test } from "vitest";
import { assumptionsDoc, readAssumptions } from "../../scripts/lib/assumptions.ts";
import { outOfStep } from "../../scripts/lib/generated.ts";

const assumed = readAssumptions();

test("what the sandbox assumes is said where it does so, in whole sentences", () => {
  expect(assumed.length).toBeGreaterThan(40);
  for (const { file, sentence } of assumed) expect(sentence, file).toMatch(/^[a-z`].*\.$/);
  expect(new Set(assumed.map(({ sentence }) => sentence)).size).toBe(assumed.length);
});

test("docs/sandbox-assumptions.md lists every assumption once, below the heading of its folder", () => {
  const files = assumptionsDoc();
  const text = files["docs/sandbox-assumptions.md"] ?? "";
  expect(text.match(/^- /gm)).toHaveLength(assumed.length);
  expect(text.indexOf("- The rate window slides")).toBeGreaterThan(text.indexOf("## Requests, keys"));
  expect(outOfStep(files), "run npm run generate").toEqual([]);
});

test("an assumption in a folder without a heading is refused, so that none is left out", () => {
  expect(() => assumptionsDoc([{ file: "rooms/behaviours.ts", sentence: "a room is free." }])).toThrow(
    "rooms/behaviours.ts",
  );
});
