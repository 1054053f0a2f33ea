import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { internalImports } from "../../scripts/lib/internal-imports.ts";
import { root } from "../docs/support/code-blocks.ts";
import { compile } from "../docs/support/compile.ts";
import { entryPoints } from "../docs/support/entry-points.ts";
import { fences, nameOf, recipes, withoutRunner, writeRecipes } from "./recipe-files.ts";

// Below the project, so that imports find its dependencies; not in git.
const FOLDER = join(root, ".artefacts/recipes");
const HOOKS = join(root, "test/webhooks/run-from-source.mjs");
const exec = promisify(execFile);

writeRecipes(FOLDER);
// msw 2 stands beside the version that the project uses, under another name.
for (const [name, msw] of [
  ["vitest", "msw"],
  ["vitest-msw-2", "msw-2"],
] as const)
  writeConfig(name, msw);

function writeConfig(name: string, msw: string): void {
  const sources = { ...entryPoints, ...internalImports("node") };
  const aliases = Object.entries(sources).map(
    ([specifier, file]) =>
      `{ find: /^${specifier.replaceAll("/", "\\/")}$/, replacement: ${JSON.stringify(join(root, file))} }`,
  );
  aliases.push(`{ find: /^msw(?=$|\\/)/, replacement: "${msw}" }`);
  const config = `export default {
  resolve: { alias: [${aliases.join(", ")}] },
  test: { include: ["*.vitest.test.ts"] },
};\n`;
  writeFileSync(join(FOLDER, `${name}.config.mjs`), config);
}

const under = (runner: string): string[] => recipes.filter(({ code }) => code.includes(`from "${runner}"`)).map(nameOf);
const node = (args: string[]) =>
  exec(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], { cwd: FOLDER, env: withoutRunner() });

describe("the recipes of the testing guide", () => {
  test("are there for every runner, with and without msw", () => {
    for (const runner of ["node:test", "vitest", "@jest/globals"]) expect(under(runner)).toHaveLength(2);
    expect(under("@playwright/test")).toEqual(["playwright.config.ts", "accounts.spec.ts"]);
    expect(recipes.map(nameOf)).toEqual(expect.arrayContaining(["preview.ts", "app.ts", "test_accounts.py"]));
    expect(recipes.filter(({ code }) => code.includes("msw/node"))).toHaveLength(3);
  });

  test("compile as strictly as the library does", () => {
    const files = fences
      .filter(({ language }) => language.startsWith("ts"))
      .map((fence) => join(FOLDER, nameOf(fence)));
    expect([...compile(files).values()].flat()).toEqual([]);
  }, 120_000);

  test("for node:test pass under it", async () => {
    const { stdout } = await node(["--import", HOOKS, "--test", "--test-reporter=tap", ...under("node:test")]);
    expect(stdout).toMatch(/^# pass 2$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  }, 60_000);

  test.each([
    ["vitest", "msw"],
    ["vitest-msw-2", "msw-2"],
  ])(
    "for vitest pass under it: %s",
    async (config, msw) => {
      const version = JSON.parse(readFileSync(join(root, "node_modules", msw, "package.json"), "utf8"))
        .version as string;
      expect(version).toMatch(msw === "msw" ? /^3\./ : /^2\./);
      const report = `${config}.json`;
      const args = ["--config", `${config}.config.mjs`, "--reporter=json", `--outputFile=${report}`];
      await node([join(root, "node_modules/vitest/vitest.mjs"), "run", ...args]);
      const told = JSON.parse(readFileSync(join(FOLDER, report), "utf8"));
      expect(told).toMatchObject({ success: true, numPassedTests: 2 });
    },
    60_000,
  );

  test("for Jest are the files the package check runs", () => {
    const folder = join(root, "test/package/jest/recipes");
    const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
    expect(files.sort()).toEqual(under("@jest/globals").sort());
    for (const recipe of recipes.filter(({ language }) => language === "js test")) {
      expect(readFileSync(join(folder, nameOf(recipe)), "utf8").trimEnd()).toBe(recipe.code);
    }
    // For ts-jest the same test is TypeScript.
    const test = readFileSync(join(folder, "open-amount.test.mjs"), "utf8");
    const inTypeScript = readFileSync(join(folder, "open-amount.test.ts"), "utf8");
    expect(inTypeScript).toBe(test.replace("open-amount.test.mjs", "open-amount.test.ts"));
  });
});

describe("the example of an application's own tests", () => {
  test("passes, each of its tests in under a second", async () => {
    const files = ["open-invoices.test.ts"].map((name) => join(root, "examples/integration-test", name));
    const { stdout } = await node(["--import", HOOKS, "--test", "--test-reporter=tap", ...files]);
    expect(stdout).toMatch(/^# pass 4$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  }, 60_000);
});
