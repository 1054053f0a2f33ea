import type { Measure } from "../lib/measure.ts";
import { formatNumber, median } from "../lib/numbers.ts";
import { BENCH } from "../lib/paths.ts";
import { Worker } from "../lib/worker.ts";

const CALLS = 20_000;

export const rateLimiter: Measure = {
  name: "rate-limiter",
  async run({ quick }) {
    const rounds = quick ? 3 : 15;
    const worker = new Worker(`${BENCH}limited.ts`);
    await worker.ask({ limited: true, calls: CALLS });
    await worker.ask({ limited: false, calls: CALLS });
    const added: number[] = [];
    const alone: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const free = await worker.ask<Cost>({ limited: false, calls: CALLS });
      const limited = await worker.ask<Cost>({ limited: true, calls: CALLS });
      added.push(limited.call - free.call);
      alone.push(limited.permit);
    }
    worker.stop();
    const [cost, bare] = [median(added), median(alone)];
    return {
      tables: [
        {
          head: ["rate limiter with room in its window", "µs a call"],
          rows: [
            ["acquiring and settling a permit by themselves", formatNumber(bare, 2)],
            ["whole call with the rate limiter, above the same call without", formatNumber(cost, 2)],
          ],
        },
      ],
      goals: [
        {
          goal: "under 10 µs a call",
          reached: `${formatNumber(Math.max(cost, bare), 2)} µs`,
          met: Math.max(cost, bare) < 10,
        },
      ],
      how: `Medians of ${rounds} interleaved rounds of ${formatNumber(CALLS)} calls, answered at once by a fetch without network.`,
    };
  },
};

interface Cost {
  readonly call: number;
  readonly permit: number;
}
