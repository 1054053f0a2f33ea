// The request budget: reads long lists as fast as 500 requests in 5 minutes allow, against one server with fixed
// windows and one with sliding windows, over a network with changing delays, on a clock that jumps. For comparison, the
// same lists are read with a plain fetch that obeys Retry-After, and with two limiter packages configured as their
// documentation says. All readers use the same number of lanes.
import Bottleneck from "bottleneck";
import { type ClientOptions, MainClient } from "education-admin-sdk";
import pThrottle from "p-throttle";
import { type CampaignOptions, campaign, command, type Figures, type Promises, round } from "./support/command.ts";
import { EventClock } from "./support/event-clock.ts";
import { percentile } from "./support/memory.ts";
import { createRandom, type Random, seedOf } from "./support/random.ts";
import { PAGE_SIZE, type WindowKind, WindowServer } from "./support/window-server.ts";

/** The figures of one reader on one server. */
export interface WindowRun {
  readonly reader: string;
  readonly server: WindowKind;
  readonly requests: number;
  readonly tooMany: number;
  /** The highest number of requests that arrived in any period as long as the window. */
  readonly largestWindow: number;
  /** The highest number of requests that arrived in one fixed window. */
  readonly largestFixedWindow: number;
  /** The duration on the simulated clock. */
  readonly totalSeconds: number;
  /** The total time divided by the theoretical minimum for the whole limit. */
  readonly overMinimum: number;
  /** The total time divided by the theoretical minimum for the share of the limit that the reader may use. */
  readonly overOwnMinimum: number;
  readonly meanRequestMs: number;
  readonly interactive?: {
    readonly calls: number;
    readonly p50WaitMs: number;
    readonly p99WaitMs: number;
    readonly longestWaitMs: number;
  };
}

export interface WindowFigures extends Figures {
  readonly pages: number;
  readonly records: number;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly lanes: number;
  readonly runs: readonly WindowRun[];
  readonly timersAfterAbandonedWait: number;
}

const LIMIT = 500;
const WINDOW_MS = 300_000;
const LANES = 10;
const RESERVE = 0.1;
const KEY = "token-of-the-window-campaign";
const BASE_URL = "https://school.example";

export function run(options: CampaignOptions = {}): Promise<WindowFigures> {
  return campaign("window", options, async ({ seed, long, promises }) => {
    const pages = long ? 10_000 : 1_100;
    const runs: WindowRun[] = [];
    for (const kind of ["fixed", "sliding"] as const) {
      const size = { kind, pages, seed };
      runs.push(await ours("library", size, { promises }));
      runs.push(await ours("library, reserve 0", size, { promises, reserve: 0 }));
      runs.push(await ours("library, one list", size, { promises, lanes: 1, reserve: 0 }));
      runs.push(await ours("library, interactive calls beside it", size, { promises, interactive: true }));
      runs.push(await theirs("fetch with retries", size, () => (work) => work()));
      runs.push(await theirs("bottleneck", size, bottleneck));
      runs.push(await theirs("p-throttle", size, () => createThrottle(false)));
      runs.push(await theirs("p-throttle, strict", size, () => createThrottle(true)));
    }
    const timersAfterAbandonedWait = await abandonedWait();
    promises.check(timersAfterAbandonedWait === 0, "a wait that was given up leaves no timer behind");
    return {
      pages,
      records: pages * PAGE_SIZE,
      limit: LIMIT,
      windowSeconds: WINDOW_MS / 1000,
      lanes: LANES,
      runs,
      timersAfterAbandonedWait,
    };
  });
}

interface Size {
  readonly kind: WindowKind;
  readonly pages: number;
  readonly seed: number;
}

/**
 * The minimum time for N requests if any window of W may contain R of them, and each lane sends its next request after
 * its last response: all requests but those of the last window take (ceil(N / R) - 1) whole windows, and the rest take
 * as long as the network needs.
 */
function minimumMs(requests: number, perWindow: number, lanes: number, networkMs: number): number {
  const full = Math.ceil(requests / perWindow) - 1;
  const last = requests - full * perWindow;
  return full * WINDOW_MS + Math.ceil(last / lanes) * networkMs;
}

async function ours(
  reader: string,
  { kind, pages, seed }: Size,
  how: { promises: Promises; reserve?: number; lanes?: number; interactive?: boolean },
): Promise<WindowRun> {
  const { promises, reserve = RESERVE, lanes = LANES } = how;
  const clock = new EventClock();
  const random = createRandom(seedOf(seed, kind, reader));
  const server = new WindowServer(clock, random, { kind, limit: LIMIT, windowMs: WINDOW_MS, pages: pages / lanes });
  const uninstall = clock.install();
  try {
    const client = clientOf(server, clock, { reserve });
    let reading = true;
    const waits: number[] = [];
    const callers = how.interactive ? interactive(client, clock, random, waits, () => reading) : Promise.resolve();
    let finished = 0;
    const readers = Array.from({ length: lanes }, async (_, lane) => {
      let expected = 0;
      for await (const { id, account_id } of client.affiliations.list({ account_id: lane + 1 }, { prefetch: 1 })) {
        promises.check(id === expected && account_id === lane + 1, "every record comes once and in order", `${id}`);
        expected++;
      }
      promises.check(expected === (pages / lanes) * PAGE_SIZE, "every record comes", `${expected} in lane ${lane}`);
    });
    const work = Promise.all(readers).then(() => {
      finished = clock.elapsed;
      reading = false;
    });
    await clock.run(Promise.all([work, callers]));
    const shareLimit = LIMIT - Math.floor(LIMIT * reserve);
    const figures = figuresOf(reader, kind, server, finished, { pages, lanes, shareLimit });
    promises.check(server.refused === 0, "the service never answers 429", `${reader}, ${kind}: ${server.refused}`);
    promises.check(server.largestWindow <= LIMIT, "no window holds more than its limit", `${server.largestWindow}`);
    // Other calls during the reading use up part of the reader's share.
    if (!how.interactive) {
      promises.check(
        figures.overOwnMinimum <= 1.02,
        "the time is at most 1.02 of the minimum",
        `${reader}, ${kind}: ${figures.overOwnMinimum}`,
      );
    }
    if (!how.interactive) return figures;
    const p99 = percentile(waits, 0.99);
    promises.check(p99 < figures.meanRequestMs, "an interactive call waits less than one request takes", `${p99} ms`);
    return {
      ...figures,
      interactive: {
        calls: waits.length,
        p50WaitMs: round(percentile(waits, 0.5), 1),
        p99WaitMs: round(p99, 1),
        longestWaitMs: round(Math.max(...waits), 1),
      },
    };
  } finally {
    uninstall();
  }
}

// Imitates a person at a screen: a call every few seconds, 30 per window, of the 50 in the reserve.
async function interactive(
  client: MainClient,
  clock: EventClock,
  random: Random,
  waits: number[],
  reading: () => boolean,
): Promise<void> {
  while (reading()) {
    await clock.pause(random.whole(2_000, 18_000));
    const { response } = await client.courseVariants.get(1, { validation: "off" }).withResponse();
    waits.push(response.waitedMs);
  }
}

type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

async function theirs(reader: string, { kind, pages, seed }: Size, limiter: () => Limiter): Promise<WindowRun> {
  const clock = new EventClock();
  const random = createRandom(seedOf(seed, kind, reader));
  const server = new WindowServer(clock, random, { kind, limit: LIMIT, windowMs: WINDOW_MS, pages: pages / LANES });
  const uninstall = clock.install();
  try {
    const limited = limiter();
    const lane = async (account: number) => {
      for (let url: string | null = `${BASE_URL}/api/v1/affiliations?account_id=${account}`; url !== null; ) {
        const address: string = url;
        const response = await limited(() => server.fetch(address));
        if (response.status === 429) {
          await clock.pause(Number(response.headers.get("retry-after")) * 1000);
          continue;
        }
        await response.json();
        const next = /<(.*)>/.exec(response.headers.get("link") ?? "")?.[1];
        url = next ? `${next}&account_id=${account}` : null;
      }
    };
    await clock.run(Promise.all(Array.from({ length: LANES }, (_, index) => lane(index + 1))));
    return figuresOf(reader, kind, server, clock.elapsed, { pages, lanes: LANES, shareLimit: LIMIT });
  } finally {
    uninstall();
  }
}

function bottleneck(): Limiter {
  const limiter = new Bottleneck({
    reservoir: LIMIT,
    reservoirRefreshAmount: LIMIT,
    reservoirRefreshInterval: WINDOW_MS,
    maxConcurrent: LANES,
  });
  return (work) => limiter.schedule(work);
}

function createThrottle(strict: boolean): Limiter {
  const throttle = pThrottle({ limit: LIMIT, interval: WINDOW_MS, strict });
  const limited = throttle((work: () => Promise<unknown>) => work());
  return <T>(work: () => Promise<T>) => limited(work) as Promise<T>;
}

function figuresOf(
  reader: string,
  server: WindowKind,
  { requests, refused, largestWindow, largestFixedWindow, meanNetworkMs }: WindowServer,
  totalMs: number,
  { pages, lanes, shareLimit }: { pages: number; lanes: number; shareLimit: number },
): WindowRun {
  return {
    reader,
    server,
    requests,
    tooMany: refused,
    largestWindow,
    largestFixedWindow,
    totalSeconds: round(totalMs / 1000, 1),
    overMinimum: round(totalMs / minimumMs(pages, LIMIT, lanes, meanNetworkMs), 4),
    overOwnMinimum: round(totalMs / minimumMs(pages, shareLimit, lanes, meanNetworkMs), 4),
    meanRequestMs: round(meanNetworkMs, 1),
  };
}

function clientOf(server: WindowServer, clock: EventClock, rateLimit: ClientOptions["rateLimit"]): MainClient {
  return new MainClient({ baseUrl: BASE_URL, apiKey: KEY, fetch: server.fetch, clock, rateLimit, pageSize: PAGE_SIZE });
}

// The timer of an aborted call must not keep the process alive until the next window.
async function abandonedWait(): Promise<number> {
  const clock = new EventClock();
  const how = { kind: "sliding", limit: LIMIT, windowMs: WINDOW_MS, pages: 1 } as const;
  const client = clientOf(new WindowServer(clock, createRandom(1), how), clock, { requests: 1 });
  const stop = new AbortController();
  const calls = async () => {
    await client.courseVariants.get(1, { validation: "off" });
    const waiting = client.courseVariants.get(1, { signal: stop.signal });
    clock.setTimeout(() => stop.abort(), 1000);
    await waiting.catch(() => undefined);
  };
  await clock.run(calls());
  return clock.pending;
}

if (import.meta.main) await command(run);
