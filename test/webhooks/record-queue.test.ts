import { describe, expect, it } from "vitest";
import {
  createWebhookWorker,
  memoryStore,
  type RecordVersion,
  type WebhookInbox,
  WebhookRecordBusyError,
  type WebhookRecords,
} from "../../src/webhooks/index.js";
import { ManualClock, settle } from "../support/manual-clock.js";
import { deliveryOf, sleep, takeAt } from "./support.js";

const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, n)).toISOString();
const version = (id: number, n: number) => deliveryOf("invoice.updated", { id, updated_at: second(n) });

describe("a busy record", () => {
  it("takes only one slot, so others are handled while its deliveries wait in the store", async () => {
    const clock = new ManualClock();
    const store = memoryStore();
    const handled: string[] = [];
    const worker = createWebhookWorker({
      store,
      clock,
      outOfOrder: "drop",
      concurrency: 2,
      onEvent: async ({ event_data: { id } }) => {
        await new Promise<void>((resolve) => {
          clock.setTimeout(resolve, id === 1 ? 1_000 : 10);
        });
        handled.push(`${id} at ${clock.now() - started}`);
      },
    });
    for (let n = 0; n < 5; n++) await store.put(version(1, n));
    for (const id of [2, 3, 4]) await store.put(version(id, 0));
    const started = clock.now();
    worker.wake();
    await clock.advance(900);
    expect(handled).toEqual(["2 at 10", "3 at 20", "4 at 30"]);
    await clock.advance(10_000);
    expect(handled.slice(3)).toEqual([1_000, 2_000, 3_000, 4_000, 5_000].map((ms) => `1 at ${ms}`));
  });

  it("also has its deliveries handled one after the other in the order of arrival without updated_at", async () => {
    const store = memoryStore();
    const seen: unknown[] = [];
    let active = 0;
    const worker = createWebhookWorker({
      store,
      outOfOrder: "mark",
      onEvent: async ({ event_data: { n } }) => {
        expect(++active).toBe(1);
        await sleep(1);
        active--;
        seen.push(n);
      },
    });
    for (let n = 0; n < 30; n++) await store.put(deliveryOf("invoice.updated", { id: 1, n }));
    worker.wake();
    expect(await worker.drain()).toBe(true);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });
});

describe("the memory store", () => {
  const ids = (taken: readonly { id: string }[]) => taken.map(({ id }) => id);
  const put = async (store: ReturnType<typeof memoryStore>, ...names: string[]) => {
    for (const name of names) await store.put(deliveryOf("x.y", { id: name[0] }, name));
  };

  it("hands out one delivery of a record at a time, in the order of arrival, with an option", async () => {
    const store = memoryStore();
    await put(store, "a1", "a2", "b1", "a3", "b2", "c1");
    const take = async (limit?: number) => ids(await store.take(takeAt(0, limit, true)));
    expect(await take()).toEqual(["a1", "b1", "c1"]);
    expect(await take()).toEqual([]);
    await put(store, "a4");
    await store.done("a1", null);
    expect(await take()).toEqual(["a2"]);
    await store.retry("a2", 50, 1);
    await store.dead("b1", 1);
    expect(await take()).toEqual(["a3", "b2"]);
    await store.done("a3", null);
    expect(ids(await store.take(takeAt(60, 9, true)))).toEqual(["a4"]);
    await store.done("a4", null);
    expect(ids(await store.take(takeAt(60, 9, true)))).toEqual(["a2"]);
    expect(await store.put(deliveryOf("x.y", {}, "a4"))).toBe("duplicate");
  });

  it("hands out a delivery with an ended lease first, and forgets it if its listener succeeds later", async () => {
    const store = memoryStore();
    await put(store, "a1", "a2");
    const take = async (now: number) =>
      ids(await store.take({ ...takeAt(now), leaseUntil: now + 10, onePerRecord: true }));
    expect(await take(0)).toEqual(["a1"]);
    await store.extend("a1", 20, 1);
    expect(await take(19)).toEqual([]);
    // The listener of this delivery may have succeeded, so the record's next delivery must not overtake it in any
    // store.
    expect(await take(20)).toEqual(["a1"]);
    await store.done("a1", null);
    expect(await take(21)).toEqual(["a2"]);
    await store.done("a2", null);
    expect(await take(100)).toEqual([]);
  });

  it("refuses more bytes of bodies than maxBytes, and accepts them again after some are handled", async () => {
    const store = memoryStore({ maxBytes: 10_000 });
    const large = (id: string) => deliveryOf("x.y", { id, text: "x".repeat(3_000) }, id);
    await store.put(large("one"));
    await expect(store.put(large("two"))).rejects.toThrow(/full.*bytes/);
    await store.take(takeAt(0));
    await store.done("one", null);
    expect(await store.put(large("two"))).toBe("stored");
  });
});

describe("process, in several processes with shared records", () => {
  /** Keeps records as a shared server does. */
  function sharedRecords(): WebhookRecords & { readonly locked: Map<string, string> } {
    const locked = new Map<string, string>();
    const newest = new Map<string, number>();
    return {
      locked,
      async lock(record, holder) {
        if (locked.has(record) && locked.get(record) !== holder) return false;
        locked.set(record, holder);
        return true;
      },
      async unlock(record, holder) {
        if (locked.get(record) === holder) locked.delete(record);
      },
      newest: async (record) => newest.get(record) ?? null,
      async handled({ record, updatedAt }: RecordVersion) {
        newest.set(record, Math.max(updatedAt, newest.get(record) ?? 0));
      },
    };
  }

  it("refuses a delivery whose record another process handles, and drops older events", async () => {
    const records = sharedRecords();
    const store: WebhookInbox = { put: async () => "stored", records };
    const seen: unknown[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const [one, two] = [1, 2].map((process) =>
      createWebhookWorker({
        store,
        outOfOrder: "drop",
        report: () => undefined,
        onEvent: async ({ event_data }) => {
          if (process === 1) await gate;
          seen.push(`${process}: ${event_data.updated_at}`);
        },
      }),
    );
    const newer = one!.process(version(7, 5));
    await settle();
    await expect(two!.process(version(7, 3))).rejects.toBeInstanceOf(WebhookRecordBusyError);
    await two!.process(version(8, 1));
    release();
    await newer;
    expect(records.locked.size).toBe(0);
    await two!.process(version(7, 3));
    await two!.process(version(7, 6));
    expect(seen).toEqual([`2: ${second(1)}`, `1: ${second(5)}`, `2: ${second(6)}`]);
    expect(records.locked.size).toBe(0);
  });

  it("releases the lock and stores nothing if the listener fails; renews the lock while it works", async () => {
    const clock = new ManualClock();
    const records = sharedRecords();
    const ends: number[] = [];
    const store: WebhookInbox = {
      put: async () => "stored",
      records: {
        ...records,
        lock: (record, holder, until) => {
          ends.push(until - clock.now());
          return records.lock(record, holder, until);
        },
      },
    };
    const worker = createWebhookWorker({
      store,
      clock,
      outOfOrder: "drop",
      leaseMs: 3_000,
      onEvent: () =>
        new Promise((_, reject) => {
          clock.setTimeout(() => reject(new Error("no")), 2_500);
        }),
    });
    const failing = worker.process(version(7, 5));
    failing.catch(() => undefined);
    await clock.advance(2_500);
    await expect(failing).rejects.toThrow("no");
    expect(ends).toEqual([3_000, 3_000, 3_000]);
    expect(records.locked.size).toBe(0);
    expect(await records.newest("5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11/invoice/7")).toBeNull();
    expect(clock.pending).toBe(0);
  });
});
