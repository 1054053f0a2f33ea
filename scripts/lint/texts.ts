// Counts sentences that read like a translation, folder by folder, and refuses more of them than ceilings.json allows.
//   node scripts/lint/texts.ts             part of `npm run lint`
//   node scripts/lint/texts.ts --lower     part of `npm run format`: lowers each ceiling to the present count, but never raises one
//   node scripts/lint/texts.ts --places    prints the position of each sentence
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ROOT } from "../lib/generated.ts";

const CEILINGS = new URL("ceilings.json", import.meta.url);

/** Matches a line of a comment. */
const COMMENT = /^\s*(?:\/\/|\*|\/\*\*)\s*(.+)/;
const FAULTS: Readonly<Record<string, RegExp>> = {
  /** A free relative clause or a genitive instead of a subject. */
  firstWord: /^(?:What|Of|Those)\b/,
  /** Verbs that make things speak. */
  speech: /\b(?:tells?|told|says?|said|asks?|asked)\b/,
  phrase: /\b(?:is no|are no|but for|whoever|nobody|whatever)\b/i,
};
/** Participles, adverbs and question words, which do not name what a function does. */
const NAMES = new Set(
  (
    "about accepted alike answered arrived asked below built changed checked chosen compared counted created cut done ended " +
    "escaped explained failed forged formatted found given granted guarded handled hidden inside interrupted joined judged kept known " +
    "listed made named nested noted observed opened ordered own parsed picked planned printed quoted received refused said seen sent " +
    "served settled shown sorted started stored taken timed told tried used watched why within without written wrong"
  ).split(" "),
);
const FUNCTION =
  /^\s*(?:export )?(?:async )?function\*? (\w+)[<(]|^\s*(?:export )?const (\w+) = (?:async )?(?:\([^()]*\)|\w+)(?:: [^=]+)? =>|^ {2}(?:async )?#(\w+)\([^)]*\).* \{$/;

type Counts = Record<string, number>;
const { values } = parseArgs({ options: { lower: { type: "boolean" }, places: { type: "boolean" } } });
const counts = new Map<string, Counts>();
const named: string[] = [];
const places = new Map<string, string[]>();

for (const file of execFileSync("git", ["ls-files", "src", "test", "scripts", "examples"], {
  cwd: ROOT,
  encoding: "utf8",
}).split("\n")) {
  if (!/\.(?:ts|tsx|mts|mjs)$/.test(file)) continue;
  for (const [at, line] of readFileSync(ROOT + file, "utf8")
    .split("\n")
    .entries()) {
    const [, text] = COMMENT.exec(line) ?? [];
    if (text) for (const fault of faultsOf(text)) count(file, at, fault, text);
    const [, ...names] = FUNCTION.exec(line) ?? [];
    const name = names.find((one) => one !== undefined);
    if (name !== undefined && NAMES.has(name))
      named.push(`${file}:${at + 1}: ${name} names neither an action nor a thing`);
  }
}

// npm run follow marks its drafts with this word until somebody has read them.
const unread = spawnSync("git", ["grep", "--untracked", "-nw", "FOLLOW", "--", "src", "docs/guides", ".changeset"], {
  cwd: ROOT,
  encoding: "utf8",
});
named.push(...unread.stdout.split("\n").filter(Boolean));

const ceilings = JSON.parse(readFileSync(CEILINGS, "utf8")) as Record<string, Counts>;
const tooMany = [...counts].flatMap(([folder, found]) =>
  Object.entries(found)
    .filter(([fault, number]) => number > (ceilings[folder]?.[fault] ?? 0))
    .flatMap(([fault, number]) => [
      `${folder}: ${number} of "${fault}", at most ${ceilings[folder]?.[fault] ?? 0}`,
      ...(number > 20 ? [] : (places.get(`${folder} ${fault}`) ?? [])),
    ]),
);
for (const problem of [...tooMany, ...named]) console.error(problem);
if (tooMany.length > 0)
  console.error(
    "Begin with a noun or a verb and name the actor; node scripts/lint/texts.ts --places prints all positions.",
  );
if (tooMany.length + named.length > 0) process.exitCode = 1;
else if (values.lower) writeFileSync(CEILINGS, `${JSON.stringify(lowered(), null, 2)}\n`);

function faultsOf(text: string): string[] {
  return Object.entries(FAULTS).flatMap(([fault, pattern]) => (pattern.test(text) ? [fault] : []));
}

function count(file: string, at: number, fault: string, text: string): void {
  const folder = file
    .split("/")
    .slice(0, file.split("/").length > 2 ? 2 : 1)
    .join("/");
  const found = counts.get(folder) ?? {};
  found[fault] = (found[fault] ?? 0) + 1;
  counts.set(folder, found);
  const place = `${file}:${at + 1}: ${fault}: ${text}`;
  places.set(`${folder} ${fault}`, [...(places.get(`${folder} ${fault}`) ?? []), place]);
  if (values.places) console.log(place);
}

/** The counts of this run, which are at most the ceilings. */
function lowered(): Record<string, Counts> {
  return Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1)));
}
