import { afterEach, describe, expect, it, vi } from "vitest";
import { type Clock, systemClock, wait } from "../../src/core/clock.js";
import { TimeLimit } from "../../src/core/time.js";
import { failure, ManualClock } from "../support/manual-clock.js";

const LONGEST = 2 ** 31 - 1;

/** A clock for the test that records its timers. */
function watchClock() {
  const manual = new ManualClock();
  const set: number[] = [];
  const clock: Clock = {
    now: () => manual.now(),
    setTimeout: (callback, ms) => {
      set.push(ms);
      return manual.setTimeout(callback, ms);
    },
    clearTimeout: (handle) => manual.clearTimeout(handle),
  };
  return { manual, clock, set };
}

describe("a wait", () => {
  it.each([
    { ms: 1, timers: [1] },
    { ms: LONGEST, timers: [LONGEST] },
    { ms: LONGEST + 1, timers: [LONGEST, 1] },
    { ms: 2 * LONGEST + 5, timers: [LONGEST, LONGEST, 5] },
  ])("of $ms ms ends after that time, with timers of $timers ms", async ({ ms, timers }) => {
    const { manual, clock, set } = watchClock();
    const state = { over: false };
    const waiting = wait(clock, ms, undefined).then(() => {
      state.over = true;
    });
    await manual.advance(ms - 1);
    expect(state.over).toBe(false);
    await manual.advance(1);
    expect(state.over).toBe(true);
    await waiting;
    expect(set).toEqual(timers);
  });

  it.each([0, -5])("of %d ms needs no timer", async (ms) => {
    const { clock, set } = watchClock();
    await wait(clock, ms, undefined);
    expect(set).toEqual([]);
  });

  it("rejects with the signal's reason at once and leaves no timer", async () => {
    const { manual, clock } = watchClock();
    const controller = new AbortController();
    const waiting = failure(wait(clock, 1_000, controller.signal));
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    expect(manual.pending).toBe(0);
  });

  it("does not begin if the signal has already aborted", async () => {
    const { clock, set } = watchClock();
    const reason = new Error("enough");
    expect(await failure(wait(clock, 1_000, AbortSignal.abort(reason)))).toBe(reason);
    expect(set).toEqual([]);
  });

  it("leaves no listener after its end", async () => {
    const { manual, clock } = watchClock();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, "removeEventListener");
    await manual.run(wait(clock, 1_000, signal));
    expect(removed).toHaveBeenCalledTimes(1);
  });
});

describe("the machine's clock", () => {
  afterEach(() => void vi.useRealTimers());

  it("returns the platform's time and calls back when a delay is over", () => {
    vi.useFakeTimers();
    vi.setSystemTime(5_000);
    const called: number[] = [];
    systemClock.setTimeout(() => called.push(systemClock.now()), 100);
    vi.advanceTimersByTime(99);
    expect(called).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(called).toEqual([5_100]);
  });

  it("does not call back a cancelled timer", () => {
    vi.useFakeTimers();
    systemClock.clearTimeout(systemClock.setTimeout(() => undefined, 100));
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    [-1, 0],
    [0, 0],
    [7, 7],
    [LONGEST, LONGEST],
    [LONGEST + 1, LONGEST],
    [Number.POSITIVE_INFINITY, LONGEST],
  ])("sets no timer longer than the platform supports: %d ms becomes %d", (ms, asked) => {
    const timer = vi.spyOn(globalThis, "setTimeout");
    systemClock.clearTimeout(systemClock.setTimeout(() => undefined, ms));
    expect(timer.mock.calls[0]?.[1]).toBe(asked);
    timer.mockRestore();
  });
});

describe("a time limit that has ended", () => {
  it("aborts neither at its time nor with its signal", () => {
    const clock = new ManualClock();
    const caller = new AbortController();
    const limit = new TimeLimit(clock, 1_000, caller.signal);
    limit.end();
    caller.abort(new Error("too late"));
    expect(clock.pending).toBe(0);
    expect(limit.signal.aborted).toBe(false);
    expect(limit.expired).toBe(false);
  });
});

describe("work whose time limit has passed", () => {
  it("is not awaited, whether it began before or after the limit passed", async () => {
    const clock = new ManualClock();
    const limit = new TimeLimit(clock, 1_000, undefined);
    const before = failure(limit.race(new Promise(() => undefined)));
    await clock.advance(1_000);
    const after = failure(limit.race(new Promise(() => undefined)));
    expect(await before).toBe(limit.signal.reason);
    expect(await after).toBe(limit.signal.reason);
  });
});
