import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fence, fencesOf, root } from "../docs/support/code-blocks.ts";

const GUIDE = "docs/guides/testing.md";
// The files in examples/ that are also recipes, by the language of their blocks.
const EXAMPLES = {
  "python test": ["python-test/test_accounts.py"],
  "ts test": [
    "storybook/preview.ts",
    "playwright/app.ts",
    "playwright/playwright.config.ts",
    "playwright/accounts.spec.ts",
  ],
};
const named = /^(?:\/\/|#) (\S+\.(?:m?[jt]s|py))\n/;

/** Every code block of the testing guide that names its file, and the examples of whole applications. */
export const fences: readonly Fence[] = [
  ...fencesOf(GUIDE).filter(({ code }) => named.test(code)),
  ...Object.entries(EXAMPLES).flatMap(([language, names]) =>
    names.map((name) => {
      const file = `examples/${name}`;
      return { file, line: 1, language, code: readFileSync(join(root, file), "utf8") };
    }),
  ),
];
/** The blocks that need a runner, a browser or another language. */
export const recipes: readonly Fence[] = fences.filter(({ language }) => language.endsWith(" test"));

/** The file name that a block begins with. */
export const nameOf = ({ code }: Fence): string => named.exec(code)?.[1] as string;

/**
 * Writes every block to its file in a new folder.
 * @param change adapts the code, for instance to another port if the guide's port is taken.
 * @returns the path of each file.
 */
export function writeRecipes(folder: string, change: (code: string) => string = (code) => code): readonly string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return fences.map((fence) => {
    const path = join(folder, nameOf(fence));
    writeFileSync(path, change(fence.code));
    return path;
  });
}

/** The environment for a test runner that runs inside another one, without the outer runner's settings. */
export function withoutRunner(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST|TEST$)/.test(name));
  return { ...Object.fromEntries(variables), NODE_ENV: "test" };
}
