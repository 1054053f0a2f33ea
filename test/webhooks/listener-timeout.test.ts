import { expect, it, vi } from "vitest";
import {
  createWebhookWorker,
  memoryStore,
  type WebhookContext,
  WebhookListenerTimeoutError,
  type WebhookStore,
} from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { collector, deliveryOf } from "./support.js";

const never = () => new Promise<never>(() => undefined);
const waitFor = (clock: ManualClock, ms: number) =>
  new Promise<void>((resolve) => {
    clock.setTimeout(resolve, ms);
  });

it("aborts a hung listener's signal, frees its slot and counts a failed attempt", async () => {
  const clock = new ManualClock();
  const store = memoryStore();
  const { reports, kinds, report } = collector();
  const handled: unknown[] = [];
  const reasons: unknown[] = [];
  const worker = createWebhookWorker({
    store,
    clock,
    report,
    concurrency: 2,
    maxAttempts: 2,
    listenerTimeoutMs: 5_000,
    onEvent: async ({ event_data }, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      if (Number(event_data.id) < 2) await never();
      handled.push(event_data.id);
    },
  });
  for (let id = 0; id < 6; id++) await store.put(deliveryOf("a.b", { id }));
  worker.wake();
  await clock.advance(4_999);
  expect([handled, reasons]).toEqual([[], []]);
  await clock.advance(1);
  expect(handled).toEqual([2, 3, 4, 5]);
  expect(reasons).toEqual([expect.any(WebhookListenerTimeoutError), expect.any(WebhookListenerTimeoutError)]);
  expect(await clock.run(worker.drain())).toBe(true);
  const failures = kinds().filter((kind) => kind !== "handled");
  expect(failures.sort()).toEqual(["dead", "dead", "retry", "retry", "stuck", "stuck", "stuck", "stuck"]);
  expect(reports[0]).toMatchObject({ kind: "stuck", event: "a.b", attempt: 1, timeoutMs: 5_000 });
  expect(clock.pending).toBe(0);
});

it("limits every listener separately, 60 seconds by default, and onDead too", async () => {
  const clock = new ManualClock();
  const store = memoryStore();
  const { kinds, report } = collector();
  const slow = () => waitFor(clock, 59_000);
  const worker = createWebhookWorker({ store, clock, report, maxAttempts: 1, on: { "a.b": slow, "*": slow } as never });
  await store.put(deliveryOf("a.b"));
  worker.wake();
  await clock.advance(118_000);
  expect(kinds()).toEqual(["handled"]);

  const other = createWebhookWorker({ store, clock, report, maxAttempts: 1, onEvent: never, onDead: never });
  await store.put(deliveryOf("c.d"));
  other.wake();
  await clock.advance(120_000);
  expect(kinds().slice(1)).toEqual(["stuck", "dead", "stuck", "failed"]);
  expect(await clock.run(other.drain())).toBe(true);
});

it("does not call a listener again that succeeded after its limit", async () => {
  const clock = new ManualClock();
  const store = memoryStore();
  const onEvent = vi.fn((_: unknown, { attempt }: WebhookContext) => waitFor(clock, attempt === 1 ? 150 : 0));
  const worker = createWebhookWorker({
    store,
    clock,
    onEvent,
    listenerTimeoutMs: 100,
    report: () => undefined,
    backoff: { baseMs: 100_000 },
  });
  vi.spyOn(Math, "random").mockReturnValue(0.9);
  await store.put(deliveryOf("a.b"));
  worker.wake();
  await clock.advance(200_000);
  expect(await clock.run(worker.drain())).toBe(true);
  expect(onEvent).toHaveBeenCalledTimes(1);
});

it("continues with a store whose take, done or retry never responds", async () => {
  const clock = new ManualClock();
  const memory = memoryStore();
  const hanging = new Set(["take", "done", "retry"]);
  const once =
    <Given extends unknown[], Result>(name: string, call: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      hanging.delete(name) ? never() : call(...given);
  const store: WebhookStore = {
    ...memory,
    pollMs: 500,
    take: once("take", memory.take),
    done: once("done", memory.done),
    retry: once("retry", memory.retry),
  };
  const { reports, report } = collector();
  const handled: unknown[] = [];
  const worker = createWebhookWorker({
    store,
    clock,
    report,
    concurrency: 1,
    backoff: { baseMs: 1 },
    onEvent: ({ event_data }, { attempt }) => {
      if (event_data.id === 1 && attempt === 1) throw new Error("no");
      handled.push(event_data.id);
    },
  });
  for (const id of [1, 2, 3]) await store.put(deliveryOf("a.b", { id }));
  worker.wake();
  await clock.advance(9_999);
  expect(handled).toEqual([]);
  await clock.advance(120_000);
  expect(new Set(handled)).toEqual(new Set([1, 2, 3]));
  const failed = reports.flatMap((one) => (one.kind === "failed" ? [`${one.what}: ${one.error}`] : []));
  expect(failed).toEqual(
    ["take", "retry", "done"].map((what) => `${what}: Error: The store did not respond to ${what} within 10000 ms`),
  );
  await clock.run(worker.close());
});

it("waits a second after a failure of a store that is not polled, longer after the next, and then continues", async () => {
  const clock = new ManualClock();
  const memory = memoryStore();
  const taking = vi.fn();
  const store: WebhookStore = {
    ...memory,
    take: async (request) => {
      taking(clock.now());
      if (taking.mock.calls.length <= 2) throw new Error("connection lost");
      return memory.take(request);
    },
  };
  const onEvent = vi.fn();
  const worker = createWebhookWorker({ store, clock, onEvent, report: () => undefined });
  await store.put(deliveryOf("a.b"));
  const started = clock.now();
  worker.wake();
  await clock.advance(10_000);
  expect(onEvent).toHaveBeenCalledTimes(1);
  expect(taking.mock.calls.map(([at]) => at - started)).toEqual([0, 1_000, 3_000]);
});
