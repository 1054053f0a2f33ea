import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLIENT_OPTIONS, LIST_OPTIONS, REQUEST_OPTIONS } from "../../src/core/settings.ts";
import { root } from "./support/code-blocks.ts";

const CLIENT = Object.keys(CLIENT_OPTIONS);
const CALL = Object.keys(REQUEST_OPTIONS);
const LIST = Object.keys(LIST_OPTIONS).filter((name) => !CALL.includes(name));

const lines = readFileSync(join(root, "docs/guides/options.md"), "utf8").split("\n");

describe("the guide to options", () => {
  test.each([
    ["option", CLIENT],
    ["option of a call", CALL],
    ["option of a list", LIST],
  ])("names each %s once, and no others", (title, options) => {
    expect(namesBelow(title).sort()).toEqual([...options].sort());
  });

  test("says of each its type, its default and what it is for", () => {
    const rows = lines.filter((line) => line.startsWith("| `")).map((line) => line.split(" | "));
    expect(rows).toHaveLength(CLIENT.length + CALL.length + LIST.length);
    expect(rows.filter((cells) => cells.length !== 4 || cells.some((cell) => cell.trim() === ""))).toEqual([]);
  });
});

/** The names in the first column of the table with this title above it. */
function namesBelow(title: string): string[] {
  const head = lines.findIndex((line) => line.startsWith(`| ${title} |`));
  const rows = lines.slice(head + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end < 0 ? rows.length : end).map((line) => /^\| `(\w+)` \|/.exec(line)?.[1] ?? line);
}
