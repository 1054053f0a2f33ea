import { EventEmitter } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MainClient } from "../../src/index.js";
import { type FeedWait, type ListReport, type Mirror, mirror, postgres, sqlite } from "../../src/mirror/index.js";
import { awaitDatabase, isOutage } from "../../src/mirror/outage.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failing, recordsOf } from "./support/copies.js";

const MINUTE = 60_000;
const OUTAGE_MS = 1_500;

/**
 * A mirror of 60 accounts on 3 pages. Its database goes down before the responses to the requests for accounts that
 * `awayBefore` selects.
 */
function start(awayBefore: (page: number) => boolean, outageMs = OUTAGE_MS) {
  const sandbox = createSandbox({ size: 60, now: "2030-01-01T00:00:00Z" });
  const database = new DatabaseSync(":memory:");
  let isAway = false;
  let pages = 0;
  const fetch: typeof sandbox.fetch = (input, init) => {
    if (new URL(String(input)).pathname.endsWith("/accounts") && awayBefore(++pages)) {
      isAway = true;
      sandbox.clock.setTimeout(() => {
        isAway = false;
      }, outageMs);
    }
    return sandbox.fetch(input, init);
  };
  const client = new MainClient({ ...sandbox, fetch, pageSize: 20 });
  const connection = failing(database, () => isAway);
  const reports: ListReport[] = [];
  const make = (resources: readonly ("accounts" | "users")[] = ["accounts"]) =>
    mirror(client, sqlite(connection), {
      resources,
      clock: sandbox.clock,
      share: 1,
      onReport: (report) => void reports.push(report),
    });
  const run = (copy: Mirror<"accounts">) => {
    const stop = new AbortController();
    const running = copy.run({ signal: stop.signal }).catch(() => undefined);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
  };
  const records = () =>
    new Map(
      database
        .prepare("SELECT id, record FROM current_accounts ORDER BY id")
        .all()
        .map(({ id, record }) => [id as number, JSON.parse(record as string) as unknown]),
    );
  return { sandbox, reports, make, run, records, pages: () => pages };
}

describe("a database that is down for a second and a half in the middle of a sweep", () => {
  test.each([1, 2, 3])("delays the list by seconds and is reported, before page %i", async (page) => {
    const { sandbox, reports, make, run, records, pages } = start((at) => at === page);
    run(make());
    await sandbox.clock.advance(MINUTE / 2);
    expect(reports.map(({ complete, error }) => error?.message ?? complete)).toEqual(["the database is away", true]);
    expect(records()).toEqual(recordsOf(sandbox.store.accounts));
    // Proves that only the page that could not be stored was read again.
    expect(pages()).toBe(4);
  });

  test("also delays the tail of the list by seconds", async () => {
    const { sandbox, reports, make, run, records } = start((at) => at === 4);
    run(make());
    await sandbox.clock.advance(29 * MINUTE);
    sandbox.store.accounts.insert({ name: "New" });
    await sandbox.clock.advance(2 * MINUTE);
    expect(reports.map(({ complete, error }) => error?.message ?? complete)).toEqual([true, "the database is away"]);
    expect(records()).toEqual(recordsOf(sandbox.store.accounts));
  });

  test("does not delay another process for a list that `sync` has abandoned", async () => {
    const { sandbox, reports, make, run, records } = start((at) => at === 2);
    const synced = make().sync();
    await sandbox.clock.advance(MINUTE / 2);
    expect((await synced).lists).toMatchObject([{ complete: false, error: { message: "the database is away" } }]);
    run(make());
    await sandbox.clock.advance(1_000);
    expect(reports).toMatchObject([{ complete: true, busyUntil: null }]);
    expect(records()).toEqual(recordsOf(sandbox.store.accounts));
  });
});

test("after a long outage all lists continue as soon as one of them could be stored", async () => {
  const { sandbox, reports, make, run } = start((at) => at === 2, 10 * MINUTE);
  run(make(["accounts", "users"]) as Mirror<"accounts">);
  await sandbox.clock.advance(10 * MINUTE);
  expect(new Set(reports.map(({ list, error }) => `${list}: ${error?.message}`))).toEqual(
    new Set(["accounts: the database is away", "users: the database is away"]),
  );
  reports.length = 0;
  await sandbox.clock.advance(MINUTE + 5_000);
  expect(reports.filter(({ complete }) => complete).map(({ list }) => list)).toEqual(
    expect.arrayContaining(["accounts", "users"]),
  );
});

test("a list that another process sweeps is reported once, with the time of the takeover", async () => {
  const { sandbox, reports, make, run } = start(() => false);
  const stop = new AbortController();
  const never = new Promise<never>((_, reject) =>
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason)),
  );
  const database = new DatabaseSync(":memory:");
  const options = { resources: ["accounts"], clock: sandbox.clock, share: 1 } as const;
  const client = new MainClient({ ...sandbox, fetch: () => never, retry: false, timeout: 60 * MINUTE });
  const first = mirror(client, sqlite(database), options).sync({ signal: stop.signal });
  await sandbox.clock.advance(10);
  const began = sandbox.clock.now();
  const onReport = (report: ListReport) => void reports.push(report);
  run(mirror(new MainClient(sandbox), sqlite(database), { ...options, onReport }) as ReturnType<typeof make>);
  await sandbox.clock.advance(14 * MINUTE);
  expect(reports).toMatchObject([{ list: "accounts", complete: false, error: null }]);
  const until = reports[0]?.busyUntil?.getTime() ?? 0;
  expect(until).toBeGreaterThan(began + 14 * MINUTE);
  await sandbox.clock.advance(2 * MINUTE);
  expect(reports.at(-1)).toMatchObject({ complete: true, busyUntil: null });
  stop.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
});

describe("a follower whose database goes down", () => {
  test("reports why it waits, and delivers every change once after the database is back", async () => {
    const sandbox = createSandbox({ size: 60, now: "2030-01-01T00:00:00Z" });
    const database = new DatabaseSync(":memory:");
    let fails: (statement: number) => boolean = () => false;
    let statements = 0;
    const waits: FeedWait[] = [];
    const options = { resources: ["accounts"], clock: sandbox.clock, share: 1 } as const;
    const client = new MainClient(sandbox);
    const writer = mirror(client, sqlite(database), options);
    const reader = mirror(client, sqlite(failing(database, () => fails(++statements))), options);
    await writer.sync();
    const stop = new AbortController();
    const seen: string[] = [];
    const following = (async () => {
      const onWait = (waiting: FeedWait) => void waits.push(waiting);
      for await (const { seq, kind, after } of reader.changes({ follow: true, onWait, signal: stop.signal }))
        seen.push(`${seq} ${kind} ${String((after as { readonly name?: unknown } | null)?.name)}`);
    })().catch((error: unknown) => error);
    await sandbox.clock.advance(2_000);
    expect(seen).toHaveLength(60);

    fails = () => true;
    const away = sandbox.clock.now();
    const expected: string[] = [];
    for (let change = 1; change <= 5; change++) {
      sandbox.store.accounts.update(change, { name: `Name ${change}` });
      await writer.sync();
      expected.push(`${60 + change} changed Name ${change}`);
    }
    await sandbox.clock.advance(10 * MINUTE);
    expect(waits.map(({ error }) => error.message)).toEqual(waits.map(() => "the database is away"));
    const pauses = waits.map(({ until }, at) => (until?.getTime() ?? 0) - (waits[at - 1]?.until?.getTime() ?? away));
    expect(pauses.slice(1)).toEqual(pauses.slice(1).map((_, at) => Math.min(10_000 * 2 ** at, MINUTE)));
    expect(waits.length).toBeGreaterThan(10);

    // The database comes back, but for a while every third statement fails.
    fails = () => statements % 3 === 0;
    await sandbox.clock.advance(10 * MINUTE);
    fails = () => false;
    await sandbox.clock.advance(2 * MINUTE);
    expect(seen.slice(60)).toEqual(expected);
    const before = waits.length;
    await sandbox.clock.advance(MINUTE);
    expect(waits).toHaveLength(before);
    stop.abort(new Error("enough"));
    expect(await following).toMatchObject({ message: "enough" });
  });

  test("waits for a database that is down at its start", async () => {
    const sandbox = createSandbox({ size: 3, now: "2030-01-01T00:00:00Z" });
    const database = new DatabaseSync(":memory:");
    let isAway = true;
    const options = { resources: ["accounts"], clock: sandbox.clock, share: 1 } as const;
    const copy = mirror(new MainClient(sandbox), sqlite(failing(database, () => isAway)), options);
    const waits: FeedWait[] = [];
    const first = copy.changes({ follow: true, onWait: (waiting) => void waits.push(waiting) }).next();
    await sandbox.clock.advance(MINUTE);
    expect(waits.length).toBeGreaterThan(2);
    isAway = false;
    await mirror(new MainClient(sandbox), sqlite(database), options).sync();
    await sandbox.clock.advance(MINUTE);
    expect(await first).toMatchObject({ value: { seq: 1, kind: "added" } });
  });

  test("throws errors that waiting does not fix: a connection closed by its owner, and missing tables", async () => {
    const sandbox = createSandbox({ size: 3, now: "2030-01-01T00:00:00Z" });
    const options = { resources: ["accounts"], clock: sandbox.clock, share: 1 } as const;
    for (const [end, message] of [
      [(database: DatabaseSync) => database.close(), /not open|finalized/],
      [(database: DatabaseSync) => database.exec("DROP TABLE mirror_changes"), "no such table"],
    ] as const) {
      const database = new DatabaseSync(":memory:");
      const copy = mirror(new MainClient(sandbox), sqlite(database), options);
      await copy.sync();
      const following = (async () => {
        for await (const _ of copy.changes({ follow: true }));
      })().catch((error: unknown) => error);
      await sandbox.clock.advance(1_500);
      end(database);
      await sandbox.clock.advance(1_500);
      expect(await following).toMatchObject({ message: expect.stringMatching(message) });
    }
  });

  test("throws at once without `follow`", async () => {
    const sandbox = createSandbox({ size: 3, skipWaits: true });
    const database = new DatabaseSync(":memory:");
    let isAway = false;
    const options = { resources: ["accounts"], clock: sandbox.clock, share: 1 } as const;
    const copy = mirror(new MainClient(sandbox), sqlite(failing(database, () => isAway)), options);
    await copy.sync();
    isAway = true;
    await expect(copy.changes().next()).rejects.toThrow("the database is away");
  });
});

test("a database that does not respond is reported once, after 10 seconds", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { promise, resolve } = Promise.withResolvers<number>();
  const told: string[] = [];
  const answer = awaitDatabase(promise, ({ message }) => void told.push(message));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(told).toEqual(["Mirror: the database has not responded for 10 s; still waiting"]);
  resolve(7);
  expect(await answer).toBe(7);
  expect(await awaitDatabase(Promise.resolve(8), ({ message }) => void told.push(message))).toBe(8);
  // Other tests of this process may have timers, so they are not counted here.
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(told).toHaveLength(1);
});

test.each([
  [{ code: "ECONNREFUSED" }, true],
  [{ code: "57P01", message: "terminating connection due to administrator command" }, true],
  [{ code: "53300", message: "sorry, too many clients already" }, true],
  [{ code: "25006", message: "cannot execute INSERT in a read-only transaction" }, true],
  [{ code: "55P03", message: "canceling statement due to lock timeout" }, true],
  [{ message: "Connection terminated unexpectedly" }, true],
  [{ code: "ERR_SQLITE_ERROR", errcode: 5, message: "database is locked" }, true],
  [{ code: "SQLITE_IOERR_READ", message: "disk I/O error" }, true],
  ["a text", true],
  [{ code: "28P01", message: "password authentication failed" }, false],
  [{ code: "3D000", message: 'database "x" does not exist' }, false],
  [{ code: "42P01", message: 'relation "mirror_changes" does not exist' }, false],
  [{ message: "Cannot use a pool after calling end on the pool" }, false],
  [{ message: "PGlite is closed" }, false],
  [{ message: "The database connection is not open" }, false],
  [{ code: "ERR_INVALID_STATE", message: "database is not open" }, false],
  [{ code: "ERR_SQLITE_ERROR", errcode: 26, message: "file is not a database" }, false],
])("%j is an outage: %s", (problem, expected) => {
  expect(isOutage(problem)).toBe(expected);
});

test("a connection that ends while its pool hands it out does not end the process", async () => {
  const pool = Object.assign(new EventEmitter(), {
    query: async () => ({ rows: [] }),
    connect: async () => {
      const query = () => Promise.reject(new Error("the connection is closed"));
      const client = Object.assign(new EventEmitter(), { query, release: () => undefined });
      pool.emit("connect", client);
      // Without a listener for errors, this call throws.
      client.emit("error", new Error("terminated"));
      return client;
    },
  });
  await expect(postgres(pool as never).write(async () => 1)).rejects.toThrow("the connection is closed");
});

test.each([
  ["once", (call: number) => call === 1],
  ["twice", (call: number) => call <= 2],
  ["every third time", (call: number) => call % 3 === 0],
])("a database that hangs %s blocks neither writes nor a late connection forever", async (_, hangs) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let calls = 0;
  const lent = { at: 0, back: 0 };
  const late: (() => void)[] = [];
  const connect = async () => {
    const client = { query: async () => ({ rows: [] }), release: () => void lent.back++ };
    if (hangs(++calls)) await new Promise<void>((resolve) => late.push(resolve));
    lent.at++;
    return client;
  };
  const database = postgres({ query: async () => ({ rows: [] }), connect } as never);
  const written: number[] = [];
  for (let number = 1; number <= 6; number++) {
    // Repeats a failed write, as a caller of the mirror would; the next write waits until this one is done.
    const write = async (one: number): Promise<void> => {
      await database.write(async () => void written.push(one)).catch(() => write(one));
    };
    const both = [write(number), write(number + 10)];
    for (let minutes = 0; minutes < 50; minutes += 10) await vi.advanceTimersByTimeAsync(600_000);
    await Promise.all(both);
  }
  expect(written.length).toBe(12);
  expect(new Set(written).size).toBe(12);
  for (const resolve of late) resolve();
  await vi.advanceTimersByTimeAsync(1);
  expect(lent.back).toBe(lent.at);
});
