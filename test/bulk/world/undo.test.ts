import { expect, test } from "vitest";
import { seeds } from "../../support/amount.js";
import { undoInterruptedRun } from "./support/undone.js";

const RUNS = seeds("bulk/undo", 10, 50);

test(`the undo of ${RUNS.length} interrupted runs restores the data, or names each record that it does not restore`, async () => {
  const broken: string[] = [];
  const sum = { restored: 0, named: 0, needless: 0 };
  for (const seed of RUNS) {
    const { broken: some, ...counts } = await undoInterruptedRun(seed);
    broken.push(...some);
    for (const name of ["restored", "named", "needless"] as const) sum[name] += counts[name];
  }
  console.log(`${RUNS.length} runs: ${JSON.stringify(sum)}`);
  expect(broken).toEqual([]);
  expect(sum.restored).toBeGreaterThan(4 * RUNS.length);
});
