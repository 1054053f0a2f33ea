import { describe, expect, it, test } from "vitest";
import { ConfigurationError } from "../../src/core/errors.js";
import {
  acceptAny,
  callable,
  checkNames,
  checkOptions,
  configurationError,
  didYouMean,
  type Fail,
  finite,
  flag,
  group,
  must,
  type OptionTable,
  oneOf,
  positive,
  readOptions,
  record,
  whole,
} from "../../src/core/option-checks.js";

const fail: Fail = (option, rule) => new RangeError(`${option}: ${rule}`);

/** The message that a check throws; null if it throws nothing. */
function refusal(check: () => unknown): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test("the error for an option of a client names the option", () => {
  const error = configurationError("timeout", "must be a number");
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toBe("The option timeout must be a number");
});

describe("names of options", () => {
  const known = { timeout: 1, retry: 1 } as const;

  it("are refused if they are unknown, with the most similar known one", () => {
    expect(refusal(() => checkNames({ timeOut: 1 }, known, fail))).toBe('timeOut: is unknown; did you mean "timeout"?');
    expect(refusal(() => checkNames({ timeOut: 1 }, known, fail, "a."))).toBe(
      'a.timeOut: is unknown; did you mean "a.timeout"?',
    );
    expect(refusal(() => checkNames({ zebra: 1 }, known, fail))).toBe("zebra: is unknown");
    expect(refusal(() => checkNames({ toString: 1 }, known, fail))).toContain("toString: is unknown");
  });

  it("are accepted if they are known or have no value", () => {
    expect(refusal(() => checkNames({ timeout: "x", retry: null }, known, fail))).toBeNull();
    expect(refusal(() => checkNames({ zebra: undefined, timeout: 1 }, known, fail))).toBeNull();
    expect(refusal(() => checkNames({ zebra: undefined, other: 1 }, known, fail))).toContain("other");
    expect(refusal(() => checkNames({ zebra: null }, known, fail))).toContain("zebra");
  });

  it("that are unknown get a suggestion if a known one is similar", () => {
    expect(didYouMean("retri", ["timeout", "retry"])).toBe('; did you mean "retry"?');
    expect(didYouMean("retri", ["retry"], "on.")).toBe('; did you mean "on.retry"?');
    expect(didYouMean("zebra", ["timeout", "retry"])).toBe("");
  });
});

describe("the value of an option", () => {
  const least1 = (value: unknown) => whole(1, 100)("size", value as number, fail);
  const kind = oneOf("a", "b");

  it.each<[what: string, check: () => unknown, message: string | null]>([
    ["a plain object", () => record("on", {}, fail), null],
    ["a map in place of one", () => record("on", new Map(), fail), "on: must be a plain object"],
    [
      "null in place of one",
      () => record("on", null as never, fail, " or false"),
      "on: must be a plain object or false",
    ],
    ["known options in an object", () => group("retry", { limit: 1 }, { limit: 1 }, fail), null],
    [
      "an unknown option in an object",
      () => group<object>("retry", { limits: 1 }, { limit: 1 } as never, fail),
      'retry.limits: is unknown; did you mean "retry.limit"?',
    ],
    ["no object", () => group("retry", 7 as never, {}, fail, " or false"), "retry: must be a plain object or false"],
    ["true", () => flag("readOnly", true, fail), null],
    ["false", () => flag("readOnly", false, fail), null],
    ["text in place of a flag", () => flag("readOnly", "true" as never, fail), "readOnly: must be true or false"],
    ["null in place of a flag", () => flag("readOnly", null as never, fail), "readOnly: must be true or false"],
    ["a part of a millisecond", () => positive("timeout", 0.5, fail), null],
    ["any time", () => positive("timeout", Number.POSITIVE_INFINITY, fail), null],
    ["a part of a millisecond for a timer", () => finite("timeout", 0.5, fail), null],
    [
      "any time for a timer",
      () => finite("timeout", Number.POSITIVE_INFINITY, fail),
      "timeout: must be a finite number of milliseconds above 0",
    ],
    [
      "no time for a timer",
      () => finite("timeout", 0, fail),
      "timeout: must be a finite number of milliseconds above 0",
    ],
    ["no time", () => positive("timeout", 0, fail), "timeout: must be a number of milliseconds above 0"],
    ["a negative time", () => positive("timeout", -1, fail), "timeout: must be a number of milliseconds above 0"],
    ["NaN as a time", () => positive("timeout", Number.NaN, fail), "timeout: must be a number of milliseconds above 0"],
    [
      "text as a time",
      () => positive("timeout", "5" as never, fail),
      "timeout: must be a number of milliseconds above 0",
    ],
    ["the least number", () => least1(1), null],
    ["the largest number", () => least1(100), null],
    ["less than the least", () => least1(0), "size: must be a whole number from 1 to 100"],
    ["more than the largest", () => least1(101), "size: must be a whole number from 1 to 100"],
    ["a fraction", () => least1(1.5), "size: must be a whole number from 1 to 100"],
    ["text in place of a number", () => least1("5"), "size: must be a whole number from 1 to 100"],
    ["an allowed text", () => kind("kind", "b", fail), null],
    ["another text", () => kind("kind", "c" as "a", fail), "kind: must be one of a, b"],
  ])("%s", (_, check, message) => {
    expect(refusal(check)).toBe(message);
  });

  it("is returned unchanged", () => {
    const value = { limit: 1 };
    expect(record("retry", value, fail)).toBe(value);
    expect(group("retry", value, { limit: 1 }, fail)).toBe(value);
    expect([flag("a", true, fail), flag("a", false, fail)]).toEqual([true, false]);
    expect(positive("timeout", 5, fail)).toBe(5);
    expect(least1(7)).toBe(7);
    expect(kind("kind", "b", fail)).toBe("b");
  });
});

describe("options described by a table", () => {
  interface Options {
    readonly size?: number | undefined;
    readonly kind?: "a" | "b" | undefined;
    readonly done?: (() => void) | undefined;
    readonly note?: unknown;
  }
  const table = {
    size: [whole(1, 100), 7],
    kind: [oneOf("a", "b")],
    done: [callable, null],
    note: [acceptAny],
  } satisfies OptionTable<Options>;

  it("get the defaults of the table unless the caller sets them", () => {
    expect(readOptions({}, table, fail)).toEqual({ size: 7, done: null });
    expect(readOptions({ size: 8, kind: "b", note: null }, table, fail)).toEqual({
      size: 8,
      kind: "b",
      done: null,
      note: null,
    });
    expect(readOptions({ size: undefined }, table, fail)).toEqual({ size: 7, done: null });
  });

  it("are omitted if only the caller's count", () => {
    expect(checkOptions({ kind: "a", size: undefined }, table, fail)).toEqual({ kind: "a" });
    expect(checkOptions({}, table, fail)).toEqual({});
  });

  it.each<[given: object, message: string]>([
    [{ size: 0 }, "in.size: must be a whole number from 1 to 100"],
    [{ kind: "c" }, "in.kind: must be one of a, b"],
    [{ done: null }, "in.done: must be a function"],
    [{ sise: 1 }, 'in.sise: is unknown; did you mean "in.size"?'],
  ])("are refused: %j", (given, message) => {
    expect(refusal(() => checkOptions(given, table, fail, "in."))).toBe(message);
    expect(refusal(() => readOptions(given, table, fail, "in."))).toBe(message);
  });

  it("may have additional names, which are not read", () => {
    const given = {
      get other() {
        throw new Error("read");
      },
    };
    expect(refusal(() => checkOptions(given, table, fail, "", { other: 1 }))).toBeNull();
  });

  it("can have a check, whose result is used", () => {
    const twice = { size: [(_option: string, value: number) => value * 2] } satisfies OptionTable<
      Pick<Options, "size">
    >;
    expect(readOptions({ size: 4 }, twice, fail)).toEqual({ size: 8 });
    expect(refusal(() => must(() => false, "never fits")("size", 1, fail))).toBe("size: never fits");
  });
});
