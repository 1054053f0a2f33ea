// Measures the search of the site that `npm run docs` has written, without a browser: node scripts/docs/search.ts
// Each word of docs/words.ndjson and each search of searches.json must find its guide first or second.
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { SEARCH_OPTIONS } from "../../docs/.vitepress/search.ts";
import { ROOT } from "../lib/generated.ts";
import { readWords, type Word } from "../lib/words.ts";

/** The project's own searches, each with the guide that it must find. */
const SEARCHES = JSON.parse(readFileSync(`${ROOT}scripts/docs/searches.json`, "utf8")) as Readonly<
  Record<string, string>
>;
/** Minimum number of schools' English words that must find one of their guides first or second. */
const FEWEST = 188;

interface Measured {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

interface MiniSearch {
  loadJSON(index: string, options: object): { search(text: string): readonly { readonly id: string }[] };
}

/** Searches the site's index as the search field on its pages does. */
export async function measureSearch(site: string): Promise<Measured> {
  const search = await searchOf(site);
  const words = readWords().words.filter(({ guides }) => guides.length > 0);
  const misses = (text: string, guides: readonly string[]) => {
    const found = search(text).slice(0, 2);
    const isFound = found.some((id) => guides.some((guide) => id.startsWith(`/docs/guides/${guide}.html`)));
    return isFound ? [] : [`"${text}" finds ${found.join(" and ") || "nothing"}, not ${guides[0]}`];
  };
  const forms: Readonly<Record<string, (word: Word) => readonly string[]>> = {
    "English words": ({ word }) => [word],
    "English synonyms": ({ also = [] }) => also,
    Dutch: ({ nl = [] }) => nl,
    German: ({ de = [] }) => de,
  };
  const rows = Object.entries(forms).map(([name, formsOf]) => {
    const cases = words.flatMap((word) => formsOf(word).map((text) => [text, word.guides] as const));
    return { name, all: cases.length, missed: cases.flatMap(([text, guides]) => misses(text, guides)) };
  });
  const own = Object.entries(SEARCHES).flatMap(([text, guide]) => misses(text, [guide]));
  const [english] = rows;
  const isPoor = english !== undefined && english.all - english.missed.length < FEWEST;
  return {
    lines: [
      ...rows.map(
        ({ name, all, missed }) => `${name}: ${all - missed.length} of ${all} find their guide first or second`,
      ),
      `searches: ${Object.keys(SEARCHES).length - own.length} of ${Object.keys(SEARCHES).length}`,
    ],
    problems: [...own, ...(isPoor ? english.missed : [])],
  };
}

async function searchOf(site: string): Promise<(text: string) => readonly string[]> {
  const [file = ""] = globSync("assets/chunks/@localSearchIndexroot.*.js", { cwd: site });
  const { default: index } = (await import(pathToFileURL(`${site}/${file}`).href)) as { readonly default: string };
  // Uses the release that the site's pages load.
  const library = pathToFileURL(`${ROOT}docs/.vitepress/node_modules/minisearch/dist/es/index.js`);
  const { default: Search } = (await import(library.href)) as { readonly default: MiniSearch };
  const loaded = Search.loadJSON(index, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    // The boost is VitePress's own.
    searchOptions: { boost: { title: 4, text: 2, titles: 1 }, ...SEARCH_OPTIONS },
  });
  return (text) => loaded.search(text).map(({ id }) => id);
}

if (import.meta.main) {
  const { lines, problems } = await measureSearch(`${ROOT}docs/site`);
  console.log([...lines, ...problems].join("\n"));
  if (problems.length > 0) process.exitCode = 1;
}
