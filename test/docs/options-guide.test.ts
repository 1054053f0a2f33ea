import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ClientOptions, ListOptions, RequestOptions } from "../../src/index.ts";
import { root } from "./support/code-blocks.ts";

// Records, so that the compiler finds an option that is missing here or that no longer exists.
const CLIENT: Record<keyof ClientOptions, 1> = {
  baseUrl: 1,
  apiKey: 1,
  fetch: 1,
  headers: 1,
  timeout: 1,
  totalTimeout: 1,
  retry: 1,
  rateLimit: 1,
  pageSize: 1,
  validation: 1,
  arrayFormat: 1,
  routes: 1,
  on: 1,
  readOnly: 1,
  dedupe: 1,
  school: 1,
  allowInsecureHttp: 1,
  clock: 1,
};
const CALL: Record<keyof RequestOptions, 1> = {
  signal: 1,
  timeout: 1,
  totalTimeout: 1,
  headers: 1,
  retry: 1,
  validation: 1,
  priority: 1,
};
const LIST: Record<Exclude<keyof ListOptions, keyof RequestOptions>, 1> = {
  resume: 1,
  prefetch: 1,
  maxPages: 1,
  onInvalid: 1,
};

const lines = readFileSync(join(root, "docs/guides/options.md"), "utf8").split("\n");

describe("the guide to options", () => {
  test.each([
    ["option", CLIENT],
    ["option of a call", CALL],
    ["option of a list", LIST],
  ])("names each %s once, and no others", (title, options) => {
    expect(namesBelow(title).sort()).toEqual(Object.keys(options).sort());
  });

  test("says of each its type, its default and what it is for", () => {
    const rows = lines.filter((line) => line.startsWith("| `")).map((line) => line.split(" | "));
    expect(rows).toHaveLength([CLIENT, CALL, LIST].flatMap((options) => Object.keys(options)).length);
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
