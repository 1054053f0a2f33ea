import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { wait } from "../../src/core/clock.js";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import { createWebhookHandler, memoryStore, type WebhookStore } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { payloadOf, signature, signedRequest } from "./support.js";

const STORES: Readonly<Record<string, () => WebhookStore>> = {
  memory: () => memoryStore(),
  "an SQLite database": () => webhookInbox(new DatabaseSync(":memory:")),
};

it.each(Object.entries(STORES))("a busy record delays no other record: %s", async (_, open) => {
  const clock = new ManualClock(Date.now());
  const delays: number[] = [];
  const receivedAt = new Map<unknown, number>();
  let busy = 0;
  const handler = createWebhookHandler({
    signature,
    clock,
    store: open(),
    outOfOrder: "drop",
    concurrency: 2,
    listenerTimeoutMs: 1_000,
    backoff: { baseMs: 1 },
    report: () => undefined,
    onEvent: async ({ event_data: { id } }, { attempt }) => {
      if (id !== 1) return void delays.push(clock.now() - (receivedAt.get(id) ?? 0));
      // The busy record is slow, and its first event hangs until its time limit.
      if (busy++ === 0 && attempt === 1) await new Promise(() => undefined);
      await wait(clock, 50, undefined);
    },
  });
  const send = async (id: number, version: number) => {
    const updated_at = new Date(Date.UTC(2030, 0, 1, 9, 0, version)).toISOString();
    receivedAt.set(id, clock.now());
    expect((await handler(await signedRequest(payloadOf("invoice.updated", { id, updated_at })))).status).toBe(200);
  };
  for (let version = 0; version < 200; version++) await send(1, version);
  await clock.advance(20);
  for (let other = 2; other < 22; other++) {
    await send(other, 1);
    await clock.advance(40);
  }
  // A database takes some of the machine's time, but on the test's clock no delivery waits longer than until the next
  // poll.
  expect(delays).toHaveLength(20);
  expect(Math.max(...delays)).toBeLessThan(50);
  expect(busy).toBeGreaterThan(0);
  await clock.run(handler.close({ graceMs: 0 }));
});
