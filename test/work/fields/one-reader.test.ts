import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

// Any other reader of paths, comparison of values or word for true and false would differ from these in some case.
test.each<[what: string, pattern: RegExp, files: readonly string[]]>([
  ["reads a value by its path", /\.reduce(<\w+>)?\(\s*(memberOf|\(\w+, name\) =>[^;]*\[name\])/, []],
  [
    "is called valueAt",
    /function valueAt\b/,
    ["src/core/schema/issues.ts", "src/school/school-changes.ts", "src/work/fields/path.ts"],
  ],
  ["knows words for flags", /["']?yes["']?,? ?:?\s*true/, ["src/work/fields/text.ts"]],
  ["compares by a sign", /"<=": ?\(/, ["src/work/fields/tester.ts"]],
  ["counts days from today", /\btoday\(\?:/, ["src/work/fields/condition.ts"]],
  ["asks for the machine's time zone", /resolvedOptions\(\)\.timeZone/, []],
  ["reads the school's time zone", /\btime_zone\b(?!:)/, ["src/doctor/model-checks.ts", "src/work/zone.ts"]],
])("no module but fields %s", (_, pattern, files) => {
  const found = globSync("src/**/*.ts", { exclude: ["src/{generated,sandbox,resources}/**"] }).filter((file) =>
    pattern.test(readFileSync(file, "utf8").replace(/^\s*(\/\/|\*|\/\*).*$/gm, "")),
  );
  expect(found.sort()).toEqual(files);
});
