import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort, raceAbort } from "../../src/core/abort.js";
import { failure } from "../support/manual-clock.js";

/** A signal that counts its listeners. */
function counting() {
  const controller = new AbortController();
  const { signal } = controller;
  return { controller, signal, listeners: () => getEventListeners(signal, "abort").length };
}

describe("onAbort", () => {
  it("calls each caller back once", () => {
    const { controller, signal } = counting();
    const called: string[] = [];
    onAbort(signal, () => called.push("first"));
    onAbort(signal, () => called.push("second"));
    expect(called).toEqual([]);
    controller.abort();
    signal.dispatchEvent(new Event("abort"));
    expect(called).toEqual(["first", "second"]);
  });

  it("does not call back a caller that has left, even if another caller passed the same function", () => {
    const { controller, signal } = counting();
    let calls = 0;
    const callback = () => void calls++;
    const leave = onAbort(signal, callback);
    onAbort(signal, callback);
    leave();
    leave();
    controller.abort();
    expect(calls).toBe(1);
  });

  it("adds one listener to a signal for all callers, and removes it when the last one leaves", () => {
    const { signal, listeners } = counting();
    const leave = [1, 2, 3].map(() => onAbort(signal, () => undefined));
    expect(listeners()).toBe(1);
    leave[0]?.();
    leave[1]?.();
    expect(listeners()).toBe(1);
    leave[2]?.();
    expect(listeners()).toBe(0);
  });

  it("adds a listener again for a caller that comes after all others have left", () => {
    const { controller, signal, listeners } = counting();
    onAbort(signal, () => undefined)();
    let calls = 0;
    onAbort(signal, () => void calls++);
    expect(listeners()).toBe(1);
    controller.abort();
    expect(calls).toBe(1);
  });

  it("lets a callback remove another one", () => {
    const { controller, signal } = counting();
    const called: string[] = [];
    const leave: (() => void)[] = [];
    onAbort(signal, () => {
      called.push("first");
      leave[0]?.();
    });
    leave.push(onAbort(signal, () => called.push("second")));
    controller.abort();
    expect(called).toEqual(["first"]);
  });

  it("works without a signal", () => {
    expect(onAbort(undefined, () => undefined)()).toBeUndefined();
  });
});

describe("raceAbort", () => {
  it("resolves with the result of the work and leaves no listener", async () => {
    const { signal, listeners } = counting();
    expect(await raceAbort(Promise.resolve(7), signal)).toBe(7);
    expect(await raceAbort(Promise.resolve(8), undefined)).toBe(8);
    const error = new Error("no");
    expect(await failure(raceAbort(Promise.reject(error), signal))).toBe(error);
    expect(listeners()).toBe(0);
  });

  it("rejects with the signal's reason if the signal aborts first", async () => {
    const { controller, signal } = counting();
    const race = failure(raceAbort(new Promise(() => undefined), signal));
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await race).toBe(reason);
  });

  it("rejects at once if the signal has already aborted", async () => {
    const { controller, signal, listeners } = counting();
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failure(raceAbort(new Promise(() => undefined), signal))).toBe(reason);
    expect(await failure(raceAbort(Promise.resolve(7), signal))).toBe(reason);
    expect(listeners()).toBe(0);
  });
});
