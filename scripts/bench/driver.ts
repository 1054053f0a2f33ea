import { PROGRAMS } from "./lib/paths.ts";

/**
 * Runs in a separate process and requests pages from one peer for the given time, keeping the given number of requests
 * in flight. Reports the requests per second and the processor time per request.
 */
interface Question {
  readonly size: number;
  readonly milliseconds: number;
  readonly inFlight: number;
}

const [id, baseUrl] = process.argv.slice(2) as [string, string];
const { create } = (await import(`${PROGRAMS}/${id}-page.js`)) as {
  create(url: string): (size: number) => Promise<unknown>;
};
const page = create(baseUrl);

process.on("disconnect", () => process.exit());
process.on("message", async ({ size, milliseconds, inFlight }: Question) => {
  let done = 0;
  const before = process.cpuUsage();
  const started = performance.now();
  const until = started + milliseconds;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < until) {
        await page(size);
        done++;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  process.send?.({ perSecond: done / seconds, cpuMicroseconds: (user + system) / done });
});
