/** How much a test tries: few in `npm test`, which shows that it works, and all in `npm run test:full`. */
export function amount(few: number, all: number): number {
  return process.env.TEST_ALL ? all : few;
}

/**
 * The cases that a run tries: few of them in `npm test`, all or many in `npm run test:full`. They are the next ones every day,
 * so that each has had its turn after as many days as it takes. vitest.config.ts sets DRAW to the day and the last lines of a
 * run print it; `DRAW=all` tries every case.
 */
export function drawn<Case>(cases: readonly Case[], few: number, many: number = cases.length): Case[] {
  const { DRAW = "0" } = process.env;
  const count = DRAW === "all" ? cases.length : Math.min(cases.length, amount(few, many));
  const first = DRAW === "all" ? 0 : Number(DRAW) * count;
  return Array.from({ length: count }, (_, at) => cases[(first + at) % cases.length] as Case);
}
