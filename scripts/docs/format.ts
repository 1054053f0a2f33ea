// Formats the programs of README.md and the guides for the column of the site: `npm run format`.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";

/** The characters that a line of code has room for, where the window has 1280 pixels. */
export const COLUMN = 72;

const BLOCK = /^```(tsx?)\b.*\n([\s\S]*?)^```$/gm;

/** Programs in the lines that Biome gives them; a comment that is too long goes over several lines. */
export function formattedCode(programs: readonly { readonly language: string; readonly code: string }[]): string[] {
  mkdirSync(`${ROOT}.artefacts`, { recursive: true });
  const folder = mkdtempSync(`${ROOT}.artefacts/blocks-`);
  try {
    const files = programs.map(({ language, code }, at) => {
      const file = `${folder}/${at}.${language}`;
      writeFileSync(file, code.split("\n").flatMap(withinColumn).join("\n"));
      return file;
    });
    const rules = ["--vcs-enabled=false", `--line-width=${COLUMN}`, "--indent-style=space"];
    const { status, stderr } = spawnSync(`${ROOT}node_modules/.bin/biome`, ["format", "--write", ...rules, folder]);
    if (status !== 0) throw new Error(String(stderr));
    return files.map((file) => readFileSync(file, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Markdown with the programs in its fences formatted. */
export function formatted(texts: readonly string[]): string[] {
  const programs = texts.flatMap((text) =>
    [...text.matchAll(BLOCK)].map(([, language = "", code = ""]) => ({ language, code })),
  );
  const written = formattedCode(programs).values();
  return texts.map((text) =>
    text.replace(BLOCK, (block, _language, code: string) => block.replace(code, () => written.next().value ?? "")),
  );
}

function withinColumn(line: string): string[] {
  const [, indent = "", code = "", comment = ""] = /^(\s*)(.*?)(?:\/\/ ((?!.*["`]).*))?$/.exec(line) ?? [];
  if (line.length <= COLUMN || comment === "") return [line];
  const lines = [""];
  for (const word of comment.split(" ")) {
    const last = lines.pop() ?? "";
    const longer = last === "" ? word : `${last} ${word}`;
    if (indent.length + 3 + longer.length <= COLUMN) lines.push(longer);
    else lines.push(last, word);
  }
  return [...lines.map((text) => `${indent}// ${text}`), ...(code === "" ? [] : [indent + code])];
}

if (import.meta.main) {
  const files = ["README.md", "docs/guides/*.md"].flatMap((name) => globSync(ROOT + name));
  const texts = formatted(files.map((file) => readFileSync(file, "utf8")));
  for (const [at, text] of texts.entries()) writeFileSync(files[at] ?? "", text);
}
