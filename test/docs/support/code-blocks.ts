import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));

/** One block of code in a document or a docstring. */
export interface Block {
  /** Path below the project's folder. */
  readonly file: string;
  /** Line of the first line of code, from 1. */
  readonly line: number;
  readonly code: string;
}

/** Blocks that run together, in their order. */
export interface Program {
  /** The file it is, below a folder for its document; null where the document gives none. */
  readonly file: string | null;
  /** Where it begins: `README.md:31`. */
  readonly name: string;
  /** The code, every line on the line it has in its document, so that messages name the right one. */
  readonly code: string;
  readonly blocks: readonly Block[];
}

/** A fence of a document: its language, and the code in it. */
export interface Fence extends Block {
  readonly language: string;
}

/** The documents whose code is compiled and run. */
export function documents(): string[] {
  const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md"));
  return ["README.md", "skills/education-admin-sdk/SKILL.md", ...guides.sort().map((name) => `docs/guides/${name}`)];
}

/** Every fenced block of a document, whatever its language. */
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

/**
 * The programs of a document. A `ts` block whose first line is `// name.ts` is that file. The others are one program, in
 * their order, until a block imports a name that an earlier one has imported: that one begins a new program.
 */
export function programsOf(file: string): Program[] {
  const programs: Block[][] = [];
  let current: Block[] | null = null;
  let imported = new Set<string>();
  for (const block of fencesOf(file).filter(({ language }) => language === "ts")) {
    if (fileNameOf(block.code) !== null) {
      programs.push([block]);
      current = null;
      continue;
    }
    const names = importedNames(block.code);
    if (current === null || names.some((name) => imported.has(name))) {
      current = [];
      programs.push(current);
      imported = new Set();
    }
    for (const name of names) imported.add(name);
    current.push(block);
  }
  return programs.map((blocks) => programFrom(blocks));
}

/** The file a block says it is, on its first line. */
function fileNameOf(code: string): string | null {
  return /^\/\/ ([\w-]+\.ts)\n/.exec(code)?.[1] ?? null;
}

/** Every `@example` of the sources; each is a program of its own. */
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

/**
 * Makes a program of blocks of one document.
 * @param prelude what stands before them, on the first line.
 */
export function programFrom(blocks: readonly Block[], prelude = ""): Program {
  const lines: string[] = [prelude];
  for (const { line, code } of blocks) {
    while (lines.length < line - 1) lines.push("");
    lines.push(...code.split("\n"));
  }
  const [first] = blocks;
  return {
    name: `${first?.file}:${first?.line}`,
    file: fileNameOf(first?.code ?? ""),
    code: `${lines.join("\n")}\nexport {};\n`,
    blocks,
  };
}

/** Names a block binds by importing them. */
export function importedNames(code: string): string[] {
  return [...code.matchAll(/^import\s+(?:type\s+)?([^"';]+?)\s+from\s/gm)].flatMap(([, clause = ""]) =>
    clause
      .replace(/[{}]/g, ",")
      .split(",")
      .map(
        (part) =>
          part
            .trim()
            .replace(/^type\s+/, "")
            .split(/\s+as\s+/)
            .at(-1) ?? "",
      )
      .filter((name) => name !== ""),
  );
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => join(folder, name));
}
