import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { afterAll, describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { mirror, type SqliteConnection, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { recordsOf } from "./support/copies.js";
import { hiding } from "./support/keys.js";

type Driver = (path: string) => SqliteConnection & { close(): unknown };

const DRIVERS: Readonly<Record<string, Driver>> = {
  "node:sqlite": (path) => new DatabaseSync(path),
  "better-sqlite3": (path) => new Database(path),
};

const folder = mkdtempSync(join(tmpdir(), "mirror-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["cut off", (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length / 2))],
  ["overwritten", (bytes: Buffer) => Buffer.alloc(bytes.length, 7)],
])("a file that is %s is reported with a remedy, and no reader of its changes waits for it", async (name, damage) => {
  const path = join(folder, `damaged-${name}.sqlite`);
  const sandbox = createSandbox({ size: 300, skipWaits: true });
  const first = new DatabaseSync(path);
  await mirror(new MainClient(sandbox), sqlite(first), { resources: ["accounts"], clock: sandbox.clock }).sync();
  first.close();
  writeFileSync(path, damage(readFileSync(path)));
  const database = new DatabaseSync(path);
  const copy = mirror(new MainClient(sandbox), sqlite(database), { resources: ["accounts"], clock: sandbox.clock });
  const message = expect.stringMatching(/^Mirror: the SQLite file is damaged \(.*\)\. Move it away and sync again/);
  await expect(copy.sync()).rejects.toMatchObject({ code: "configuration", message });
  await expect(copy.changes({ follow: true }).next()).rejects.toMatchObject({ code: "configuration", message });
  database.close();
});

describe.each(Object.entries(DRIVERS))("through %s", (name, open) => {
  const resources = ["accounts", "users", "authentications", "invoices", "credits"] as const;
  let files = 0;

  function start() {
    const path = join(folder, `${name.replace(":", "-")}-${++files}.sqlite`);
    const sandbox = createSandbox({ size: 40, skipWaits: true });
    const half = sandbox.createKey();
    const fetch = hiding(sandbox.fetch, (apiKey, id) => apiKey === half && id % 2 === 1);
    const make = (database: SqliteConnection = open(path), apiKey = sandbox.apiKey) => {
      const client = new MainClient({ ...sandbox, fetch, apiKey, pageSize: 20, retry: false });
      return mirror(client, sqlite(database), { resources, clock: sandbox.clock, share: 1 });
    };
    const reader = open(path);
    const rows = (sql: string) => reader.prepare(sql).all() as Record<string, unknown>[];
    const records = (table: string) =>
      new Map(
        rows(`SELECT id, record FROM current_${table} ORDER BY id`).map(({ id, record }) => [
          Number(id),
          JSON.parse(String(record)) as unknown,
        ]),
      );
    return { sandbox, half, make, rows, records };
  }

  test("a copy is correct, stays correct, and its feed can be replayed", async () => {
    const { sandbox, make, records, rows } = start();
    const copy = make();
    expect((await copy.sync()).complete).toBe(true);
    sandbox.store.accounts.delete(7);
    sandbox.store.accounts.update(8, { name: "It’s \u0000 “Example” Ltd", phone: null } as object);
    sandbox.store.invoices.update(1, { total_incl: "12345678901234567890.12" } as object);
    sandbox.faults.next({ operation: "users.list", drift: "extra" });
    expect((await copy.sync()).complete).toBe(true);
    for (const table of ["accounts", "invoices", "authentications", "credits"] as const) {
      expect(records(table)).toEqual(recordsOf(sandbox.store[table]));
    }
    expect(rows("SELECT total_incl AS total FROM invoices WHERE id = 1")).toEqual([
      { total: "12345678901234567890.12" },
    ]);
    expect(rows("SELECT added_by_the_service AS added FROM current_users WHERE id = 1")).toEqual([{ added: "true" }]);
    const replayed = new Map<number, unknown>();
    for await (const { id, before, after } of copy.changes({ resources: ["accounts"] })) {
      if (before) expect(replayed.get(Number(id))).toEqual(before);
      if (after) replayed.set(Number(id), after);
      else replayed.delete(Number(id));
    }
    expect(new Map([...replayed].sort(([a], [b]) => a - b))).toEqual(records("accounts"));
  });

  test("two connections write at once without losing a change, and another key deletes nothing", async () => {
    const { sandbox, half, make, records, rows } = start();
    const copies = [make(), make()];
    await Promise.all(copies.map((copy) => copy.sync()));
    for (let round = 0; round < 3; round++) {
      for (let id = 1; id <= 10; id++) sandbox.store.accounts.update(id, { name: `round ${round}` });
      const event = (id: number) => ({ event: "account.updated", event_data: { id } });
      await Promise.all(copies.flatMap((copy) => Array.from({ length: 10 }, (_, at) => copy.apply(event(at + 1)))));
    }
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
    const [count] = rows("SELECT count(*) AS changes, max(seq) AS last FROM mirror_changes");
    expect(count?.changes).toBe(count?.last);
    const { lists } = await make(open(":memory:"), half).sync();
    expect(lists.map(({ held }) => held)).toEqual(resources.map(() => null));
    const other = await make(undefined, half).sync();
    expect(other.lists.map(({ held }) => held?.reason)).toEqual(resources.map(() => "key"));
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  });

  test("a failed write is rolled back, and the copy continues", async () => {
    const { sandbox, make, rows, records } = start();
    const database = open(join(folder, `${name.replace(":", "-")}-${files}.sqlite`));
    const copy = make(database);
    let left = 40;
    const broken = make({
      exec: (sql) => database.exec(sql),
      prepare: (sql) => {
        if (--left < 0) throw new Error("disk full");
        return database.prepare(sql);
      },
    });
    const report = await broken.sync().catch(() => null);
    expect(report?.complete ?? false).toBe(false);
    expect(rows("SELECT count(*) AS rows FROM mirror_lists")[0]?.rows).toBeGreaterThan(0);
    expect((await copy.sync()).complete).toBe(true);
    expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
  });
});
