import { readFileSync } from "node:fs";
import { draw, drawNumber, touched } from "./draw.ts";

/**
 * The share of what tests could try: none in `npm test`, whose few cases show that it works; all in `npm run test:full`;
 * between them the value of TEST_SHARE, as in `.ci/run`.
 */
const share = () => Number(process.env.TEST_SHARE ?? 0);

/** Cases that failed once, by the names of drawn cases and seeds. Every run tries them; the file says why. */
const PINNED: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL("pinned.json", import.meta.url), "utf8"),
);

/** How much a test tries: `few` where the share is 0, `all` where it is 1. */
export function amount(few: number, all: number): number {
  return Math.round(few + (all - few) * share());
}

/**
 * The cases that a run tries: about `few` of them where the share is 0, all or about `many` where it is 1. They are spread
 * over all cases, and each commit draws others. A case is tried by every draw if its name is pinned, or if it names a
 * resource or a document that the change touches.
 */
export function drawn<Case>(
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
 * The seeds of 1 to `all` that a run tries: so many that follow each other, and others with each commit.
 * @param name what pins a seed, as in `mirror/consume 17`.
 */
export function seeds(name: string, few: number, all: number): number[] {
  const count = amount(few, all);
  const first = (drawNumber() % Math.ceil(all / count)) * count;
  const tried = Array.from({ length: all }, (_, at) => at + 1);
  return tried.filter((seed) => (seed > first && seed <= first + count) || `${name} ${seed}` in PINNED);
}

function isAlwaysTried(name: string): boolean {
  const changed = touched().split(" ");
  return name in PINNED || name.split(/[^\w-]+/).some((word) => word !== "" && changed.includes(word));
}

function defaultName(one: unknown): string {
  if (Array.isArray(one)) return defaultName(one[0]);
  if (typeof one !== "object" || one === null) return String(one);
  const { name, kind, what, file } = one as Record<string, unknown>;
  return String(name ?? kind ?? what ?? file ?? "");
}
