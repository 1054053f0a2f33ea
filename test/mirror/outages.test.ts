import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { type ListReport, type Mirror, mirror, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failing, recordsOf } from "./support/copies.js";

const MINUTE = 60_000;
const OUTAGE_MS = 1_500;

/** A mirror of 60 accounts on 3 pages, whose database goes away before a page of accounts is answered. */
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

describe("a database that is away for a second and a half in the middle of a sweep", () => {
  test.each([1, 2, 3])("delays the list by seconds and is told, before page %i", async (page) => {
    const { sandbox, reports, make, run, records, pages } = start((at) => at === page);
    run(make());
    await sandbox.clock.advance(MINUTE / 2);
    expect(reports.map(({ complete, error }) => error?.message ?? complete)).toEqual(["the database is away", true]);
    expect(records()).toEqual(recordsOf(sandbox.store.accounts));
    // The page that could not be stored is read again, and no other.
    expect(pages()).toBe(4);
  });

  test("delays the end of the list that the tail reads by seconds, too", async () => {
    const { sandbox, reports, make, run, records } = start((at) => at === 4);
    run(make());
    await sandbox.clock.advance(29 * MINUTE);
    sandbox.store.accounts.insert({ name: "New" });
    await sandbox.clock.advance(2 * MINUTE);
    expect(reports.map(({ complete, error }) => error?.message ?? complete)).toEqual([true, "the database is away"]);
    expect(records()).toEqual(recordsOf(sandbox.store.accounts));
  });

  test("does not keep another process waiting for a list that `sync` has left", async () => {
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

test("after a long outage all lists go on as soon as one of them could be written", async () => {
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

test("a list that another process sweeps is told of once, with the time when it is taken over", async () => {
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
