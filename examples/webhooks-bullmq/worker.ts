import { setTimeout } from "node:timers/promises";
import { Worker } from "bullmq";
import { createWebhookWorker, type WebhookDelivery } from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";
import { QUEUE, redisUrl } from "./queue.ts";

const { LOCK_MS = "30000", WORK_MS = "0" } = process.env;
const redis = new Redis(redisUrl(), { maxRetriesPerRequest: null });

const webhooks = createWebhookWorker({
  onEvent: async (event, { deliveryId, attempt }) => {
    // Stands for the real work: a request, a mail, a bill.
    await setTimeout(Number(WORK_MS));
    if (event.event === "order.denied" && attempt === 1) throw new Error("The first attempt fails, to show the second");
    // Under the delivery's identifier, so that a second time is harmless.
    await redis.hset("changes", deliveryId, String(event.event_data.id ?? ""));
  },
});

const worker = new Worker<WebhookDelivery>(QUEUE, (job) => webhooks.process(job.data, job.attemptsMade + 1), {
  connection: redis,
  concurrency: 10,
  // How soon the work of a process that was killed is done by another one, and how often that may happen to one job.
  lockDuration: Number(LOCK_MS),
  stalledInterval: Number(LOCK_MS),
  maxStalledCount: 12,
});
worker.on("ready", () => console.log("Handling webhooks"));
worker.on("error", () => undefined);
worker.on("failed", (job) => {
  if (job && job.attemptsMade >= (job.opts.attempts ?? 1)) {
    console.error(`Set aside: ${job.name}, delivery ${job.data.id}`);
  }
});

process.once("SIGTERM", async () => {
  await worker.close();
  await webhooks.close();
  redis.disconnect();
});
