import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { type ListReport, mirror, type RepairReport, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, failing, recordsOf } from "./support/copies.js";

const HOUR = 3_600_000;

function start(resources: readonly ("accounts" | "enrollments" | "users")[] = ["accounts"], size = 50) {
  const sandbox = createSandbox({ size, now: "2030-01-01T00:00:00Z" });
  const client = new MainClient({ ...sandbox, pageSize: 20 });
  const reports: ListReport[] = [];
  const onReport = (report: ListReport) => void reports.push(report);
  return { sandbox, client, reports, ...copyOf(sandbox, client, { resources, onReport }) };
}

describe("the tail", () => {
  test("reads records added at the end with one request", async () => {
    const { sandbox, copy, records } = start();
    await copy.sync();
    sandbox.store.accounts.insert({ name: "New" });
    const before = sandbox.requests.length;
    expect(await copy.tail()).toEqual([{ list: "accounts", added: 1, changed: 0, requests: 1 }]);
    expect(sandbox.requests.length - before).toBe(1);
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  });

  test("continues if many were added, and remembers the new end", async () => {
    const { sandbox, copy } = start();
    await copy.sync();
    for (let more = 0; more < 45; more++) sandbox.store.accounts.insert();
    expect(await copy.tail()).toMatchObject([{ added: 45, requests: 3 }]);
    expect(await copy.tail()).toMatchObject([{ added: 0, requests: 1 }]);
  });

  test("is not used if identifiers did not ascend", async () => {
    const { sandbox, copy } = start();
    sandbox.store.accounts.insert({ id: 9_000 });
    sandbox.store.accounts.insert({ id: 8_000 });
    await copy.sync();
    const before = sandbox.requests.length;
    expect(await copy.tail()).toEqual([]);
    expect(sandbox.requests.length).toBe(before);
  });

  test("pauses until the next sweep if its cursor is refused", async () => {
    const { sandbox, copy } = start();
    await copy.sync();
    sandbox.faults.next({ operation: "accounts.list", status: 400, errors: { cursor: ["has expired"] } });
    expect(await copy.tail()).toMatchObject([{ added: 0 }]);
    expect(await copy.tail()).toEqual([]);
    await copy.sync();
    expect(await copy.tail()).toHaveLength(1);
  });
});

describe("run", () => {
  test("sweeps when a list is due, and sends at most 2 requests per list in an idle hour", async () => {
    const { sandbox, copy, reports, records } = start(["accounts", "enrollments", "users"]);
    const stop = new AbortController();
    const running = copy.run({ signal: stop.signal }).catch((error: unknown) => error);
    await sandbox.clock.advance(HOUR);
    expect(reports.map(({ list, complete }) => [list, complete])).toEqual([
      ["accounts", true],
      ["enrollments", true],
      ["users", true],
    ]);
    const before = sandbox.requests.length;
    await sandbox.clock.advance(HOUR);
    for (const list of ["accounts", "enrollments", "users"]) {
      const sent = sandbox.requests.slice(before).filter(({ operation }) => operation === `${list}.list`);
      expect(sent.length).toBeLessThanOrEqual(2);
    }
    sandbox.store.accounts.delete(7);
    sandbox.store.accounts.insert();
    await sandbox.clock.advance(5 * HOUR);
    expect(reports).toHaveLength(6);
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
    stop.abort(new Error("enough"));
    expect(await running).toEqual(new Error("enough"));
  });

  test("resumes a failed sweep after a minute, even after other failures, and reports the reason", async () => {
    const { sandbox, copy, reports } = start();
    sandbox.faults.next({ operation: "accounts.list", delayMs: 0 });
    sandbox.faults.next({ operation: "accounts.list", status: 403, times: 2 });
    const stop = new AbortController();
    const running = copy.run({ signal: stop.signal }).catch(() => undefined);
    await sandbox.clock.advance(HOUR);
    expect(reports[0]?.error?.name).toBe("PermissionDeniedError");
    expect(reports.at(-1)).toMatchObject({ complete: true, error: null });
    await sandbox.clock.advance(5 * HOUR - 30_000);
    const earlier = reports.length;
    sandbox.faults.next({ operation: "accounts.list", status: 403 });
    while (reports.length === earlier) await sandbox.clock.advance(5_000);
    expect(reports.at(-1)).toMatchObject({ complete: false });
    await sandbox.clock.advance(75_000);
    expect(reports.at(-1)).toMatchObject({ complete: true, error: null });
    stop.abort();
    await running;
  });

  test("of several processes, one sweeps", async () => {
    const { sandbox, client, copy, database, reports } = start();
    const other = mirror(client, sqlite(database), { resources: ["accounts"], clock: sandbox.clock, share: 1 });
    const stop = new AbortController();
    const both = [copy.run({ signal: stop.signal }), other.run({ signal: stop.signal })];
    await sandbox.clock.advance(HOUR / 3);
    expect(sandbox.requests.filter(({ operation }) => operation === "accounts.list")).toHaveLength(3);
    expect(reports.length).toBeLessThanOrEqual(1);
    stop.abort();
    await Promise.allSettled(both);
  });
});

test("freshness is the time at which the last complete sweep began", async () => {
  const { sandbox, copy } = start();
  expect(await copy.freshness("accounts")).toEqual({ asOf: null, ageMs: Number.POSITIVE_INFINITY, isFresh: false });
  await copy.sync();
  await sandbox.clock.advance(600_000);
  const { asOf, ageMs } = await copy.freshness("accounts");
  expect(asOf?.toISOString().slice(0, 19)).toBe("2030-01-01T00:00:00");
  expect(ageMs).toBeGreaterThan(599_000);
  expect((await copy.freshness("accounts", { atMost: "11m" })).isFresh).toBe(true);
  expect((await copy.freshness("accounts", { atMost: "9m" })).isFresh).toBe(false);
});

test("the mirror keeps to its share of the budget, and requests for events go first", async () => {
  const sandbox = createSandbox({ size: 2_100, now: "2030-01-01T00:00:00Z" });
  const client = new MainClient({ ...sandbox, pageSize: 10 });
  const { copy } = copyOf(sandbox, client, { resources: ["accounts"], share: 0.2 });
  const sync = copy.sync();
  await sandbox.clock.advance(299_900);
  expect(sandbox.requests).toHaveLength(100);
  const applied = copy.apply({ event: "account.updated", event_data: { id: 2_099 } });
  await sandbox.clock.advance(101);
  expect((await applied).outcome).toBe("written");
  await sandbox.clock.advance(299_900);
  expect(sandbox.requests).toHaveLength(200);
  await sandbox.clock.advance(HOUR);
  expect((await sync).complete).toBe(true);
});

test("the share is part of the client's own window", async () => {
  const sandbox = createSandbox({ size: 100, now: "2030-01-01T00:00:00Z", rateLimit: false });
  const rateLimit = { requests: 50, windowMs: 20_000 };
  const client = new MainClient({ ...sandbox, pageSize: 1, rateLimit });
  const { copy } = copyOf(sandbox, client, { resources: ["accounts"], share: 0.2 });
  const sync = copy.sync();
  await sandbox.clock.advance(10);
  expect(sandbox.requests).toHaveLength(10);
  await sandbox.clock.advance(20_000);
  expect(sandbox.requests).toHaveLength(20);
  await sandbox.clock.advance(160_000);
  expect((await sync).complete).toBe(true);
});

test("failed notifications are applied, each once", async () => {
  const { sandbox, copy, records } = start();
  await copy.sync();
  sandbox.store.accounts.update(7, { name: "Example Ltd" });
  sandbox.store.accounts.delete(8);
  const notification = (id: string, event: string, event_data: object) => ({
    id,
    event_id: id,
    webhook_id: "w1",
    status: "failed",
    created_at: "2030-01-01T00:00:00.000Z",
    data: { event, event_data },
  });
  const answer = () => {
    sandbox.faults.next({
      operation: "webhooks.list",
      body: [{ id: "w1", created_at: "2030-01-01T00:00:00.000Z", updated_at: "2030-01-01T00:00:00.000Z" }],
    });
    sandbox.faults.next({
      operation: "webhooks.listFailedNotifications",
      body: [
        notification("1", "account.updated", { id: 7 }),
        notification("2", "account.updated", { id: 7 }),
        notification("3", "account.deleted", { id: 8 }),
        { ...notification("4", "", {}), data: { something: "else" } },
      ],
    });
  };
  answer();
  expect(await copy.repair()).toMatchObject({
    available: true,
    failed: 4,
    repaired: 2,
    unreadable: 1,
    pending: 0,
    requests: 6,
    error: null,
  });
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  answer();
  expect(await copy.repair()).toMatchObject({ failed: 0, repaired: 0, requests: 2 });
});

function notificationsOf(sandbox: ReturnType<typeof start>["sandbox"], ...ids: readonly number[]) {
  sandbox.faults.next({
    operation: "webhooks.list",
    body: [{ id: "w1", created_at: "2030-01-01T00:00:00.000Z", updated_at: "2030-01-01T00:00:00.000Z" }],
  });
  sandbox.faults.next({
    operation: "webhooks.listFailedNotifications",
    body: ids.map((id) => ({
      id: `n${id}`,
      event_id: `n${id}`,
      webhook_id: "w1",
      status: "failed",
      created_at: new Date(sandbox.clock.now()).toISOString(),
      data: { event: "account.updated", event_data: { id } },
    })),
  });
}

test("an unreadable record does not prevent the repair of others, and is tried again", async () => {
  const { sandbox, copy, records } = start();
  await copy.sync();
  for (const id of [7, 8, 9]) sandbox.store.accounts.update(id, { name: `Changed ${id}` });
  notificationsOf(sandbox, 7, 8, 9);
  sandbox.faults.next({ operation: "accounts.get", delayMs: 0 });
  sandbox.faults.next({ operation: "accounts.get", status: 422 });
  const first = await copy.repair();
  expect(first).toMatchObject({ failed: 3, repaired: 2, pending: 1, error: { name: "UnprocessableEntityError" } });
  expect(records("accounts").get(9)).toMatchObject({ name: "Changed 9" });
  expect(records("accounts").get(8)).not.toMatchObject({ name: "Changed 8" });
  notificationsOf(sandbox, 7, 8, 9);
  expect(await copy.repair()).toMatchObject({ failed: 1, repaired: 1, pending: 0, error: null, requests: 3 });
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
});

test("repair counts every request, including those of a failed call", async () => {
  const sandbox = createSandbox({ size: 5, skipWaits: true });
  const { copy } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"] });
  await copy.sync();
  notificationsOf(sandbox, 3);
  sandbox.faults.next({ operation: "accounts.get", status: 503, count: 6 });
  const before = sandbox.requests.length;
  expect(await copy.repair()).toMatchObject({ repaired: 0, requests: 8 });
  expect(sandbox.requests.length - before).toBe(8);
});

test("repair first looks back three days, then to a day before the last repair, or to the oldest pending notification", async () => {
  const { sandbox, copy } = start();
  await copy.sync();
  const starts = () =>
    sandbox.requests
      .filter(({ operation }) => operation === "webhooks.listFailedNotifications")
      .map(({ query }) => Date.parse(query.find(([name]) => name === "start")?.[1] ?? ""));
  const times: number[] = [];
  const repair = async (fails: boolean, ...ids: number[]) => {
    times.push(sandbox.clock.now());
    notificationsOf(sandbox, ...ids);
    if (fails) sandbox.faults.next({ operation: "accounts.get", status: 422 });
    return copy.repair();
  };
  const day = 24 * HOUR;
  await repair(false, 3);
  await sandbox.clock.advance(HOUR);
  await repair(true, 4);
  await sandbox.clock.advance(2 * day);
  await repair(true, 4);
  await sandbox.clock.advance(5 * day);
  await repair(false);
  expect(starts().map((start, at) => start - (times[at] ?? 0))).toEqual([
    -3 * day,
    -day - HOUR,
    -2 * day - day,
    -3 * day,
  ]);
});

test("run reports its repairs and the reasons for failed ones", async () => {
  const { sandbox, client, database } = start();
  const repairs: RepairReport[] = [];
  const copy = mirror(client, sqlite(database), {
    resources: ["accounts"],
    clock: sandbox.clock,
    onRepair: (report) => void repairs.push(report),
  });
  sandbox.faults.next({ operation: "webhooks.list", status: 403 });
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch(() => undefined);
  await sandbox.clock.advance(HOUR / 3);
  expect(repairs).toMatchObject([
    { available: true, failed: 0, error: { name: "PermissionDeniedError" } },
    { available: true, failed: 0, error: null },
  ]);
  stop.abort();
  await running;
});

test("run continues after an outage of the database, and reports it", async () => {
  const { sandbox, client, database, records } = start();
  let isAway = true;
  const reports: ListReport[] = [];
  const connection = failing(database, () => isAway);
  const options = {
    clock: sandbox.clock,
    tail: "10m",
    onReport: (report: ListReport) => void reports.push(report),
  } as const;
  const copy = mirror(client, sqlite(connection), { resources: ["accounts", "users"], ...options });
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch((error: unknown) => error);
  const outages = async (minutes: number) => {
    isAway = true;
    reports.length = 0;
    await sandbox.clock.advance(minutes * 60_000);
    const told = reports.filter(({ list }) => list === "accounts");
    expect(told.filter(({ error }) => error?.message !== "the database is away")).toEqual([]);
    isAway = false;
    await sandbox.clock.advance(HOUR / 4);
    return told.length;
  };
  // The outage is reported at once, after 5, 15, 35 and 75 seconds, and then every minute.
  expect(await outages(30)).toBe(5 + 28);
  expect(reports.at(-1)).toMatchObject({ complete: true });
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  // The run is already working when this outage begins, so there is one report fewer.
  expect(await outages(30)).toBe(4 + 28);
  sandbox.store.accounts.insert({ name: "New" });
  await sandbox.clock.advance(HOUR);
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  stop.abort(new Error("enough"));
  expect(await running).toEqual(new Error("enough"));
});

test("invalid options are refused", () => {
  const { sandbox, client } = start();
  const database = sqlite(new DatabaseSync(":memory:"));
  const options: [object, string][] = [
    [{ share: 0 }, "share must be a number above 0 and at most 1"],
    [{ every: { default: "6 hours" } }, "every.default must be a whole number with a unit"],
    [{ resources: [] }, "resources must be an array of list names"],
    [{ resources: "all" }, 'resources must be an array of list names, or "flat"'],
    [{ keyName: "" }, "keyName must be a name"],
    [
      { resources: ["acounts"] },
      'this client has no list "acounts" whose records have identifiers; did you mean "accounts"?',
    ],
    [{ resources: ["accounts"], every: { users: "1h" } }, "every.users names a list that is not in resources"],
    [{ holdAbove: { rows: -1 } }, "holdAbove.rows must be a whole number of at least 0"],
    [{ holdabove: {} }, 'holdabove is unknown; did you mean "holdAbove"?'],
    [{ tail: "1M" }, "tail must be"],
  ];
  for (const [wrong, message] of options) expect(() => mirror(client, database, wrong)).toThrow(message);
  expect(() => sqlite({} as never)).toThrow("sqlite needs a connection with the method exec");
  expect(sandbox.requests).toHaveLength(0);
});

test("a database of another service is refused", async () => {
  const { copy, database } = start();
  await copy.sync();
  const other = createSandbox({ size: 5, now: "2030-01-01T00:00:00Z" });
  const wrong = mirror(new MainClient(other), sqlite(database), { resources: ["accounts"], clock: other.clock });
  await expect(wrong.sync()).rejects.toThrow("holds a copy of");
});

test("repair looks back three days again if the time of the last repair came from a fast clock", async () => {
  const { sandbox } = start();
  const { clock } = sandbox;
  const database = new DatabaseSync(":memory:");
  const copyAt = (aheadMs: number) => {
    const setTimeout = (callback: () => void, ms: number) => clock.setTimeout(callback, ms);
    const clearTimeout = (timer: unknown) => clock.clearTimeout(timer);
    const client = new MainClient({
      ...sandbox,
      clock: { now: () => clock.now() + aheadMs, setTimeout, clearTimeout },
    });
    return mirror(client, sqlite(database), { resources: ["accounts"] });
  };
  await copyAt(0).sync();
  for (const aheadMs of [9 * 24 * HOUR, 0]) {
    notificationsOf(sandbox, 3);
    await copyAt(aheadMs).repair();
  }
  const asked = sandbox.requests.filter(({ operation }) => operation === "webhooks.listFailedNotifications");
  const [, from = ""] = asked.at(-1)?.query.find(([name]) => name === "start") ?? [];
  expect(Date.parse(from) - clock.now()).toBe(-3 * 24 * HOUR);
});
