import { describe, expect, test } from "vitest";
import { columnValue } from "../../src/mirror/columns.js";
import { ageOf, ascends, differingFields, mostProven } from "../../src/mirror/decide.js";
import { milliseconds } from "../../src/mirror/options.js";
import { isHeld } from "../../src/work/hold.js";

describe("the newer of two versions", () => {
  const stored = { gone: false, confirmed: 100, updatedAt: 50 };
  test.each([
    ["the later updated_at wins, however long ago it was asked for", stored, { begun: 10, updatedAt: 51 }, "newer"],
    ["the earlier updated_at loses, although it was asked for later", stored, { begun: 200, updatedAt: 49 }, "older"],
    [
      "unless it was asked for much later: the service has set it back",
      stored,
      { begun: 600_101, updatedAt: 49 },
      "newer",
    ],
    ["with the same updated_at, a request that began later wins", stored, { begun: 101, updatedAt: 50 }, "newer"],
    ["and one that overlapped is in doubt", stored, { begun: 100, updatedAt: 50 }, "unsure"],
    [
      "without updated_at, a request that began later wins",
      { ...stored, updatedAt: null },
      { begun: 101, updatedAt: null },
      "newer",
    ],
    ["and one that overlapped is in doubt", { ...stored, updatedAt: null }, { begun: 99, updatedAt: null }, "unsure"],
    [
      "what is gone comes back only by a request that began later",
      { ...stored, gone: true },
      { begun: 101, updatedAt: 1 },
      "newer",
    ],
    [
      "and not by one that overlapped, whatever its updated_at",
      { ...stored, gone: true },
      { begun: 100, updatedAt: 999 },
      "older",
    ],
  ] as const)("%s", (_, before, received, expected) => {
    expect(ageOf(before, received)).toBe(expected);
  });
});

test("a run is held only above both limits", () => {
  const holdAbove = { share: 0.1, rows: 20 };
  expect([isHeld(21, 100, holdAbove), isHeld(20, 20, holdAbove), isHeld(500, 5_000, holdAbove)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isHeld(501, 5_000, holdAbove)).toBe(true);
});

test("missing rows are read one by one up to the cost of the list, or 200 requests", () => {
  expect([0, 20_000, 20_200, 1_000_000].map(mostProven)).toEqual([100, 100, 101, 5_000]);
});

test("identifiers must ascend strictly, and texts have no order", () => {
  expect([ascends(null, [1, 2, 9]), ascends(9, [10]), ascends(9, []), ascends(9, [9]), ascends(null, [2, 1])]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(ascends(null, ["a", "b"])).toBe(false);
});

test("fields are compared independently of the order of their keys", () => {
  const before = { id: 1, nested: { a: [1, { b: 2 }], c: null }, name: "x" };
  expect(differingFields(before, { name: "x", nested: { c: null, a: [1, { b: 2 }] }, id: 1 })).toEqual([]);
  expect(differingFields(before, { id: 1, nested: { a: [1, { b: 3 }], c: null }, more: 1 })).toEqual([
    "more",
    "name",
    "nested",
  ]);
});

test.each([
  ["decimal", "12345678901234567890.12", "12345678901234567890.12"],
  ["decimal", "12,50", null],
  ["decimal", 12.5, null],
  ["integer", 7, 7],
  ["integer", 7.5, null],
  ["number", 7.5, 7.5],
  ["number", "7.5", null],
  ["boolean", true, true],
  ["boolean", "true", null],
  ["date", "2030-02-28", "2030-02-28"],
  ["date", "2030-02-30", null],
  ["time", "2030-01-01T00:00:00+16:00", null],
  ["time", "2030-01-01T10:00:00.000Z", "2030-01-01T10:00:00.000Z"],
  ["time", "yesterday", null],
  ["json", { a: 1 }, '{"a":1}'],
  ["text", undefined, null],
] as const)("a column of type %s stores %j as %j", (type, value, expected) => {
  expect(columnValue(type, value)).toBe(expected);
});

test("durations are parsed strictly", () => {
  expect([
    milliseconds("tail", "10m"),
    milliseconds("tail", "6h"),
    milliseconds("tail", "1d"),
    milliseconds("tail", "500ms"),
  ]).toEqual([600_000, 21_600_000, 86_400_000, 500]);
  for (const wrong of ["", "10", "m", "1.5h", "0m", "-1m", "10 m", "10M", "1h30m", 10, null, "10minutes"]) {
    expect(() => milliseconds("tail", wrong)).toThrow("tail must be a whole number with a unit");
  }
});
