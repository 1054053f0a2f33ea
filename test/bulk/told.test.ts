import { expect, test } from "vitest";
import { told } from "../../src/bulk/node-plan-writer.js";
import { targetOf } from "../../src/bulk/target.js";
import { MainClient } from "../../src/index.js";

const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
const target = (name: "users" | "courses" | "labels") => targetOf(client[name], {}, undefined, "plan");
const counts = { create: 0, update: 0, delete: 0 };
const whole = (pages: number) => ({ tail: null, filter: null, pages });

test("changes and deletions take a request each, and the reading of their records", () => {
  // One by one.
  expect(told(target("users"), { ...counts, update: 2, delete: 1 }, null)).toBe(3 + 3);
  // A hundred with one request.
  expect(told(target("courses"), { ...counts, update: 99, delete: 2 }, null)).toBe(101 + 2);
});

test("creates take a request each, and what it takes to look for them", () => {
  const cost = (create: number, list: Parameters<typeof told>[2]) => told(target("users"), { ...counts, create }, list);
  expect(cost(0, whole(30))).toBe(0);
  // Once before the first and once after it.
  expect(cost(5, whole(3))).toBe(3 + 5 + 3);
  expect(cost(5, whole(0))).toBe(1 + 5 + 1);
  expect(cost(5, null)).toBe(1 + 5 + 1);
  expect(cost(5, { tail: "checkpoint", filter: null, pages: 30 })).toBe(2 + 5 + 2);
  // Each by its key, and the first again.
  expect(cost(5, { tail: null, filter: "email", pages: 1 })).toBe(5 + 5 + 1);
});
