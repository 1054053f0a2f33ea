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

/** Functions of node:fs that write. Making a folder replaces nothing. */
const WRITING =
  /\b(writeFile|appendFile|createWriteStream|openSync|writeSync|rename|renameSync|truncate|ftruncate|copyFile|cp|link|symlink|unlink|rm|rmSync|utimes|chmod|chown|fsync|fdatasync|open)\w*\b/;

test("only src/work/place writes files", () => {
  const importing = SOURCES.filter(({ file, text }) => {
    const imports = [...text.matchAll(/import ([^;]*?) from "node:fs(?:\/promises)?";/g)].map(
      ([, names = ""]) => names,
    );
    // A namespace or a default import would hide the functions that it is used for.
    return !file.startsWith("src/work/place/") && imports.some((names) => !names.includes("{") || WRITING.test(names));
  }).map(({ file }) => file);
  expect(importing).toEqual([
    // Opens plans for reading, without waiting for the writer of a pipe.
    "src/bulk/node-kept.ts",
  ]);
  expect(filesWith(/getBuiltinModule\??\.?\(["']node:fs/)).toEqual([]);
});

test("files are flushed by descriptor, because under Yarn Plug'n'Play a handle has no sync", () => {
  expect(filesWith(/\b(handle|file|folder)\.(data)?sync\(/)).toEqual([]);
});

test("SQLite, which writes its files itself, is opened in two commands", () => {
  expect(filesWith(/new DatabaseSync\(/)).toEqual(["src/cli/commands/mirror.ts", "src/cli/commands/schools.ts"]);
});
