import { expect, test } from "vitest";
import { undone } from "./support/undone.js";

const RUNS = 50;

test("after the undo of 50 interrupted runs the data are as before, or the undo names each record that is not", async () => {
  const broken: string[] = [];
  const sum = { restored: 0, named: 0, needless: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const { broken: some, ...counts } = await undone(seed);
    broken.push(...some);
    for (const name of ["restored", "named", "needless"] as const) sum[name] += counts[name];
  }
  console.log(`${RUNS} runs: ${JSON.stringify(sum)}`);
  expect(broken).toEqual([]);
  expect(sum.restored).toBeGreaterThan(200);
});
