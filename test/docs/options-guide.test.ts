import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { optionsDoc } from "../../scripts/lib/options-doc.ts";
import { CLIENT_OPTIONS, LIST_OPTIONS, REQUEST_OPTIONS } from "../../src/core/settings.ts";
import { root } from "./support/code-blocks.ts";

const CLIENT = Object.keys(CLIENT_OPTIONS);
const CALL = Object.keys(REQUEST_OPTIONS);
const LIST = Object.keys(LIST_OPTIONS).filter((name) => !CALL.includes(name));

const lines = readFileSync(join(root, "docs/options.md"), "utf8").split("\n");

describe("the list of options", () => {
  test.each([
    ["Options of a client", CLIENT],
    ["Options of a call", CALL],
    ["Options of a list", LIST],
  ])("names all %s exactly once, and nothing else", (title, options) => {
    expect(namesBelow(title).sort()).toEqual([...options].sort());
  });

  test("gives the type and the purpose of each option", () => {
    const rows = lines.filter((line) => line.startsWith("| `")).map((line) => line.split(/(?<!\\)\|/));
    expect(rows.length).toBeGreaterThanOrEqual(CLIENT.length + CALL.length + LIST.length);
    expect(rows.filter((cells) => cells.length !== 5 || cells.slice(1, 4).some((cell) => cell.trim() === ""))).toEqual(
      [],
    );
  });

  test("matches the sources", () => {
    expect(outOfStep(optionsDoc()), "run npm run generate").toEqual([]);
  });
});

/** The names in the first column of the table below this heading. */
function namesBelow(title: string): string[] {
  const head = lines.indexOf(`## ${title}`);
  const rows = lines.slice(head + 4);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end < 0 ? rows.length : end).map((line) => /^\| `(\w+)` \|/.exec(line)?.[1] ?? line);
}
