import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { addedColumns, columnsOf } from "../../src/mirror/columns.js";
import { type Mirror, mirror, sqlite } from "../../src/mirror/index.js";
import { addDoubts, clearDoubts, MOST_UNSURE, NEW_LIST, startSweep } from "../../src/mirror/state.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { invoiceSchema } from "../../src/schemas.js";
import { postgresDialect } from "../../src/sql/postgres-dialect.js";
import { Pace, shareOf } from "../../src/work/pace.js";
import { ManualClock } from "../support/manual-clock.js";
import { copyOf, recordsOf } from "./support/copies.js";

const HOUR = 3_600_000;

describe("a list longer than one batch of work", () => {
  test("has all its missing rows marked after a person has accepted them", async () => {
    const sandbox = createSandbox({ size: 5_000, skipWaits: true });
    const { copy, records } = copyOf(sandbox, new MainClient(sandbox), { resources: ["credits"] });
    await copy.sync();
    const { count } = sandbox.store.credits;
    expect(count).toBeGreaterThan(600);
    for (let id = 1; id <= 600; id++) sandbox.store.credits.delete(id);
    const { lists } = await copy.sync({ accept: ["credits"] });
    expect(lists).toMatchObject([{ gone: 600, pending: 0, complete: true }]);
    expect(records("credits")).toEqual(recordsOf(sandbox.store.credits));
  });

  test("has the lists below all its records read once each", async () => {
    const sandbox = createSandbox({ size: 520, skipWaits: true });
    const { copy, records } = copyOf(sandbox, new MainClient(sandbox), { resources: ["users", "authentications"] });
    const { complete, lists } = await copy.sync();
    expect(complete).toBe(true);
    expect(lists.at(-1)).toMatchObject({ list: "authentications", requests: 520 });
    expect(records("authentications")).toEqual(recordsOf(sandbox.store.authentications));
  });

  test("is incomplete if more records were uncertain than the mirror remembers", () => {
    const sweeping = startSweep(NEW_LIST, "key", "filters", 1, 1);
    const open = (unsure: number[]) => ({ unsure, older: 0, olderUntil: 0, unfit: [] });
    const ids = (count: number) => open(Array.from({ length: count }, (_, at) => at + 1));
    expect(clearDoubts(addDoubts(sweeping, ids(MOST_UNSURE - 1))).sweep.unsure).toEqual([]);
    const many = addDoubts(addDoubts(sweeping, ids(MOST_UNSURE - 1)), open([5_000, 5_001]));
    expect(many.sweep.unsure).toHaveLength(MOST_UNSURE);
    expect(clearDoubts(many).sweep.unsure).toEqual([1]);
  });
});

describe("an owner of a list", () => {
  function two(sandbox: Sandbox) {
    const client = new MainClient({ ...sandbox, pageSize: 10 });
    const { copy, database } = copyOf(sandbox, client, { resources: ["accounts"] });
    const other: Mirror<"accounts"> = mirror(client, sqlite(database), {
      resources: ["accounts"],
      clock: sandbox.clock,
    });
    return { copy, other, database };
  }

  test("that lost it to another process stores no more pages", async () => {
    const sandbox = createSandbox({ size: 50, skipWaits: true });
    const { copy, other, database } = two(sandbox);
    let taken: Promise<unknown> | undefined;
    const state = () => database.prepare("SELECT state FROM mirror_lists").get()?.state;
    let whole: unknown;
    const { lists } = await copy.sync({
      onProgress: ({ read }) => {
        if (read === 20) taken = other.sync().then(() => (whole = state()));
      },
    });
    await taken;
    expect(lists).toMatchObject([
      { complete: false, error: { message: expect.stringContaining("has taken over accounts") } },
    ]);
    expect(state()).toBe(whole);
  });

  test("that hangs keeps it for a quarter of an hour", async () => {
    const sandbox = createSandbox({ size: 50, now: "2030-01-01T00:00:00Z" });
    const { copy, other, database } = two(sandbox);
    await copy.sync();
    database.exec(`UPDATE mirror_lists SET owner = 'standing still', owned_until = ${sandbox.clock.now() + 1}`);
    const stop = new AbortController();
    // Begins a sweep whose process hangs: it waits a day for a response.
    sandbox.faults.next({ operation: "accounts.list", delayMs: 24 * HOUR });
    const still = new MainClient({ ...sandbox, pageSize: 10, timeout: 48 * HOUR, retry: false });
    const dead = mirror(still, sqlite(database), { resources: ["accounts"], clock: sandbox.clock });
    void dead.sync({ signal: stop.signal }).catch(() => undefined);
    await sandbox.clock.advance(1_000);
    const before = sandbox.requests.length;
    const running = other.run({ signal: stop.signal }).catch(() => undefined);
    await sandbox.clock.advance(14 * 60_000);
    expect(sandbox.requests.slice(before).filter(({ operation }) => operation === "accounts.list")).toEqual([]);
    await sandbox.clock.advance(2 * 60_000);
    expect(sandbox.requests.slice(before).filter(({ operation }) => operation === "accounts.list")).toHaveLength(5);
    stop.abort();
    await running;
  });
});

describe("the share of the request budget", () => {
  const limit = { requests: 10, windowMs: 1_000 };

  test("is free again after a window, but no sooner", async () => {
    const clock = new ManualClock();
    const pace = new Pace(clock, shareOf(limit, 0.2), () => undefined);
    const begun = clock.now();
    await pace.turn("sweep");
    await clock.advance(100);
    await pace.turn("sweep");
    const at: number[] = [];
    const turns = (async () => {
      for (let turn = 0; turn < 2; turn++) {
        await pace.turn("sweep");
        at.push(clock.now() - begun);
      }
    })();
    await clock.advance(899);
    expect(at).toEqual([]);
    await clock.advance(1);
    expect(at).toEqual([1_000]);
    await clock.advance(100);
    await turns;
    expect(at).toEqual([1_000, 1_100]);
  });

  test("includes retries", async () => {
    const clock = new ManualClock();
    const waits: number[] = [];
    const pace = new Pace(clock, shareOf(limit, 0.4), (until) => until && waits.push(until.getTime() - clock.now()));
    await pace.turn("sweep");
    pace.countRetries(4);
    const turn = pace.turn("sweep");
    await clock.advance(1_000);
    await turn;
    expect(waits).toEqual([1_000]);
    await pace.turn("sweep");
    pace.countRetries(1);
    await pace.turn("sweep");
    expect(waits).toEqual([1_000]);
  });
});

describe("columns", () => {
  const reserved = [
    "record",
    "gone_at",
    "mirror_seen",
    "mirror_parent",
    "Upper",
    "with space",
    "x".repeat(61),
    '"; DROP',
  ];

  test("are not created for fields with reserved or invalid names", () => {
    expect(
      addedColumns([{ id: 1, fine: 1, ...Object.fromEntries(reserved.map((name) => [name, 1])) }], { id: "integer" }),
    ).toEqual({
      fine: "json",
    });
    expect(columnsOf(undefined)).toEqual({});
    // Documented as plain text.
    expect(columnsOf(invoiceSchema)).toMatchObject({ opened_at: "time" });
  });

  test("number at most 200", () => {
    const record = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`field_${at}`, at]));
    const known = { id: "integer", name: "text" } as const;
    const added = addedColumns([record, { ...record, more: 1 }], known);
    expect(Object.keys(added)).toHaveLength(198);
    expect(addedColumns([{ late: 1 }], { ...known, ...added })).toEqual({});
  });

  test("of Postgres store values that it cannot represent in another form", () => {
    const { toColumn } = postgresDialect({});
    expect(toColumn("text", "a\ud800b\udc00\u0000c 😀")).toBe("a\ufffdb\ufffdc 😀");
    expect(toColumn("json", '"a\\ud800b\\u0000 \\\\u0000 \\uD83D"')).toBe('"a\ufffdb \\\\u0000 \ufffd"');
    expect([toColumn("integer", 7), toColumn("boolean", true), toColumn("text", null)]).toEqual([7, true, null]);
  });
});

describe("the memory", () => {
  test("of a gone record is only its row, without a second copy in the feed", async () => {
    const sandbox = createSandbox({ size: 10, skipWaits: true });
    const { copy, database } = copyOf(sandbox, new MainClient({ ...sandbox, retry: false }), {
      resources: ["accounts"],
    });
    await copy.sync();
    const account = sandbox.store.accounts.get(7);
    sandbox.store.accounts.delete(7);
    await copy.sync();
    sandbox.store.accounts.insert(account);
    await copy.sync();
    const rows = database.prepare("SELECT kind, after IS NULL AS empty FROM mirror_changes WHERE id = '7'").all();
    expect(rows).toEqual([
      { kind: "added", empty: 0 },
      { kind: "gone", empty: 1 },
      { kind: "returned", empty: 1 },
    ]);
  });

  test("of repaired notifications is bounded", async () => {
    const sandbox = createSandbox({ size: 10, skipWaits: true });
    const { copy, database } = copyOf(sandbox, new MainClient(sandbox), { resources: ["accounts"] });
    const at = new Date(sandbox.clock.now()).toISOString();
    const many = (from: number) =>
      Array.from({ length: 6_000 }, (_, index) => ({
        id: `n${from + index}`,
        event_id: "e",
        webhook_id: "w1",
        status: "failed",
        created_at: at,
        data: { no: "event" },
      }));
    for (const from of [0, 6_000]) {
      sandbox.faults.next({ operation: "webhooks.list", body: [{ id: "w1", created_at: at, updated_at: at }] });
      sandbox.faults.next({ operation: "webhooks.listFailedNotifications", body: many(from) });
      expect(await copy.repair()).toMatchObject({ failed: 6_000, unreadable: 6_000 });
    }
    const value = String(database.prepare("SELECT value FROM mirror_notes WHERE name = 'repaired'").get()?.value);
    const { ids } = JSON.parse(value) as { ids: string[] };
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([10_000, "n2000", "n11999"]);
  });
});
