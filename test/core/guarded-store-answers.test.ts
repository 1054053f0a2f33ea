import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeGuarded } from "../support/guarded-store.js";

beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue(undefined));
afterEach(() => vi.restoreAllMocks());

describe("a reply of a shared store", () => {
  it.each([
    { granted: false, retryAt: null, reason: "window" },
    { granted: false, retryAt: 5_000, reason: "window" },
    { granted: false, retryAt: 5_000, reason: "rate_limited" },
    { granted: true, slot: "a place" },
  ])("is used if it is valid: %j", async (answer) => {
    const { next, reserve } = makeGuarded();
    next.answer = () => answer;
    expect(await reserve()).toEqual(answer);
    expect(console.warn).not.toHaveBeenCalled();
  });

  it.each([
    undefined,
    null,
    "granted",
    {},
    { granted: true },
    { granted: true, slot: 7 },
    { granted: "true", slot: "a place" },
    { granted: "no", slot: "a place", retryAt: null, reason: "window" },
    { retryAt: null, reason: "window" },
    { granted: false, retryAt: null },
    { granted: false, retryAt: null, reason: "" },
    { granted: false, retryAt: null, reason: "busy" },
    { granted: false, reason: "window" },
    { granted: false, retryAt: "5000", reason: "window" },
    { granted: false, retryAt: Number.NaN, reason: "rate_limited" },
  ])("is not used if it is invalid; the process decides and warns once: %j", async (answer) => {
    const { next, reserve } = makeGuarded();
    next.answer = () => answer;
    expect(await reserve()).toMatchObject({ granted: true, slot: expect.stringMatching(/^local /) });
    expect(console.warn).toHaveBeenCalledExactlyOnceWith(
      "education-admin-sdk: the rate-limit store failed (invalid reply); falling back to a per-process limit.",
    );
  });

  it.each([
    [Object.assign(new Error("no such table"), { code: "42P01" }), "42P01"],
    [Object.assign(new Error("busy"), { code: "SQLITE_BUSY" }), "SQLITE_BUSY"],
    [Object.assign(new Error("secret"), { code: "redis://user:secret@host" }), "Error"],
    [Object.assign(new TypeError("secret"), { code: 7 }), "TypeError"],
    [Object.assign(new Error("secret"), { name: "secret 1" }), "unknown error"],
    [undefined, "unknown error"],
  ])("that is an error causes a warning with its code or name, never its message: %j", async (error, words) => {
    const { next, reserve } = makeGuarded();
    next.answer = () => Promise.reject(error);
    await reserve();
    expect(console.warn).toHaveBeenCalledExactlyOnceWith(
      `education-admin-sdk: the rate-limit store failed (${words}); falling back to a per-process limit.`,
    );
  });

  it("that does not arrive causes a warning with the time limit", async () => {
    const { clock, next, reserve } = makeGuarded();
    next.answer = () => new Promise(() => undefined);
    const reserved = reserve();
    await clock.advance(5_000);
    await reserved;
    expect(console.warn).toHaveBeenCalledExactlyOnceWith(
      "education-admin-sdk: the rate-limit store failed (no reply within 5000 ms); falling back to a per-process limit.",
    );
  });
});

describe("the usage that a shared store returns", () => {
  it.each([
    { used: 0, resetAt: null },
    { used: 3, resetAt: 5_000 },
  ])("is reported: %j", (told) => {
    const { store, usage } = makeGuarded();
    usage.tell = () => told;
    expect(store.usage("key")).toEqual(told);
  });

  it.each([
    ["returns null", () => null],
    ["returns a promise", () => Promise.resolve({ used: 1, resetAt: null })],
    [
      "throws",
      () => {
        throw new Error("store down");
      },
    ],
  ])("is replaced by the count of this process if the store %s", (_, tell) => {
    const { store, usage } = makeGuarded();
    usage.tell = tell;
    expect(store.usage("key")).toEqual({ used: 0, resetAt: null });
  });
});
