import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { type Fence, fencesOf, root } from "../docs/support/code-blocks.ts";
import { compile } from "../docs/support/compile.ts";
import { entryPoints } from "../docs/support/entry-points.ts";

// Below the project, so that imports find its dependencies; not in git.
const FOLDER = join(root, ".artefacts/recipes");
const GUIDE = "docs/guides/testing.md";
const HOOKS = join(root, "test/webhooks/run-from-source.mjs");
const exec = promisify(execFile);

const named = /^\/\/ (\S+\.m?[jt]s)\n/;
const fences = fencesOf(GUIDE).filter(({ code }) => named.test(code));
const recipes = fences.filter(({ language }) => language.endsWith(" test"));
const nameOf = ({ code }: Fence): string => named.exec(code)?.[1] as string;

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const fence of fences) writeFileSync(join(FOLDER, nameOf(fence)), fence.code);
const sources = { ...entryPoints, "#platform": "src/core/platform-server.ts" };
const aliases = Object.entries(sources).map(
  ([specifier, file]) =>
    `{ find: /^${specifier.replaceAll("/", "\\/")}$/, replacement: ${JSON.stringify(join(root, file))} }`,
);
writeFileSync(
  join(FOLDER, "vitest.config.mjs"),
  `export default {
  resolve: { alias: [${aliases.join(", ")}] },
  test: { include: ["*.vitest.test.ts"] },
};\n`,
);

const under = (runner: string): string[] => recipes.filter(({ code }) => code.includes(`from "${runner}"`)).map(nameOf);
const node = (args: string[]) =>
  exec(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], { cwd: FOLDER, env: withoutRunner() });

describe("the recipes of the testing guide", () => {
  test("are there for three runners, with and without msw", () => {
    for (const runner of ["node:test", "vitest", "@jest/globals"]) expect(under(runner)).toHaveLength(2);
    expect(recipes).toHaveLength(6);
    expect(recipes.filter(({ code }) => code.includes("msw/node"))).toHaveLength(3);
  });

  test("compile as strictly as the library does", () => {
    const files = fences
      .filter(({ language }) => language.startsWith("ts"))
      .map((fence) => join(FOLDER, nameOf(fence)));
    expect([...compile(files).values()].flat()).toEqual([]);
  }, 60_000);

  test("for node:test pass under it", async () => {
    const { stdout } = await node(["--import", HOOKS, "--test", "--test-reporter=tap", ...under("node:test")]);
    expect(stdout).toMatch(/^# pass 2$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  }, 60_000);

  test("for vitest pass under it", async () => {
    await node([join(root, "node_modules/vitest/vitest.mjs"), "run", "--reporter=json", "--outputFile=report.json"]);
    const report = JSON.parse(readFileSync(join(FOLDER, "report.json"), "utf8"));
    expect(report).toMatchObject({ success: true, numPassedTests: 2 });
  }, 60_000);

  test("for Jest are the files the package check runs", () => {
    const folder = join(root, "test/package/recipes-jest");
    const files = readdirSync(folder).filter((name) => name.endsWith(".test.mjs"));
    expect(files.sort()).toEqual(under("@jest/globals").sort());
    for (const recipe of recipes.filter(({ language }) => language === "js test")) {
      expect(readFileSync(join(folder, nameOf(recipe)), "utf8").trimEnd()).toBe(recipe.code);
    }
  });
});

describe("the example of an application's own tests", () => {
  test("passes, each of its tests in under a second", async () => {
    const files = ["open-invoices.test.ts"].map((name) => join(root, "examples/integration-test", name));
    const { stdout } = await node(["--import", HOOKS, "--test", "--test-reporter=tap", ...files]);
    expect(stdout).toMatch(/^# pass 3$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  }, 60_000);
});

// A runner inside another must not take its parent's settings for its own.
function withoutRunner(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST|TEST$)/.test(name));
  return { ...Object.fromEntries(own), NODE_ENV: "test" };
}
