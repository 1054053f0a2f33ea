import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { root } from "../docs/support/code-blocks.ts";
import { entryPoints } from "../docs/support/entry-points.ts";
import { fences, nameOf, recipes, withoutRunner, writeRecipes } from "./recipe-files.ts";

// The folder is inside the project, so that imports find the project's dependencies; Git ignores it.
const FOLDER = join(root, ".artefacts/recipes");
const exec = promisify(execFile);

writeRecipes(FOLDER);
// msw 2 is installed under another name, beside the project's version.
for (const [name, msw] of [
  ["vitest", "msw"],
  ["vitest-msw-2", "msw-2"],
] as const)
  writeConfig(name, msw);

function writeConfig(name: string, msw: string): void {
  // Vite bundles aliased modules, so they use this configuration's msw.
  const aliases = Object.entries(entryPoints).map(([specifier, source]) => {
    const file = join(root, source.replace(/^src/, "dist/node").replace(/\.ts$/, ".js"));
    return `{ find: /^${specifier.replaceAll("/", "\\/")}$/, replacement: ${JSON.stringify(file)} }`;
  });
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

describe("the recipes in the testing guide", () => {
  test("exist for every runner", () => {
    expect(under("node:test")).toHaveLength(1);
    expect(under("vitest")).toHaveLength(2);
    expect(under("@playwright/test")).toEqual(["playwright.config.ts", "accounts.spec.ts"]);
    expect(recipes.map(nameOf)).toEqual(expect.arrayContaining(["preview.ts", "app.ts", "test_accounts.py"]));
    expect(recipes.filter(({ code }) => code.includes("msw/node"))).toHaveLength(1);
  });

  test("for node:test pass with it", async () => {
    const { stdout } = await node(["--test", "--test-reporter=tap", ...under("node:test")]);
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  test.each([
    ["vitest", "msw"],
    ["vitest-msw-2", "msw-2"],
  ])(
    "for vitest pass with it: %s",
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

  test("for vitest and msw equal those that the package check runs with Jest, except imports and types", () => {
    const inJest = (name: string) => readFileSync(join(root, "test/package/jest/recipes", name), "utf8");
    const codeOf = (name: string) => fences.find((fence) => nameOf(fence) === name)?.code ?? "";
    const withoutImports = (code: string) => code.slice(code.indexOf("const baseUrl")).trim();
    expect(withoutImports(inJest("with-msw.test.mjs"))).toBe(withoutImports(codeOf("with-msw.vitest.test.ts")));
    const words = (code: string) =>
      code
        .slice(code.indexOf("/**"))
        .replace(/\s+/g, " ")
        .replace(/,? ([,)}])/g, "$1")
        .replace(/([({]) /g, "$1")
        .trim();
    expect(words(inJest("open-amount.mjs"))).toBe(words(stripTypeScriptTypes(codeOf("open-amount.ts"))));
    // ts-jest runs the same test, but as TypeScript.
    const test = inJest("open-amount.test.mjs");
    expect(inJest("open-amount.test.ts")).toBe(test.replace("open-amount.test.mjs", "open-amount.test.ts"));
  });
});

describe("the example of an application's tests", () => {
  test("passes", async () => {
    const files = ["open-invoices.test.ts"].map((name) => join(root, "examples/integration-test", name));
    const { stdout } = await node(["--test", "--test-reporter=tap", ...files]);
    expect(stdout).toMatch(/^# pass 4$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });
});
