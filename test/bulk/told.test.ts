import { expect, test } from "vitest";
import { countRequests } from "../../src/bulk/node-plan-writer.js";
import { targetOf } from "../../src/bulk/target.js";
import { MainClient } from "../../src/index.js";

const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
const target = (name: "users" | "courses" | "affiliations") => targetOf(client[name], {}, undefined, "plan");
const counts = { create: 0, update: 0, delete: 0 };
const whole = (pages: number) => ({ tail: null, filter: null, pages, records: 100 * pages });

test("changes and deletions take one request each, plus the reads of their records", () => {
  // Each record is read on its own before its update. The first record is read again after its update was sent, and
  // with the others after all updates were sent, together with one record that no row wrote.
  expect(countRequests(target("users"), { ...counts, update: 3 }, null)).toBe(3 + 3 + 1 + 4);
  // After 4, 8 and 16 updates, three records are read again, and one that no row wrote.
  expect(countRequests(target("users"), { ...counts, update: 17 }, whole(9))).toBe(17 + 17 + 1 + 9 + 3 * 4);
  expect(countRequests(target("courses"), { ...counts, update: 17 }, whole(9))).toBe(17 + 5 + 1 + 1 + 3);
  // In a long list, reading one page and another record on it proves that a record is gone.
  expect(countRequests(target("users"), { ...counts, delete: 3 }, whole(9))).toBe(3 + 3 + (1 + 2) + (3 + 2));
  expect(countRequests(target("users"), { ...counts, delete: 1 }, whole(1))).toBe(1 + 1 + 1);
  // One request reads the records of eight rows, the number that is written side by side.
  expect(countRequests(target("courses"), { ...counts, update: 99, delete: 2 }, null)).toBe(101 + 13 + 3);
  // The two pages of the whole list are read once for every sixteen rows.
  expect(countRequests(target("affiliations"), { ...counts, update: 40 }, whole(2))).toBe(40 + 6 + 5);
});

test("creates take one request each, plus the looks for them", () => {
  const cost = (create: number, list: Parameters<typeof countRequests>[2]) =>
    countRequests(target("users"), { ...counts, create }, list);
  expect(cost(0, whole(30))).toBe(0);
  // The list is read before the creates and again after them, then with one more page for every hundred rows; the first
  // record is read on its own, and the list after it.
  expect(cost(5, whole(3))).toBe(3 + 5 + 1 + 3 + 4);
  expect(cost(500, { ...whole(3), records: 250 })).toBe(3 + 500 + 1 + 3 + 8);
  expect(cost(5, whole(0))).toBe(1 + 5 + 1 + 1 + 1);
  expect(cost(5, null)).toBe(1 + 5 + 1 + 1 + 1);
  expect(cost(5, { tail: "checkpoint", filter: null, pages: 30, records: 2_950 })).toBe(2 + 5 + 1 + 2 + 2);
  expect(cost(200, { tail: "checkpoint", filter: null, pages: 30, records: 2_950 })).toBe(2 + 200 + 1 + 2 + 4);
  // Each row is looked up by its key before the creates and again after them.
  expect(cost(5, { tail: null, filter: "email", pages: 1, records: 0 })).toBe(5 + 5 + 1 + 1 + 5);
});
