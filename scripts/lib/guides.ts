import { readFileSync } from "node:fs";
import { type GeneratedFiles, ROOT } from "./generated.ts";

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

/** The guides in the order in which README, llms.txt and the site list them. */
export function guides(): Guide[] {
  const manifest = JSON.parse(read("docs/guides.json")) as Record<string, Record<string, string>>;
  return Object.entries(manifest).flatMap(([group, pages]) =>
    Object.entries(pages).map(([name, about]) => {
      const file = `docs/guides/${name}.md`;
      return { file, group, title: titleOf(file), about };
    }),
  );
}

/** Updates the lists of guides in README.md and llms.txt; the rest of both files is written by hand. */
export function guideLists(): GeneratedFiles {
  const groups = [...Map.groupBy(guides(), ({ group }) => group)];
  const short = groups.map(([group, pages]) => {
    const links = pages.map(({ title, file }) => `[${title}](${file})`);
    return `**${group}**: ${links.join(" ·\n")}`;
  });
  const long = groups.map(([group, pages]) => {
    const lines = pages.map(({ title, file, about }) => `- [${title}](${file}): ${about}`);
    return `## ${group}\n\n${lines.join("\n")}`;
  });
  return {
    "README.md": replaceBetween(read("README.md"), "## Guides\n\n", "\n\n## In a clone", short.join("\n\n")),
    "llms.txt": replaceBetween(
      read("llms.txt"),
      "(examples/README.md): whole programs\n\n",
      "\n\n## Versions",
      long.join("\n\n"),
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
