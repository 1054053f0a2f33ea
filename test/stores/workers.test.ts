import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as postgres from "../../src/stores/postgres/index.js";
import * as sqlite from "../../src/stores/sqlite/index.js";
import { createWebhookWorker } from "../../src/webhooks/index.js";
import { needs, reportMissing } from "../support/tools.ts";
import { collector, deliveryOf, sleep, takeAt } from "../webhooks/support.js";
import { type Server, startPostgres } from "./support/servers.js";

const folder = mkdtempSync(join(tmpdir(), "stores-"));
let server: Server | undefined;
let pool: pg.Pool;
beforeAll(async () => {
  if (reportMissing("postgres") !== null) return;
  server = await startPostgres();
  pool = new pg.Pool({ connectionString: server.url });
  pool.on("error", () => undefined);
});
afterAll(async () => {
  await pool?.end();
  await server?.remove();
  rmSync(folder, { recursive: true });
});

let inboxes = 0;
const DATABASES = {
  SQLite: (prefix: string, keepMs?: number) =>
    sqlite.webhookInbox(new DatabaseSync(join(folder, "inbox.sqlite")), { prefix, keepMs }),
  Postgres: (prefix: string, keepMs?: number) => postgres.webhookInbox(pool, { prefix, keepMs }),
};

describe("several workers on one inbox of SQLite", () => severalWorkers(DATABASES.SQLite));
describe("several workers on one inbox of Postgres", needs("postgres"), () => severalWorkers(DATABASES.Postgres));

function severalWorkers(open: (typeof DATABASES)["SQLite"]): void {
  it("handle every delivery once", async () => {
    const prefix = `workers_${++inboxes}_`;
    const stores = [1, 2, 3].map(() => open(prefix));
    const handled: unknown[] = [];
    await Promise.all(Array.from({ length: 60 }, (_, id) => stores[id % 3]?.put(deliveryOf("a.b", { id }))));
    const workers = stores.map((store) =>
      createWebhookWorker({
        store: { ...store, pollMs: 5 },
        onEvent: async ({ event_data }) => {
          await sleep(2);
          handled.push(event_data.id);
        },
      }),
    );
    for (const worker of workers) worker.start();
    await vi.waitFor(async () => expect(await stores[0]?.count()).toEqual({ waiting: 0, done: 60, dead: 0 }), 60_000);
    await Promise.all(workers.map((worker) => worker.close()));
    expect(handled.length).toBe(60);
    expect(new Set(handled).size).toBe(60);
  });

  it("handle the events of a record one after the other and never in reverse", async () => {
    const RECORDS = 5;
    const VERSIONS = 30;
    const prefix = `workers_${++inboxes}_`;
    const stores = [1, 2, 3].map(() => open(prefix));
    for (let n = 0; n < VERSIONS; n++) {
      for (let id = 0; id < RECORDS; id++) {
        const updated_at = new Date(Date.UTC(2026, 0, 1, 10, 0, n)).toISOString();
        const receivedAt = Date.UTC(2026, 0, 1, 10, 1) + n;
        await stores[0]?.put({ ...deliveryOf("invoice.updated", { id, updated_at }), receivedAt });
      }
    }
    const active = new Set<unknown>();
    const state = new Map<unknown, string>();
    const backwards: string[] = [];
    let overlaps = 0;
    const workers = stores.map((store) =>
      createWebhookWorker({
        store: { ...store, pollMs: 5 },
        outOfOrder: "drop",
        concurrency: 4,
        backoff: { baseMs: 5 },
        report: () => undefined,
        onEvent: async ({ event_data: { id, updated_at = "" } }, { attempt }) => {
          if (active.has(id)) overlaps++;
          active.add(id);
          await sleep(Math.random() * 4);
          active.delete(id);
          // Some deliveries fail once, so they come back after newer ones and must be dropped.
          if (attempt === 1 && Math.random() < 0.2) throw new Error("no");
          if (updated_at < (state.get(id) ?? "")) backwards.push(`${id}: ${updated_at}`);
          state.set(id, updated_at);
        },
      }),
    );
    for (const worker of workers) worker.start();
    await vi.waitFor(async () => expect((await stores[0]?.count())?.waiting).toBe(0), {
      timeout: 100_000,
      interval: 20,
    });
    await Promise.all(workers.map((worker) => worker.close()));
    expect([overlaps, backwards]).toEqual([0, []]);
    expect((await stores[0]?.count())?.done).toBe(RECORDS * VERSIONS);
    const last = new Date(Date.UTC(2026, 0, 1, 10, 0, VERSIONS - 1)).toISOString();
    expect([...state.values()]).toEqual(Array.from({ length: RECORDS }, () => last));
  });

  it("hand out a dead process's delivery before an earlier event of its record", async () => {
    const store = open(`workers_${++inboxes}_`);
    await store.put({ ...deliveryOf("a.b", { id: 1 }, "older"), receivedAt: 1 });
    await store.put({ ...deliveryOf("a.b", { id: 1 }, "newer"), receivedAt: 2 });
    const take = async (leaseMs: number) => {
      const now = Date.now();
      const taken = await store.take({ limit: 10, now, leaseUntil: now + leaseMs, onePerRecord: true });
      return taken.map(({ id, attempt }) => `${id} ${attempt}`);
    };
    expect(await take(30_000)).toEqual(["older 1"]);
    await store.retry("older", Date.now() + 600_000, 1);
    expect(await take(50)).toEqual(["newer 1"]);
    await store.retry("older", Date.now(), 1);
    await sleep(100);
    expect(await take(30_000)).toEqual(["newer 2"]);
    await store.done("newer", null);
    expect(await take(30_000)).toEqual(["older 2"]);
  });

  it("set failing deliveries aside, list and revive them, and delete old ones", async () => {
    const prefix = `workers_${++inboxes}_`;
    const store = open(prefix);
    const { kinds, report } = collector();
    const at = (updated_at: string) => deliveryOf("invoice.updated", { id: 1, updated_at });
    const run = async (delivery: ReturnType<typeof deliveryOf>) => {
      const worker = createWebhookWorker({
        store,
        report,
        outOfOrder: "drop",
        maxAttempts: 1,
        onEvent: ({ event }) => {
          if (event === "bad.one") throw new Error("no");
        },
      });
      await store.put(delivery);
      worker.wake();
      await vi.waitFor(async () => expect((await store.count()).waiting).toBe(0), 60_000);
      await worker.close();
    };
    await run(at("2026-01-01T10:00:05Z"));
    await run(at("2026-01-01T10:00:01Z"));
    await run(deliveryOf("bad.one", {}, "bad"));
    expect(kinds()).toEqual(["handled", "dropped", "dead"]);
    expect(await store.listDead()).toEqual([
      { id: "bad", event: "bad.one", receivedAt: expect.any(Number), attempt: 1 },
    ]);
    expect(await store.revive("bad")).toBe(true);
    expect(await store.revive("bad")).toBe(false);
    expect(await store.count()).toEqual({ waiting: 1, done: 2, dead: 0 });
    await sleep(20);
    await open(prefix, 60_000).take(takeAt(Date.now()));
    expect(await store.count()).toEqual({ waiting: 1, done: 2, dead: 0 });
    await open(prefix, 10).take(takeAt(Date.now()));
    expect(await store.count()).toEqual({ waiting: 1, done: 0, dead: 0 });
  });
}

it("SQLite keeps acknowledged deliveries even if a listener rolls its transaction back meanwhile", async () => {
  const path = join(folder, "rolled-back.sqlite");
  const inbox = sqlite.webhookInbox(new DatabaseSync(path));
  await inbox.count();
  const work = new DatabaseSync(path, { timeout: 1_000 });
  work.exec("CREATE TABLE notes (text TEXT)");
  work.exec("BEGIN");
  work.prepare("SELECT * FROM notes").all();
  expect(await inbox.put(deliveryOf("a.b", {}, "d-1"))).toBe("stored");
  work.exec("ROLLBACK");
  expect(await inbox.count()).toEqual({ waiting: 1, done: 0, dead: 0 });
  work.close();
});
