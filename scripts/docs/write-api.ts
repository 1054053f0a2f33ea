// Writes the pages of the API, docs/api, for VitePress: `npm run docs`. They are not in git.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
// Loaded first, so that the modules imported below find the sources.
import { fromSource } from "../lib/from-source.ts";
import { ROOT } from "../lib/generated.ts";
import { type EntryPage, entryPages } from "./entry-pages.ts";
import { formatTexts } from "./format.ts";
import { fieldList } from "./markdown.ts";

const FOLDER = `${ROOT}docs/api/`;

const { readSources } = await import("../lib/source-index.ts");
const { resourceNameOf } = await import("../../src/core/operation.ts");
const { resourcePages } = await import("./resource-pages.ts");
const { tables, schemas } = await fromSource();
const { exampleRecords } = await import("./example-records.ts");
const resources = resourcePages(tables, schemas, readSources(), exampleRecords(schemas));
const shown = new Map<string, string>(
  [...resources].flatMap(([name, text]) =>
    [...text.matchAll(/\{#(type-(\w+))\}/g)].map(
      ([, anchor = "", type = ""]) => [type, `/docs/api/resources/${name}.md#${anchor}`] as const,
    ),
  ),
);
const classes = await import("../../src/generated/resources.ts");
for (const { name, operations } of Object.values(classes)) {
  const [row] = Object.values(operations);
  if (row) shown.set(name, `/docs/api/resources/${resourceNameOf(row.id)}.md`);
}
const entries = await entryPages(shown);

rmSync(FOLDER, { recursive: true, force: true });
const pages = [...resources].map(([name, text]) => ({ path: `resources/${name}`, text }));
const texts = formatTexts([...pages, ...entries].map(({ text }) => text));
for (const [at, { path }] of [...pages, ...entries].entries()) write(path, texts[at] ?? "");
// The groups of the sidebar. Each entry has the name by which a program imports or calls it.
const groups = {
  Resources: [...resources.keys()].map((name) => ({
    name: `client.${name}`,
    path: `resources/${name}`,
    about: /^# .+\n\n(.+)/.exec(resources.get(name) ?? "")?.[1] ?? "",
  })),
  "education-admin-sdk": sidebarEntries(entries.filter(({ path }) => path.startsWith("main/"))),
  "Other entries": sidebarEntries(entries.filter(({ path }) => !path.startsWith("main/"))),
};
write("index", overview());
writeFileSync(`${FOLDER}pages.json`, JSON.stringify(groups));
console.log(`API: ${entries.length} pages of entries, ${resources.size} of resources`);

function sidebarEntries(pages: readonly EntryPage[]): { name: string; path: string; about: string }[] {
  return pages.map(({ title, path, about }) => ({
    name: title.replace(/^.+: (.)/, (_, first) => first.toUpperCase()),
    path,
    about,
  }));
}

function overview(): string {
  const lists = Object.entries(groups).map(([title, pages]) => {
    const lines = pages.map(({ name, path, about }) => {
      const text = title === "education-admin-sdk" ? name : `\`${name}\``;
      return `- [${text}](/docs/api/${path}.md)${about ? `<br>${about}` : ""}`;
    });
    return `## ${title}\n\n${fieldList(lines)}`;
  });
  return ["# API", ...lists].join("\n\n");
}

function write(path: string, text: string): void {
  mkdirSync(dirname(FOLDER + path), { recursive: true });
  writeFileSync(`${FOLDER}${path}.md`, `${text}\n`);
}
