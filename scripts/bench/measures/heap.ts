import type { Measure } from "../lib/measure.ts";
import { formatNumber } from "../lib/numbers.ts";
import { BENCH } from "../lib/paths.ts";
import { Worker } from "../lib/worker.ts";

const MEGABYTE = 1_000_000;

export const heap: Measure = {
  name: "heap",
  async run({ quick }) {
    const pages = quick ? 500 : 10_000;
    const server = new Worker(`${BENCH}server.ts`);
    const baseUrl = await server.ask<string>("listen");
    const walker = new Worker(`${BENCH}walker.ts`, [], ["--expose-gc"]);
    const question = { baseUrl: `${baseUrl}/pages-${pages}/delay-0`, prefetch: 1, pauseMs: 0 };
    const { heap: held, perSecond } = await walker.ask<{ heap: number[]; perSecond: number }>(question);
    walker.stop();
    server.stop();
    const growth = Math.max(...held) - held[0]!;
    const late = held.at(-1)! - held[held.length >> 1]!;
    return {
      tables: [
        {
          head: ["records read", "heap after collection"],
          rows: held.map((bytes, index) => [
            formatNumber(((index + 1) * pages * 100) / 10),
            `${formatNumber(bytes / MEGABYTE, 1)} MB`,
          ]),
        },
      ],
      goals: [
        {
          goal: "growth under 50 MB",
          reached: `${formatNumber(growth / MEGABYTE, 1)} MB`,
          met: growth < 50 * MEGABYTE,
        },
        {
          goal: "flat: the second half adds less than 5 MB",
          reached: `${formatNumber(late / MEGABYTE, 1)} MB`,
          met: late < 5 * MEGABYTE,
        },
      ],
      how: `One walk over ${formatNumber(pages * 100)} records in pages of 100, prefetch 1, validation "report", ${formatNumber(perSecond)} records/s.`,
    };
  },
};
