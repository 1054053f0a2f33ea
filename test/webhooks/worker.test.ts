import { describe, expect, it } from "vitest";
import {
  createWebhookHandler,
  createWebhookWorker,
  memoryStore,
  toNodeHandler,
  type WebhookEvent,
  type WebhookHandler,
} from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { deliveryOf, runWorker, sleep, takeAt } from "./support.js";

describe("a receiver of a store with waiting deliveries", () => {
  it.each<[string, (handler: WebhookHandler) => unknown]>([
    ["its first request, even a refused one", (handler) => handler(new Request("http://localhost/webhooks"))],
    ["toNodeHandler", (handler) => toNodeHandler(handler)],
    ["start()", (handler) => handler.start()],
    ["drain()", (handler) => handler.drain()],
  ])("handles none of them before %s", async (_, begin) => {
    const clock = new ManualClock();
    const store = { ...memoryStore(), pollMs: 1_000 };
    await store.put(deliveryOf("a.b", { id: 1 }));
    const handled: unknown[] = [];
    const onEvent = ({ event_data }: WebhookEvent<string>) => void handled.push(event_data.id);
    const handler = createWebhookHandler({ signature: false, store, clock, report: () => undefined, onEvent });
    await clock.advance(60_000);
    expect(handled).toEqual([]);
    void begin(handler);
    await clock.advance(60_000);
    expect(handled).toEqual([1]);
  });
});

describe("routing", () => {
  it("calls every listener with a matching pattern, in order, and a listener as often as it was added", async () => {
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
      "twice course.created",
      "onEvent brand.new.thing",
      "all brand.new.thing",
      "unknown brand.new.thing",
      "prefix brand.new.thing",
      "onEvent invoices.updated",
      "all invoices.updated",
    ]);
  });

  it("matches names of two parts with *.action, and any remainder with prefix.*", async () => {
    const calls: string[] = [];
    await runWorker([deliveryOf("a.deleted"), deliveryOf("a.deleted.again"), deliveryOf("a.b.deleted")], {
      concurrency: 1,
      on: {
        "*.deleted": ({ event }) => void calls.push(`*.deleted ${event}`),
      },
    });
    const worker = createWebhookWorker({}).on("a.*", ({ event }) => void calls.push(`a.* ${event}`));
    for (const name of ["a.deleted.again", "b.a", "ab.c"]) await worker.process(deliveryOf(name));
    expect(calls).toEqual(["*.deleted a.deleted", "a.* a.deleted.again"]);
  });

  it("types the event by its pattern and rejects misspelled names in the options", () => {
    const misspelled = () =>
      createWebhookWorker({
        on: {
          // @ts-expect-error no such event is known
          "invoce.updated": () => undefined,
        },
      });
    expect(misspelled).toThrow('did you mean "invoice.updated"?');
    createWebhookWorker({
      on: { "invoice.updated": (event) => void (event.event satisfies "invoice.updated") },
    }).on("certificate.awarded", (event) => void (event.event satisfies "certificate.awarded"));
  });

  it("refuses patterns that can never match", () => {
    const worker = createWebhookWorker({});
    for (const pattern of ["", "invoice*", "invoice.", ".updated", "in*.updated", "**"]) {
      expect(() => worker.on(pattern, () => undefined), pattern).toThrow(/is not a valid webhook pattern/);
    }
  });

  it.each([
    ["invoice", 'use "invoice.*" or "*.invoice"'],
    ["deleted", 'use "deleted.*" or "*.deleted"'],
    ["invoice.udpated", 'did you mean "invoice.updated"?'],
    ["invoice.update", 'did you mean "invoice.updated"?'],
    ["invoices.updated", 'did you mean "invoice.updated"?'],
    ["Invoice.Updated", 'did you mean "invoice.updated"?'],
    ["enrolment.*", 'did you mean "enrollment.*"?'],
    ["*.create", 'did you mean "*.created"?'],
  ])("refuses %s, which looks like a typo", (pattern, advice) => {
    expect(() => createWebhookWorker({}).on(pattern, () => undefined)).toThrow(advice);
  });

  it("accepts unknown names", () => {
    const worker = createWebhookWorker({});
    for (const name of ["brand.new", "invoice.paid", "*.paid"]) worker.on(name, () => undefined);
  });

  it("gives each listener its own copy of the event", async () => {
    const seen: unknown[] = [];
    const change = (event: WebhookEvent) => {
      seen.push(event.event_data.id);
      Object.assign(event.event_data, { id: "changed" });
    };
    await runWorker([deliveryOf("course.created", { id: 7 })], { onEvent: change, on: { "course.*": change } });
    expect(seen).toEqual([7, 7]);
  });

  it("marks an event without a listener as handled", async () => {
    const { kinds } = await runWorker([deliveryOf("order.denied")], { on: { "invoice.*": () => undefined } });
    expect(kinds()).toEqual(["handled"]);
  });

  it("leaves events to other workers while it has no listener", async () => {
    const clock = new ManualClock();
    const store = { ...memoryStore(), pollMs: 100 };
    await store.put(deliveryOf("a.b"));
    const calls: string[] = [];
    const worker = createWebhookWorker({ store, clock });
    await clock.advance(250);
    await expect(worker.process(deliveryOf("a.b"))).rejects.toThrow("no listener was added");
    worker.on("a.b", ({ event }) => calls.push(event));
    expect(calls).toEqual([]);
    await clock.advance(100);
    await clock.run(worker.drain());
    expect(calls).toEqual(["a.b"]);
    await worker.close();
  });
});

describe("concurrency", () => {
  it("handles up to the configured number of deliveries at a time", async () => {
    let active = 0;
    let most = 0;
    await runWorker(
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

describe("process, for queues with their own workers", () => {
  it("handles one delivery with its attempt and rejects with the listener's error", async () => {
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

  it("calls no listener again that succeeded if the queue, which could not record it, passes the delivery again", async () => {
    const calls: unknown[] = [];
    const worker = createWebhookWorker({
      store: { put: async () => "stored" },
      onEvent: ({ event_data }) => void calls.push(event_data.id),
    });
    const [one, other] = [deliveryOf("a.b", { id: 1 }), deliveryOf("a.b", { id: 2 })];
    for (const delivery of [one, other, one, one]) await worker.process(delivery);
    expect(calls).toEqual([1, 2]);
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
    const clock = new ManualClock();
    const store = memoryStore();
    let reason: unknown;
    const worker = createWebhookWorker({
      store,
      clock,
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
    await clock.advance(0);
    const started = clock.now();
    await clock.run(worker.close({ graceMs: 20 }));
    expect(clock.now() - started).toBe(20);
    expect(String(reason)).toMatch(/closed/);
  });
});
