import { setTimeout } from "node:timers/promises";
import { DelayedError, Worker } from "bullmq";
import { createWebhookWorker, type WebhookDelivery, WebhookRecordBusyError } from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";
import { QUEUE, redisRecords, redisUrl } from "./queue.ts";

const { LOCK_MS = "30000", WORK_MS = "0" } = process.env;
const redis = new Redis(redisUrl(), { maxRetriesPerRequest: null });
redis.on("error", () => undefined);

const webhooks = createWebhookWorker({
  // The receiver puts; this process only shares the order of records with the other workers.
  store: { put: () => Promise.reject(new Error("This process does not receive")), records: redisRecords(redis) },
  outOfOrder: "drop",
  leaseMs: Number(LOCK_MS),
  onEvent: async (event, { deliveryId, attempt, signal }) => {
    // Stands for the real work: a request, an email, an invoice.
    await setTimeout(Number(WORK_MS), undefined, { signal });
    if (event.event === "order.denied" && attempt === 1) throw new Error("The first attempt fails, to show the second");
    // Under the delivery's identifier, so that a second time is harmless.
    await redis.hset("changes", deliveryId, String(event.event_data.id ?? ""));
    // The state of the record, to show that it never goes backwards.
    const { updated_at } = event.event_data;
    if (updated_at !== undefined) await redis.hset("states", String(event.event_data.id), updated_at);
  },
});

const worker = new Worker<WebhookDelivery>(
  QUEUE,
  async (job, token) => {
    try {
      await webhooks.process(job.data, job.attemptsMade + 1);
    } catch (error) {
      if (!(error instanceof WebhookRecordBusyError)) throw error;
      // Another worker handles an event of this record: this one comes back soon, without counting an attempt.
      await job.moveToDelayed(Date.now() + 100, token);
      throw new DelayedError();
    }
  },
  {
    connection: redis,
    concurrency: 10,
    // How soon another process does the work of one that was killed, and how often that may happen to one job.
    lockDuration: Number(LOCK_MS),
    stalledInterval: Number(LOCK_MS),
    maxStalledCount: 12,
  },
);
worker.on("ready", () => console.log("Handling webhooks"));
worker.on("error", () => undefined);
worker.on("failed", (job) => {
  if (job && job.attemptsMade >= (job.opts.attempts ?? 1)) {
    console.error(`Set aside: delivery ${job.data.id}`);
  }
});

process.once("SIGTERM", async () => {
  await worker.close();
  await webhooks.close();
  redis.disconnect();
});
