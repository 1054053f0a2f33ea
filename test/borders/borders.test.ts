import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BORDERS } from "./borders.js";
import { type Cell, COLUMNS } from "./cells.js";

const ROOT = new URL("../../", import.meta.url);

/** What is wrong with the name of a test; null where the file has a test or suite of that title. */
function problemOf(name: string): string | null {
  const [path = "", title = ""] = name.split(" › ");
  const file = new URL(path, ROOT);
  if (!path.endsWith(".test.ts") || !existsSync(file)) return `${path} is not there`;
  const text = readFileSync(file, "utf8");
  const isThere = ['"', "'", "`"].some((quote) => title !== "" && text.includes(`${quote}${title}${quote}`));
  return isThere ? null : `${path} has no test "${title}"`;
}

const testsOf = (cell: Cell): readonly string[] => ("test" in cell ? [cell.test].flat() : []);

describe("the borders to what callers bring along", () => {
  test.each(Object.entries(BORDERS))("%s: every cell has a test, or says why it cannot happen", (_, row) => {
    expect(Object.keys(row)).toEqual([...COLUMNS]);
    for (const cell of Object.values(row)) {
      if ("test" in cell) expect(testsOf(cell).length).toBeGreaterThan(0);
      else expect(Object.values(cell).join()).toMatch(/^.{20,}\.$/);
    }
  });

  test("name tests that exist", () => {
    const names = Object.values(BORDERS).flatMap((row) => Object.values(row).flatMap(testsOf));
    expect([...new Set(names)].map(problemOf).filter((problem) => problem !== null)).toEqual([]);
    expect(problemOf("test/borders/borders.test.ts › no such test")).not.toBeNull();
  });
});
