/** How much a test tries: few in `npm test`, which shows that it works, and all in `npm run test:full`. */
export function amount(few: number, all: number): number {
  return process.env.TEST_ALL ? all : few;
}

/**
 * The cases that a run tries: about so many of them in `npm test`, all or about `many` in `npm run test:full`. They are spread
 * over all cases and others every day, so that each has its turn. vitest.config.ts sets DRAW to the day, and the last lines of
 * a run print it; `DRAW=all` tries every case.
 */
export function drawn<Case>(cases: readonly Case[], few: number, many: number = cases.length): Case[] {
  const { DRAW = "0" } = process.env;
  const step = DRAW === "all" ? 1 : Math.max(1, Math.ceil(cases.length / amount(few, many)));
  return cases.filter((_, at) => step === 1 || at % step === Number(DRAW) % step);
}
