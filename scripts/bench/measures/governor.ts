import type { Measure } from "../lib/measure.ts";
import { fixed, median } from "../lib/numbers.ts";
import { BENCH } from "../lib/paths.ts";
import { Worker } from "../lib/process.ts";

const CALLS = 20_000;

export const governor: Measure = {
  name: "governor",
  async run({ quick }) {
    const rounds = quick ? 3 : 15;
    const worker = new Worker(`${BENCH}governed.ts`);
    await worker.ask({ governed: true, calls: CALLS });
    await worker.ask({ governed: false, calls: CALLS });
    const added: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const free = await worker.ask<Cost>({ governed: false, calls: CALLS });
      const governed = await worker.ask<Cost>({ governed: true, calls: CALLS });
      added.push(governed.call - free.call);
      alone.push(governed.admission);
    }
    worker.stop();
    const [cost, own] = [median(added), median(alone)];
    return {
      tables: [
        {
          head: ["governor with room in its window", "µs a call"],
          rows: [
            ["leave and settlement by themselves", fixed(own, 2)],
            ["whole call with the governor, above the same call without", fixed(cost, 2)],
          ],
        },
      ],
      goals: [
        { goal: "under 10 µs a call", reached: `${fixed(Math.max(cost, own), 2)} µs`, met: Math.max(cost, own) < 10 },
      ],
      how: `Medians of ${rounds} interleaved rounds of ${fixed(CALLS)} calls, answered at once by a fetch without network.`,
    };
  },
};

interface Cost {
  readonly call: number;
  readonly admission: number;
}
