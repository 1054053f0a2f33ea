import { expect, test } from "vitest";
import { tableOf } from "../../../src/cli/tell/table.js";
import { allOperations } from "../../../src/operations.js";
import { allOf, parseCondition } from "../../../src/work/fields/condition.js";
import { type Joined, parsePath } from "../../../src/work/fields/path.js";
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

// Other values in place of those that cannot be compared show which records count, each once.
test.each([
  "custom.n<5 and custom.d<2026-06-01",
  "custom.n<5 or custom.d<2026-06-01",
  "custom.n<5 and (custom.d<2026-06-01 or status=open) and custom.n>=0",
  "(status=paid or custom.n>3) and custom.d>2026 and custom.d<2028",
  "custom.n!=9 and custom.d>=2026-06-01 or status=open and custom.n>100",
  "custom.d>2026-01 and custom.n<=2020",
])("%s tells exactly the records that it left out", (text) => {
  const find = (path: string) => parsePath(path, responseOf(path === "status" ? "invoices.list" : "accounts.list"));
  const holds = (record: object) => testerOf(parseCondition(text, find), { now: 0, zone: "UTC" }).holds(record);
  const [numbers, days] = [
    [1, "9", "1000"],
    ["2026-01-01", "2026-12-31", "2027-05-05", "2029-01-01"],
  ] as const;
  const all = (of: readonly unknown[], those: readonly unknown[]) =>
    of.flatMap((n) => those.flatMap((d) => ["open", "paid"].map((status) => ({ status, custom: { n, d } }))));
  const isIn = (known: readonly unknown[], one: unknown) => known.includes(one);
  let told = 0;
  for (const record of all([...numbers, "1.050,00", "PO-1455", true, null], [...days, "soon", "2026-02-30", " "])) {
    const { n, d } = record.custom;
    const others = all(isIn(numbers, n) ? [n] : numbers, isIn(days, d) ? [d] : days);
    const isMeant = others.some((other) => other.status === record.status && holds(other));
    const tester = testerOf(parseCondition(text, find), { now: 0, zone: "UTC" });
    const isTold = !tester.holds(record) && isMeant;
    const { matched_without_value: _, ...left } = tester.leftOut();
    expect([record, left]).toEqual([record, isTold ? { [String(Object.keys(left)[0])]: 1 } : {}]);
    told += Number(isTold);
  }
  expect(told).toBeGreaterThan(0);
});

test("an order comparison tells the values that are not numbers, by the reason", () => {
  const fees = ["PO-1455", "1.050,00", "vijf", "12", 9, null].map((fee) => ({ custom: { fee } }));
  expect(leftOut("custom.fee>10", ...fees)).toEqual({ count: 1, not_numbers: 3, missed_without_value: 1 });
  expect(leftOut("custom.fee>2026-01-01", ...fees)).toEqual({ count: 0, not_days: 5, missed_without_value: 1 });
  expect(leftOut("total_open>0", { total_open: "many" })).toEqual({ count: 0, not_numbers: 1 });
  // Two conditions on one value.
  const soon = { expiration_date: "soon" };
  expect(leftOut("expiration_date>2026 and expiration_date<2028", soon)).toEqual({ count: 0, not_days: 1 });
  expect(leftOut("expiration_date!=2026 and total_open>0", { ...soon, total_open: "many" })).toEqual({
    count: 0,
    not_numbers: 1,
  });
});

test("fields of a record that could not be read are unknown, and told as such", async () => {
  const orders = allOperations.find(({ id }) => id === "orders.list");
  const joined = new Map([["account", [responseOf("accounts.get")]]]) as Joined;
  const [unread, none, read] = [
    { status: "active", account_id: 7, account: null },
    { status: "active", account_id: null, account: null },
    { status: "active", account_id: 8, account: { name: "X", account_type: "company" } },
  ];
  const answer = (text: string) => {
    const condition = parseCondition(text, (path) => parsePath(path, orders?.response, joined));
    const tester = testerOf(condition, { now: 0, zone: "UTC" });
    const count = [unread, none, read].filter((record) => tester.holds(record)).length;
    return [count, tester.leftOut().unread_records];
  };
  for (const [text, count] of [
    ["account.name=X", 1],
    ["account.name!=X", 1],
    ["account.name=null", 1],
    ["account.name!=null", 1],
    ["account.label_ids>0 and account.label_ids<9", 0],
  ] as const)
    expect([text, ...answer(text)]).toEqual([text, count, { account: 1 }]);
  // The other comparison decides.
  expect(answer("account.name=X and status=denied")).toEqual([0, undefined]);
  expect(answer("account.name=X or status=active")).toEqual([3, undefined]);
  // A record that could not be read can still be found.
  expect(answer("account_id!=null and account=null")).toEqual([1, undefined]);
});

test("the facts are put into sentences", () => {
  const all = {
    matched_without_value: 1,
    missed_without_value: 4,
    not_days: 2,
    not_numbers: 3,
    unread_records: { account: 5 },
    unknown_value: ["x"],
    absent_field: ["a.b"],
  };
  expect(sentencesOf(all)).toHaveLength(7);
  expect(sentencesOf(all).join(" ")).toMatch(/1 .*4 .*2 .*3 .*5 .*account.*"x".*a\.b/);
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
