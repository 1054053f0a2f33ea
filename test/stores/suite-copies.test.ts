import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ENTRIES } from "../../scripts/lib/entries.ts";
import { ROOT } from "../../scripts/lib/generated.ts";

const FOLDER = "test/stores/suite";

// The package does not ship this folder: authors of stores copy it from the repository.
it("the tests of stores can be copied: they import only each other and, by name, types of the package", () => {
  const files = globSync(`${FOLDER}/*.ts`, { cwd: ROOT });
  const imports = files.flatMap((file) => [
    ...readFileSync(ROOT + file, "utf8").matchAll(/^(import type|import|export)\b[^";]* from "([^"]+)";$/gm),
  ]);
  const names = imports.map(([, , name = ""]) => name);
  expect(imports.filter(([, kind, name = ""]) => !name.startsWith("./") && kind !== "import type")).toEqual([]);
  const known = [...ENTRIES.map(({ specifier }) => specifier), ...files.map((file) => file.replace(FOLDER, "."))];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  expect(new Set(names.filter((name) => !name.startsWith(".")))).toHaveLength(3);
});

it("the guide names the folder and every test in it", () => {
  const guide = readFileSync(`${ROOT}docs/guides/stores.md`, "utf8");
  const tests = readFileSync(`${ROOT}${FOLDER}/index.ts`, "utf8").match(/\w+Tests\b(?= \})/g) ?? [];
  expect(tests).toHaveLength(3);
  expect([FOLDER, ...tests].filter((name) => !guide.includes(`\`${name}`))).toEqual([]);
});
