import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SOURCES = globSync("src/**/*.ts")
  .filter((file) => !file.startsWith("src/generated/"))
  .map((file) => ({ file, text: code(readFileSync(file, "utf8")) }));

// Examples in comments are programs of users.
function code(text: string): string {
  return text.replace(/^\s*(\*|\/\*\*|\/\/).*$/gm, "");
}

/** The files in which a pattern occurs. */
function filesWith(pattern: RegExp): string[] {
  return SOURCES.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
}

/** Functions of node:fs that write. Creating a folder replaces nothing. */
const WRITING =
  /\b(writeFile|appendFile|createWriteStream|openSync|writeSync|rename|renameSync|truncate|ftruncate|copyFile|cp|link|symlink|unlink|rm|rmSync|utimes|chmod|chown|fsync|fdatasync|open)\w*\b/;

test("only src/work/place writes files", () => {
  const importing = SOURCES.filter(({ file, text }) => {
    const imports = [...text.matchAll(/import ([^;]*?) from "node:fs(?:\/promises)?";/g)].map(
      ([, names = ""]) => names,
    );
    // A namespace or a default import would hide the functions used through it.
    return !file.startsWith("src/work/place/") && imports.some((names) => !names.includes("{") || WRITING.test(names));
  }).map(({ file }) => file);
  expect(importing).toEqual([]);
  expect(filesWith(/getBuiltinModule\??\.?\(["']node:fs/)).toEqual([]);
});

test("files are flushed by descriptor, because under Yarn Plug'n'Play a handle has no sync", () => {
  expect(filesWith(/\b(handle|file|folder)\.(data)?sync\(/)).toEqual([]);
});

test("SQLite, which writes its own files, is opened by two commands and by erase", () => {
  expect(filesWith(/new DatabaseSync\(/).sort()).toEqual([
    "src/cli/commands/mirror.ts",
    "src/cli/commands/schools.ts",
    "src/erase/node-folder.ts",
  ]);
});

/** The lines of the sources that match all patterns, by file, without those of the listed files. */
function otherLines(listed: Readonly<Record<string, string>>, ...patterns: readonly RegExp[]): string[] {
  return SOURCES.filter(({ file }) => !(file in listed)).flatMap(({ file, text }) =>
    text
      .split("\n")
      .filter((line) => patterns.every((pattern) => pattern.test(line.replaceAll("=>", ""))))
      .map((line) => `${file}: ${line.trim()}`),
  );
}

// Moments decide when work is due again (src/work/schedule.ts), because people and time servers change dates.
const COMPARES_DATES: Readonly<Record<string, string>> = {
  "src/bulk/failures.ts": "its clock has the steady dates of the process",
  "src/bulk/runner.ts": "its clock has the steady dates of the process",
  "src/cli/commands/mirror.ts": "the time that a line shows",
  "src/cli/tell/wait-lines.ts": "the time that a line shows",
  "src/core/time.ts": "makes the moments",
  "src/erase/tables.ts": "the owner of a journal, whose date another process has written",
  "src/mirror/changes.ts": "the date up to which changes are pruned",
  "src/mirror/mirror.ts": "the age of rows, whose date another process may have written",
  "src/mirror/sweep.ts": "the age of rows, whose date another process may have written",
  "src/mirror/ticks.ts": "numbers of changes, which never go back",
  "src/sandbox/engine/engine.ts": "keys end by the service's clock",
  "src/sandbox/engine/oauth.ts": "codes end by the service's clock",
  "src/schools/keeper.ts": "the age of a token, whose date another process may have stored",
  "src/schools/logins.ts": "a login that another process may have begun; it may live longer",
  "src/stores/redis/records.ts": "a lease in Redis, by its date",
  "src/webhooks/receive/receiver.ts": "a delivery that is lost counts as going on for longer",
  "src/webhooks/service/recover-options.ts": "a date that the caller gives",
  "src/webhooks/work/reports.ts": "a line of the log less",
  "src/work/place/node-files.ts": "times of files",
  "src/work/place/node-lock.ts": "times of files",
};

test("no other file compares the current date", () => {
  const compared = [/(?<!performance)\.now\(\)/, /\s[<>]=?\s|Math\.(max|min)\(/] as const;
  expect(otherLines(COMPARES_DATES, ...compared)).toEqual([]);
});

const DOUBLES: Readonly<Record<string, string>> = {
  "src/bulk/node-once.ts": "the longest timer",
  "src/core/line/keys.ts": "core imports nothing",
  "src/core/settings.ts": "sizes in bytes",
  "src/twin/manners.ts": "a number that no record has",
  "src/work/schedule.ts": "the one place that doubles pauses",
};

test("no other file doubles a pause", () => {
  expect(otherLines(DOUBLES, /\b[23] \*\* |\b\w*(pause|ms|wait)\w* \*= /i)).toEqual([]);
  expect(otherLines(DOUBLES, /\b\w*(pause|wait)\w* \* 2\b/i)).toEqual([]);
});
