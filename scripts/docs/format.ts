// Formats the programs of README.md and the guides to the width of the site's column: `npm run format`.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { asBiomeWrites } from "../lib/biome.ts";
import { ROOT } from "../lib/generated.ts";

/** Characters that fit on a line of code in a window of 1280 pixels. */
export const COLUMN = 72;

const BLOCK = /^```(tsx?)\b.*\n([\s\S]*?)^```$/gm;

/** Formats programs with Biome and wraps long comments. */
export function formattedCode(programs: readonly { readonly language: string; readonly code: string }[]): string[] {
  const files = programs.map(
    ({ language, code }, at) => [`${at}.${language}`, code.split("\n").flatMap(withinColumn).join("\n")] as const,
  );
  return asBiomeWrites(files, "format", `--line-width=${COLUMN}`, "--indent-style=space");
}

/** Formats the programs in the fences of Markdown texts. */
export function formatTexts(texts: readonly string[]): string[] {
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
  const texts = formatTexts(files.map((file) => readFileSync(file, "utf8")));
  for (const [at, text] of texts.entries()) writeFileSync(files[at] ?? "", text);
}
