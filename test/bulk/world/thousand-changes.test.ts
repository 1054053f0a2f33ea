import { expect, test } from "vitest";
import { amount } from "../../support/amount.js";
import { applyAmongColleagues, type Outcome, WAYS } from "./support/colleagues.js";

const RUNS = amount(7, 21);
const ROWS = 400;
const CHANGES = 60;

test(`of the changes by colleagues during ${RUNS} runs, none is overwritten except within a round trip`, async () => {
  const ways = Object.values(WAYS);
  const runs: Outcome[] = [];
  for (let run = 0; run < RUNS; run++) {
    const way = ways[run % ways.length];
    if (way) runs.push(await applyAmongColleagues(way, ROWS, CHANGES, 1_000 + run));
  }
  const sum = (of: (run: Outcome) => number) => runs.reduce((total, run) => total + of(run), 0);
  const changes = sum((run) => run.changes);
  const within = sum(({ withinRoundTrip }) => withinRoundTrip);
  console.log(
    `${changes} changes, ${sum(({ stale }) => stale)} stale, ${within} overwritten within a round trip, ` +
      `${sum(({ requests }) => requests)} requests for ${RUNS * ROWS} rows`,
  );
  expect(runs.flatMap(({ broken }) => broken)).toEqual([]);
  expect(changes).toBeGreaterThan(48 * RUNS);
  expect(within).toBeLessThanOrEqual(0.01 * changes);
}, 600_000);
