import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type * as Amount from "./amount.ts";
import type * as Draw from "./draw.ts";

const CASES = Array.from({ length: 100 }, (_, at) => `case ${at}`);

beforeEach(() => vi.resetModules());
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  // The test files that follow in this process must load the run's own draw.
  vi.resetModules();
});

/** Loads both modules again, with these environment variables. */
async function load(env: Readonly<Record<string, string>> = {}): Promise<typeof Amount & typeof Draw> {
  for (const name of ["DRAW", "TOUCHED", "TEST_SHARE"]) vi.stubEnv(name, env[name]);
  return { ...(await import("./amount.ts")), ...(await import("./draw.ts")) };
}

test("a commit draws the same cases on any day", async () => {
  vi.useFakeTimers();
  vi.setSystemTime("2026-11-29");
  const first = await load({ TOUCHED: "" });
  const [draw, cases, seeds] = [first.draw(), first.drawCases(CASES, 5), first.seeds("some", 3, 90)];
  expect(draw).toMatch(/^[0-9a-f]{8}$/);
  vi.setSystemTime("2027-03-01");
  vi.resetModules();
  const later = await load({ TOUCHED: "" });
  expect([later.draw(), later.drawCases(CASES, 5), later.seeds("some", 3, 90)]).toEqual([draw, cases, seeds]);
});

test("several commits together draw all cases, each about equally often", async () => {
  const tried = new Set<string>();
  for (let draw = 0; draw < 20; draw++) {
    vi.resetModules();
    const { drawCases } = await load({ DRAW: draw.toString(16), TOUCHED: "" });
    const cases = drawCases(CASES, 5);
    expect(cases).toHaveLength(5);
    for (const one of cases) tried.add(one);
  }
  expect(tried.size).toBe(CASES.length);
});

test("pinned cases, and those that name a changed resource or document, are always tried", async () => {
  const { drawCases, namesIn } = await load({
    DRAW: "1",
    TOUCHED: "planned-courses plannedCourses enroll",
  });
  expect(
    namesIn(["src/resources/planning/planned-courses.ts", "docs/guides/enroll.md", "src/core/call/call.ts"]),
  ).toEqual(["planned-courses", "plannedCourses", "enroll", "enroll"]);
  const cases = [...CASES, "plannedCourses.create", "docs/guides/enroll.md", "cli/screens 80"];
  expect(drawCases(cases, 1)).toEqual(["case 1", ...cases.slice(CASES.length)]);
});

test("DRAW=all tries every case, and TEST_SHARE increases their number", async () => {
  const all = await load({ DRAW: "all", TOUCHED: "" });
  expect(all.drawCases(CASES, 5)).toEqual(CASES);
  vi.resetModules();
  const { drawCases, amount } = await load({ DRAW: "0", TOUCHED: "", TEST_SHARE: "0.1" });
  expect([amount(5, 100), drawCases(CASES, 5).length]).toEqual([15, 15]);
});

test("an invalid draw is refused", async () => {
  const { draw } = await load({ DRAW: "yesterday" });
  expect(draw).toThrow('DRAW is yesterday: it takes up to eight hex digits, or "all"');
});
