import { readFileSync } from "node:fs";
import { changedNames, draw, drawNumber } from "./draw.ts";

/**
 * The share of the possible cases that a run tries: 0 (a few) in `npm test`, 1 (all) in `npm run test:full`. TEST_SHARE
 * sets another share, as in `.ci/run`.
 */
const share = () => Number(process.env.TEST_SHARE ?? 0);

/** Cases that have failed before, with the reason, by the name of the drawn case or the seed. Every run tries them. */
const PINNED: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL("pinned.json", import.meta.url), "utf8"),
);

/** The number of cases to try: `few` if the share is 0, `all` if it is 1. */
export function amount(few: number, all: number): number {
  return Math.round(few + (all - few) * share());
}

/**
 * The cases that a run tries: about `few` if the share is 0, about `many` (by default all) if it is 1. They are spread
 * evenly over all cases, and each commit draws others. Every draw also includes the cases that are pinned, and those
 * that name a resource, guide or example that the change touches.
 */
export function drawCases<Case>(
  cases: readonly Case[],
  few: number,
  many: number = cases.length,
  nameOf: (one: Case) => string = defaultName,
): Case[] {
  const step = draw() === "all" ? 1 : Math.max(1, Math.ceil(cases.length / amount(few, many)));
  if (step === 1) return [...cases];
  return cases.filter((one, at) => at % step === drawNumber() % step || isAlwaysTried(nameOf(one)));
}

/**
 * The seeds from 1 to `all` that a run tries: a range that depends on the commit, and the pinned seeds. SEEDS tries
 * more: with `SEEDS=600`, the seeds from 1 to 600. @param name the prefix of pinned seeds, as in `mirror/consume 17`.
 * @param name the prefix of pinned seeds, as in `mirror/consume 17`.
 */
export function seeds(name: string, few: number, all: number): number[] {
  const { SEEDS } = process.env;
  if (SEEDS !== undefined) return Array.from({ length: Number(SEEDS) }, (_, at) => at + 1);
  const count = amount(few, all);
  const first = (drawNumber() % Math.ceil(all / count)) * count;
  const tried = Array.from({ length: all }, (_, at) => at + 1);
  return tried.filter((seed) => (seed > first && seed <= first + count) || `${name} ${seed}` in PINNED);
}

function isAlwaysTried(name: string): boolean {
  const changed = changedNames().split(" ");
  return name in PINNED || name.split(/[^\w-]+/).some((word) => word !== "" && changed.includes(word));
}

function defaultName(one: unknown): string {
  if (Array.isArray(one)) return defaultName(one[0]);
  if (typeof one !== "object" || one === null) return String(one);
  const { name, kind, what, file } = one as Record<string, unknown>;
  return String(name ?? kind ?? what ?? file ?? "");
}
