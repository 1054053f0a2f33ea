import { describe, expect, it, vi } from "vitest";
import { wait } from "../../src/core/clock.js";
import {
  createWebhookWorker,
  memoryStore,
  type RecordVersion,
  type WebhookContext,
  type WebhookEvent,
  type WebhookStore,
  type WebhookWorkerOptions,
} from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { collector, deliveryOf, sleep, takeAt } from "./support.js";

const quick = { backoff: { baseMs: 1, maxMs: 4 } };

/** Puts deliveries into a memory store, lets a worker handle them, and tells what was reported. */
async function run(
  deliveries: ReturnType<typeof deliveryOf>[],
  options: WebhookWorkerOptions,
): Promise<ReturnType<typeof collector>> {
  const store = memoryStore();
  const reported = collector();
  const worker = createWebhookWorker({ store, report: reported.report, ...quick, ...options });
  for (const delivery of deliveries) await store.put(delivery);
  worker.wake();
  await worker.drain();
  return reported;
}

describe("routing", () => {
  it("calls every listener whose pattern fits, in order, and a listener with two fitting patterns once", async () => {
    const calls: string[] = [];
    const note = (name: string) => (event: WebhookEvent<string>) => void calls.push(`${name} ${event.event}`);
    const twice = note("twice");
    const store = memoryStore();
    const worker = createWebhookWorker({
      store,
      concurrency: 1,
      onEvent: note("onEvent"),
      on: {
        "invoice.updated": note("exact"),
        "invoice.*": note("invoice"),
        "*.deleted": note("deleted"),
        "*": note("all"),
      },
    })
      .on("course.*", twice)
      .on("*.created", twice)
      .on("brand.new.thing", note("unknown"))
      .on("brand.*", note("prefix"));
    for (const name of [
      "invoice.updated",
      "invoice.deleted",
      "course.created",
      "brand.new.thing",
      "invoices.updated",
    ]) {
      await store.put(deliveryOf(name));
    }
    worker.wake();
    await worker.drain();
    expect(calls).toEqual([
      "onEvent invoice.updated",
      "exact invoice.updated",
      "invoice invoice.updated",
      "all invoice.updated",
      "onEvent invoice.deleted",
      "invoice invoice.deleted",
      "deleted invoice.deleted",
      "all invoice.deleted",
      "onEvent course.created",
      "all course.created",
      "twice course.created",
      "onEvent brand.new.thing",
      "all brand.new.thing",
      "unknown brand.new.thing",
      "prefix brand.new.thing",
      "onEvent invoices.updated",
      "all invoices.updated",
    ]);
  });

  it("lets *.action stand for names of two parts, and prefix.* for whatever follows", async () => {
    const calls: string[] = [];
    await run([deliveryOf("a.deleted"), deliveryOf("a.deleted.again"), deliveryOf("a.b.deleted")], {
      concurrency: 1,
      on: {
        "*.deleted": ({ event }) => void calls.push(`*.deleted ${event}`),
      },
    });
    const worker = createWebhookWorker({}).on("a.*", ({ event }) => void calls.push(`a.* ${event}`));
    for (const name of ["a.deleted.again", "b.a", "ab.c"]) await worker.process(deliveryOf(name));
    expect(calls).toEqual(["*.deleted a.deleted", "a.* a.deleted.again"]);
  });

  it("types the event by its pattern and refuses misspelt names in the options", () => {
    createWebhookWorker({
      on: {
        "invoice.updated": (event) => void (event.event satisfies "invoice.updated"),
        // @ts-expect-error no such event is known; worker.on takes it
        "invoce.updated": () => undefined,
      },
    }).on("certificate.awarded", (event) => void (event.event satisfies "certificate.awarded"));
  });

  it("refuses patterns that would never fit", () => {
    const worker = createWebhookWorker({});
    for (const pattern of ["", "invoice*", "invoice.", ".updated", "in*.updated", "**"]) {
      expect(() => worker.on(pattern, () => undefined), pattern).toThrow(/is not a valid webhook pattern/);
    }
  });

  it("marks an event nobody listens to as handled", async () => {
    const { kinds } = await run([deliveryOf("order.denied")], { on: { "invoice.*": () => undefined } });
    expect(kinds()).toEqual(["handled"]);
  });
});

describe("concurrency", () => {
  it("handles so many at a time, and no more", async () => {
    let active = 0;
    let most = 0;
    await run(
      Array.from({ length: 40 }, (_, id) => deliveryOf("a.b", { id })),
      {
        concurrency: 7,
        onEvent: async () => {
          most = Math.max(most, ++active);
          await sleep(3);
          active--;
        },
      },
    );
    expect(most).toBe(7);
  });
});

describe("failing listeners", () => {
  it("hands the delivery out again until it succeeds, counting attempts, and then marks it done", async () => {
    const attempts: number[] = [];
    const { kinds } = await run([deliveryOf("a.b")], {
      onEvent: (_, { attempt }) => {
        attempts.push(attempt);
        if (attempt < 4) throw new Error("not yet");
      },
    });
    expect(attempts).toEqual([1, 2, 3, 4]);
    expect(kinds()).toEqual(["retry", "retry", "retry", "handled"]);
  });

  it("comes back to every failed delivery when its pause is over, not only to the first", async () => {
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

  it("does not call listeners again that succeeded", async () => {
    const calls = { good: 0, bad: 0, last: 0 };
    await run([deliveryOf("a.b")], {
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

  it("waits a random share of a doubling time, at most maxMs", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
    const { reports } = await run([deliveryOf("a.b")], {
      maxAttempts: 6,
      backoff: { baseMs: 4, maxMs: 30 },
      onEvent: () => {
        throw new Error("no");
      },
    });
    expect(reports.flatMap((report) => (report.kind === "retry" ? report.delayMs : []))).toEqual([2, 4, 8, 15, 15]);
    random.mockReturnValue(0);
    const { reports: none } = await run([deliveryOf("a.b")], {
      maxAttempts: 2,
      onEvent: () => {
        throw new Error("no");
      },
    });
    expect(none).toContainEqual(expect.objectContaining({ kind: "retry", delayMs: 0 }));
  });

  it("tells onDead after maxAttempts, sets the delivery aside and goes on with the others", async () => {
    const dead: unknown[][] = [];
    const handled: string[] = [];
    const { kinds } = await run([deliveryOf("bad.one", { id: 1 }, "bad"), deliveryOf("good.one")], {
      maxAttempts: 3,
      onEvent: ({ event }) => {
        if (event === "bad.one") throw new Error("always");
        handled.push(event);
      },
      onDead: (event, context, error) => dead.push([event.event, context.deliveryId, context.attempt, error]),
    });
    expect(dead).toEqual([["bad.one", "bad", 3, new Error("always")]]);
    expect(handled).toEqual(["good.one"]);
    expect(kinds().filter((kind) => kind === "dead")).toHaveLength(1);
  });

  it("sets the delivery aside although onDead throws, and reports it", async () => {
    const { reports } = await run([deliveryOf("a.b")], {
      maxAttempts: 1,
      onEvent: () => {
        throw new Error("no");
      },
      onDead: () => {
        throw new Error("onDead too");
      },
    });
    expect(reports.map(({ kind }) => kind)).toEqual(["dead", "failed"]);
  });

  it("does not hand out a delivery that ended the process in every attempt", async () => {
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

  it("says on the console that a delivery was set aside when nobody is told otherwise, without its data or the error's words", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const store = memoryStore();
    const worker = createWebhookWorker({
      store,
      maxAttempts: 1,
      onEvent: () => {
        throw new Error("jane@example.com");
      },
    });
    await store.put(deliveryOf("user.updated", { id: 1, name: "Jane" }, "d-7"));
    worker.wake();
    await worker.drain();
    expect(error.mock.calls).toEqual([["Webhook user.updated (delivery d-7) failed 1 times and was set aside"]]);
  });

  it("is not disturbed by a reporter that throws", async () => {
    const onEvent = vi.fn();
    await run([deliveryOf("a.b")], {
      onEvent,
      report: () => {
        throw new Error("broken");
      },
    });
    expect(onEvent).toHaveBeenCalledTimes(1);
  });
});

describe("order per record", () => {
  const at = (time: string, id = 7) => deliveryOf("invoice.updated", { id, updated_at: time });
  const versions = [
    at("2026-01-01T10:00:00Z"),
    at("2026-01-01T10:00:02Z"),
    at("2026-01-01T10:00:01Z"),
    at("2026-01-01T10:00:00Z", 8),
  ];
  const seen = async (options: WebhookWorkerOptions, deliveries = versions) => {
    const calls: [unknown, boolean][] = [];
    const onEvent = async (event: WebhookEvent, { outOfOrder }: WebhookContext) => {
      await sleep(1);
      calls.push([`${event.event_data.id} ${String(event.event_data.updated_at).slice(17, 19)}`, outOfOrder]);
    };
    const { kinds } = await run(deliveries, { ...options, onEvent });
    return { calls, dropped: kinds().filter((kind) => kind === "dropped").length };
  };

  it("does not look by default", async () => {
    expect((await seen({ concurrency: 1 })).calls).toEqual([
      ["7 00", false],
      ["7 02", false],
      ["7 01", false],
      ["8 00", false],
    ]);
  });

  it("drops what is older than what was handled, also when many are handled at a time", async () => {
    expect(await seen({ outOfOrder: "drop", concurrency: 10 })).toEqual({
      calls: expect.arrayContaining([
        ["7 00", false],
        ["7 02", false],
        ["8 00", false],
      ]),
      dropped: 1,
    });
  });

  it("marks what is older than what was handled", async () => {
    const { calls, dropped } = await seen({ outOfOrder: "mark" });
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

  it("compares times, not texts, and lets equal ones and those without a time pass", async () => {
    const mixed = [
      at("2026-01-01T12:00:00+02:00"),
      at("2026-01-01T10:00:00Z"),
      deliveryOf("invoice.updated", { id: 7 }),
      at("nonsense"),
    ];
    expect(await seen({ outOfOrder: "drop" }, mixed)).toMatchObject({ dropped: 0 });
    expect(await seen({ outOfOrder: "drop" }, [...mixed, at("2026-01-01T11:30:00+02:00")])).toMatchObject({
      dropped: 1,
    });
  });

  it("handles events about one record one after the other and those about others at the same time", async () => {
    const active = new Map<unknown, number>();
    let overlapping = 0;
    let most = 0;
    const deliveries = Array.from({ length: 12 }, (_, n) => at("2026-01-01T10:00:00Z", n % 3));
    await run(deliveries, {
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

  it("does not take a failed version for handled", async () => {
    const calls: string[] = [];
    await run([at("2026-01-01T10:00:05Z"), at("2026-01-01T10:00:01Z")], {
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

  it("asks the store what other processes handled and hands it the version with the done-mark", async () => {
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
    const { calls, dropped } = await seen({ outOfOrder: "drop", store, concurrency: 1 }, []);
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

describe("process, for queues with their own workers", () => {
  it("hands over one delivery with its attempt and rejects with what the listener threw", async () => {
    const attempts: number[] = [];
    const worker = createWebhookWorker({
      store: { put: async () => "stored" },
      onEvent: (_, { attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error("first time");
      },
    });
    const delivery = deliveryOf("a.b");
    await expect(worker.process(delivery)).rejects.toThrow("first time");
    await expect(worker.process(delivery, 2)).resolves.toBeUndefined();
    expect(attempts).toEqual([1, 2]);
  });
});

describe("the store's failures", () => {
  it("takes again after a failure, and loses nothing", async () => {
    const memory = memoryStore();
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
    const worker = createWebhookWorker({ store, onEvent, report });
    await worker.drain();
    await worker.close();
    expect(onEvent).toHaveBeenCalledTimes(1);
    expect(reports.filter(({ kind }) => kind === "failed")).toHaveLength(2);
  });

  it("does not call listeners again when only the done-mark failed", async () => {
    const memory = memoryStore();
    const delivery = deliveryOf("a.b");
    let failing = true;
    const store: WebhookStore = {
      ...memory,
      done: async (id, version) => {
        if (!failing) return memory.done(id, version);
        failing = false;
        await memory.retry(id, 0);
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
    // After every third of the lease: at 20, 40, 60, 80 and 100 ms.
    expect(extended).toEqual(Array(5).fill(["long", 60]));
  });

  it("looks by itself for what other processes put, every pollMs", async () => {
    const memory = memoryStore();
    const onEvent = vi.fn();
    const worker = createWebhookWorker({ store: { ...memory, pollMs: 5 }, onEvent });
    await sleep(10);
    await memory.put(deliveryOf("a.b"));
    await vi.waitFor(() => expect(onEvent).toHaveBeenCalledTimes(1), { timeout: 1_000 });
    await worker.close();
  });
});

describe("shutting down", () => {
  it("waits for listeners, takes no more, and leaves the rest in the store", async () => {
    const memory = memoryStore();
    const handled: unknown[] = [];
    const worker = createWebhookWorker({
      store: memory,
      concurrency: 2,
      onEvent: async ({ event_data }) => {
        await sleep(20);
        handled.push(event_data.id);
      },
    });
    for (const id of [1, 2, 3, 4]) await memory.put(deliveryOf("a.b", { id }));
    worker.wake();
    await sleep(10);
    await worker.close();
    expect(handled).toEqual([1, 2]);
    await sleep(40);
    expect(handled).toEqual([1, 2]);
    expect(await memory.take(takeAt(Date.now()))).toHaveLength(2);
  });

  it("aborts the signals of listeners that take longer than the grace period", async () => {
    const store = memoryStore();
    let reason: unknown;
    const worker = createWebhookWorker({
      store,
      report: () => undefined,
      onEvent: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason as Error);
          });
        }),
    });
    await store.put(deliveryOf("a.b"));
    worker.wake();
    await sleep(10);
    const started = performance.now();
    await worker.close({ graceMs: 20 });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(String(reason)).toMatch(/closed/);
  });
});
