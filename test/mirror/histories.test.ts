import { describe, expect, test } from "vitest";
import { seeds } from "../support/amount.js";
import { tell } from "./support/histories.js";

const HISTORIES = seeds("mirror/histories", 2, 40);

describe("random histories", () => {
  test(`${HISTORIES.length} histories leave a correct copy without a wrong deletion`, {
    timeout: 120_000 + HISTORIES.length * 10_000,
  }, async () => {
    const wrong: string[] = [];
    const totals = { changes: 0, deletions: 0, kills: 0, faults: 0, runs: 0, keys: 0 };
    for (const seed of HISTORIES) {
      const { problem, seed: _, ...counts } = await tell(seed);
      if (problem) wrong.push(`seed ${seed}: ${problem}`);
      for (const name of Object.keys(totals) as (keyof typeof totals)[]) totals[name] += counts[name];
    }
    expect(wrong).toEqual([]);
    // A few histories may lack one kind of event.
    if (HISTORIES.length >= 10) expect(Math.min(...Object.values(totals))).toBeGreaterThan(HISTORIES.length / 4);
    if (HISTORIES.length >= 40) console.log(`${HISTORIES.length} histories: ${JSON.stringify(totals)}`);
  });
});
