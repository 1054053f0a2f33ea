import { readFileSync } from "node:fs";
import { formatSources } from "./doors.ts";
import { type GeneratedFiles, ROOT } from "./generated.ts";

/** A word that people of a school, its developers or its assistants use, and the places it leads to. */
export interface Word {
  readonly word: string;
  readonly also?: readonly string[];
  /** The same in Dutch and in German. */
  readonly nl?: readonly string[];
  readonly de?: readonly string[];
  /** Guides by name; a search must lead to the first. */
  readonly guides: readonly string[];
  readonly operations?: readonly string[];
  /** The words after `npx education-admin-sdk`. */
  readonly command?: string;
  /** The reason, if the service cannot do it. */
  readonly impossible?: string;
}

/** Words that developers use to search for a guide and that its page does not contain. */
export interface GuideWords {
  readonly guide: string;
  readonly also: readonly string[];
}

/** A school's name for a list, and the list with its filters. */
export interface ListName {
  readonly list: string;
  readonly command: string;
}

/** The sentence for a resource whose records the service does not delete. */
export interface Kept {
  readonly resource: string;
  readonly keeps: string;
}

export interface Words {
  readonly words: readonly Word[];
  readonly guides: readonly GuideWords[];
  readonly lists: readonly ListName[];
  readonly kept: readonly Kept[];
}

const HEADER = "// Written by npm run generate from docs/words.ndjson; do not edit.\n\n";

/** Writes the words of schools that the command line understands. */
export function commandWords(): GeneratedFiles {
  const { lists, kept } = readWords();
  const names = lists.map(({ list, command }) => [list, argumentsIn(command).slice(1)]);
  const sentences = kept.map(({ resource, keeps }) => [resource, keeps]);
  const map = (name: string, type: string, entries: unknown) =>
    `export const ${name}: ReadonlyMap<string, ${type}> = /* @__PURE__ */ new Map(${JSON.stringify(entries)});\n`;
  const text = [
    HEADER,
    "/** The names that schools use for lists, and the words for them in a command. */\n",
    map("LIST_NAMES", "readonly string[]", names),
    "\n/** Sentences about the resources whose records the service does not delete. */\n",
    map("KEPT", "string", sentences),
  ].join("");
  return formatSources([["src/generated/words.ts", text]]);
}

/** The names of lists and the sentences about deleting, as llms.txt has them. */
export function wordsForAssistants(): string {
  const { lists, kept } = readWords();
  const byCommand = Map.groupBy(lists, ({ command }) => command.slice("list ".length));
  const names = [...byCommand].map(([list, called]) => `- ${called.map((one) => one.list).join(", ")}: \`${list}\``);
  return [
    "The command `list` also accepts the names on the left; the service uses those on the right.",
    names.join("\n"),
    kept.map(({ keeps }) => `- ${keeps}`).join("\n"),
  ].join("\n\n");
}

/** Splits a command into its words, as a shell does. */
export function argumentsIn(command: string): string[] {
  return [...command.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ""));
}

/** Reads docs/words.ndjson, the only file with the words of schools. */
export function readWords(): Words {
  const lines = readFileSync(`${ROOT}docs/words.ndjson`, "utf8").trimEnd().split("\n");
  const rows = lines.map((line) => JSON.parse(line) as Word | GuideWords | ListName | Kept);
  return {
    words: rows.filter((row) => "word" in row),
    guides: rows.filter((row) => "guide" in row),
    lists: rows.filter((row) => "list" in row),
    kept: rows.filter((row) => "resource" in row),
  };
}
