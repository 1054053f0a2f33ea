import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { comparisonsFor } from "../../src/bulk/compare.js";
import { type Field, same, toInput } from "../../src/bulk/fields.js";
import type { PlannedRow } from "../../src/bulk/lines.js";
import { targetOf } from "../../src/bulk/target.js";
import { MainClient } from "../../src/index.js";

const field: Field = { path: "x", schema: z.string(), read: ["x"], decimal: false };
const amount: Field = { ...field, decimal: true };

describe("the value of a record", () => {
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
  test.each(SAME)("%j equals %j", (expected, actual, of) => {
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
  test.each(OTHER)("%j does not equal %j", (expected, actual, of) => {
    expect(same((of as Field | undefined) ?? field, expected, actual)).toBe(false);
  });
});

test("a record's decimal becomes a number if the body takes one; anything else stays the same", () => {
  const number: Field = { ...field, schema: z.number() };
  const written = ["12.50", "-3", "+4", "12 pcs", "1e3", "", 7, null].map((value) => toInput(number, value));
  expect(written).toEqual([12.5, -3, 4, "12 pcs", "1e3", "", 7, null]);
  expect(toInput(field, "12.50")).toBe("12.50");
});

describe("a record equals the values that a row sends", () => {
  const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
  const target = targetOf(client.users, {}, undefined, "apply");
  const { same: isSame, movedFields, print } = comparisonsFor(target, ["email"]);

  test("if all its fields do, those of objects one by one", () => {
    const row: PlannedRow = { row: 1, do: "create", key: "a", send: {} };
    const record = { first_name: "Ada", address: { city: "Town", country: "NL" }, email: "other@example.com" };
    expect(isSame(row, "first_name", "Ada", record)).toBe(true);
    expect(isSame(row, "first_name", "Zoe", record)).toBe(false);
    expect(isSame(row, "address_attributes", { city: "Town" }, record)).toBe(true);
    expect(isSame(row, "address_attributes", { city: "Village" }, record)).toBe(false);
    expect(isSame(row, "address_attributes", { city: "Town", country: "BE" }, record)).toBe(false);
  });

  test("if its other fields have their earlier values; computed fields count only if they were emptied", () => {
    const row: PlannedRow = { row: 1, do: "update", id: 7, send: { first_name: "Ada" } };
    const before = { first_name: "Eda", description: "Teaches", slug: "eda", roles: ["teacher"], label_ids: [1, 2] };
    const others = { first_name: "Ada", label_ids: [2, 1], slug: "ada" };
    const wrong = { description: "TEACHES", roles: [], slug: "" };
    const side = { description: ["Teaches", "TEACHES"], roles: [["teacher"], []], slug: ["eda", ""] };
    expect(movedFields(row, before, { ...before, ...others })).toEqual({});
    expect(movedFields(row, before, { ...before, ...wrong })).toEqual(side);
    expect(movedFields(row, { roles: ["teacher"] }, before)).toEqual({});
    expect(movedFields(row, before, { roles: ["teacher"] })).toEqual({});
    expect(print(row, { ...before, ...others })).toBe(print(row, before));
    for (const [name, value] of Object.entries(wrong))
      expect(print(row, { ...before, [name]: value })).not.toBe(print(row, before));
  });

  test("after an interrupted action, apart from fields that no body can write, because the action may have set them", () => {
    const opening = comparisonsFor(targetOf(client.invoices, {}, "open", "apply"), ["id"]);
    const row: PlannedRow = { row: 1, do: "update", id: 7, send: { status: "open" } };
    const before = { status: "concept", number: null, footnote: "order 1" };
    const after = { status: "open", number: "2041", footnote: "order 1" };
    expect(opening.print(row, after)).toBe(opening.print(row, before));
    expect(opening.print(row, { ...after, footnote: "" })).not.toBe(opening.print(row, before));
  });

  test("apart from the key of a create, and fields that no record shows", () => {
    const row: PlannedRow = { row: 1, do: "create", key: "a", send: {} };
    expect(isSame(row, "email", "a@example.com", { email: "b@example.com" })).toBe(true);
    expect(isSame({ ...row, do: "update" }, "email", "a@example.com", { email: "b@example.com" })).toBe(false);
    expect(isSame(row, "with_authentication", true, {})).toBe(true);
  });
});
