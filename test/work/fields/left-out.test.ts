import { expect, test } from "vitest";
import { tableOf } from "../../../src/cli/tell/table.js";
import { allOperations } from "../../../src/operations.js";
import { allOf, parseCondition } from "../../../src/work/fields/condition.js";
import { parsePath } from "../../../src/work/fields/path.js";
import { sentencesOf, testerOf } from "../../../src/work/fields/tester.js";
import { school } from "../../assistant/support.js";

const responseOf = (of: string) => allOperations.find(({ id }) => id === of)?.response;
const parse = (text: string) =>
  parseCondition(text, (path) =>
    parsePath(path, responseOf(path.startsWith("custom") ? "accounts.list" : "invoices.list")),
  );
const leftOut = (text: string, ...records: object[]) => {
  const tester = testerOf(allOf([parse(text)]), { now: 0, zone: "UTC" });
  const count = records.filter((record) => tester.holds(record)).length;
  return { count, ...tester.leftOut() };
};

test("an answer lists the values missing from its number", () => {
  expect(leftOut("account_name!=X", { account_name: null }, { account_name: "X" }, { account_name: "Y" })).toEqual({
    count: 2,
    matched_without_value: 1,
  });
  const days = [{ expiration_date: "soon" }, { expiration_date: "2026-01-01" }, { expiration_date: null }];
  expect(leftOut("expiration_date<2027", ...days)).toEqual({ count: 1, not_days: 1, missed_without_value: 1 });
  // Counted only if the missing value alone decides.
  const paid = { status: "paid", expiration_date: null };
  expect(leftOut("expiration_date<2027 and status=open", paid, { ...paid, status: "open" })).toEqual({
    count: 0,
    missed_without_value: 1,
  });
  expect(leftOut("expiration_date<2027 or status=paid", paid)).toEqual({ count: 1 });
  expect(leftOut("payments.amount>1", { payments: [] })).toEqual({ count: 0 });
  expect(leftOut("currency=XYZ", { currency: "EUR" })).toEqual({ count: 0, unknown_value: ["xyz"] });
  expect(leftOut("currency=XYZ", { currency: "XYZ" })).toEqual({ count: 1 });
  // Only the school knows the values of its own fields.
  const custom = { custom: { sector: "Care", news: true, fee: "12.50", born: "2001-02-03" } };
  for (const value of ["sector=care", "news=yes", "fee=12.5", "born=2001-02-03"])
    expect(leftOut(`custom.${value}`, custom)).toEqual({ count: 1 });
  expect(leftOut("custom.news=ja", custom)).toEqual({ count: 0, unknown_value: ["ja"] });
  expect(leftOut("custom.sector!=cares", custom)).toEqual({ count: 1, unknown_value: ["cares"] });
  // The first comparison fails, but the second field is looked up as well.
  expect(leftOut("status=paid and account_name=X", { status: "open", account_name: null })).toEqual({ count: 0 });
  expect(leftOut("status=paid and account_name=X", { status: "open" })).toEqual({
    count: 0,
    absent_field: ["account_name"],
  });
  expect(leftOut("payments.amount=1", { payments: [] })).toEqual({ count: 0 });
  expect(leftOut("payments.amount=1", { payments: [{}] })).toEqual({ count: 0, absent_field: ["payments.amount"] });
  expect(leftOut("payments.amount=1")).toEqual({ count: 0 });
});

test("the facts are put into sentences", () => {
  const all = {
    matched_without_value: 1,
    missed_without_value: 4,
    not_days: 2,
    not_numbers: 3,
    unknown_value: ["x"],
    absent_field: ["a.b"],
  };
  expect(sentencesOf(all)).toHaveLength(6);
  expect(sentencesOf(all).join(" ")).toMatch(/1 .*4 .*2 .*3 .*"x".*a\.b/);
  expect(sentencesOf({})).toEqual([]);
});

test("a condition depends on the zone and the current time only if its values do", () => {
  const needs = (text: string) => [parse(text).needsZone, parse(text).needsNow];
  expect(needs("total_open>0")).toEqual([false, false]);
  expect(needs("created_at>=2026-07-01")).toEqual([true, false]);
  expect(needs("created_at>=2026-07-01T00:00:00Z")).toEqual([false, false]);
  expect(needs("created_at<now")).toEqual([false, true]);
  expect(needs("created_at>=today")).toEqual([true, true]);
});

test("an assistant counts groups and different values at the current time", async () => {
  const answer = await school().count?.({
    from: "orders",
    by: "status",
    distinct: "account_id",
    sum: "number_of_students",
  });
  expect(answer).toMatchObject({
    complete: true,
    groups: answer?.rows.length,
    as_of: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(answer?.read).toBe(answer?.count);
  expect(Number(answer?.distinct_account_id)).toBeGreaterThan(1);
  expect(typeof answer?.sum_number_of_students).toBe("string");
  expect((await school().count?.({ from: "courses", sum: "level" }))?.error).toContain("does not hold numbers");
});

test("the widest columns of a table shrink, and omitted columns are named", () => {
  const rows = [{ id: 1, name: "x".repeat(30), email: "y".repeat(30) }];
  const lines = tableOf(rows, ["id", "name", "email"], 40).split("\n");
  expect(lines.slice(0, 2).map((line) => line.length)).toEqual([28, 40]);
  expect(lines[1]).toBe(`1   ${"x".repeat(16)}…  ${"y".repeat(16)}…`);
  const narrow = tableOf(rows, ["id", "name", "email"], 14);
  expect(narrow).toContain("Too wide for this terminal: email\n");
  expect(narrow.split("\n")[1]).toBe(`1   ${"x".repeat(9)}…`);
});
