import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import { changesOf } from "../../src/mirror/changes.js";
import { type Change, changes, consume, type MirrorDatabase, mirror, prune, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { copyOf, recordsOf } from "./support/copies.js";

async function start(resources: readonly ("accounts" | "credits")[] = ["accounts", "credits"]) {
  const sandbox = createSandbox({ size: 30, skipWaits: true });
  const made = copyOf(sandbox, new MainClient({ ...sandbox, retry: false }), { resources });
  await made.copy.sync();
  return { sandbox, feed: sqlite(made.database), ...made };
}

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const value of values) found.push(value);
  return found;
}

const last = async (feed: MirrorDatabase) => (await all(changes(feed))).at(-1)?.seq ?? 0;

describe("the feed without a client", () => {
  test("reads a read-only file and creates nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mirror-feed-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "copy.sqlite");
    const sandbox = createSandbox({ size: 30, skipWaits: true });
    const writer = new DatabaseSync(path);
    const options = { resources: ["accounts", "users"] as const, clock: sandbox.clock };
    const copy = mirror(new MainClient(sandbox), sqlite(writer), options);
    await copy.sync();
    sandbox.store.accounts.update(7, { name: "Example Ltd" });
    await copy.sync();
    const count = () => writer.prepare("SELECT count(*) AS objects FROM sqlite_master").get();
    const before = count();
    const reader = sqlite(new DatabaseSync(path, { readOnly: true }));
    expect(await all(changes(reader, { resources: ["accounts"] }))).toEqual(
      await all(copy.changes({ resources: ["accounts"] })),
    );
    expect((await all(changes(reader))).at(-1)).toMatchObject({ list: "accounts", kind: "changed", id: "7" });
    expect(count()).toEqual(before);
  });

  test("refuses a database without a copy, and an invalid option", async () => {
    await expect(all(changes(sqlite(new DatabaseSync(":memory:"))))).rejects.toThrow("holds no copy");
    await expect(prune(sqlite(new DatabaseSync(":memory:")), { before: 3 })).rejects.toThrow("holds no copy");
    await expect(consume(sqlite(new DatabaseSync(":memory:")), "letters", () => 0)).rejects.toThrow("holds no copy");
    const { feed } = await start();
    await expect(all(changes(feed, { resources: ["courses"] }))).rejects.toThrow('"courses"');
    for (const before of [0, -1, 1.5, "now", new Date("no date"), undefined]) {
      await expect(prune(feed, { before: before as never })).rejects.toThrow("before must be the number of a change");
    }
  });

  test("of a quiet list does not read other lists' changes again", async () => {
    const { sandbox, copy, feed, database } = await start();
    const asked: unknown[] = [];
    const watched: MirrorDatabase = {
      ...feed,
      read: (sql, values, signal) => {
        if (sql.includes("LEFT JOIN")) asked.push(values?.[0]);
        return feed.read(sql, values, signal);
      },
    };
    const bookmark = await last(feed);
    for (let round = 1; round <= 3; round++) {
      for (let id = 1; id <= 20; id++) sandbox.store.accounts.update(id, { name: `round ${round}` });
      await copy.sync();
    }
    const clock = new ManualClock();
    const following = changesOf(watched, clock, { resources: ["credits"], after: bookmark, follow: true });
    const first = following.next();
    await clock.advance(1_000);
    expect(asked).toEqual([bookmark, bookmark + 60]);
    sandbox.store.credits.delete(3);
    await copy.sync();
    const { value } = await clock.run(first);
    expect(value).toMatchObject({ list: "credits", kind: "gone", id: "3", seq: bookmark + 61 });
    await following.return();
    const plan = database
      .prepare(
        "EXPLAIN QUERY PLAN SELECT * FROM mirror_changes WHERE seq > 1 AND list IN ('credits') ORDER BY seq LIMIT 9",
      )
      .all();
    expect(JSON.stringify(plan)).toContain("mirror_changes_of_list");
  });

  test("does not end at a batch without changes of its lists", async () => {
    const { sandbox, copy, feed } = await start(["accounts"]);
    for (let round = 0; round < 15; round++) {
      for (let id = 1; id <= 30; id++) sandbox.store.accounts.update(id, { name: `round ${round}` });
      await copy.sync();
    }
    const found = await all(changes(feed));
    expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 30 + 15 * 30 }, (_, at) => at + 1));
  });
});

test("waits for a lagging replica that has taken over", async () => {
  const { sandbox, copy, feed } = await start(["accounts"]);
  const after = (await last(feed)) - 1;
  let lags = false;
  let asked = 0;
  const replica: MirrorDatabase = {
    ...feed,
    read: async (text, ...more) => {
      if (!lags || !text.startsWith("SELECT seq, mark")) return feed.read(text, ...more);
      lags = ++asked < 2;
      return [{ seq: after, mark: "lags" }] as never;
    },
  };
  const following = changesOf(replica, sandbox.clock, { after, follow: true });
  expect((await following.next()).value).toMatchObject({ seq: after + 1 });
  lags = true;
  sandbox.store.accounts.update(7, { name: "Later" });
  await copy.sync();
  expect((await following.next()).value).toMatchObject({ seq: after + 2, fields: expect.arrayContaining(["name"]) });
  expect(asked).toBe(2);
  await following.return();
});

describe("prune", () => {
  test("leaves no trace of a gone record after its row is deleted too", async () => {
    const { sandbox, copy, feed, database } = await start();
    const account = sandbox.store.accounts.insert({ name: "Erased Person" });
    await copy.sync();
    sandbox.store.accounts.update(account.id, { email: "erased@example.com" });
    await copy.sync();
    sandbox.store.accounts.delete(account.id);
    const { complete } = await copy.sync();
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const holding = () =>
      tables
        .map(({ name }) => String(name))
        .filter((name) => /erased/i.test(JSON.stringify(database.prepare(`SELECT * FROM "${name}"`).all())));
    expect([complete, holding()]).toEqual([true, ["mirror_changes", "accounts"]]);

    database.exec("DELETE FROM accounts WHERE gone_at IS NOT NULL");
    await prune(feed, { before: (await last(feed)) + 1 });
    expect(holding()).toEqual([]);
    expect((await copy.sync()).complete).toBe(true);
  });

  test("removes old changes; later ones still have both versions, and numbers continue", async () => {
    const { sandbox, copy, feed, database } = await start();
    for (const name of ["one", "two", "three"]) {
      sandbox.store.accounts.update(7, { name });
      await copy.sync();
    }
    sandbox.store.accounts.delete(8);
    await copy.sync();
    const whole = await all(changes(feed));
    const [two] = whole.filter(({ after }) => after?.name === "two");
    const before = two?.seq ?? 0;
    const removed = await prune(feed, { before });
    // Only one change is removed: the first version of account 7, which an earlier run had superseded. The last version
    // of every other account is kept.
    expect(removed).toBe(1);
    expect(await all(changes(feed, { after: before - 1 }))).toEqual(whole.slice(before - 1));
    await expect(all(changes(feed, { after: before - 2 }))).rejects.toThrow(`\`after\` must be at least ${before - 1}`);
    await expect(all(copy.changes())).rejects.toThrow("read the tables, then continue from");
    expect(await prune(feed, { before: 1_000_000 })).toBeGreaterThan(0);
    const newest = whole.at(-1)?.seq ?? 0;
    expect(await all(changes(feed, { after: newest }))).toEqual([]);
    // This bookmark is ahead of the feed, as if the copy had been lost and created again.
    await expect(all(changes(feed, { after: newest + 1 }))).rejects.toThrow(`\`after\` must be at most ${newest}`);
    sandbox.store.accounts.update(7, { name: "four" });
    await copy.sync();
    expect(await all(changes(feed, { after: newest }))).toMatchObject([
      { seq: newest + 1, kind: "changed", before: { name: "three" }, after: { name: "four" } },
    ]);
    const kept = database.prepare("SELECT count(*) AS rows FROM mirror_changes").get();
    expect(Number(kept?.rows)).toBeLessThan(whole.length);
  });

  test("accepts a time, and a reader behind it gets an error", async () => {
    const { sandbox, copy, feed } = await start(["accounts"]);
    await sandbox.clock.advance(86_400_000);
    const today = new Date(sandbox.clock.now());
    for (const name of ["one", "two"]) {
      sandbox.store.accounts.update(7, { name });
      await copy.sync();
    }
    expect(await prune(feed, { before: new Date(0) })).toBe(0);
    expect(await all(changes(feed))).toHaveLength(32);
    const reading = changes(feed);
    await reading.next();
    // No change may be removed that a consumer could still need.
    expect(await prune(feed, { before: today })).toBe(0);
    expect(await all(changes(feed))).toHaveLength(32);
    await sandbox.clock.advance(86_400_000);
    expect(await prune(feed, { before: new Date(sandbox.clock.now()) })).toBe(2);
    expect(await all(changes(feed, { after: 32 }))).toHaveLength(0);
    await expect(all(changes(feed, { after: 31 }))).rejects.toThrow("at least 32");
    await expect(reading.next()).resolves.toMatchObject({ value: { seq: 2 } });
  });
});

describe("prune by time, after a change that a wrong clock recorded", () => {
  const DAY = 86_400_000;

  async function changeWith(wrongBy: number) {
    const sandbox = createSandbox({ size: 30, skipWaits: true });
    let ahead = 0;
    const clock: Clock = {
      now: () => sandbox.clock.now() + ahead,
      steady: () => sandbox.clock.steady(),
      setTimeout: (callback, ms) => sandbox.clock.setTimeout(callback, ms),
      clearTimeout: (timer) => sandbox.clock.clearTimeout(timer),
    };
    const { copy, database } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"], clock });
    const change = async (name: string) => {
      await sandbox.clock.advance(3_600_000);
      sandbox.store.accounts.update(7, { name });
      await copy.sync();
    };
    await copy.sync();
    await sandbox.clock.advance(30 * DAY);
    await change("one");
    ahead = wrongBy;
    await change("two");
    ahead = 0;
    await change("three");
    const feed = sqlite(database);
    const daysAgo = (days: number) => new Date(sandbox.clock.now() - days * DAY);
    return { feed, change, newest: await last(feed), daysAgo };
  }

  test("keeps newer changes that precede one recorded by a slow clock", async () => {
    const { feed, newest, daysAgo } = await changeWith(-3_650 * DAY);
    await prune(feed, { before: daysAgo(7) });
    expect(await all(changes(feed, { after: newest - 3 }))).toHaveLength(3);
  });

  test("treats a change recorded by a fast clock as being as old as the next change", async () => {
    const { feed, change, newest, daysAgo } = await changeWith(3_650 * DAY);
    await prune(feed, { before: daysAgo(7) });
    expect(await all(changes(feed, { after: newest - 3 }))).toHaveLength(3);
    await change("four");
    // The times of "one" and "three"; the time of "two" appears to be ten years in the future.
    await prune(feed, { before: new Date(daysAgo(0).getTime() - 2.5 * 3_600_000) });
    expect(await all(changes(feed, { after: newest - 2 }))).toHaveLength(3);
    expect(await prune(feed, { before: new Date(daysAgo(0).getTime() - 1_800_000) })).toBe(2);
    expect(await all(changes(feed, { after: newest }))).toHaveLength(1);
  });
});

describe("at", () => {
  test("returns a list as it was at a time, before and after the feed was pruned", async () => {
    const { sandbox, copy, feed } = await start();
    const was: [Date, Map<number | string, unknown>][] = [];
    for (let round = 1; round <= 8; round++) {
      await sandbox.clock.advance(60_000);
      const record = sandbox.store.accounts.get(round);
      sandbox.store.accounts.update(10 + (round % 3), { name: `round ${round}` });
      sandbox.store.accounts.delete(round);
      if (round % 2) sandbox.store.accounts.insert({ name: `new ${round}` });
      await copy.sync();
      was.push([new Date(sandbox.clock.now()), recordsOf(sandbox.store.accounts)]);
      if (round === 3) sandbox.store.accounts.insert(record);
      await sandbox.clock.advance(60_000);
    }
    const check = async ([time, expected]: (typeof was)[number]) =>
      expect(recordsOf((await all(copy.at(time, "accounts"))) as never)).toEqual(expected);
    for (const each of was) await check(each);
    const [fifth] = was[4] ?? [];
    expect(await prune(feed, { before: fifth as Date })).toBeGreaterThan(0);
    for (const each of was.slice(4)) await check(each);
    await expect(all(copy.at(was[0]?.[0] as Date, "accounts"))).rejects.toThrow("the feed begins at that time");
    expect(recordsOf((await all(copy.at(fifth as Date, "credits"))) as never)).toEqual(
      recordsOf(sandbox.store.credits),
    );
  });

  test("refuses a list that is not copied, a copy without history, and a time before the first copy", async () => {
    const { sandbox, copy } = await start(["accounts"]);
    expect(() => copy.at(new Date(), "credits" as never)).toThrow('"credits"');
    await expect(all(copy.at(new Date(0), "accounts"))).rejects.toThrow("the feed begins at that time");
    await expect(all(copy.at(new Date("no date"), "accounts"))).rejects.toThrow("time must be a Date");
    const without = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"], history: false });
    expect(() => without.copy.at(new Date(), "accounts")).toThrow("keeps no history");
  });
});

test("a driver that returns BigInts produces the same copy and the same feed", async () => {
  const sandbox = createSandbox({ size: 30, skipWaits: true });
  const connections = [
    new Database(":memory:").defaultSafeIntegers(),
    new DatabaseSync(":memory:", { readBigInts: true }),
  ];
  for (const connection of connections) {
    const database = sqlite(connection);
    const client = new MainClient({ ...sandbox, retry: false });
    const copy = mirror(client, database, { resources: ["accounts"], clock: sandbox.clock, share: 1 });
    await copy.sync();
    const account = sandbox.store.accounts.get(7);
    sandbox.store.accounts.delete(7);
    expect((await copy.sync()).lists).toMatchObject([{ gone: 1, complete: true, error: null }]);
    const found: Change[] = await all(changes(database, { after: 30 }));
    expect(found).toMatchObject([{ seq: 31, kind: "gone", id: "7", before: account }]);
    sandbox.store.accounts.insert(account);
  }
});
