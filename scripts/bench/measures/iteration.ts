import type { Measure } from "../lib/measure.ts";
import { formatNumber, median } from "../lib/numbers.ts";
import { BENCH } from "../lib/paths.ts";
import { Worker } from "../lib/worker.ts";

const DEPTHS = [0, 1, 2] as const;

export const iteration: Measure = {
  name: "iteration",
  async run({ quick }) {
    const server = new Worker(`${BENCH}server.ts`);
    const baseUrl = await server.ask<string>("listen");
    const walker = new Worker(`${BENCH}walker.ts`);
    const [rounds, pages] = quick ? [1, 10] : [5, 40];
    const rates: Record<(typeof DEPTHS)[number], number[]> = { 0: [], 1: [], 2: [] };
    for (let round = 0; round < rounds; round++) {
      for (const prefetch of DEPTHS) {
        const question = { baseUrl: `${baseUrl}/pages-${pages}/delay-50`, prefetch, pauseMs: 50 };
        rates[prefetch].push((await walker.ask<{ perSecond: number }>(question)).perSecond);
      }
    }
    walker.stop();
    server.stop();
    const rate = (prefetch: (typeof DEPTHS)[number]) => median(rates[prefetch]);
    const gain = rate(1) / rate(0);
    return {
      tables: [
        {
          head: ["prefetch", "records/s", "× without prefetch"],
          rows: DEPTHS.map((prefetch) => [
            prefetch === 1 ? "1 page ahead (default)" : prefetch === 0 ? "0, off" : `${prefetch} pages ahead`,
            formatNumber(rate(prefetch)),
            formatNumber(rate(prefetch) / rate(0), 2),
          ]),
        },
      ],
      goals: [
        { goal: "at least 1.8 × the rate without prefetch", reached: `${formatNumber(gain, 2)} ×`, met: gain >= 1.8 },
      ],
      how: `Medians of ${rounds} interleaved rounds over ${pages} pages of 100 records; the server answers after 50 ms, the consumer takes 50 ms a page.`,
    };
  },
};
