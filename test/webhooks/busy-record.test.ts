import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { webhookInbox } from "../../src/stores/sqlite/index.js";
import { createWebhookHandler, memoryStore, type WebhookStore } from "../../src/webhooks/index.js";
import { payloadOf, signature, signedRequest, sleep } from "./support.js";

const STORES: Readonly<Record<string, (folder: string) => WebhookStore>> = {
  memory: () => memoryStore(),
  "an SQLite file": (folder) => webhookInbox(new DatabaseSync(join(folder, "inbox.sqlite"))),
};
const OPTIONS = { timeout: 60_000, retry: 1 };

it.each(Object.entries(STORES))(
  "a busy record delays another one by less than 200 ms: %s",
  OPTIONS,
  async (_, open) => {
    const folder = mkdtempSync(join(tmpdir(), "busy-record-"));
    const receivedAt = new Map<number, number>();
    const delays: number[] = [];
    const handler = createWebhookHandler({
      signature,
      store: open(folder),
      outOfOrder: "drop",
      concurrency: 2,
      listenerTimeoutMs: 1_000,
      backoff: { baseMs: 1 },
      report: () => undefined,
      onEvent: async ({ event_data: { id } }, { attempt }) => {
        // The busy record: slow, and one event of it hangs until its time is over.
        if (id === 1) await (attempt === 1 && delays.length === 5 ? new Promise(() => undefined) : sleep(50));
        else delays.push(performance.now() - (receivedAt.get(Number(id)) ?? 0));
      },
    });
    const send = async (id: number, version: number) => {
      const updated_at = new Date(Date.UTC(2030, 0, 1, 9, 0, version)).toISOString();
      receivedAt.set(id, performance.now());
      expect((await handler(await signedRequest(payloadOf("invoice.updated", { id, updated_at })))).status).toBe(200);
    };
    // How long the machine, busy with other programs, kept this one from going on.
    const held = monitorEventLoopDelay({ resolution: 1 });
    held.enable();
    for (let version = 0; version < 200; version++) await send(1, version);
    for (let other = 2; other < 22; other++) {
      await send(other, 1);
      await sleep(40);
    }
    await expect.poll(() => delays.length, { timeout: 10_000 }).toBe(20);
    console.log(JSON.stringify({ mostDelayMs: Math.round(Math.max(...delays)) }));
    held.disable();
    expect(Math.max(...delays) - held.max / 1e6).toBeLessThan(200);
    await handler.close({ graceMs: 0 });
    rmSync(folder, { recursive: true });
  },
);
