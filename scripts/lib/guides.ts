import { readFileSync } from "node:fs";
import { type GeneratedFiles, ROOT } from "./generated.ts";
import { wordsForAssistants } from "./words.ts";

/** One guide, as `docs/guides.json` lists it. */
export interface Guide {
  /** Path below the project's folder. */
  readonly file: string;
  readonly group: string;
  /** First heading. */
  readonly title: string;
  /** Description for the list in llms.txt. */
  readonly about: string;
}

/** The guides in the order in which their page, llms.txt and the site list them. */
export function guides(): Guide[] {
  const manifest = JSON.parse(read("docs/guides.json")) as Record<string, Record<string, string>>;
  return Object.entries(manifest).flatMap(([group, pages]) =>
    Object.entries(pages).map(([name, about]) => {
      const file = `docs/guides/${name}.md`;
      return { file, group, title: titleOf(file), about };
    }),
  );
}

/** Writes the page of all guides, and updates the lists in llms.txt; the rest of that file is written by hand. */
export function guideLists(): GeneratedFiles {
  const groups = [...Map.groupBy(guides(), ({ group }) => group)];
  const listOf = (folder: string) =>
    groups
      .map(([group, pages]) => {
        const lines = pages.map(({ title, file, about }) => `- [${title}](${file.slice(folder.length)}): ${about}`);
        return `## ${group}\n\n${lines.join("\n")}`;
      })
      .join("\n\n");
  // The descriptions are written for the project's folder.
  const page = listOf("docs/guides/").replaceAll("](docs/", "](../");
  return {
    "docs/guides/README.md": `<!-- Written by npm run generate from docs/guides.json. Do not edit. -->\n\n# All guides\n\nFind the page for what a school wants done.\n\n${page}\n`,
    "llms.txt": replaceBetween(
      replaceBetween(
        read("llms.txt"),
        "(examples/README.md): whole programs\n\n",
        "\n\n## Words of a school",
        listOf(""),
      ),
      "## Words of a school\n\n",
      "\n\n## Versions",
      wordsForAssistants(),
    ),
  };
}

function replaceBetween(text: string, before: string, after: string, content: string): string {
  const from = text.indexOf(before) + before.length;
  const to = text.indexOf(after, from);
  if (from < before.length || to < 0) throw new Error(`the file does not contain ${before} before ${after}`);
  return text.slice(0, from) + content + text.slice(to);
}

function titleOf(file: string): string {
  return /^# (.+)$/m.exec(read(file))?.[1] ?? file;
}

function read(file: string): string {
  return readFileSync(ROOT + file, "utf8");
}
