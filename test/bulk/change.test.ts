import { expect, test } from "vitest";
import { apply, type BulkRow, change, later, plan, rowsOf, run, undo } from "../../src/bulk/node.js";
import { isSameStep } from "../../src/bulk/node-repeats.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { testFolder } from "./support/folder.js";

const ZONE = "Europe/Amsterdam";
const DAY_MS = 86_400_000;

/** A school, the meetings of one of its planned courses, and clients that die in a write. */
function school() {
  const sandbox = createSandbox({ size: "medium", skipWaits: true, rateLimit: false });
  const { meetings } = sandbox.store;
  const by = Map.groupBy([...meetings], ({ planned_course_id }) => planned_course_id);
  const [course = 0, before = []] = [...by].find(([, list]) => list.length >= 3) ?? [];
  const moved = () =>
    before.map(
      ({ id, start_date_time }) =>
        (Date.parse(meetings.get(id)?.start_date_time ?? "") - Date.parse(start_date_time)) / DAY_MS,
    );
  const dying = (write: number) => {
    let left = write;
    const dead = new AbortController();
    const fetch: typeof sandbox.fetch = async (input, init) => {
      const response = await sandbox.fetch(input, init);
      if (init?.method === "PUT" && --left === 0) {
        dead.abort(new Error("killed"));
        throw new Error("killed");
      }
      return response;
    };
    const { baseUrl, apiKey, clock } = sandbox;
    return {
      client: new MainClient({ baseUrl, apiKey, clock, fetch, retry: { limit: 0 }, rateLimit: false } as never),
      signal: dead.signal,
    };
  };
  return { sandbox, client: new MainClient(sandbox), meetings, course, before, moved, dying };
}

async function rowsIn(path: string): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(path)) rows.push(row);
  return rows;
}

const twoWeeks = change((meeting: { start_date_time: string; end_date_time: string }, zone) => ({
  start_date_time: later(meeting.start_date_time, { days: 14 }, zone),
  end_date_time: later(meeting.end_date_time, { weeks: 2 }, zone),
}));

test.each([1, 2, 3])("a change that dies in write %i and is started again moves each record once", async (write) => {
  const to = testFolder()("move.plan");
  const { client, course, moved, dying } = school();
  const where = `planned_course_id=${course}`;
  const { client: dead, signal } = dying(write);
  await expect(run(dead.meetings, twoWeeks, { to, where, signal })).rejects.toThrow();
  const report = await run(client.meetings, twoWeeks, { to, where });
  expect(report).toMatchObject({ complete: true, joined: [] });
  expect(moved().map(Math.round)).toEqual(moved().map(() => 14));
  await expect(run(client.meetings, twoWeeks, { to, where })).rejects.toThrow(/move\.plan was carried out/);
  await expect(plan(client.meetings, twoWeeks, { to, where })).rejects.toMatchObject({ reason: "carried_out" });
  expect((await run(client.meetings, twoWeeks, { to, where, again: true })).complete).toBe(true);
  expect(moved().map(Math.round)).toEqual(moved().map(() => 28));
});

test("a record that leaves the condition before its write is stale, and one that joins is named", async () => {
  const to = testFolder()("move.plan");
  const { client, meetings, course, before, moved } = school();
  const other = [...meetings].find(({ planned_course_id }) => planned_course_id !== course)?.id ?? 0;
  await plan(client.meetings, twoWeeks, { to, where: `planned_course_id=${course}` });
  const [first] = before;
  const elsewhere = meetings.get(other)?.planned_course_id ?? 0;
  meetings.update(first?.id ?? 0, { planned_course_id: elsewhere });
  meetings.update(other, { planned_course_id: course });
  const report = await apply(client, to);
  expect(report).toMatchObject({ stale: 1, updated: before.length - 1, joined: [other], complete: false });
  expect(moved()[0]).toBe(0);
  const stale = (await rowsIn(to)).find(({ outcome }) => outcome === "stale");
  expect(stale?.why[0]?.message).toMatch(/no longer meets the condition/);
});

test("what the function returns decides: null clears, nothing leaves, an exception refuses, undo goes back", async () => {
  const at = testFolder();
  const { client, meetings, course, before } = school();
  const [first, second, third] = before.map(({ id }) => id);
  for (const { id } of before) meetings.update(id, { description: "old" });
  const report = await run(
    client.meetings,
    change((meeting) => {
      if (meeting.id === second) return null;
      if (meeting.id === third) throw new Error("not this one");
      return { description: null };
    }),
    { to: at("a.plan"), where: `planned_course_id=${course}` },
  );
  expect(report).toMatchObject({ refused: 1, unchanged: 1, updated: before.length - 2 });
  expect([first, second, third].map((id) => meetings.get(id ?? 0)?.description)).toEqual([null, "old", "old"]);
  const rows = await rowsIn(report.plan);
  expect(rows.find(({ outcome }) => outcome === "refused")?.why[0]?.message).toBe("not this one");
  await undo(report.plan, { to: at("back.plan") });
  await apply(client, at("back.plan"));
  expect(meetings.get(first ?? 0)?.description).toBe("old");
});

test("options that name rows are refused before anything is sent", async () => {
  const { client, sandbox } = school();
  const options = { to: "never.plan", key: "id" } as never;
  await expect(run(client.meetings, twoWeeks, options)).rejects.toThrow(/key cannot be used with a change/);
  await expect(run(client.meetings, twoWeeks, { to: "never.plan", where: "nothing=1" })).rejects.toThrow(/nothing/);
  expect(sandbox.requests).toHaveLength(0);
});

test("rows computed from what they change are refused for twelve hours after an interruption", async () => {
  const to = testFolder()("move.plan");
  const { client, moved, dying, course, sandbox } = school();
  const rows = async () =>
    (await client.meetings.list({ planned_course_id: course }).toArray()).map((one) => ({
      id: one.id,
      start_date_time: later(one.start_date_time, { days: 14 }, ZONE),
      end_date_time: later(one.end_date_time, { days: 14 }, ZONE),
    }));
  const { client: dead, signal } = dying(2);
  await expect(run(dead.meetings, await rows(), { to, key: "id", signal })).rejects.toThrow();
  // A supervisor starts the program until it succeeds.
  for (let start = 0; start < 3; start++) {
    const report = await run(client.meetings, await rows(), { to, key: "id" });
    expect(report.complete).toBe(false);
    expect(report.refused).toBeGreaterThan(0);
    expect(moved().map(Math.round)).toEqual(moved().map(() => 14));
  }
  sandbox.clock.advance(13 * 3_600_000);
  expect((await run(client.meetings, await rows(), { to, key: "id" })).complete).toBe(true);
  expect(moved().map(Math.round)).toEqual(moved().map(() => 28));
});

test.each([
  [["2026-01-01", "2026-01-15"], ["2026-01-15", "2026-01-29"], true],
  [["2026-01-01T10:00:00Z", "2026-01-02T10:00:00.000Z"], ["2026-01-02T10:00:00Z", "2026-01-03T10:00:00Z"], true],
  [["2026-01-01", "2026-01-15"], ["2026-01-15", "2026-01-30"], false],
  [["2030-03-11T18:00:00Z", "2030-03-25T18:00:00Z"], ["2030-03-25T18:00:00Z", "2030-04-08T17:00:00Z"], true],
  [["2026-01-28", "2026-02-28"], ["2026-02-28", "2026-03-28"], true],
  [["99.99", "109.99"], ["109.99", "120.99"], true],
  [["99.99", "109.99"], ["109.99", "125.00"], false],
  [[10, 12], [12, 14], true],
  [["Dance", "New: Dance"], ["New: Dance", "New: New: Dance"], true],
  [["aq", "abaq"], ["abaq", "ababaq"], true],
  [["Dance", "Jazz"], ["Jazz", "Ballet"], false],
  [["a", "b"], ["b", "b"], false],
  [[null, "x"], ["x", "xx"], false],
] as const)("%o, then %o: the same step is %s", (one, other, expected) => {
  expect(isSameStep(one, other)).toBe(expected);
});

test.each([
  ["2030-03-25T18:00:00Z", { weeks: 1 }, "2030-04-01T17:00:00.000Z"],
  ["2030-10-21T17:00:00+00:00", { weeks: 1 }, "2030-10-28T18:00:00.000Z"],
  ["2030-10-28T18:00:00.250Z", { weeks: -1 }, "2030-10-21T17:00:00.250Z"],
  ["2030-01-31", { days: 1 }, "2030-02-01"],
  ["2030-12-15", { months: 2, days: -1 }, "2031-02-14"],
] as const)("later(%s, %o) is %s", (at, by, expected) => {
  expect(later(at, by, ZONE)).toBe(expected);
});

test.each([
  ["2030-03-24T01:30:00Z", { weeks: 1 }, /2030-03-31 02:30:00.*does not exist/],
  ["2030-10-20T00:30:00Z", { weeks: 1 }, /occurs twice/],
  ["2030-01-31", { months: 1 }, /2030-02-31 does not exist/],
  ["tomorrow", { days: 1 }, /takes a day/],
  ["2030-01-31", { days: 0.5 }, /whole numbers/],
] as const)("later(%s, %o) is refused", (at, by, why) => {
  expect(() => later(at, by, ZONE)).toThrow(why);
});
