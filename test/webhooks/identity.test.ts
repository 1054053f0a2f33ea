import { expect, it, vi } from "vitest";
import { createWebhookHandler, memoryStore, type WebhookEvent } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { collector, payloadOf, signature, signedRequest } from "./support.js";

const now = () => Math.floor(Date.now() / 1_000);
const thin = payloadOf("invoice.updated", { id: 4071, type: "Invoice" });

it("keeps a second change in the same second after the first was handed out", async () => {
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

it("keeps one of several copies that arrive after the second of their signing, and each one of another second", async () => {
  const clock = new ManualClock();
  const { kinds, report } = collector();
  const store = memoryStore();
  const handler = createWebhookHandler({ signature, store: { put: store.put }, report, clock });
  const signedAt = Math.floor(clock.now() / 1_000);
  const send = async (timestamp = signedAt) => {
    const { status } = await handler(await signedRequest(thin, { timestamp }));
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
  "responds with 200 to an event with the updated_at %j",
  async (updated_at) => {
    const handler = createWebhookHandler({ signature });
    const body = payloadOf("invoice.updated", { id: 1, updated_at });
    expect((await handler(await signedRequest(body))).status).toBe(200);
    await handler.drain();
  },
);

it("keeps it even while the first is being handled, and after the first failed once", async () => {
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

const full = (status: string, second = 0) =>
  payloadOf("invoice.updated", {
    id: 1,
    status,
    updated_at: new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString(),
  });

it("recognizes a newly signed copy of an event with its record's state within an hour, until another event arrives", async () => {
  const clock = new ManualClock(Date.now());
  const handled: unknown[] = [];
  const handler = createWebhookHandler({
    signature,
    clock,
    onEvent: ({ event_data }) => void handled.push(event_data.status),
  });
  const send = async (status: string, seconds: number) => {
    await clock.advance(seconds * 1_000);
    const timestamp = Math.floor(clock.now() / 1_000);
    expect((await handler(await signedRequest(full(status), { timestamp }))).status).toBe(200);
    await clock.run(handler.drain());
  };
  for (const seconds of [0, 10, 3_500]) await send("open", seconds);
  expect(handled).toEqual(["open"]);
  await send("paid", 0);
  for (const seconds of [0, 0, 3_610]) await send("open", seconds);
  expect(handled).toEqual(["open", "paid", "open", "open"]);
});

it("hands out every event that contains only its record's identifier, whether the first one waits or was handled", async () => {
  const store = memoryStore();
  const { kinds, report } = collector();
  const handler = createWebhookHandler({ signature, store: { put: store.put }, report });
  for (const body of [thin, thin, payloadOf("invoice.updated", { id: 1, updated_at: "2026-01-01T10:00:00Z" })]) {
    await handler(await signedRequest(body));
  }
  expect(kinds()).toEqual(["stored", "stored", "stored"]);
});

it("drop keeps the last state of a sender whose clock was 4 minutes ahead, and still drops overtaken events", async () => {
  const clock = new ManualClock(Date.now());
  const handled: unknown[] = [];
  const onEvent = ({ event_data }: WebhookEvent) => void handled.push(event_data.status);
  const handler = createWebhookHandler({ signature, clock, outOfOrder: "drop", onEvent, report: () => undefined });
  const send = async (status: string, changed: number, ahead = 0) => {
    const updated_at = new Date(changed + ahead).toISOString();
    const timestamp = Math.floor((clock.now() + ahead) / 1_000);
    await handler(await signedRequest(payloadOf("invoice.updated", { id: 1, status, updated_at }), { timestamp }));
    await clock.run(handler.drain());
  };
  await send("first", clock.now(), 240_000);
  await clock.advance(1_000);
  await send("after its clock was set", clock.now());
  // By the time this event is received, the version from the fast clock is in the past.
  await clock.advance(270_000);
  await send("comes late", clock.now() - 250_000, 240_000);
  await clock.advance(1_000);
  const overtaken = clock.now();
  await clock.advance(1_000);
  await send("last", clock.now());
  await send("overtaken", overtaken);
  expect(handled).toEqual(["first", "after its clock was set", "comes late", "last"]);
});
