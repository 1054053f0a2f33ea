import { setTimeout } from "node:timers/promises";
import { Worker } from "bullmq";
import { webhookProcessor } from "education-admin-sdk/stores/redis";
import type { WebhookDelivery } from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";
import { QUEUE, redisUrl } from "./queue.ts";

const { LOCK_MS = "30000", WORK_MS = "0" } = process.env;
const redis = new Redis(redisUrl(), { maxRetriesPerRequest: null });
redis.on("error", () => undefined);

const handle = webhookProcessor(redis, {
  outOfOrder: "drop",
  leaseMs: Number(LOCK_MS),
  onEvent: async (event, { deliveryId, attempt, signal }) => {
    // Replace this with the real work: a request, an email, an invoice.
    await setTimeout(Number(WORK_MS), undefined, { signal });
    if (event.event === "order.denied" && attempt === 1) throw new Error("The first attempt fails, to show the second");
    // Stored under the delivery's identifier, so that a second run is harmless.
    await redis.hset("changes", deliveryId, String(event.event_data.id ?? ""));
    // The state of the record, to prove that it never goes backwards.
    const { updated_at } = event.event_data;
    if (updated_at !== undefined) await redis.hset("states", String(event.event_data.id), updated_at);
  },
  onDead: (_event, { deliveryId }) => console.error(`Set aside: delivery ${deliveryId}`),
});

const worker = new Worker<WebhookDelivery>(QUEUE, handle, {
  connection: redis,
  concurrency: 10,
  // After this time another process takes over the job of a killed one; and how often that may happen to one job.
  lockDuration: Number(LOCK_MS),
  stalledInterval: Number(LOCK_MS),
  maxStalledCount: 12,
});
worker.on("ready", () => console.log("Handling webhooks"));
worker.on("error", () => undefined);

process.once("SIGTERM", async () => {
  await worker.close();
  await handle.close();
  redis.disconnect();
});
