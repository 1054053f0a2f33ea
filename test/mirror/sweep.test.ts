import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { AdminClient, MainClient } from "../../src/index.js";
import { mirror, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

describe("a first sweep", () => {
  test("copies every list with one request per 100 records, and lists below others last, with one request per parent", async () => {
    const sandbox = createSandbox({ size: 120, skipWaits: true });
    const client = new MainClient(sandbox);
    const { copy, records } = copyOf(sandbox, client);
    const report = await copy.sync();
    expect(report.lists.filter(({ complete }) => !complete)).toEqual([]);
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
    expect(records("enrollments")).toEqual(recordsOf(sandbox.store.enrollments));
    const below = ["authentications", "customRecords", "payments"];
    expect(report.lists.slice(-3).map(({ list }) => list)).toEqual(below);
    expect(records("payments")).toEqual(recordsOf(sandbox.store.payments));
    const pages = (count: number) => Math.max(1, Math.ceil(count / 100));
    const flat = report.lists.slice(0, -3).reduce((sum, { read }) => sum + pages(read), 0);
    const { users, invoices, customObjects, customRecords } = sandbox.store;
    const objects = [...customObjects].map(
      ({ slug }) => customRecords.filter((record) => record.object_slug === slug).length,
    );
    const parents = users.count + invoices.count + objects.reduce((sum, count) => sum + pages(count), 0);
    expect(report.requests).toBe(flat + parents);
    expect(sandbox.requests.length).toBe(flat + parents);
  });

  test("leaves out lists below others if the caller names only flat ones", async () => {
    const sandbox = createSandbox({ size: 20, skipWaits: true });
    const { copy } = copyOf(sandbox, new MainClient(sandbox), { resources: "flat" });
    const { lists, requests, complete } = await copy.sync();
    expect(complete).toBe(true);
    expect(lists.map(({ list }) => list)).not.toContain("payments");
    expect(requests).toBe(lists.reduce((sum, { read }) => sum + Math.max(1, Math.ceil(read / 100)), 0));
  });

  test("waits for its share of the budget on the client's clock, so that a sandbox can skip the wait", async () => {
    const sandbox = createSandbox({ size: 50, skipWaits: true, now: "2030-01-01T00:00:00Z" });
    const rateLimit = { ...sandbox.rateLimit, requests: 10 };
    const client = new MainClient({ ...sandbox, pageSize: 10, rateLimit });
    const copy = mirror(client, sqlite(new DatabaseSync(":memory:")), { resources: ["accounts"], share: 0.2 });
    expect((await copy.sync()).complete).toBe(true);
    const begun = Date.parse("2030-01-01T00:00:00Z");
    const minutes = sandbox.requests.map(({ at }) => Math.floor((at - begun) / 60_000));
    expect(minutes).toEqual([0, 2, 5, 7, 10]);
    const { asOf, ageMs } = await copy.freshness("accounts");
    expect([asOf?.toISOString().slice(0, 10), ageMs]).toEqual(["2030-01-01", sandbox.clock.now() - Number(asOf)]);
  });

  test("keeps the later version of a record that a page contains twice", async () => {
    const sandbox = createSandbox({ size: 3 });
    const record = { ...sandbox.store.accounts.get(1), updated_at: "2025-01-02T00:00:00Z" };
    const other = (name: string, day: string | null) => ({
      ...record,
      name,
      updated_at: day && `2025-01-${day}T00:00:00Z`,
    });
    for (const [last, kept] of [
      ["01", "A"],
      ["02", "B"],
      ["03", "B"],
      [null, "A"],
    ] as const) {
      const { copy, records } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"] });
      sandbox.faults.next({ operation: "accounts.list", body: [other("A", "02"), other("B", last)] });
      await copy.sync();
      expect(records("accounts").get(1)).toMatchObject({ name: kept });
    }
  });

  test("copies the lists of the Admin API", async () => {
    const sandbox = createSandbox({ size: 20, skipWaits: true });
    const { copy } = copyOf(sandbox, new AdminClient(sandbox));
    const report = await copy.sync();
    expect(report.lists.filter(({ complete }) => !complete)).toEqual([]);
    expect(report.lists.map(({ list }) => list)).toContain("departments");
    expect(report.lists.map(({ list }) => list)).toContain("organization.contacts");
  });
});

test("a sweep by a fast clock proves no freshness, delays no other sweep and keeps no list", async () => {
  const sandbox = createSandbox({ size: 3, skipWaits: true });
  const client = new MainClient(sandbox);
  const ahead = {
    now: () => sandbox.clock.now() + 86_400_000,
    setTimeout: (callback: () => void, ms: number) => sandbox.clock.setTimeout(callback, ms),
    clearTimeout: (handle: unknown) => sandbox.clock.clearTimeout(handle),
  };
  const wrong = copyOf(sandbox, client, { resources: ["accounts"], clock: ahead });
  await wrong.copy.sync();
  // Imitates a process that was killed while it owned the list.
  wrong.database.exec(`UPDATE mirror_lists SET owner = 'another', owned_until = ${ahead.now() + 900_000}`);
  const { copy, records } = copyOf(sandbox, client, { resources: ["accounts"] }, wrong.database);
  expect(await copy.freshness("accounts", { atMost: "5m" })).toMatchObject({ ageMs: Infinity, isFresh: false });
  sandbox.store.accounts.update(1, { name: "Changed" });
  const stop = new AbortController();
  const running = copy.run({ signal: stop.signal }).catch(() => undefined);
  await sandbox.clock.advance(60_000);
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  expect(await copy.freshness("accounts", { atMost: "5m" })).toMatchObject({ isFresh: true });
  stop.abort();
  await running;
});

test("a value that does not fit its column is null there but stays in the record, and the report names its field", async () => {
  const sandbox = createSandbox({ size: 3, skipWaits: true });
  sandbox.store.accounts.update(1, { phone: null, email: undefined } as object);
  sandbox.faults.next({ operation: "accounts.list", drift: "type" });
  const { copy, database, records } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts", "users"] });
  const { lists } = await copy.sync();
  expect(lists.map(({ list, unfit }) => [list, unfit])).toEqual([
    ["accounts", ["name"]],
    ["users", []],
  ]);
  expect(database.prepare("SELECT DISTINCT name FROM accounts").all()).toEqual([{ name: null }]);
  expect(records("accounts").get(1)).toMatchObject({ name: expect.not.stringContaining("") });
});

test("a record restored to an older version is reported, and copied after its newer version has been absent for ten minutes", async () => {
  const sandbox = createSandbox({ size: 3, skipWaits: true });
  const { accounts } = sandbox.store;
  const { copy, records } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"] });
  await copy.sync();
  const { name, updated_at } = accounts.get(1) ?? {};
  await sandbox.clock.advance(60_000);
  accounts.update(1, { name: "Newer" });
  await copy.sync();
  accounts.update(1, { name, updated_at } as object);
  const [list] = (await copy.sync()).lists;
  expect(list).toMatchObject({ complete: false, older: 1, unfit: [] });
  expect(records("accounts").get(1)).toMatchObject({ name: "Newer" });
  await sandbox.clock.advance(600_000);
  expect((await copy.sync()).lists[0]).toMatchObject({ complete: true, older: 0, changed: 1 });
  expect(records("accounts")).toEqual(recordsOf(accounts));
});
