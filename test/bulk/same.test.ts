import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type Field, same, toInput } from "../../src/bulk/fields.js";

const field: Field = { path: "x", schema: z.string(), read: ["x"], decimal: false };
const amount: Field = { ...field, decimal: true };

describe("a record has the value expected", () => {
  const SAME: readonly (readonly [unknown, unknown, Field?])[] = [
    ["Fox", "Fox"],
    [null, undefined],
    ["", null],
    [[], null],
    [7, "7"],
    ["+7", 7],
    ["-0.50", -0.5],
    ["007", 7],
    ["-0", 0],
    ["0.10", "0.1", amount],
    ["12.500", "+12.5", amount],
    ["012", "12.0", amount],
    ["-012.0", "-12", amount],
    ["0", "0.00", amount],
    [
      [2, 1],
      ["1", "2"],
    ],
    ["2026-01-05T12:00:00Z", "2026-01-05T13:00:00.000+01:00"],
    [new Date("2026-01-05T12:00:00Z"), "2026-01-05T12:00:00Z"],
    ["2026-01-05T23:59:00Z", "2026-01-05"],
    [{ city: "Town" }, { city: "Town", country: "NL" }],
    [{ city: null }, { country: "NL" }],
    [true, "true"],
  ];
  test.each(SAME)("%j and %j", (expected, actual, of) => {
    expect(same((of as Field | undefined) ?? field, expected, actual)).toBe(true);
  });

  const OTHER: readonly (readonly [unknown, unknown, Field?])[] = [
    ["Fox", "fox"],
    ["Fox", null],
    ["007", "7"],
    ["7.0", "7"],
    ["a7", 7],
    ["7a", 7],
    ["7.5.1", "7.5.2", amount],
    ["0.1", "-0.1", amount],
    ["10", "1", amount],
    ["12.5", "125", amount],
    ["-1", "-2", amount],
    ["100", "1.00", amount],
    ["0.01", "0.1", amount],
    [0, null],
    [false, null],
    [[1], [1, 2]],
    [[1], 1],
    ["2026-01-05T12:00:00Z", "2026-01-05T12:00:01Z"],
    ["2026-01-05T23:59:00Z", "2026-01-06"],
    ["2026-99-99T12:00:00Z", "2026-99-99T13:00:00Z"],
    ["at 2026-01-05T12:00:00Z", "at 2026-01-05T13:00:00+01:00"],
    [{ city: "Town" }, { city: "Village" }],
    [{ city: "Town" }, null],
    [null, { city: "Town" }],
  ];
  test.each(OTHER)("but not %j and %j", (expected, actual, of) => {
    expect(same((of as Field | undefined) ?? field, expected, actual)).toBe(false);
  });
});

test("a decimal of a record is written as the number that a body takes, and nothing else is", () => {
  const number: Field = { ...field, schema: z.number() };
  const written = ["12.50", "-3", "+4", "12 pcs", "1e3", "", 7, null].map((value) => toInput(number, value));
  expect(written).toEqual([12.5, -3, 4, "12 pcs", "1e3", "", 7, null]);
  expect(toInput(field, "12.50")).toBe("12.50");
});
