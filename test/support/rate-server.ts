import { type FetchCall, jsonResponse, type RecordingFetch, recordingFetch } from "./fetch.js";
import type { ManualClock } from "./manual-clock.js";
import { accountRecord } from "./records.js";
import { errorBody } from "./server.js";

/** A fetch that imitates a rate-limited service: it counts arrivals in a sliding window, on the test's clock. */
export interface RateServer extends RecordingFetch {
  /** The time at which each request arrived. */
  readonly arrivals: number[];
  /** The time of each 429 response. */
  readonly refusals: number[];
  /** The largest number of requests in progress at the same time. */
  readonly mostUnderWay: number;
}

/** Options of a rate-limited service. */
export interface RateServerOptions {
  readonly requests?: number;
  readonly windowMs?: number;
  readonly retryAfter?: string;
  /** The milliseconds that a request takes to arrive, and its response to return, by the index of the request. */
  readonly latency?: (index: number) => readonly [there: number, back: number];
  /** True for requests that are refused although the window has room, as if another program had used the slots. */
  readonly refuse?: (index: number) => boolean;
}

/** Makes a rate-limited service. */
export function rateServer(clock: ManualClock, options: RateServerOptions = {}): RateServer {
  const { requests = 500, windowMs = 300_000, retryAfter = "287", refuse = () => false } = options;
  const { latency = (index) => [10 + ((index * 7) % 50), 10 + ((index * 13) % 70)] } = options;
  const arrivals: number[] = [];
  const refusals: number[] = [];
  let underWay = 0;
  let mostUnderWay = 0;
  const pass = (ms: number) => new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
  const recording = recordingFetch(async ({ index, url }: FetchCall) => {
    const [there, back] = latency(index);
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    await pass(there);
    const now = clock.now();
    arrivals.push(now);
    const counted = arrivals.filter((at) => at > now - windowMs).length;
    const refused = refuse(index) || counted > requests;
    if (refused) refusals.push(now);
    await pass(back);
    underWay--;
    return refused
      ? jsonResponse(errorBody(429), 429, { "retry-after": retryAfter })
      : jsonResponse(accountRecord(Number(/\d+$/.exec(url.pathname)?.[0] ?? index + 1)));
  });
  return {
    ...recording,
    arrivals,
    refusals,
    get mostUnderWay() {
      return mostUnderWay;
    },
  };
}

/** The largest number of events in any window of this length. */
export function mostInAnyWindow(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while ((sorted[last] as number) - (sorted[first] as number) >= windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
