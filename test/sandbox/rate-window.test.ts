import { describe, expect, it, test } from "vitest";
import { mannersOf } from "../../src/sandbox/data/manners.js";
import { RateWindow } from "../../src/sandbox/engine/rate-window.js";

describe("the sandbox's rate window", () => {
  it("admits its number of requests in any span of its length, and returns the time to wait", () => {
    const window = new RateWindow({ requests: 2, windowMs: 10_000 }, mannersOf());
    expect([window.admit("a", 0), window.admit("a", 4_000)]).toEqual([null, null]);
    // The wait is rounded up: the first slot is free after exactly ten seconds.
    expect(window.admit("a", 4_001)).toBe(6);
    expect(window.admit("a", 9_000)).toBe(1);
    expect(window.admit("a", 9_999)).toBe(1);
    // Refused requests do not count in the window.
    expect(window.admit("a", 10_000)).toBeNull();
    expect(window.admit("a", 10_000)).toBe(4);
    expect(window.admit("a", 14_000)).toBeNull();
  });

  it("counts every token separately, and starts again after a reset", () => {
    const window = new RateWindow({ requests: 1, windowMs: 1_000 }, mannersOf());
    expect([window.admit("a", 0), window.admit("b", 0), window.admit("a", 1)]).toEqual([null, null, 1]);
    window.reset();
    expect(window.admit("a", 2)).toBeNull();
  });

  test.each([
    { requests: 0 },
    { requests: -1 },
    { requests: 1.5 },
    { requests: Number.NaN },
    { windowMs: 0 },
    { windowMs: -1 },
    { windowMs: Number.NaN },
  ])("refuses %o", (limit) => {
    const [name] = Object.keys(limit) as [string];
    expect(() => new RateWindow(limit, mannersOf())).toThrow(new RegExp(`rateLimit\\.${name}`));
    expect(() => new RateWindow({ requests: 1, windowMs: 0.5 }, mannersOf())).not.toThrow();
  });
});
