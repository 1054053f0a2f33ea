import { describe, expect, it } from "vitest";
import {
  createWebhookWorker,
  memoryStore,
  type RecordVersion,
  type WebhookContext,
  type WebhookEvent,
  type WebhookStore,
  type WebhookWorkerOptions,
} from "../../src/webhooks/index.js";
import { deliveryOf, runWorker, sleep } from "./support.js";

describe("order per record", () => {
  const at = (time: string, id = 7) => deliveryOf("invoice.updated", { id, updated_at: time });
  const versions = [
    at("2026-01-01T10:00:00Z"),
    at("2026-01-01T10:00:02Z"),
    at("2026-01-01T10:00:01Z"),
    at("2026-01-01T10:00:00Z", 8),
  ];
  const collectCalls = async (options: WebhookWorkerOptions, deliveries = versions) => {
    const calls: [unknown, boolean][] = [];
    const onEvent = async (event: WebhookEvent, { outOfOrder }: WebhookContext) => {
      await sleep(1);
      calls.push([`${event.event_data.id} ${String(event.event_data.updated_at).slice(17, 19)}`, outOfOrder]);
    };
    const { kinds } = await runWorker(deliveries, { ...options, onEvent });
    return { calls, dropped: kinds().filter((kind) => kind === "dropped").length };
  };

  it("is not checked by default", async () => {
    expect((await collectCalls({ concurrency: 1 })).calls).toEqual([
      ["7 00", false],
      ["7 02", false],
      ["7 01", false],
      ["8 00", false],
    ]);
  });

  it("drops events older than the last one handled, even if many are handled at a time", async () => {
    expect(await collectCalls({ outOfOrder: "drop", concurrency: 10 })).toEqual({
      calls: expect.arrayContaining([
        ["7 00", false],
        ["7 02", false],
        ["8 00", false],
      ]),
      dropped: 1,
    });
  });

  it("marks events older than the last one handled", async () => {
    const { calls, dropped } = await collectCalls({ outOfOrder: "mark" });
    expect(calls).toEqual(
      expect.arrayContaining([
        ["7 00", false],
        ["7 02", false],
        ["7 01", true],
        ["8 00", false],
      ]),
    );
    expect([calls.length, dropped]).toEqual([4, 0]);
  });

  it("compares times, not texts, and accepts equal times and events without one", async () => {
    const mixed = [
      at("2026-01-01T12:00:00+02:00"),
      at("2026-01-01T10:00:00Z"),
      deliveryOf("invoice.updated", { id: 7 }),
      at("nonsense"),
    ];
    expect(await collectCalls({ outOfOrder: "drop" }, mixed)).toMatchObject({ dropped: 0 });
    expect(await collectCalls({ outOfOrder: "drop" }, [...mixed, at("2026-01-01T11:30:00+02:00")])).toMatchObject({
      dropped: 1,
    });
  });

  it("lets an event dated in the future drop no later one, and does not drop it", async () => {
    const dates = ["2999-01-01T00:00:02Z", "2026-01-01T10:00:01Z", "2026-01-01T10:00:00Z", "2999-01-01T00:00:01Z"];
    const { calls, dropped } = await collectCalls(
      { outOfOrder: "drop", concurrency: 1 },
      dates.map((date) => at(date)),
    );
    expect([calls.map(([call]) => call), dropped]).toEqual([["7 02", "7 01", "7 01"], 1]);
  });

  it("treats an updated_at that is not a text as missing", async () => {
    const odd = [{ toString: 1 }, 5, null, ["2026"]].map((updated_at) =>
      deliveryOf("invoice.updated", { id: 7, updated_at }),
    );
    expect(await collectCalls({ outOfOrder: "drop" }, odd)).toMatchObject({ dropped: 0 });
  });

  it("handles events about one record one after the other, and those about other records meanwhile", async () => {
    const active = new Map<unknown, number>();
    let overlapping = 0;
    let most = 0;
    const deliveries = Array.from({ length: 12 }, (_, n) => at("2026-01-01T10:00:00Z", n % 3));
    await runWorker(deliveries, {
      outOfOrder: "drop",
      concurrency: 12,
      onEvent: async ({ event_data: { id } }) => {
        active.set(id, (active.get(id) ?? 0) + 1);
        if (active.get(id)! > 1) overlapping++;
        most = Math.max(
          most,
          [...active.values()].reduce((sum, one) => sum + one, 0),
        );
        await sleep(3);
        active.set(id, active.get(id)! - 1);
      },
    });
    expect([overlapping, most]).toEqual([0, 3]);
  });

  it("does not treat a failed version as handled", async () => {
    const calls: string[] = [];
    await runWorker([at("2026-01-01T10:00:05Z"), at("2026-01-01T10:00:01Z")], {
      outOfOrder: "drop",
      maxAttempts: 1,
      report: () => undefined,
      onEvent: ({ event_data }) => {
        calls.push(String(event_data.updated_at));
        if (String(event_data.updated_at).includes(":05Z")) throw new Error("no");
      },
    });
    expect(calls).toHaveLength(2);
  });

  it("reads from the store what other processes handled, and passes it the version with the done-mark", async () => {
    const done: (RecordVersion | null)[] = [];
    const record = "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11/invoice/7";
    const memory = memoryStore();
    const store: WebhookStore = {
      ...memory,
      newest: async (asked) => (asked === record ? Date.parse("2026-01-01T10:00:01Z") : null),
      done: async (id, version) => {
        done.push(version);
        await memory.done(id, version);
      },
    };
    const { calls, dropped } = await collectCalls({ outOfOrder: "drop", store, concurrency: 1 }, []);
    expect([calls, dropped]).toEqual([[], 0]);
    const events: unknown[] = [];
    const worker = createWebhookWorker({
      store,
      outOfOrder: "drop",
      onEvent: ({ event_data }) => events.push(event_data.updated_at),
    });
    await store.put(at("2026-01-01T10:00:00Z"));
    await store.put(at("2026-01-01T10:00:03Z"));
    worker.wake();
    await worker.drain();
    expect(events).toEqual(["2026-01-01T10:00:03Z"]);
    expect(done).toContainEqual({ record, updatedAt: Date.parse("2026-01-01T10:00:03Z") });
  });
});
