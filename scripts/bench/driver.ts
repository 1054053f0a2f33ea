import { PROGRAMS } from "./lib/paths.ts";

/**
 * Asks one peer for pages, in a process of its own: some requests at a time, for a number of milliseconds. Answers
 * with how many were done and what processor time they took.
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
