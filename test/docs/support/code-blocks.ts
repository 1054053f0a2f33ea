import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Block,
  type Program,
  preludeFor,
  programFrom,
  programsFrom,
} from "../../../scripts/run-in-page/programs.ts";
import { exportedNames } from "./entry-points.ts";

/** The project's folder. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A fenced block of a document: its language and its code. */
export interface Fence extends Block {
  readonly language: string;
}

/** The documents whose code is compiled and run. */
export function documents(): string[] {
  const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md") && name !== "README.md");
  return ["README.md", "skills/education-admin-sdk/SKILL.md", ...guides.sort().map((name) => `docs/guides/${name}`)];
}

/** Every fenced block of a document, in any language. */
export function fencesOf(file: string): Fence[] {
  const lines = readFileSync(join(root, file), "utf8").split("\n");
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = /^\s*```(.*)$/.exec(lines[at] ?? "");
    if (!opening) continue;
    const start = at + 1;
    while (++at < lines.length && !/^\s*```\s*$/.test(lines[at] ?? ""));
    fences.push({ file, line: start + 1, language: opening[1]?.trim() ?? "", code: lines.slice(start, at).join("\n") });
  }
  return fences;
}

/** The programs of a document. */
export function programsOf(file: string): Program[] {
  return programsFrom(fencesOf(file).filter(({ language }) => language === "ts"));
}

/** The programs in docstrings, with imports for the names they use. */
export async function programsOfDocstrings(): Promise<Program[]> {
  const names = await exportedNames();
  return exampleBlocks().map((block) => programFrom([block], preludeFor(block.code, names)));
}

/** Every `@example` in the sources, each as its own program. */
export function exampleBlocks(): Block[] {
  const blocks: Block[] = [];
  for (const file of sourceFiles(join(root, "src"))) {
    const lines = readFileSync(file, "utf8").split("\n");
    for (let at = 0; at < lines.length; at++) {
      if (!/^\s*\* @example\s*$/.test(lines[at] ?? "")) continue;
      const start = at + 1;
      while (at + 1 < lines.length && !/^\s*(\*\/|\* @)/.test(lines[at + 1] ?? "")) at++;
      const code = lines.slice(start, at + 1).map((line) => line.replace(/^\s*\* ?/, ""));
      blocks.push({ file: relative(root, file), line: start + 1, code: code.join("\n") });
    }
  }
  return blocks;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => join(folder, name));
}
