/**
 * The share of what tests could try: none in `npm test`, whose few cases show that it works; all in `npm run test:full`;
 * between them what TEST_SHARE says, as in `.ci/run`, a tenth.
 */
const share = () => Number(process.env.TEST_SHARE ?? 0);

/** Which cases are drawn: those of the day, unless DRAW says which. */
const draw = () => process.env.DRAW ?? String(Math.floor(Date.now() / 86_400_000));

/** How much a test tries: `few` where the share is 0, `all` where it is 1. */
export function amount(few: number, all: number): number {
  return Math.round(few + (all - few) * share());
}

/**
 * The cases that a run tries: about `few` of them where the share is 0, all or about `many` where it is 1. They are spread
 * over all cases and others every day, so that each has its turn. The last lines of a run print the DRAW of the day;
 * `DRAW=all` tries every case.
 */
export function drawn<Case>(cases: readonly Case[], few: number, many: number = cases.length): Case[] {
  const step = draw() === "all" ? 1 : Math.max(1, Math.ceil(cases.length / amount(few, many)));
  return cases.filter((_, at) => step === 1 || at % step === Number(draw()) % step);
}

/** The seeds of 1 to `all` that a run tries: so many that follow each other, and others every day. */
export function seeds(few: number, all: number): number[] {
  const count = amount(few, all);
  const first = draw() === "all" ? 0 : (Number(draw()) % Math.ceil(all / count)) * count;
  return Array.from({ length: Math.min(count, all - first) }, (_, at) => first + at + 1);
}
