import { expect, test } from "vitest";
import { durationOf } from "../../src/bulk/node-plan-writer.js";
import { Pace, shareOf } from "../../src/work/pace.js";
import { ManualClock } from "../support/manual-clock.js";

const WINDOW = 300_000;
const LIMIT = { requests: 500, windowMs: WINDOW };

function pacedService(requests: number) {
  const clock = new ManualClock();
  const told: (number | null)[] = [];
  const start = clock.now();
  const pace = new Pace(clock, { requests, windowMs: WINDOW }, (until) => told.push(until && until.getTime() - start));
  const sent: number[] = [];
  const send = async (count: number, signal?: AbortSignal) => {
    for (let turn = 0; turn < count; turn++) {
      await pace.turn("sweep", signal);
      sent.push(clock.now() - start);
    }
  };
  return { clock, pace, told, sent, send };
}

test("a share of a budget is rounded down, and is at least one request", () => {
  expect(shareOf(LIMIT, 0.5)).toEqual({ requests: 250, windowMs: WINDOW });
  expect(shareOf({ requests: 5, windowMs: WINDOW }, 0.5)).toEqual({ requests: 2, windowMs: WINDOW });
  expect(shareOf(LIMIT, 0.001)).toEqual({ requests: 1, windowMs: WINDOW });
});

test("requests take a window for each full share but the first, and no time without a limit", () => {
  const half = shareOf(LIMIT, 0.5);
  const took = [0, 1, 250, 251, 500, 501].map((requests) => durationOf(requests, half));
  expect(took).toEqual([0, 0, 0, WINDOW, WINDOW, 2 * WINDOW]);
  expect([0, 1, 1_000_000].map((requests) => durationOf(requests, shareOf(null, 0.5)))).toEqual([0, 0, 0]);
});

test("a request beyond the share leaves a window after the first one of the share, and it is told until when it waits", async () => {
  const { clock, told, sent, send } = pacedService(2);
  await send(1);
  await clock.advance(1_000);
  const rest = send(4);
  await clock.advance(WINDOW - 1_001);
  expect(sent).toEqual([0, 1_000]);
  expect(told).toEqual([WINDOW]);
  await clock.advance(1);
  expect(sent).toEqual([0, 1_000, WINDOW]);
  await clock.run(rest);
  expect(sent).toEqual([0, 1_000, WINDOW, WINDOW + 1_000, 2 * WINDOW]);
  expect(told).toEqual([WINDOW, null, WINDOW + 1_000, null, 2 * WINDOW, null]);
});

test("simultaneous requests get their turns one after the other", async () => {
  const { clock, sent, send } = pacedService(2);
  await clock.run(Promise.all([send(1), send(1), send(1), send(1), send(1)]));
  expect(sent).toEqual([0, 0, WINDOW, WINDOW, 2 * WINDOW]);
});

test("a request that comes later than a window after the first one does not wait", async () => {
  const { clock, told, sent, send } = pacedService(1);
  await send(1);
  await clock.advance(WINDOW);
  await send(1);
  expect(sent).toEqual([0, WINDOW]);
  expect(told).toEqual([]);
});

test("a request that is aborted while it waits leaves its turn to the next", async () => {
  const { clock, pace, sent, send } = pacedService(1);
  await send(1);
  const stop = new AbortController();
  const aborted = pace.turn("sweep", stop.signal).catch((error: unknown) => error);
  const next = send(1);
  await clock.advance(1_000);
  stop.abort("no longer");
  expect(await aborted).toBe("no longer");
  await expect(pace.turn("sweep", stop.signal)).rejects.toBe("no longer");
  await clock.run(next);
  expect(sent).toHaveLength(2);
});

test("after the system clock is set back, no request waits longer than a window", async () => {
  let now = 10 * WINDOW;
  let steady = 0;
  const waits: number[] = [];
  const clock = {
    now: () => now,
    steady: () => steady,
    setTimeout(go: () => void, ms: number) {
      waits.push(ms);
      steady += ms;
      go();
    },
    clearTimeout() {},
  };
  const pace = new Pace(clock, { requests: 1, windowMs: WINDOW }, () => undefined);
  await pace.turn("sweep");
  now = 0;
  await pace.turn("sweep");
  expect(waits).toEqual([WINDOW]);
});
