import { expect, it } from "vitest";
import { createWebhookHandler, createWebhookWorker, memoryStore } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { deliveryOf, payloadOf, signature, signedRequest } from "./support.js";

const HEALTHY = { failing: [], waiting: 0, oldest: null, waitsUntil: null };

it("names the event whose listener fails until it succeeds, and the time of the retry", async () => {
  const clock = new ManualClock();
  const store = memoryStore();
  let fails = true;
  const worker = createWebhookWorker({
    store,
    clock,
    report: () => undefined,
    backoff: { baseMs: 60_000, maxMs: 60_000 },
    onEvent: () => {
      if (fails) throw new Error("no");
    },
  });
  expect(worker.health()).toEqual(HEALTHY);
  const since = new Date(clock.now());
  await store.put({ ...deliveryOf("invoice.updated"), receivedAt: clock.now() - 5_000 });
  worker.wake();
  await clock.advance(1);
  const health = worker.health();
  expect(health).toMatchObject({ waiting: 1, oldest: new Date(since.getTime() - 5_000) });
  expect(health.failing).toEqual([{ what: "invoice.updated", since: expect.any(Date) }]);
  expect((health.waitsUntil?.getTime() ?? 0) - since.getTime()).toBeLessThanOrEqual(60_001);
  expect(health.waitsUntil?.getTime()).toBeGreaterThanOrEqual(since.getTime());
  fails = false;
  await clock.run(worker.drain({ graceMs: 100_000 }));
  expect(worker.health()).toEqual(HEALTHY);
});

it("names the failing calls of the store and of secrets, from the first failure to the next success", async () => {
  const clock = new ManualClock();
  const memory = memoryStore();
  const away = { store: false, secrets: false };
  const orAway = <Method extends (...args: never[]) => unknown>(method: Method) =>
    ((...args) => {
      if (away.store) throw new Error("away");
      return method(...args);
    }) as Method;
  const handler = createWebhookHandler({
    signature: {
      secrets: () => {
        if (away.secrets) throw new Error("no secrets");
        return signature.secrets;
      },
    },
    clock,
    report: () => undefined,
    store: { ...memory, pollMs: 1_000, put: orAway(memory.put), take: orAway(memory.take) },
    onEvent: () => undefined,
  });
  const post = async (id: number) => {
    const timestamp = Math.floor(clock.now() / 1_000);
    const answer = handler(await signedRequest(payloadOf("a.b", { id }), { timestamp }));
    await clock.advance(1_000);
    return (await answer).status;
  };
  expect(await post(1)).toBe(200);
  expect(handler.health()).toEqual(HEALTHY);
  away.store = true;
  const since = clock.now();
  expect(await post(2)).toBe(503);
  expect(await post(3)).toBe(503);
  const failing = () =>
    handler
      .health()
      .failing.map(({ what }) => what)
      .sort();
  expect(failing()).toEqual(["put", "take"]);
  for (const { since: at } of handler.health().failing) expect(at.getTime() - since).toBeLessThanOrEqual(1_000);
  away.store = false;
  // The store recovers before another delivery arrives.
  await clock.advance(30_000);
  expect(failing()).toEqual(["put"]);
  away.secrets = true;
  expect(await post(4)).toBe(503);
  expect(failing()).toEqual(["put", "secrets"]);
  away.secrets = false;
  expect(await post(5)).toBe(200);
  expect(handler.health()).toEqual(HEALTHY);
  await clock.run(handler.close());
});
