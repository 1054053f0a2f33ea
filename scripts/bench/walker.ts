import { setTimeout as sleep } from "node:timers/promises";
import { MainClient } from "education-admin-sdk";

/**
 * Walks a long list record by record, in a separate process, pausing after each page like a consumer that processes the
 * records. With --expose-gc, it also reports the memory in use at ten points.
 */
interface Question {
  readonly baseUrl: string;
  readonly prefetch: number;
  readonly pauseMs: number;
}

const PAGE = 100;

process.on("disconnect", () => process.exit());
process.on("message", async ({ baseUrl, prefetch, pauseMs }: Question) => {
  const client = new MainClient({ baseUrl, apiKey: "bench", rateLimit: { requests: 1_000_000_000, windowMs: 1_000 } });
  const pages = Number(/pages-(\d+)/.exec(baseUrl)?.[1]);
  const heap: number[] = [];
  const started = performance.now();
  let records = 0;
  for await (const _ of client.accounts.list({ per_page: PAGE }, { prefetch })) {
    records++;
    if (pauseMs > 0 && records % PAGE === 0) await sleep(pauseMs);
    if (globalThis.gc && records % (pages * PAGE * 0.1) === 0) {
      globalThis.gc();
      heap.push(process.memoryUsage().heapUsed);
    }
  }
  if (records !== pages * PAGE) throw new Error(`${records} records arrived instead of ${pages * PAGE}`);
  process.send?.({ perSecond: records / ((performance.now() - started) / 1_000), heap });
});
