import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COLUMN } from "../../scripts/docs/format.ts";
import { wordsByPage } from "../../scripts/docs/words.ts";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { guideLists, guides } from "../../scripts/lib/guides.ts";
import { documents, fencesOf, root } from "./support/code-blocks.ts";
import { BY_HAND } from "./support/tasks.ts";

test("docs/guides.json lists every guide exactly once, and nothing else", () => {
  const written = documents().filter((file) => file.startsWith("docs/guides/"));
  expect(
    guides()
      .map(({ file }) => file)
      .sort(),
  ).toEqual(written.sort());
});

test("the page of all guides and llms.txt follow docs/guides.json, and llms.txt also lists the words of a school", () => {
  expect(outOfStep(guideLists()), "run npm run generate").toEqual([]);
});

// A reader who opens a page must see at once whether it is for their work.
const SCHOOL = /^"|\b(?:schools?|office|students?|enroll\w*|lessons?|invoices?)\b/i;
test("the first sentence of every guide tells of a school's work, in at most 25 words and without code", () => {
  const first = guides().map(({ file }) => {
    const [, text = ""] = readFileSync(join(root, file), "utf8").split(/^# .*\n\n/);
    return [file, text.split(/(?<=[.?:]"?)\s/)[0]?.replace(/\]\([^)]*\)/g, "]") ?? ""] as const;
  });
  const wrong = first.filter(
    ([, text]) => !SCHOOL.test(text) || !/^["A-Z]/.test(text) || /`/.test(text) || text.split(/\s+/).length > 25,
  );
  expect(wrong).toEqual([]);
});

// Few people read longer texts. `node scripts/docs/words.ts` prints the number of words on each page.
test("README.md and the guides have at most 20,900 words outside code, and no page more than 900", () => {
  const pages = wordsByPage();
  const prose = readFileSync(join(root, "docs/guides/files.md"), "utf8").split("```");
  expect(pages.get("docs/guides/files.md")).toBe(`${prose[0]} ${prose[2]}`.match(/\S*[\p{L}\p{N}]\S*/gu)?.length);
  expect([...pages].filter(([, words]) => words > 900)).toEqual([]);
  expect([...pages.values()].reduce((sum, words) => sum + words, 0)).toBeLessThanOrEqual(20_900);
});

test("programs in README.md and the guides fit the width of the site's column", () => {
  const wide = documents()
    .filter((file) => !file.startsWith("skills/"))
    .flatMap((file) => fencesOf(file).filter(({ language }) => language.startsWith("ts")))
    .flatMap(({ file, code }) => code.split("\n").flatMap((line) => (line.length > COLUMN ? `${file}: ${line}` : [])));
  expect(wide, "npm run format breaks lines; texts and SQL are for you to break").toEqual([]);
});

// In daily work the library must handle files, pages and retries.
test("the programs for daily work leave CSV, pages and retries to the library", () => {
  const acts =
    "enroll plan-a-course attendance invoices payments overdue-invoices publish reminders statistics nightly-export import new-enrollments accounting thirty-schools";
  const programs = acts
    .split(" ")
    .flatMap((page) => fencesOf(`docs/guides/${page}.md`).filter(({ language }) => /^ts/.test(language)));
  expect(programs.length).toBeGreaterThan(13);
  expect(programs.filter(({ code }) => BY_HAND.test(code)).map(({ code }) => code.split("\n")[0])).toEqual([]);
});

/**
 * Twelve daily jobs and their programs. A job names its program by the file in the block's first line, or by the page
 * whose first block it is.
 */
const JOBS = {
  "enroll people": ["enroll.ts"],
  "move somebody to another course": ["move.ts"],
  "mark attendance": ["attendance.ts"],
  "invoice and credit": ["invoices.md", "cancel-order.ts"],
  "who has not paid": ["overdue.ts"],
  "lists to files": ["nightly-export.ts"],
  "plan a course with meetings and teachers": ["plan-course.ts"],
  "publish to a website": ["publish.ts"],
  "remind everybody, nobody twice": ["remind.ts"],
  "hand over to accounting": ["accounting.ts"],
  "a year's statistics": ["year.ts"],
  "the nightly jobs of thirty schools": ["nightly-jobs.ts"],
};
// The maximum number of lines of the programs, without imports, comments and blank lines. It may only fall. The goal is
// 126, in lines of up to 120 columns.
const MOST_LINES = 580;

test(`the programs of twelve daily jobs have at most ${MOST_LINES} lines`, () => {
  const fences = documents().flatMap((file) => fencesOf(file).filter(({ language }) => /^ts\b/.test(language)));
  const rows = Object.entries(JOBS).map(([job, programs]) => {
    const lines = programs.flatMap((program) => {
      const found = fences.find(({ file, code }) => code.startsWith(`// ${program}\n`) || file.endsWith(`/${program}`));
      expect(found, `${program} is in no guide`).toBeDefined();
      const code = found?.code.replace(/^import [^;]*;\n/gm, "").split("\n") ?? [];
      return code.filter((line) => !/^\s*(?:$|\/\/|\/?\*)/.test(line));
    });
    return [job, lines.length] as const;
  });
  console.log(rows.map((row) => row.join(" | ")).join("\n"));
  expect(rows.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(MOST_LINES);
});
