import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

// In these guides, "all", "current", "held" and "known" describe things that may change after a program has read them.
// Each such word has a test in which the thing changes. To see the table, run only this file.
const GUIDES = ["mirror", "mirror-promises", "stores", "many-schools", "webhooks", "webhook-workers", "fewer-requests"];
const WORD = /\b(?:all|current|held|known)\b/i;

/** The words as in the guide, and for each the test in which the described thing changes. */
const TABLE: readonly (readonly [guide: string, words: string, file: string, test: string])[] = [
  ["mirror", ", held, error }", "mirror/gone.test.ts", "hold the run until a person accepts them"],
  ["mirror", "held?.reason", "mirror/gone.test.ts", "hold the run until a person accepts them"],
  ["mirror", "else if (held)", "mirror/gone.test.ts", "hold the run until a person accepts them"],
  ["mirror", "held.missing", "mirror/gone.test.ts", "that reappear before or while a person accepts them"],
  ["mirror", "held.reason", "mirror/gone.test.ts", "hold the run until a person accepts them"],
  ["mirror-promises", "`held.reason` says why", "mirror/gone.test.ts", "hold the run until a person accepts them"],
  ["mirror-promises", "| `held.reason` |", "mirror/gone.test.ts", "are each read, so that no readable one is marked"],
  ["mirror-promises", "all in this run", "mirror/gone.test.ts", "that reappear before or while a person accepts them"],
  ["mirror-promises", "`held.missing`", "mirror/gone.test.ts", "that reappear before or while a person accepts them"],
  ["stores", "over all processes", "core/clients-come-and-go.test.ts", "are each held only to their own limits"],
  ["many-schools", "schools.all()", "schools/all.test.ts", "one that is disconnected meanwhile is left out"],
];

it("each word for a changing state has a test in which the state changes", () => {
  const open: string[] = [];
  const rows: string[] = [];
  for (const guide of GUIDES) {
    const path = `docs/guides/${guide}.md`;
    let text = readFileSync(path, "utf8").replace(/(?:Promise|byStatus)\.all\(/g, "");
    for (const [, words, file, test] of TABLE.filter(([of]) => of === guide)) {
      if (!text.includes(words)) open.push(`${guide} has no ${JSON.stringify(words)} any more`);
      if (!readFileSync(`test/${file}`, "utf8").includes(test)) open.push(`test/${file} has no test ${test}`);
      text = text.replaceAll(words, "");
      rows.push(`${guide}: ${words} → test/${file}, ${test}`);
    }
    for (const line of text.split("\n")) if (WORD.test(line)) open.push(`${guide}: ${line.trim()}`);
  }
  console.log(rows.join("\n"));
  expect(open).toEqual([]);
});
