import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Fence, fencesOf, root } from "../docs/support/code-blocks.ts";

const GUIDES = ["docs/guides/testing.md", "docs/guides/testing-applications.md"];
// The recipe that is an example.
const PYTHON = "examples/python-test/test_accounts.py";
const named = /^(?:\/\/|#) (\S+\.(?:m?[jt]s|py))\n/;

/** Every block of the guides to testing that names its file, and the example they link. */
export const fences: readonly Fence[] = [
  ...GUIDES.flatMap(fencesOf).filter(({ code }) => named.test(code)),
  { file: PYTHON, line: 1, language: "python test", code: readFileSync(join(root, PYTHON), "utf8") },
];
/** Those that need a runner, a browser or another language. */
export const recipes: readonly Fence[] = fences.filter(({ language }) => language.endsWith(" test"));

/** The file that a block names. */
export const nameOf = ({ code }: Fence): string => named.exec(code)?.[1] as string;

/** Writes every block to its file in a new folder. @param change what differs from the guide, such as a port that is taken. */
export function writeRecipes(folder: string, change: (code: string) => string = (code) => code): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const fence of fences) writeFileSync(join(folder, nameOf(fence)), change(fence.code));
}

/** The environment for a runner that a runner starts: it must not take its parent's settings for its own. */
export function withoutRunner(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST|TEST$)/.test(name));
  return { ...Object.fromEntries(own), NODE_ENV: "test" };
}
