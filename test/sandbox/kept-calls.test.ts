import { describe, expect, test } from "vitest";
import { allOperations } from "../../src/operations.js";
import { type Asked, type CallEntry, CallLog } from "../../src/sandbox/engine/calls.js";
import { collectGarbage } from "../support/garbage.js";

const MILLION = 1_000_000;
const rows = allOperations.filter(({ id }) => id === "accounts.list");
const matches = rows.map((row) => ({ row, params: {} }));
const url = new URL("https://school.example/api/v1/accounts");
const requestWith = (text: string): Asked => ({
  ...{ method: "GET", url, authorization: null, contentType: null, proof: null },
  ...{ text, matches },
});

// Reuses one text per length, because the engine copies the characters of every new text, which takes longer than
// storing it.
const texts = new Map<number, string>();
function textOf(length: number): string {
  const text = texts.get(length) ?? "x".repeat(length);
  texts.set(length, text);
  return text;
}

/**
 * A log of calls that arrive at the times 1, 2, 3 and so on. Each call has a request and a response of a given length.
 */
function logOf() {
  const log = new CallLog();
  let at = 0;
  const receive = (text: string): CallEntry => log.add(requestWith(text), ++at);
  const call = (request: number, response: number | null, times = 1) => {
    for (let time = 0; time < times; time++) {
      log.recordResponse(receive(textOf(request)), 200, response === null ? null : textOf(response));
    }
  };
  return { log, receive, call, keptTimes: () => log.all.map((each) => each.at) };
}

describe("calls are stored up to fifty million characters", () => {
  test.each([
    ["requests", 10 * MILLION, null],
    ["responses", 0, 10 * MILLION],
    ["both together", 4 * MILLION, 6 * MILLION],
  ])("of %s: beyond that, as many of the oldest as necessary are dropped", (_, request, response) => {
    const { call, keptTimes } = logOf();
    call(request, response, 5);
    expect(keptTimes()).toEqual([1, 2, 3, 4, 5]);
    call(request, response);
    expect(keptTimes()).toEqual([2, 3, 4, 5, 6]);
    call(request, response, 2);
    expect(keptTimes()).toEqual([4, 5, 6, 7, 8]);
    call(25 * MILLION, null);
    expect(keptTimes()).toEqual([7, 8, 9]);
  });

  test("the newest is stored whatever its length, until the next one", () => {
    const { call, keptTimes } = logOf();
    call(1, 1, 3);
    call(0, 60 * MILLION);
    expect(keptTimes()).toEqual([4]);
    call(1, 1);
    expect(keptTimes()).toEqual([5]);
    call(10 * MILLION, null, 4);
    expect(keptTimes()).toEqual([5, 6, 7, 8, 9]);
  });

  test("the calls of a cleared log no longer count", () => {
    const { log, call, keptTimes } = logOf();
    call(10 * MILLION, null, 5);
    log.clear();
    call(10 * MILLION, null, 5);
    expect(keptTimes()).toEqual([6, 7, 8, 9, 10]);
  });
});

describe("calls beyond ten thousand", () => {
  test("are dropped from memory, the oldest first", async () => {
    const { log, call, keptTimes } = logOf();
    const oldest = weakly(log);
    call(0, null, 20_000);
    expect(keptTimes()).toHaveLength(10_000);
    await collectGarbage();
    expect(oldest.deref()).toBeUndefined();
    expect([keptTimes()[0], keptTimes().at(-1)]).toEqual([10_001, 20_000]);
    call(0, null, 5);
    expect(log.requests).toHaveLength(10_000);
    expect([log.requests[0]?.at, log.requests.at(-1)?.at]).toEqual([10_006, 20_005]);
  });

  test("no longer count towards the characters, so that long calls after them are stored", () => {
    const { call, keptTimes } = logOf();
    call(40 * MILLION, null);
    call(0, null, 20_000);
    call(20 * MILLION, null);
    expect(keptTimes().at(0)).toBe(20_002 - 9_999);
    call(20 * MILLION, null);
    expect(keptTimes().slice(-3)).toEqual([20_001, 20_002, 20_003]);
    call(20 * MILLION, null);
    expect(keptTimes()).toEqual([20_003, 20_004]);
  });
});

/** Adds a call and returns a weak reference to its request, which shows whether the request is still in memory. */
function weakly(log: CallLog): WeakRef<Asked> {
  const received = requestWith("");
  log.recordResponse(log.add(received, 0), 200, null);
  return new WeakRef(received);
}
