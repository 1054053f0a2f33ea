import { afterEach, describe, expect, test, vi } from "vitest";
import { type Clock, systemClock } from "../../src/core/clock.js";
import { later, type Moment } from "../../src/core/time.js";
import { datesOfProcess, isAhead, momentNow, pauseAfter, Schedule, sinceDate } from "../../src/work/schedule.js";
import { ManualClock } from "../support/manual-clock.js";

afterEach(() => vi.restoreAllMocks());

const clockOf = (clock: ManualClock): Clock => ({
  now: () => clock.now(),
  steady: () => clock.now(),
  setTimeout: (callback, ms) => clock.setTimeout(callback, ms),
  clearTimeout: (handle) => clock.clearTimeout(handle),
});

const at = (ms: number) => ms as Moment;

test("pauses double up to the longest one", () => {
  const backoff = { firstMs: 5_000, mostMs: 60_000 };
  expect([1, 2, 3, 4, 5, 6, 2_000].map((failures) => pauseAfter(failures, backoff))).toEqual([
    5_000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000,
  ]);
});

describe("the current moment", () => {
  test("continues while the machine sleeps, even if its monotonic time stands still", async () => {
    // Loaded anew, because the modules remember how far the system clock was ever ahead, in other test files too.
    vi.resetModules();
    const [schedule, clock] = [await import("../../src/work/schedule.js"), await import("../../src/core/clock.js")];
    const before = schedule.momentNow(clock.systemClock);
    const wall = Date.now();
    vi.spyOn(performance, "now").mockReturnValue(performance.now());
    vi.spyOn(Date, "now").mockReturnValue(wall + 3_600_000);
    expect(schedule.momentNow(clock.systemClock) - before).toBeGreaterThan(3_590_000);
  });

  test("does not go back with the system clock", () => {
    const before = momentNow(systemClock);
    vi.spyOn(Date, "now").mockReturnValue(Date.now() - 86_400_000);
    expect(momentNow(systemClock)).toBeGreaterThanOrEqual(before);
  });
});

test("the dates of a process advance evenly, and are never later than its moments", () => {
  const clock = new ManualClock(1_000_000);
  let ahead = 0;
  const set = { ...clockOf(clock), now: () => clock.now() + ahead };
  const dates = datesOfProcess(set);
  expect(dates.now()).toBe(1_000_000);
  ahead = -500_000;
  expect(dates.now()).toBe(1_000_000);
  // A store that compares dates must consider a delivery due when the pump does, even after the machine has slept.
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
  const ofSystem = datesOfProcess(systemClock);
  const [date, moment] = [ofSystem.now(), momentNow(systemClock)];
  const wall = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(wall + 3_600_000);
  expect(ofSystem.now() - date).toBeCloseTo(momentNow(systemClock) - moment, -1);
});

describe("a stored date", () => {
  test("is ahead of the clock if the difference exceeds that between the clocks of several machines", () => {
    expect([isAhead(60_000, 0), isAhead(60_001, 0)]).toEqual([false, true]);
  });

  test("makes work due after a delay, or at once if that has passed or the date is ahead", () => {
    const clock = new ManualClock(1_000_000);
    const dueIn = (date: number, ms: number) => sinceDate(clock, date, ms) - momentNow(clock);
    expect(dueIn(990_000, 30_000)).toBe(20_000);
    expect(dueIn(900_000, 30_000)).toBe(0);
    expect(dueIn(1_060_000, 30_000)).toBe(90_000);
    expect(dueIn(1_060_001, 30_000)).toBe(0);
  });
});

describe("a schedule", () => {
  const backoff = { firstMs: 10, mostMs: 100 };

  test("postpones work further with each failure, until it succeeds", () => {
    const schedule = new Schedule<string>();
    expect(schedule.dueAt("a")).toBeNull();
    expect(schedule.failed("a", at(0), backoff)).toBe(10);
    expect(schedule.failed("a", at(10), backoff)).toBe(30);
    expect([schedule.dueAt("a"), schedule.dueAt("b")]).toEqual([30, null]);
    schedule.done("a");
    expect(schedule.dueAt("a")).toBeNull();
    expect(schedule.failed("a", at(50), backoff)).toBe(60);
  });

  test("postpones work without counting a failure", () => {
    const schedule = new Schedule<string>();
    schedule.failed("a", at(0), backoff);
    schedule.putOff("a", at(500));
    expect(schedule.dueAt("a")).toBe(500);
    expect(schedule.failed("a", at(500), backoff)).toBe(520);
  });

  test("is brought forward to a moment, and forgets the failures", () => {
    const schedule = new Schedule<string>();
    schedule.failed("soon", at(0), backoff);
    for (let failures = 0; failures < 4; failures++) schedule.failed("late", at(0), backoff);
    schedule.hasten(later(at(0), 20));
    expect([schedule.dueAt("soon"), schedule.dueAt("late")]).toEqual([10, 20]);
    expect(schedule.failed("late", at(20), backoff)).toBe(30);
  });
});
