import { spawn } from "node:child_process";
import { expect, it, vi } from "vitest";
import { createWebhookHandler, createWebhookWorker, memoryStore, type WebhookStore } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { collector, deliveryOf } from "./support.js";

const never = () => new Promise<never>(() => undefined);

it("close ends after its grace period even if a listener hangs, and uses neither the store nor timers afterwards", async () => {
  const clock = new ManualClock();
  const memory = memoryStore();
  let open = true;
  const touched: string[] = [];
  const guarded = Object.entries(memory).map(([name, value]) => [
    name,
    typeof value !== "function"
      ? value
      : async (...given: never[]) => {
          if (!open || name === "retry") touched.push(name);
          return (value as (...given: never[]) => unknown)(...given);
        },
  ]);
  const store = Object.fromEntries(guarded) as WebhookStore;
  let late = (_: Error): void => undefined;
  const worker = createWebhookWorker({
    store,
    clock,
    report: () => undefined,
    onEvent: ({ event }) =>
      event === "hangs.on"
        ? never()
        : new Promise((_, reject) => {
            late = reject;
          }),
  });
  await store.put(deliveryOf("hangs.on"));
  await store.put(deliveryOf("fails.late"));
  worker.wake();
  await clock.advance(10);
  const started = clock.now();
  await clock.run(worker.close({ graceMs: 3_000 }));
  expect(clock.now() - started).toBe(4_000);
  open = false;
  expect(clock.pending).toBe(0);
  late(new Error("aborted"));
  await clock.advance(600_000);
  expect(touched).toEqual([]);
  await expect(worker.process(deliveryOf("a.b"))).rejects.toThrow(/closed/);
});

it("close makes deliveries that listeners abandoned on their signal available to other processes at once", async () => {
  const clock = new ManualClock();
  const store = memoryStore();
  const { reports, report } = collector();
  const worker = createWebhookWorker({
    store,
    clock,
    report,
    maxAttempts: 1,
    onEvent: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  });
  await store.put(deliveryOf("a.b", {}, "d-1"));
  worker.wake();
  await clock.advance(10);
  const started = clock.now();
  await Promise.all([clock.run(worker.close({ graceMs: 50 })), clock.run(worker.close())]);
  expect(clock.now() - started).toBe(50);
  expect(reports).toMatchObject([{ kind: "retry", delayMs: 0 }]);
  const [taken] = await store.take({ limit: 1, now: clock.now(), leaseUntil: clock.now() + 1, onePerRecord: false });
  expect(taken).toMatchObject({ id: "d-1", attempt: 2 });
});

it("close waits for process too", async () => {
  const clock = new ManualClock();
  const worker = createWebhookWorker({
    store: { put: async () => "stored" },
    clock,
    onEvent: () =>
      new Promise<void>((resolve) => {
        clock.setTimeout(resolve, 500);
      }),
  });
  const processed = worker.process(deliveryOf("a.b"));
  const started = clock.now();
  await clock.run(worker.close());
  expect(clock.now() - started).toBe(500);
  await expect(processed).resolves.toBeUndefined();
});

it("drain ends after its grace period, 30 seconds by default, and reports remaining work", async () => {
  const clock = new ManualClock();
  const store = memoryStore();
  vi.spyOn(Math, "random").mockReturnValue(1);
  const worker = createWebhookWorker({
    store,
    clock,
    report: () => undefined,
    onEvent: () => {
      throw new Error("no");
    },
  });
  await store.put(deliveryOf("a.b"));
  worker.wake();
  const started = clock.now();
  expect(await clock.run(worker.drain({ graceMs: 2_000 }))).toBe(false);
  expect(clock.now() - started).toBe(2_000);
  expect(await clock.run(worker.drain())).toBe(false);
  expect(clock.now() - started).toBe(32_000);
});

it("a process with a hung listener ends by itself after close", async () => {
  const code = `
    import { createWebhookHandler } from "education-admin-sdk/webhooks";
    const handler = createWebhookHandler({ signature: false, onEvent: () => new Promise(() => {}), report: () => {} });
    const body = '{"event":"a.b"}';
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    console.log((await handler(new Request("http://localhost", init))).status);
    setTimeout(() => handler.close({ graceMs: 50 }), 50);
  `;
  const hooks = new URL("run-from-source.mjs", import.meta.url).href;
  const child = spawn(process.execPath, ["--import", hooks, "--input-type=module", "--eval", code]);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  expect(await ended).toBe(0);
});

it("is an async disposable", async () => {
  const handler = createWebhookHandler({ signature: false });
  {
    await using held = handler;
    expect(held).toBe(handler);
  }
  const init = { method: "POST", body: '{"event":"a.b"}', headers: { "content-type": "application/json" } };
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  expect((await handler(new Request("http://localhost", init))).status).toBe(503);
  expect(warn).toHaveBeenCalledTimes(1);
});
