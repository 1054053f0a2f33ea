import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sqliteStore } from "../../examples/webhooks-sqlite/sqlite-store.js";
import { createWebhookWorker, signWebhook } from "../../src/webhooks/index.js";
import { type Program, startProgram } from "./programs.js";
import { collector, deliveryOf, payloadOf, SECRET, sleep } from "./support.js";

const example = new URL("../../examples/webhooks-sqlite/receiver.ts", import.meta.url);
let folder: string;
let database: string;
const running: Program[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "webhooks-"));
  database = join(folder, "webhooks.sqlite");
});

afterEach(async () => {
  for (const program of running.splice(0)) await program.end("SIGKILL");
  rmSync(folder, { recursive: true });
});

async function start(env: Record<string, string> = {}): Promise<{ program: Program; url: string }> {
  const program = startProgram(example, { WEBHOOK_SECRET: SECRET, PORT: "0", DATABASE: database, ...env });
  running.push(program);
  return { program, url: await program.printed(/http:\/\/127\.0\.0\.1:\d+/) };
}

async function post(url: string, sequence: number, timestamp?: number, updated_at?: string): Promise<number> {
  const body = payloadOf("invoice.updated", { id: sequence, updated_at });
  const headers = { ...(await signWebhook({ body, secrets: SECRET, timestamp })), "content-type": "application/json" };
  return (await fetch(url, { method: "POST", body, headers })).status;
}

function query<Row>(sql: string): Row[] {
  const reader = new DatabaseSync(database, { readOnly: true, timeout: 2_000 });
  try {
    return reader.prepare(sql).all() as Row[];
  } finally {
    reader.close();
  }
}

describe("the SQLite example", () => {
  it("loses nothing it answered with 200 when it is killed with SIGKILL, again and again", async () => {
    const answered = new Set<number>();
    let sequence = 0;
    let unanswered = 0;
    const kills = 4;
    for (let kill = 0; kill < kills; kill++) {
      const { program, url } = await start({ WORK_MS: "100", LEASE_MS: "300" });
      // Posts without a pause from eight senders until the process dies under them.
      let alive = true;
      const senders = Array.from({ length: 8 }, async () => {
        while (alive) {
          const mine = sequence++;
          try {
            if ((await post(url, mine)) === 200) answered.add(mine);
          } catch {
            unanswered++;
            return;
          }
        }
      });
      const before = answered.size;
      await vi.waitFor(() => expect(answered.size).toBeGreaterThan(before + 20 + kill * 7), {
        timeout: 10_000,
        interval: 5,
      });
      await program.end("SIGKILL");
      alive = false;
      await Promise.all(senders);
    }
    const states = query<{ state: string; many: number }>(
      "SELECT state, count(*) AS many FROM deliveries GROUP BY state",
    );
    const waitingAtTheEnd = states.find(({ state }) => state === "waiting")?.many ?? 0;
    expect(waitingAtTheEnd, "the kill came while deliveries were waiting").toBeGreaterThan(0);

    await start({ LEASE_MS: "300" });
    await vi.waitFor(
      () =>
        expect(query<{ many: number }>("SELECT count(*) AS many FROM deliveries WHERE state <> 'done'")).toEqual([
          { many: 0 },
        ]),
      { timeout: 15_000, interval: 100 },
    );
    const handled = new Set(
      query<{ record_id: string }>("SELECT record_id FROM changes").map((row) => Number(row.record_id)),
    );
    const lost = [...answered].filter((one) => !handled.has(one));
    expect(lost).toEqual([]);
    console.log(
      JSON.stringify({
        campaign: "webhooks-kill",
        kills,
        answered: answered.size,
        unanswered,
        waitingAtTheEnd,
        handled: handled.size,
        lost: lost.length,
      }),
    );
  }, 60_000);

  it("knows a duplicate after a restart", async () => {
    const now = Math.floor(Date.now() / 1_000);
    const first = await start();
    expect(await post(first.url, 1, now, "2026-01-01T10:00:00Z")).toBe(200);
    await vi.waitFor(() => expect(query("SELECT * FROM changes")).toHaveLength(1), { timeout: 5_000 });
    expect(await first.program.end()).toBe(0);
    const second = await start();
    expect(await post(second.url, 1, now - 1, "2026-01-01T10:00:00Z")).toBe(200);
    expect(await post(second.url, 1, now, "2026-01-01T10:00:01Z")).toBe(200);
    await vi.waitFor(() => expect(query("SELECT * FROM changes")).toHaveLength(2), { timeout: 5_000 });
    // The body goes with the done-mark, which comes after the listener's own row.
    await vi.waitFor(() => expect(query("SELECT DISTINCT payload FROM deliveries")).toEqual([{ payload: "" }]));
  });

  it("finishes what it handles and ends by itself on SIGTERM", async () => {
    const { program, url } = await start({ WORK_MS: "200" });
    expect(await post(url, 1)).toBe(200);
    await sleep(50);
    expect(await program.end("SIGTERM")).toBe(0);
    expect(query("SELECT state, attempt FROM deliveries")).toEqual([{ state: "done", attempt: 1 }]);
  });

  it("says what is missing when it has no secret", async () => {
    const program = startProgram(example, { DATABASE: database });
    expect(await program.ended).toBe(1);
    expect(program.output()).toContain("WEBHOOK_SECRET");
  });
});

describe("the SQLite store", () => {
  it("hands every delivery to one of several workers on one file, once", async () => {
    const stores = [1, 2, 3].map(() => sqliteStore(database));
    const handled: unknown[] = [];
    for (let id = 0; id < 60; id++) await stores[0]!.put(deliveryOf("a.b", { id }));
    const workers = stores.map((store) =>
      createWebhookWorker({
        store,
        onEvent: async ({ event_data }) => {
          await sleep(2);
          handled.push(event_data.id);
        },
      }),
    );
    await Promise.all(workers.map((worker) => worker.drain()));
    await Promise.all(workers.map((worker) => worker.close()));
    expect(handled.length).toBe(60);
    expect(new Set(handled).size).toBe(60);
    expect(stores[0]!.count()).toEqual({ waiting: 0, done: 60, dead: 0 });
    for (const store of stores) store.close();
  });

  it("handles the events of a record one after the other and never backwards, with several workers on one file", async () => {
    const RECORDS = 5;
    const VERSIONS = 30;
    const stores = [1, 2, 3].map(() => sqliteStore(database));
    for (let n = 0; n < VERSIONS; n++) {
      for (let id = 0; id < RECORDS; id++) {
        const updated_at = new Date(Date.UTC(2026, 0, 1, 10, 0, n)).toISOString();
        await stores[0]!.put({ ...deliveryOf("invoice.updated", { id, updated_at }), receivedAt: n });
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
          // Some fail once and come back behind newer ones: those must be dropped.
          if (attempt === 1 && Math.random() < 0.2) throw new Error("no");
          if (updated_at < (state.get(id) ?? "")) backwards.push(`${id}: ${updated_at}`);
          state.set(id, updated_at);
        },
      }),
    );
    await vi.waitFor(() => expect(stores[0]!.count().waiting).toBe(0), { timeout: 15_000, interval: 20 });
    await Promise.all(workers.map((worker) => worker.close()));
    expect([overlaps, backwards]).toEqual([0, []]);
    expect(stores[0]!.count().done).toBe(RECORDS * VERSIONS);
    const last = new Date(Date.UTC(2026, 0, 1, 10, 0, VERSIONS - 1)).toISOString();
    expect([...state.values()]).toEqual(Array.from({ length: RECORDS }, () => last));
    for (const store of stores) store.close();
  });

  it("hands out one delivery of a record at a time; a lease that ended frees its record", async () => {
    const store = sqliteStore(database);
    for (const id of ["a1", "a2", "b1"]) await store.put(deliveryOf("x.y", { id: id[0] }, id));
    await store.put({ ...deliveryOf("x.y", {}, "none"), record: null });
    const take = async (now: number, onePerRecord = true) =>
      (await store.take({ limit: 9, now, leaseUntil: now + 100, onePerRecord })).map(({ id }) => id).sort();
    expect(await take(0)).toEqual(["a1", "b1", "none"]);
    expect(await take(50)).toEqual([]);
    await store.extend("b1", 500);
    await store.done("none", null);
    expect(await take(100)).toEqual(["a1"]);
    await store.retry("a1", 1_000);
    expect(await take(101)).toEqual(["a2"]);
    await store.done("a2", null);
    expect(await take(1_000, false)).toEqual(["a1", "b1"]);
    store.close();
  });

  it("folds a delivery into one with its key that waits, and keeps it once that was handed out", async () => {
    const store = sqliteStore(database);
    const copy = (id: string) => ({ ...deliveryOf("x.y", { id: 1 }, id), foldKey: "key" });
    expect(await store.put(copy("one"))).toBe("stored");
    expect(await store.put(copy("two"))).toBe("duplicate");
    await store.take({ limit: 9, now: 0, leaseUntil: 10, onePerRecord: false });
    expect(await store.put(copy("three"))).toBe("stored");
    await store.dead("one");
    expect(store.revive("one")).toBe(true);
    expect(store.revive("one")).toBe(false);
    expect(store.count().waiting).toBe(2);
    store.close();
  });

  it("keeps what was answered although a listener rolls its transaction back meanwhile", async () => {
    const store = sqliteStore(database);
    const work = new DatabaseSync(database, { timeout: 1_000 });
    work.exec("CREATE TABLE notes (text TEXT)");
    expect(Object.values(store).some((value) => value instanceof DatabaseSync)).toBe(false);
    work.exec("BEGIN");
    work.prepare("SELECT * FROM notes").all();
    expect(await store.put(deliveryOf("a.b", {}, "d-1"))).toBe("stored");
    work.exec("ROLLBACK");
    expect(store.count()).toEqual({ waiting: 1, done: 0, dead: 0 });
    work.close();
    store.close();
  });

  it("remembers the newest version handled, sets aside, lists, revives and prunes", async () => {
    const store = sqliteStore(database);
    const { kinds, report } = collector();
    const at = (updated_at: string) => deliveryOf("invoice.updated", { id: 1, updated_at });
    const run = async (...deliveries: ReturnType<typeof deliveryOf>[]) => {
      const worker = createWebhookWorker({
        store,
        report,
        outOfOrder: "drop",
        maxAttempts: 1,
        onEvent: ({ event }) => {
          if (event === "bad.one") throw new Error("no");
        },
      });
      for (const delivery of deliveries) await store.put(delivery);
      worker.wake();
      await worker.drain();
      await worker.close();
    };
    await run(at("2026-01-01T10:00:05Z"));
    await run(at("2026-01-01T10:00:01Z"));
    await run(deliveryOf("bad.one", {}, "bad"));
    expect(kinds()).toEqual(["handled", "dropped", "dead"]);
    expect(store.count()).toEqual({ waiting: 0, done: 2, dead: 1 });
    expect(store.listDead()).toEqual([{ id: "bad", event: "bad.one", receivedAt: expect.any(Number), attempt: 1 }]);
    // Received long ago, handled just now: the service may still send it again.
    await store.put({ ...deliveryOf("a.b", {}, "old"), receivedAt: 0 });
    await store.done("old", null);
    store.prune(Date.now() - 60_000);
    expect(store.count()).toEqual({ waiting: 0, done: 3, dead: 1 });
    expect(query("SELECT count(*) AS many FROM versions")).toEqual([{ many: 0 }]);
    store.revive("bad");
    store.prune(Date.now() + 1);
    expect(store.count()).toEqual({ waiting: 1, done: 0, dead: 0 });
    store.close();
  });
});
