import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ENTRIES, packageJson } from "../../scripts/lib/entries.ts";
import { outOfStep, ROOT } from "../../scripts/lib/generated.ts";

describe("entries.json", () => {
  test("names existing files", () => {
    expect(ENTRIES.map(({ source }) => source).filter((source) => !existsSync(ROOT + source))).toEqual([]);
  });

  test("matches the exports of package.json", () => {
    expect(outOfStep(packageJson()), "run npm run generate").toEqual([]);
  });
});
