import { versionOf } from "../lib/machine.ts";
import type { Goal, Measure, Table } from "../lib/measure.ts";
import { formatNumber, median } from "../lib/numbers.ts";
import { BENCH } from "../lib/paths.ts";
import { PEERS, type Peer } from "../lib/peers.ts";
import { Worker } from "../lib/worker.ts";

const SIZES = [25, 100] as const;
// Maximum processor time of a request: without validation, relative to bare ky; with validation, relative to the best
// validating peer.
const MOST_OFF = 1.15;
const MOST_REPORT = { 25: 0.88, 100: 0.8 } as const;
// Enough requests for the client's processor time to be the limit, but fewer than the 10 that the rate limiter allows
// at a time.
const IN_FLIGHT = 8;

interface Sample {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

interface Driver {
  readonly peer: Peer;
  readonly worker: Worker;
  readonly samples: Record<(typeof SIZES)[number], Sample[]>;
}

export const requests: Measure = {
  name: "requests",
  async run({ quick }) {
    const server = new Worker(`${BENCH}server.ts`);
    const baseUrl = await server.ask<string>("listen");
    const drivers: Driver[] = PEERS.filter((peer) => peer.in.includes("requests")).map((peer) => ({
      peer,
      worker: new Worker(`${BENCH}driver.ts`, [peer.id, baseUrl]),
      samples: { 25: [], 100: [] },
    }));
    // Runs many short rounds, every second one in reverse order, so that a passing disturbance affects neighboring
    // peers equally.
    const [rounds, milliseconds] = quick ? [3, 300] : [31, 400];
    // Warms up all peers, so that schemas are compiled before the first round.
    for (const { worker } of drivers) await worker.ask({ size: 100, milliseconds: 1_000, inFlight: IN_FLIGHT });
    for (let round = 0; round < rounds; round++) {
      for (const size of SIZES) {
        for (const { worker, samples } of round % 2 === 0 ? drivers : drivers.toReversed()) {
          samples[size].push(await worker.ask<Sample>({ size, milliseconds, inFlight: IN_FLIGHT }));
        }
      }
    }
    for (const { worker } of drivers) worker.stop();
    server.stop();
    return {
      tables: await Promise.all(SIZES.map((size) => tableOf(size, drivers))),
      goals: SIZES.flatMap((size) => goalsOf(size, drivers)),
      how: `Medians of ${rounds} interleaved rounds of ${milliseconds} ms each, every other one in reverse order, ${IN_FLIGHT} requests in flight, client and server in processes of their own; ratios are medians of the rounds' ratios.`,
    };
  },
};

// Compares two peers within each round, because a slow phase of the machine affects both.
function ratio(of: keyof Sample, size: (typeof SIZES)[number], one: Driver, other: Driver): number {
  return median(
    one.samples[size].map((sample, round) => sample[of] / (other.samples[size][round]?.[of] ?? Number.NaN)),
  );
}

async function tableOf(size: (typeof SIZES)[number], drivers: readonly Driver[]): Promise<Table> {
  const fetch = drivers.find(({ peer }) => peer.id === "fetch")!;
  const rows = drivers.map(async (driver) => {
    const { name, package: from } = driver.peer;
    return [
      from === null ? name : `${name} ${await versionOf(from)}`,
      driver.peer.validates ? "yes" : "no",
      formatNumber(median(driver.samples[size].map(({ perSecond }) => perSecond))),
      formatNumber(median(driver.samples[size].map(({ cpuMicroseconds }) => cpuMicroseconds))),
      formatNumber(ratio("perSecond", size, driver, fetch), 2),
    ];
  });
  return {
    head: [`pages of ${size} records`, "validates", "requests/s", "CPU µs per request", "share of raw fetch"],
    rows: (await Promise.all(rows)).sort((a, b) => Number(b[4]) - Number(a[4])),
  };
}

function goalsOf(size: (typeof SIZES)[number], drivers: readonly Driver[]): Goal[] {
  const find = (id: string) => drivers.find(({ peer }) => peer.id === id)!;
  const report = find("own-report");
  const off = ratio("cpuMicroseconds", size, find("own-off"), find("ky"));
  const shares = drivers
    .filter(({ peer }) => peer.validates && !peer.isOurs)
    .map((driver) => ({ name: driver.peer.name, share: ratio("cpuMicroseconds", size, report, driver) }));
  // The best peer needs the least processor time, so its ratio to the library is the highest.
  const best = shares.reduce((found, peer) => (peer.share > found.share ? peer : found));
  return [
    {
      goal: `${size} records, validation "off": at most ${formatNumber(MOST_OFF, 2)} of the processor time of bare ky`,
      reached: formatNumber(off, 2),
      met: off <= MOST_OFF,
    },
    {
      goal: `${size} records, validation "report": at most ${formatNumber(MOST_REPORT[size], 2)} of that of the best validating peer (${best.name})`,
      reached: formatNumber(best.share, 2),
      met: best.share <= MOST_REPORT[size],
    },
  ];
}
