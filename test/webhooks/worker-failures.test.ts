import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { wait } from "../../src/core/clock.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import { createWebhookWorker, memoryStore, refetch, type WebhookStore } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { collector, deliveryOf, runWorker, sleep } from "./support.js";

describe("failing listeners", () => {
  it("get the delivery again until they succeed, with counted attempts, after which it is done", async () => {
    const attempts: number[] = [];
    const { kinds } = await runWorker([deliveryOf("a.b")], {
      onEvent: (_, { attempt }) => {
        attempts.push(attempt);
        if (attempt < 4) throw new Error("not yet");
      },
    });
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(kinds()).toEqual(["retry", "retry", "retry", "handled"]);
  });

  it("are called again for every failed delivery after its pause, not only for the first", async () => {
    const delays = [1, 0.2, 0.6, 0.4];
    vi.spyOn(Math, "random").mockImplementation(() => delays.shift() ?? 0);
    const clock = new ManualClock();
    const store = memoryStore();
    const order: unknown[] = [];
    const worker = createWebhookWorker({
      store,
      clock,
      report: () => undefined,
      concurrency: 1,
      backoff: { baseMs: 200, maxMs: 200 },
      onEvent: ({ event_data }, { attempt }) => {
        if (attempt === 1) throw new Error("no");
        order.push([event_data.id, clock.now() - started]);
      },
    });
    for (const id of [1, 2, 3, 4]) await store.put(deliveryOf("a.b", { id }));
    const started = clock.now();
    worker.wake();
    expect(await clock.run(worker.drain())).toBe(true);
    expect(order).toEqual([
      [2, 40],
      [4, 80],
      [3, 120],
      [1, 200],
    ]);
  });

  it("cause no second call of listeners that succeeded", async () => {
    const calls = { good: 0, bad: 0, last: 0 };
    await runWorker([deliveryOf("a.b")], {
      on: {
        "*": () => void calls.good++,
      },
      onEvent: (_, { attempt }) => {
        calls.bad++;
        if (attempt < 3) throw new Error("no");
      },
    });
    expect(calls).toMatchObject({ good: 1, bad: 3 });
  });

  it("wait a random share of a doubling time, at most maxMs", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
    const { reports } = await runWorker([deliveryOf("a.b")], {
      maxAttempts: 6,
      backoff: { baseMs: 4, maxMs: 30 },
      onEvent: () => {
        throw new Error("no");
      },
    });
    expect(reports.flatMap((report) => (report.kind === "retry" ? report.delayMs : []))).toEqual([2, 4, 8, 15, 15]);
    random.mockReturnValue(0);
    const { reports: none } = await runWorker([deliveryOf("a.b")], {
      maxAttempts: 2,
      onEvent: () => {
        throw new Error("no");
      },
    });
    expect(none).toContainEqual(expect.objectContaining({ kind: "retry", delayMs: 0 }));
  });

  it("lead to onDead after maxAttempts, when the delivery is set aside and the others continue", async () => {
    const dead: unknown[][] = [];
    const handled: string[] = [];
    const { kinds } = await runWorker([deliveryOf("bad.one", { id: 1 }, "bad"), deliveryOf("good.one")], {
      maxAttempts: 3,
      onEvent: ({ event }) => {
        if (event === "bad.one") throw new Error("always");
        handled.push(event);
      },
      onDead: ({ event }, { deliveryId, attempt, outOfOrder }, error) =>
        dead.push([event, deliveryId, attempt, outOfOrder, error]),
    });
    expect(dead).toEqual([["bad.one", "bad", 3, false, new Error("always")]]);
    expect(handled).toEqual(["good.one"]);
    expect(kinds().filter((kind) => kind === "dead")).toHaveLength(1);
  });

  it("have the delivery set aside even if onDead throws, which is reported", async () => {
    const { reports } = await runWorker([deliveryOf("a.b")], {
      maxAttempts: 1,
      onEvent: () => {
        throw new Error("no");
      },
      onDead: () => {
        throw new Error("onDead too");
      },
    });
    expect(reports).toMatchObject([{ kind: "dead" }, { kind: "failed", what: "onDead" }]);
  });

  it("are all called again for a revived delivery", async () => {
    const store = webhookInbox(new DatabaseSync(":memory:"));
    const called: string[] = [];
    const worker = createWebhookWorker({
      store,
      maxAttempts: 1,
      report: () => undefined,
      onEvent: () => called.push("one"),
      on: {
        "invoice.updated": () => {
          called.push("two");
          throw new Error("no");
        },
      },
    });
    await store.put(deliveryOf("invoice.updated", {}, "a"));
    worker.wake();
    await worker.drain();
    expect(await store.revive("a")).toBe(true);
    worker.wake();
    await worker.drain();
    expect(called).toEqual(["one", "two", "one", "two"]);
    await worker.close();
  });

  it("get no delivery that ended the process in every attempt", async () => {
    const onEvent = vi.fn();
    const onDead = vi.fn();
    const dead: string[] = [];
    const poison = { ...deliveryOf("a.b", {}, "poison"), attempt: 4 };
    const store: WebhookStore = {
      ...memoryStore(),
      take: vi.fn().mockResolvedValueOnce([poison]).mockResolvedValue([]),
      dead: async (id) => void dead.push(id),
    };
    const worker = createWebhookWorker({ store, maxAttempts: 3, onEvent, onDead, report: () => undefined });
    worker.wake();
    await worker.drain();
    expect(onEvent).not.toHaveBeenCalled();
    expect([onDead.mock.calls.length, dead]).toEqual([1, ["poison"]]);
  });

  it("have the reason of a failed refetch logged on the console", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const fresh = refetch(new MainClient(createSandbox({ size: "small" })), { windowMs: 0 });
    const store = memoryStore();
    const worker = createWebhookWorker({ store, maxAttempts: 1, onEvent: async (event) => void (await fresh(event)) });
    await store.put(deliveryOf("account.updated", { id: 7, updated_at: new Date(Date.now() + 5_000).toISOString() }));
    worker.wake();
    await worker.drain();
    expect(error.mock.calls.flat().join()).toContain("account.updated: the record is older than its event");
  });

  it("have a set-aside delivery logged with its reason if no reporter exists, without its data or the error's message", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const client = new MainClient({ ...createSandbox({ size: "small" }), apiKey: "revoked" });
    const store = memoryStore();
    const worker = createWebhookWorker({
      store,
      maxAttempts: 3,
      backoff: { baseMs: 1, maxMs: 1 },
      onEvent: async (_, { attempt }) => {
        if (attempt < 3) await client.users.get(1);
        throw new Error("jane@example.com");
      },
    });
    await store.put(deliveryOf("user.updated", { id: 1, name: "Jane" }, "d-7"));
    worker.wake();
    await worker.drain();
    expect(error.mock.calls.flat()).toEqual([
      "Webhooks: a listener of user.updated failed (PermissionDeniedError 403, users.get); logged once per outage",
      "Webhook user.updated (delivery d-7) failed 3 times and was set aside: Error",
    ]);
  });

  it("continue with a reporter that throws", async () => {
    const onEvent = vi.fn();
    await runWorker([deliveryOf("a.b")], {
      onEvent,
      report: () => {
        throw new Error("broken");
      },
    });
    expect(onEvent).toHaveBeenCalledTimes(1);
  });
});

describe("the store's failures", () => {
  it("are followed by another take after a pause, and lose nothing", async () => {
    const memory = memoryStore();
    const clock = new ManualClock();
    let failures = 2;
    const store: WebhookStore = {
      ...memory,
      pollMs: 5,
      take: async (ask) => {
        if (failures-- > 0) throw new Error("connection lost");
        return memory.take(ask);
      },
    };
    const onEvent = vi.fn();
    const { reports, report } = collector();
    await store.put(deliveryOf("a.b"));
    const worker = createWebhookWorker({ store, onEvent, report, clock });
    await clock.run(worker.drain());
    await worker.close();
    expect(onEvent).toHaveBeenCalledTimes(1);
    expect(reports.filter(({ kind }) => kind === "failed")).toHaveLength(2);
  });

  it("cause no second call of listeners if only the done-mark failed", async () => {
    const memory = memoryStore();
    const delivery = deliveryOf("a.b");
    let failing = true;
    const store: WebhookStore = {
      ...memory,
      done: async (id, version) => {
        if (!failing) return memory.done(id, version);
        failing = false;
        await memory.retry(id, 0, 1);
        throw new Error("connection lost");
      },
    };
    const onEvent = vi.fn();
    const { kinds, report } = collector();
    const worker = createWebhookWorker({ store, onEvent, report });
    await store.put(delivery);
    worker.wake();
    await worker.drain();
    worker.wake();
    await worker.drain();
    expect(onEvent).toHaveBeenCalledTimes(1);
    expect(kinds()).toEqual(["handled", "failed", "handled"]);
    expect(await store.put(delivery)).toBe("duplicate");
  });

  it("renews the lease while a listener works, and no longer", async () => {
    const clock = new ManualClock();
    const extended: [string, number][] = [];
    const memory = memoryStore();
    const store: WebhookStore = {
      ...memory,
      extend: async (id, until) => void extended.push([id, until - clock.now()]),
    };
    const onEvent = () => wait(clock, 110, undefined);
    const worker = createWebhookWorker({ store, clock, leaseMs: 60, onEvent });
    await store.put(deliveryOf("a.b", {}, "long"));
    worker.wake();
    await clock.run(worker.drain());
    await clock.advance(1_000);
    // Extended after every third of the lease: at 20, 40, 60, 80 and 100 ms.
    expect(extended).toEqual(Array(5).fill(["long", 60]));
  });

  it("finds deliveries of other processes by polling every pollMs", async () => {
    const memory = memoryStore();
    const onEvent = vi.fn();
    const worker = createWebhookWorker({ store: { ...memory, pollMs: 5 }, onEvent });
    worker.start();
    await sleep(10);
    await memory.put(deliveryOf("a.b"));
    await vi.waitFor(() => expect(onEvent).toHaveBeenCalledTimes(1), { timeout: 1_000 });
    await worker.close();
  });
});
