import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import type { ListReport, MirrorOptions } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

const HOUR = 3_600_000;
const LISTS = ["users", "authentications"] as const;

function start(size: number, refused: (user: number) => number | null, options: MirrorOptions<"users"> = {}) {
  const sandbox = createSandbox({ size, now: "2030-01-01T00:00:00Z" });
  const client = new MainClient({
    ...sandbox,
    retry: false,
    fetch: async (input, init) => {
      const [, user] = /\/users\/(\d+)\/authentications/.exec(input) ?? [];
      const status = user === undefined ? null : refused(Number(user));
      const response = await sandbox.fetch(input, init);
      return status === null ? response : Response.json({ message: "No" }, { status });
    },
  });
  const countRequests = (operation: string) =>
    sandbox.requests.filter((request) => request.operation === operation).length;
  return { sandbox, countRequests, ...copyOf(sandbox, client, { resources: LISTS, ...options }) };
}

const authenticationsReport = ({ lists }: { readonly lists: readonly ListReport[] }) =>
  lists.find(({ list }) => list === "authentications") as ListReport;

test.each([
  [403, "the key may not read authentications for 1 of the users"],
  [404, null],
])("a parent whose list fails with %i keeps the records below it, and the run continues", async (status, error) => {
  let isRefused = false;
  const { sandbox, copy, records, countRequests } = start(30, (user) => (isRefused && user === 12 ? status : null));
  expect((await sandbox.clock.during(() => copy.sync())).complete).toBe(true);
  isRefused = true;
  const [one, other] = [12, 13].map((user) => sandbox.store.authentications.filter(({ user_id }) => user_id === user));
  for (const { id } of other ?? []) sandbox.store.authentications.delete(id);
  const before = countRequests("authentications.listForUser");
  const report = authenticationsReport(await sandbox.clock.during(() => copy.sync()));
  expect(report.error?.message ?? null).toEqual(error === null ? null : expect.stringContaining(error));
  expect(report).toMatchObject({ complete: error === null, gone: other?.length });
  expect(one?.length).toBeGreaterThan(0);
  // Each parent's list is read once; a list that lacks known records is read three more times.
  expect(countRequests("authentications.listForUser") - before).toBe(30 + 3 * Number((other?.length ?? 0) > 0));
  expect(records("authentications")).toEqual(recordsOf(sandbox.store.authentications));
  isRefused = false;
  expect(authenticationsReport(await sandbox.clock.during(() => copy.sync()))).toMatchObject({
    complete: true,
    gone: 0,
    error: null,
  });
});

test("a key without the scope is refused 20 times instead of once per parent", async () => {
  const { sandbox, copy, countRequests, records } = start(100, () => 403);
  const { lists, complete } = await sandbox.clock.during(() => copy.sync());
  expect(complete).toBe(false);
  expect(lists.map(({ error }) => error?.name ?? null)).toEqual([null, "PermissionDeniedError"]);
  expect(countRequests("authentications.listForUser")).toBe(20);
  expect(records("users").size).toBe(100);
});

test("run retries refused lists less and less often", async () => {
  const reports: ListReport[] = [];
  const onReport = (report: ListReport) => void reports.push(report);
  const { sandbox, copy, countRequests } = start(100, () => 403, { onReport, repair: false });
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch(() => undefined);
  await sandbox.clock.advance(5 * HOUR);
  // The list is retried after 1, 3, 7, 15, 31, 63, 127 and 255 minutes.
  expect(reports.filter(({ error }) => error !== null)).toHaveLength(9);
  expect(countRequests("authentications.listForUser")).toBe(20 + 8);
  stop.abort();
  await running;
});

test("run sweeps lists below others only when nothing else is due, and not every hour", async () => {
  const reports: ListReport[] = [];
  const onReport = (report: ListReport) => void reports.push(report);
  const { sandbox, copy, countRequests, records } = start(120, () => null, { onReport, share: 0.04, repair: false });
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch(() => undefined);
  // At 20 requests in 5 minutes, reading the lists of 120 parents takes 30 minutes. The mirror also reads the end of
  // the list of users every 30 minutes, so the counted hour begins and ends between two of those reads.
  await sandbox.clock.advance(1.25 * HOUR);
  expect(reports.map(({ list, complete, read, requests }) => ({ list, complete, read, requests }))).toEqual([
    { list: "users", complete: true, read: 120, requests: 2 },
    { list: "authentications", complete: true, read: sandbox.store.authentications.count, requests: 120 },
  ]);
  expect(records("authentications")).toEqual(recordsOf(sandbox.store.authentications));
  const [users, lists] = [countRequests("users.list"), countRequests("authentications.listForUser")];
  await sandbox.clock.advance(HOUR);
  expect(countRequests("users.list") - users).toBe(2);
  expect(countRequests("authentications.listForUser")).toBe(lists);
  await sandbox.clock.advance(5.75 * HOUR);
  expect(reports).toHaveLength(4);
  stop.abort();
  await running;
});

test("a sweep below parents pauses while other lists are due", async () => {
  const { sandbox, copy, countRequests } = start(300, () => null, { share: 0.02, repair: false, tail: "10m" });
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch(() => undefined);
  // At 10 requests in 5 minutes, reading the lists of 300 parents takes two and a half hours.
  await sandbox.clock.advance(HOUR);
  expect(countRequests("users.list")).toBeGreaterThanOrEqual(3 + 4);
  sandbox.store.users.insert({ last_name: "Newest" });
  await sandbox.clock.advance(HOUR / 3);
  expect(countRequests("authentications.listForUser")).toBeLessThan(300);
  expect((await copy.freshness("authentications")).asOf).toBeNull();
  stop.abort();
  await running;
});

test("the mirror claims no freshness for a parent added after its list was read", async () => {
  const { sandbox, copy } = start(20, () => null);
  await sandbox.clock.during(() => copy.sync());
  const { asOf } = await copy.freshness("users");
  await sandbox.clock.advance(HOUR);
  await sandbox.clock.during(() => copy.sync({ resources: ["authentications"] }));
  expect((await copy.freshness("authentications")).asOf).toEqual(asOf);
});
