// Prints the number of words of README.md and each guide, without code: node scripts/docs/words.ts
import { readFileSync } from "node:fs";
import { ROOT } from "../lib/generated.ts";
import { guides } from "../lib/guides.ts";

/**
 * Counts the words of README.md and each guide, without code. A word has at least one letter or digit, so table borders
 * do not count.
 */
export function wordsByPage(): Map<string, number> {
  const files = ["README.md", ...guides().map(({ file }) => file)];
  return new Map(
    files.map((file) => {
      const prose = readFileSync(ROOT + file, "utf8").replace(/^```[\s\S]*?^```$/gm, "");
      return [file, prose.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0];
    }),
  );
}

if (import.meta.main) {
  const pages = [...wordsByPage()].sort(([, one], [, other]) => other - one);
  for (const [file, words] of pages) console.log(String(words).padStart(6), file);
  console.log(String(pages.reduce((sum, [, words]) => sum + words, 0)).padStart(6), "together");
}
