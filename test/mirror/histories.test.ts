import { describe, expect, test } from "vitest";
import { amount } from "../support/amount.js";
import { tell } from "./support/histories.js";

const HISTORIES = Number(process.env.MIRROR_HISTORIES ?? amount(6, 40));
const FIRST = Number(process.env.MIRROR_FIRST ?? 1);

describe("random histories", () => {
  test(`${HISTORIES} leave a copy that is right, and nothing was deleted wrongly`, {
    timeout: 120_000 + HISTORIES * 10_000,
  }, async () => {
    const wrong: string[] = [];
    const totals = { changes: 0, deletions: 0, kills: 0, faults: 0, runs: 0, keys: 0 };
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
      const { problem, seed: _, ...counts } = await tell(seed);
      if (problem) wrong.push(`seed ${seed}: ${problem}`);
      for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += counts[name];
    }
    expect(wrong).toEqual([]);
    expect(Math.min(...Object.values(totals))).toBeGreaterThan(HISTORIES / 4);
    if (HISTORIES >= 40) console.log(`${HISTORIES} histories: ${JSON.stringify(totals)}`);
  });
});
