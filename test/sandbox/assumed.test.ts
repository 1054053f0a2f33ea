import { describe, expect, test } from "vitest";
import { assumptionsDoc, readRules } from "../../scripts/lib/assumptions.ts";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { MANNERS } from "../../src/sandbox/data/manners.js";
import { createSandbox } from "../../src/sandbox/index.js";

const rules = readRules();

test("a rule of the sandbox is stated next to its code, in a whole sentence", () => {
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
  expect(() => assumptionsDoc([{ file: "rooms/behaviors.ts", sentence: "a room is free." }])).toThrow(
    "rooms/behaviors.ts",
  );
});

describe("the option manners", () => {
  test("the least kind manners contradict no document, nor do drawn ones", () => {
    const seen = new Map<string, Set<string>>();
    const kinds = [createSandbox({ manners: "least kind" }).manners];
    for (let seed = 0; seed < 100; seed++) kinds.push(createSandbox({ manners: { seed } }).manners);
    for (const manners of kinds)
      for (const [name, value] of Object.entries(manners)) seen.set(name, (seen.get(name) ?? new Set()).add(value));
    for (const [name, { values, least }] of Object.entries(MANNERS)) {
      expect([...(seen.get(name) ?? [])].sort()).toEqual([...values].sort());
      expect(kinds[0]).toMatchObject({ [name]: least });
    }
    expect(createSandbox({ manners: { seed: 7, iss: "sent" } }).manners).toEqual({ ...kinds[8], iss: "sent" });
  });

  test.each([
    [{ custum: "merged" }, 'the option manners.custum is not a manner; did you mean "custom"?'],
    [{ custom: "kept" }, "the option manners.custom must be one of merged, replaced"],
    [{ seed: 1.5 }, "the option manners.seed must be a whole number"],
    ["kind", 'the option manners must be "least kind" or an object of manners'],
  ])("manners %j is refused", (manners, message) => {
    expect(() => createSandbox({ manners: manners as never })).toThrow(message);
  });
});
