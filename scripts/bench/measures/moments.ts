import { run } from "../../lib/process.ts";
import type { Measure } from "../lib/measure.ts";
import { formatNumber } from "../lib/numbers.ts";
import { BENCH } from "../lib/paths.ts";

/** Operations that guides describe as taking no more than a moment. */
export const moments: Measure = {
  name: "moments",
  async run({ quick }) {
    const stdout = await run(process.execPath, [`${BENCH}moments.ts`, quick ? "1" : "5"], { cwd: BENCH });
    const { untracedUs, madeMs, resetMs, answerMs } = JSON.parse(stdout) as Record<string, number>;
    const figures = [
      ["diagnostics channels, a call while nobody listens", untracedUs, 0.1, "µs"],
      ["`createSandbox`, median of the slowest size", madeMs, 2, "ms"],
      ["`reset` of a small sandbox, median", resetMs, 1, "ms"],
      ["answer to a delivery while listeners work, 99th percentile", answerMs, 250, "ms"],
    ] as const;
    return {
      tables: [
        {
          head: ["moment", "takes"],
          rows: figures.map(([name, value = Number.NaN, , unit]) => [name, `${formatNumber(value, 3)} ${unit}`]),
        },
      ],
      goals: figures.map(([name, value = Number.NaN, most, unit]) => ({
        goal: `${name}: under ${most} ${unit}`,
        reached: `${formatNumber(value, 3)} ${unit}`,
        met: value < most,
      })),
      how: "Each in one process; 1,000 deliveries about 40 records, one after the other, whose listeners take half a second.",
    };
  },
};
