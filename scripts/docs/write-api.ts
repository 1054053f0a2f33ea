// Writes the pages of the API, docs/api, which VitePress draws: `npm run docs`. Git does not keep them.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
// Lets the modules imported below find the sources.
import { fromSource } from "../lib/from-source.ts";
import { ROOT } from "../lib/generated.ts";
import { readSources } from "../lib/source-index.ts";
import { entryPages } from "./entry-pages.ts";

const FOLDER = `${ROOT}docs/api/`;

const { resourcePages } = await import("./resource-pages.ts");
const { tables, schemas } = await fromSource();
const resources = resourcePages(tables, schemas, readSources());
const shown = new Map(
  [...resources].flatMap(([name, text]) =>
    [...text.matchAll(/\{#(type-(\w+))\}/g)].map(
      ([, anchor = "", type = ""]) => [type, `/docs/api/resources/${name}#${anchor}`] as const,
    ),
  ),
);
const entries = await entryPages(shown);

rmSync(FOLDER, { recursive: true, force: true });
for (const [name, text] of resources) write(`resources/${name}`, text);
for (const { path, text } of entries) write(path, text);
// What the sidebar lists: a page by the name under which a program imports or calls it.
const groups = {
  Entries: Object.fromEntries(entries.map(({ path, title }) => [title, path])),
  Resources: Object.fromEntries([...resources.keys()].map((name) => [`client.${name}`, `resources/${name}`])),
};
write("index", overview());
writeFileSync(`${FOLDER}pages.json`, JSON.stringify(groups));
console.log(`API: ${entries.length} pages of entries, ${resources.size} of resources`);

function write(path: string, text: string): void {
  mkdirSync(dirname(FOLDER + path), { recursive: true });
  writeFileSync(`${FOLDER}${path}.md`, `${text}\n`);
}

function overview(): string {
  const about = new Map(entries.map(({ path, about }) => [path, about]));
  const lists = Object.entries(groups).map(([title, pages]) => {
    const lines = Object.entries(pages).map(([name, path]) => {
      const text = about.get(path);
      return `- [\`${name}\`](/docs/api/${path})${text ? `<br>${text}` : ""}`;
    });
    return `## ${title}\n\n<div class="fields">\n\n${lines.join("\n")}\n\n</div>`;
  });
  return ["# API", ...lists].join("\n\n");
}
