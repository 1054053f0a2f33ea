import { expect, it, vi } from "vitest";
import { createWebhookHandler, memoryStore } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { collector, payloadOf, signature, signedRequest, takeAt } from "./support.js";

const now = () => Math.floor(Date.now() / 1_000);
const thin = payloadOf("invoice.updated", { id: 4071, type: "Invoice" });

it("keeps a second change of the same second once the first was handed out", async () => {
  const onEvent = vi.fn();
  const { kinds, report } = collector();
  const handler = createWebhookHandler({ signature, report, onEvent });
  const timestamp = now();
  await handler(await signedRequest(thin, { timestamp }));
  await handler.drain();
  expect((await handler(await signedRequest(thin, { timestamp }))).status).toBe(200);
  await handler.drain();
  expect(onEvent).toHaveBeenCalledTimes(2);
  expect(kinds()).toEqual(["stored", "handled", "stored", "handled"]);
});

it("takes one of the copies that come later than the second they were signed in, and refuses none of another second", async () => {
  const clock = new ManualClock();
  const { kinds, report } = collector();
  const store = memoryStore();
  const handler = createWebhookHandler({ signature, store: { put: store.put }, report, clock });
  const signedAt = Math.floor(clock.now() / 1_000);
  const send = async (timestamp = signedAt) => {
    const { status } = await handler(await signedRequest(thin, { timestamp }));
    // Handed out, so that the store folds no other copy into it.
    await store.take(takeAt(0));
    return status;
  };
  expect([await send(), await send()]).toEqual([200, 200]);
  await clock.advance(1_999);
  expect([await send(), kinds().pop()]).toEqual([200, "stored"]);
  await clock.advance(1);
  expect([await send(), kinds().pop()]).toEqual([200, "stored"]);
  for (const ms of [0, 100, 290_000]) {
    await clock.advance(ms);
    expect([await send(), kinds().pop()]).toEqual([200, "duplicate"]);
  }
  expect([await send(signedAt + 1), kinds().pop()]).toEqual([200, "stored"]);
  await clock.advance(10_000);
  expect([await send(), kinds().pop()]).toEqual([401, "refused"]);
});

it.each([[{ toString: 1 }], [["2026"]], [5], [null]])(
  "answers 200 to an event with the updated_at %j",
  async (updated_at) => {
    const handler = createWebhookHandler({ signature });
    const body = payloadOf("invoice.updated", { id: 1, updated_at });
    expect((await handler(await signedRequest(body))).status).toBe(200);
    await handler.drain();
  },
);

it("keeps it also while the first is being handled, and after the first failed once", async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const calls: string[] = [];
  const handler = createWebhookHandler({
    signature,
    report: () => undefined,
    backoff: { baseMs: 1 },
    onEvent: async (_, { deliveryId, attempt }) => {
      calls.push(deliveryId);
      await gate;
      if (attempt === 1) throw new Error("no");
    },
  });
  const timestamp = now();
  await handler(await signedRequest(thin, { timestamp }));
  await vi.waitFor(() => expect(calls).toHaveLength(1), 10_000);
  await handler(await signedRequest(thin, { timestamp }));
  release();
  expect(await handler.drain()).toBe(true);
  expect([calls.length, new Set(calls).size]).toEqual([4, 2]);
});

it("folds a copy into a delivery that still waits: nothing of the first was handled yet", async () => {
  const store = memoryStore();
  const inbox = { put: store.put };
  const { kinds, report } = collector();
  const handler = createWebhookHandler({ signature, store: inbox, report });
  const timestamp = now();
  const send = async (body: string, at = timestamp) => handler(await signedRequest(body, { timestamp: at }));
  await send(thin);
  await send(thin);
  await send(payloadOf("invoice.updated", { id: 4072, type: "Invoice" }));
  await send(thin, timestamp - 1);
  expect(kinds()).toEqual(["stored", "duplicate", "stored", "stored"]);
  expect(await store.take(takeAt(0))).toHaveLength(3);
});

it("recognises a copy that was signed anew by its updated_at", async () => {
  const onEvent = vi.fn();
  const handler = createWebhookHandler({ signature, onEvent });
  const body = payloadOf("invoice.updated", { id: 1, updated_at: "2026-01-01T10:00:00Z" });
  for (const timestamp of [now() - 60, now()]) {
    await handler(await signedRequest(body, { timestamp }));
    await handler.drain();
  }
  expect(onEvent).toHaveBeenCalledTimes(1);
  await handler(await signedRequest(payloadOf("invoice.updated", { id: 1, updated_at: "2026-01-01T10:00:01Z" })));
  await handler.drain();
  expect(onEvent).toHaveBeenCalledTimes(2);
});
