import type { Measure } from "../lib/measure.ts";
import { fixed, median } from "../lib/numbers.ts";
import { ROOT } from "../lib/paths.ts";
import { run } from "../lib/process.ts";

const SECONDS = 45;

export const unitTests: Measure = {
  name: "unit-tests",
  async run({ quick }) {
    const rounds = quick ? 1 : 3;
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const args = [`${ROOT}node_modules/.bin/vitest`, "run", "--project", "unit"];
      times.push((await run(process.execPath, args, ROOT)).wallMs / 1_000);
    }
    const seconds = median(times);
    return {
      tables: [{ head: ["unit tests", "seconds"], rows: [["`vitest run --project unit`", fixed(seconds, 1)]] }],
      goals: [{ goal: `under ${SECONDS} s`, reached: `${fixed(seconds, 1)} s`, met: seconds < SECONDS }],
      how: `Median of ${rounds} ${rounds === 1 ? "run" : "runs"}.`,
    };
  },
};
