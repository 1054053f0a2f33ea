import { afterEach, expect, it, vi } from "vitest";
import { createWebhookHandler, createWebhookWorker, memoryStore, type WebhookStore } from "../../src/webhooks/index.js";
import { until } from "../support/manual-clock.js";
import { collector, deliveryOf, payloadOf, RequestClock, signedRequest } from "./support.js";

const waiting = (clock: RequestClock, ms: number) =>
  new Promise<void>((resolve) => {
    clock.setTimeout(resolve, ms);
  });

afterEach(() => {
  vi.unstubAllGlobals();
});

it("continues with later deliveries if a request ended while its listener was working, and repeats that one", async () => {
  const clock = new RequestClock();
  const { kinds, report } = collector();
  const handled: unknown[] = [];
  const handler = createWebhookHandler({
    signature: false,
    clock,
    report,
    concurrency: 1,
    leaseMs: 30_000,
    listenerTimeoutMs: 10_000,
    onEvent: async ({ event_data }) => {
      await waiting(clock, 100);
      handled.push(event_data.id);
    },
  });
  const send = async (id: number) => {
    const answer = handler(await signedRequest(payloadOf("a.b", { id })));
    expect((await answer).status).toBe(200);
  };
  await send(1);
  await clock.advance(50);
  clock.endRequests();
  await clock.advance(60_000);
  expect(handled).toEqual([]);

  await send(2);
  await clock.advance(1_000);
  expect(handled).toEqual([2, 1]);
  expect(kinds()).toEqual(["stored", "stored", "stuck", "handled", "handled"]);
});

it("hands out a delivery even if the previous request ended before its timer fired or its take returned", async () => {
  const clock = new RequestClock();
  const memory = memoryStore();
  let hang = false;
  const store: WebhookStore = {
    ...memory,
    pollMs: 0,
    take: (request) => (hang ? new Promise<never>(() => undefined) : memory.take(request)),
  };
  const handled: unknown[] = [];
  const handler = createWebhookHandler({
    signature: false,
    clock,
    store,
    report: () => undefined,
    onEvent: ({ event_data }) => void handled.push(event_data.id),
  });
  const send = async (id: number) =>
    expect((await handler(await signedRequest(payloadOf("a.b", { id })))).status).toBe(200);
  await send(1);
  clock.endRequests();
  await send(2);
  await clock.advance(1);
  expect(handled).toEqual([1, 2]);

  hang = true;
  await send(3);
  await clock.advance(1);
  clock.endRequests();
  hang = false;
  await send(4);
  await clock.advance(20_000);
  expect(handled).toEqual([1, 2, 3, 4]);
});

it("starts at module level where timers, random values and AbortController are forbidden before the first request", async () => {
  const forbidden = () => {
    throw new Error("Disallowed operation called within global scope");
  };
  const polled: WebhookStore = { ...memoryStore(), pollMs: 20 };
  await polled.put(deliveryOf("waits.already", { id: 0 }));
  const handled: string[] = [];
  vi.stubGlobal(
    "AbortController",
    class {
      constructor() {
        forbidden();
      }
    },
  );
  vi.stubGlobal("setTimeout", forbidden);
  vi.stubGlobal("fetch", forbidden);
  const random = vi.spyOn(Math, "random").mockImplementation(forbidden);
  const values = vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation(forbidden);
  const uuid = vi.spyOn(globalThis.crypto, "randomUUID").mockImplementation(forbidden);
  const digest = vi.spyOn(globalThis.crypto.subtle, "digest").mockImplementation(forbidden);
  const onEvent = ({ event }: { event: string }) => void handled.push(event);
  const handlers = [
    createWebhookHandler({ signature: { secrets: "s" }, onEvent }),
    createWebhookHandler({ signature: false, onEvent, store: polled }),
    createWebhookHandler({ signature: { secrets: () => "s" }, mode: "handle-then-answer", onEvent }),
  ];
  createWebhookWorker({ store: polled });
  vi.unstubAllGlobals();
  for (const spy of [random, values, uuid, digest]) spy.mockRestore();
  expect((await handlers[1]!(await signedRequest(payloadOf("first.request")))).status).toBe(200);
  await until(() => handled.length === 2);
  expect(handled).toEqual(["waits.already", "first.request"]);
  for (const handler of handlers) await handler.close();
});
