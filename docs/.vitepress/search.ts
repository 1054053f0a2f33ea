// The site's search: the text that its index holds, and how a search is compared with it.
import { readWords } from "../../scripts/lib/words.ts";

const PAGE = /^docs\/guides\/(.+)\.md$/;
/** Pages for people who work on the library. */
const LEFT_OUT = /^(?:docs\/(?:decisions\/.*|releasing)|ARCHITECTURE|CHANGELOG|CONTRIBUTING)\.md$/;
const WORDS = searchedWords();

/**
 * The Markdown that the index holds for a page: nothing for the project's own pages; for a guide also the words of
 * schools that lead to it.
 */
export function indexedText(source: string, path: string): string {
  if (LEFT_OUT.test(path)) return "";
  const words = WORDS.get(PAGE.exec(path)?.[1] ?? "");
  return words === undefined ? source : source.replace(/^# .+$/m, (title) => `${title}\n\n${words.join(", ")}`);
}

/** How MiniSearch compares. VitePress writes these functions into the page: they may refer to nothing outside. */
export const SEARCH_OPTIONS = {
  // Frequent words are left out beside others; alone they are searched.
  tokenize: (text: string): string[] => {
    const frequent =
      "a an the of to in for on at by from with without and or how do i my our your you we can is are it all not no be who " +
      "what when which where this that there has have did was one some more per please want need list get new show find see " +
      "make use een de het van op en voor met naar niet te der die das ein eine und oder für mit von zu zum zur im am nicht";
    const all = text.split(/[\n\r\p{Z}\p{P}]+/u).filter(Boolean);
    const rare = all.filter((word) => !frequent.split(" ").includes(word.toLowerCase()));
    return rare.length > 0 ? rare : all;
  },
  prefix: (term: string, at: number, terms: readonly string[]): boolean => at === terms.length - 1 && term.length > 2,
  fuzzy: (term: string): number | boolean => (term.length > 4 ? 0.2 : false),
  // Readers search for what to do: guides first, and of a guide its beginning. A glossary has every word.
  boostDocument: (id: string, _term: string, fields?: Record<string, unknown>): number => {
    if (!id.startsWith("/docs/guides/") || id.startsWith("/docs/guides/glossary")) return 0.5;
    return Array.isArray(fields?.titles) && fields.titles.length === 0 ? 8 : 4;
  },
};

function searchedWords(): ReadonlyMap<string, readonly string[]> {
  const { guides, words } = readWords();
  const found = new Map<string, readonly string[]>(guides.map(({ guide, also }) => [guide, also]));
  for (const { guides: names, word, also = [], nl = [], de = [] } of words)
    for (const guide of names.slice(0, 1)) found.set(guide, [...(found.get(guide) ?? []), word, ...also, ...nl, ...de]);
  return found;
}
