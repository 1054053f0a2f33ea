// Formats the programs of README.md and the guides for the column of the site: `npm run format`.
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";

/** The characters that a line of code has room for, where the window has 1280 pixels. */
export const COLUMN = 72;

const BLOCK = /^```(tsx?)\b.*\n([\s\S]*?)^```$/gm;

/** Texts with the TypeScript in their fences formatted; a comment that is too long goes over several lines. */
export function formatted(texts: readonly string[]): string[] {
  mkdirSync(`${ROOT}.artefacts`, { recursive: true });
  const folder = mkdtempSync(`${ROOT}.artefacts/blocks-`);
  try {
    const files: string[] = [];
    for (const text of texts)
      for (const [, language, code = ""] of text.matchAll(BLOCK)) {
        const file = `${folder}/${files.length}.${language}`;
        writeFileSync(file, code.split("\n").flatMap(withinColumn).join("\n"));
        files.push(file);
      }
    const rules = ["--vcs-enabled=false", `--line-width=${COLUMN}`, "--indent-style=space"];
    const { status, stderr } = spawnSync(`${ROOT}node_modules/.bin/biome`, ["format", "--write", ...rules, folder]);
    if (status !== 0) throw new Error(String(stderr));
    let at = 0;
    return texts.map((text) =>
      text.replace(BLOCK, (block, _language, code: string) =>
        block.replace(code, () => readFileSync(files[at++] ?? "", "utf8")),
      ),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
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
  const files = ["README.md", "docs/guides/*.md"].flatMap((name) =>
    globSync(ROOT + name),
  );
  const texts = formatted(files.map((file) => readFileSync(file, "utf8")));
  for (const [at, text] of texts.entries()) writeFileSync(files[at] ?? "", text);
}
