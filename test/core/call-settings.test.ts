import { describe, expect, it, test } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import type { Fail } from "../../src/core/option-checks.js";
import type { ListOptions } from "../../src/core/options.js";
import { type CallSettings, callSettings, checkCallOptions } from "../../src/core/settings.js";
import { ROOMS } from "../support/page-source.js";

describe("the options of one call", () => {
  const base: CallSettings = {
    timeout: 1,
    totalTimeout: 2,
    retryLimit: 3,
    backoffLimit: 4,
    maxRetryAfter: 5,
    validation: "off",
    onInvalid: "throw",
    headers: { "x-a": "1", "x-b": "1" },
  };
  const fail: Fail = (option, rule) => new RangeError(`${option} ${rule}`);
  const resolve = (options: object) => callSettings(checkCallOptions(options, ROOMS, fail), base);

  it("default to those of the client", () => {
    expect(resolve({})).toBe(base);
    expect(resolve({ timeout: undefined, retry: undefined, headers: undefined })).toEqual(base);
  });

  it.each<[options: object, change: Partial<CallSettings>]>([
    [{ timeout: 10 }, { timeout: 10 }],
    [{ totalTimeout: 10 }, { totalTimeout: 10 }],
    [{ totalTimeout: Infinity }, { totalTimeout: null }],
    [{ retry: false }, { retryLimit: 0 }],
    [{ retry: { limit: 0 } }, { retryLimit: 0 }],
    [{ retry: { limit: 1_000 } }, { retryLimit: 1_000 }],
    [{ retry: { backoffLimit: 10 } }, { backoffLimit: 10 }],
    [{ validation: "strict" }, { validation: "strict" }],
    [{ validation: "report" }, { validation: "report" }],
    [{ headers: { "X-B": "2" } }, { headers: { "x-a": "1", "x-b": "2" } }],
  ])("replace the client's: %j", (options, change) => {
    expect(resolve(options)).toEqual({ ...base, ...change });
  });

  it("throw the caller's error if one is invalid", () => {
    expect(() => resolve({ timeout: 0 })).toThrow(RangeError);
    expect(() => resolve({ timeout: Infinity })).toThrow("timeout must be a finite number of milliseconds");
    expect(() => resolve({ retry: { backoffLimit: Infinity } })).toThrow("retry.backoffLimit must be a finite number");
    expect(() => resolve({ headers: { authorization: "x" } })).toThrow(RangeError);
    expect(() => resolve({ retry: 7 })).toThrow(RangeError);
  });
});

describe("the options that a call accepts", () => {
  const fail: Fail = (option, rule) => new RangeError(`${option} ${rule}`);
  const single: Operation = { id: "rooms.get", method: "GET", path: "rooms/{id}", apis: ["main"] };
  const check = (options: unknown, row = ROOMS) => checkCallOptions(options as ListOptions, row, fail);
  const every = {
    signal: AbortSignal.abort(),
    timeout: 1,
    totalTimeout: 1,
    headers: {},
    retry: false,
    validation: "off",
    priority: "batch",
  };
  const ofLists = { resume: "x", prefetch: 1, maxPages: 1, onInvalid: "skip" };

  test("include these for every call, and some more for lists", () => {
    expect(() => check(every, single)).not.toThrow();
    expect(() => check({ ...every, ...ofLists })).not.toThrow();
    expect(() => check({}, single)).not.toThrow();
    for (const [name, value] of Object.entries(ofLists)) {
      expect(() => check({ [name]: value }, single)).toThrow(`${name} is unknown`);
    }
    expect(() => check({ zebra: 1 })).toThrow("zebra is unknown");
  });

  test.each([null, 7, [], new Map()])("do not include %j", (options) => {
    expect(() => check(options)).toThrow("options must be a plain object");
  });

  test("are checked before anything else happens, if they are the signal or the priority", () => {
    expect(() => check({ signal: undefined, priority: undefined })).not.toThrow();
    expect(() => check({ priority: "interactive" })).not.toThrow();
    expect(() => check({ priority: "high" })).toThrow("priority must be one of interactive, batch");
    const listens = { addEventListener: () => undefined };
    for (const signal of [
      null,
      7,
      {},
      new AbortController(),
      listens,
      { aborted: false },
      { ...listens, aborted: 1 },
    ]) {
      expect(() => check({ signal })).toThrow("signal must be an AbortSignal");
    }
    expect(() => check({ signal: { ...listens, aborted: false } })).not.toThrow();
  });
});
