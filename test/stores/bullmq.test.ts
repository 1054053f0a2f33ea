import { type Job, Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type QueueInbox,
  type WebhookProcessorOptions,
  webhookInbox,
  webhookProcessor,
} from "../../src/stores/redis/index.js";
import { jobIdOf, RedisRecords } from "../../src/stores/redis/records.js";
import type { WebhookDelivery } from "../../src/webhooks/index.js";
import { needs } from "../support/tools.js";
import { collector, deliveryOf, sleep } from "../webhooks/support.js";
import { type Server, startRedis } from "./support/servers.js";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

describe("deliveries as jobs of BullMQ", needs("redis"), () => {
  let server: Server;
  let connection: Redis;
  let queue: Queue<WebhookDelivery, void, string>;
  let inbox: QueueInbox;
  const closes: (() => Promise<unknown>)[] = [];
  let queues = 0;

  beforeAll(async () => {
    server = await startRedis();
    connection = new Redis(server.url, { maxRetriesPerRequest: null });
  });
  afterAll(async () => {
    connection.disconnect();
    await server.remove();
  });
  beforeEach(async () => {
    queue = new Queue(`webhooks-${++queues}`, { connection });
    inbox = webhookInbox(connection, { queue, attempts: 3, prefix: `bull_${queues}_` });
  });
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
    await queue.close();
  });

  /** Starts a worker with its own connections, as another process would. */
  async function startWorker(
    options: WebhookProcessorOptions,
    more: { concurrency?: number; stalledInterval?: number; maxStalledCount?: number } = {},
  ) {
    const redis = new Redis(server.url, { maxRetriesPerRequest: null });
    const handle = webhookProcessor(redis, { prefix: `bull_${queues}_`, ...options });
    const worker = new Worker<WebhookDelivery>(queue.name, handle, { connection: redis, concurrency: 10, ...more });
    await worker.waitUntilReady();
    const close = async () => {
      await handle.close({ graceMs: 1 });
      await worker.close();
      redis.disconnect();
    };
    closes.push(close);
    return { worker, handle };
  }

  const expectCounts = (counts: Partial<Record<"waiting" | "done" | "dead", number>>) =>
    expect.poll(() => inbox.count(), { timeout: 60_000 }).toEqual({ waiting: 0, done: 0, dead: 0, ...counts });

  it.each(["drop", "deliver"] as const)(
    "are handled once by a running process, even if BullMQ could not record that and delivers them again (%s)",
    async (outOfOrder) => {
      const calls: unknown[] = [];
      const stalled: string[] = [];
      const onEvent: WebhookProcessorOptions["onEvent"] = async ({ event_data: { id } }, { deliveryId }) => {
        calls.push(id);
        // Leaves Redis as if it had crashed before it received the success and had come back without the job's lock.
        await connection.del(`${queue.toKey(jobIdOf({ id: deliveryId }))}:lock`);
      };
      const { worker } = await startWorker({ outOfOrder, onEvent }, { stalledInterval: 50, maxStalledCount: 1_000 });
      worker.on("error", () => undefined).on("stalled", (jobId) => stalled.push(jobId));
      for (let id = 1; id <= 3; id++) await inbox.put(deliveryOf("invoice.updated", { id, updated_at: at(id) }));
      await expectCounts({ done: 3 });
      expect(calls.sort()).toEqual([1, 2, 3]);
      expect(new Set(stalled).size).toBe(3);
    },
  );

  it("reach two workers in order: none of 180 events of 30 records is dropped or overlaps", async () => {
    const { kinds, report } = collector();
    const active = new Set<unknown>();
    const seen = new Map<unknown, string[]>();
    let overlaps = 0;
    const onEvent: WebhookProcessorOptions["onEvent"] = async ({ event_data: { id, updated_at = "" } }) => {
      if (active.has(id)) overlaps++;
      active.add(id);
      await sleep(Math.random() * 10);
      active.delete(id);
      seen.set(id, [...(seen.get(id) ?? []), updated_at]);
    };
    for (const _ of [1, 2]) await startWorker({ outOfOrder: "drop", onEvent, report });
    for (let n = 0; n < 180; n++) {
      await inbox.put(deliveryOf("invoice.updated", { id: Math.floor(n / 6), updated_at: at(n % 6) }));
    }
    await expectCounts({ done: 180 });
    expect([kinds().filter((kind) => kind !== "handled"), overlaps]).toEqual([[], 0]);
    for (const versions of seen.values()) expect(versions).toEqual([0, 1, 2, 3, 4, 5].map(at));
  });

  it("of one record take at most 25 commands per event, however long its listener works", async () => {
    const handled: unknown[] = [];
    const onEvent: WebhookProcessorOptions["onEvent"] = async ({ event_data }) => {
      await sleep(60);
      handled.push(event_data.updated_at);
    };
    for (const _ of [1, 2]) await startWorker({ outOfOrder: "drop", onEvent });
    const other = new Redis(server.url);
    const monitor = await other.monitor();
    let commands = 0;
    monitor.on("monitor", (_time, _args, source: string) => {
      if (source !== "lua") commands++;
    });
    for (let n = 0; n < 40; n++) await inbox.put(deliveryOf("invoice.updated", { id: 1, updated_at: at(n) }));
    await vi.waitFor(() => expect(handled).toHaveLength(40), { timeout: 60_000 });
    monitor.disconnect();
    other.disconnect();
    expect(handled).toEqual(Array.from({ length: 40 }, (_, n) => at(n)));
    console.log(JSON.stringify({ commandsAnEvent: commands / 40 }));
    expect(commands / 40).toBeLessThanOrEqual(25);
  });

  it("do not wait for a job whose receiver ended before it existed, nor for a removed one", async () => {
    const onEvent = vi.fn();
    const lost = deliveryOf("a.b", { id: 1 });
    const removed = deliveryOf("a.b", { id: 1 });
    await (inbox.records as RedisRecords).join(lost.record ?? "", lost);
    await inbox.put(removed);
    await (await queue.getJob(jobIdOf(removed)))?.remove();
    await inbox.put(deliveryOf("a.b", { id: 1 }));
    await startWorker({ outOfOrder: "drop", onEvent });
    await expectCounts({ done: 1 });
    expect(onEvent).toHaveBeenCalledTimes(1);
  });

  it("leave no place behind if they have no order", async () => {
    await inbox.put(deliveryOf("a.b", { id: 1 }));
    expect(await connection.keys(`bull_${queues}_inbox:waiting:*`)).toHaveLength(1);
    await startWorker({ onEvent: () => undefined });
    await expectCounts({ done: 1 });
    expect(await connection.keys(`bull_${queues}_inbox:waiting:*`)).toEqual([]);
  });

  it("whose last attempt fails are reported, listed and revived", async () => {
    const { reports, report } = collector();
    const dead: unknown[] = [];
    let broken = true;
    await startWorker({
      report,
      onEvent: () => {
        if (broken) throw new Error("no");
      },
      onDead: (event, { attempt }, error) => void dead.push([event.event, attempt, String(error)]),
    });
    const delivery = deliveryOf("a.b", {}, "d-1");
    await inbox.put(delivery);
    await expectCounts({ dead: 1 });
    expect(dead).toEqual([["a.b", 3, "Error: no"]]);
    expect(reports).toEqual([expect.objectContaining({ kind: "dead", deliveryId: "d-1", attempt: 3 })]);
    const { receivedAt } = delivery;
    expect(await inbox.listDead()).toEqual([{ id: "d-1", event: "a.b", receivedAt, attempt: 3 }]);
    expect(await inbox.put(delivery)).toBe("duplicate");
    broken = false;
    expect(await inbox.revive("d-1")).toBe(true);
    await expectCounts({ done: 1 });
    expect([await inbox.revive("d-1"), await inbox.revive("never"), await inbox.listDead()]).toEqual([
      false,
      false,
      [],
    ]);
  });

  it("return without a counted attempt when their worker is closed", async () => {
    const attempts: number[] = [];
    let began = () => undefined as unknown;
    const first = new Promise((resolve) => {
      began = () => resolve(undefined);
    });
    const { handle } = await startWorker({
      onEvent: (_event, { attempt, signal }) => {
        attempts.push(attempt);
        began();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    await inbox.put(deliveryOf("a.b"));
    await first;
    await handle.close({ graceMs: 1 });
    await closes.pop()?.();
    await startWorker({ onEvent: (_event, { attempt }) => void attempts.push(attempt) });
    await expectCounts({ done: 1 });
    expect(attempts).toEqual([1, 1]);
  });
});

describe("the places of a record's jobs", needs("redis"), () => {
  it("keep a job first after its worker ended, return it to the next worker, and fence off the earlier worker", async () => {
    const server = await startRedis();
    const redis = new Redis(server.url);
    const run = (script: string, keys: readonly string[], values: readonly (string | number)[]) =>
      redis.eval(script, keys.length, ...keys, ...values.map(String));
    const promoted: string[] = [];
    const jobs = { state: async () => "waiting", promote: async (id: string) => void promoted.push(id) };
    const records = new RedisRecords(run, { prefix: "p_", keepMs: 60_000 }, jobs);
    const [older, newer] = [1, 2].map((receivedAt) => ({ ...deliveryOf("a.b", {}, `d-${receivedAt}`), receivedAt }));
    const soon = () => Date.now() + 60_000;
    await records.join("r", newer!);
    expect(await records.lock("r", "stalled", soon(), newer)).toBe(true);
    await redis.del("p_inbox:lock:{r}");
    // A worker resumes with an older delivery after a pause. The newer one may have been handled, although the worker
    // that took it has ended.
    expect(await records.lock("r", "other", soon(), older)).toBe(false);
    expect(await records.lock("r", "next", soon(), newer)).toBe(true);
    await records.unlock("r", "stalled", newer);
    expect([await records.lock("r", "other", soon(), older), promoted]).toEqual([false, []]);
    await records.unlock("r", "next", newer);
    expect(promoted).toEqual(["delivery-d-1"]);
    expect(await records.isNext("r", "delivery-d-1")).toBe(true);
    expect(await records.lock("r", "other", soon(), older)).toBe(true);
    redis.disconnect();
    await server.remove();
  });
});

it.each(["maxAttempts", "concurrency", "backoff"])("the processor refuses %s, because BullMQ controls it", (option) => {
  const redis = { eval: async () => null };
  expect(() => webhookProcessor(redis, { [option]: 1 } as object)).toThrow(/has no effect here; set/);
  const handle = webhookProcessor(redis, { onEvent: () => undefined });
  expect(handle satisfies (job: Job<WebhookDelivery>) => Promise<void>).toBeTypeOf("function");
});
