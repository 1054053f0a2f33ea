import { Queue } from "bullmq";
import type { WebhookDelivery, WebhookInbox } from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";

/** Name of the queue the receiver fills and the worker empties. */
export const QUEUE = "webhooks";

/** Where Redis is. Let it write to its disk (`appendonly yes`), or what it holds ends with it. */
export function redisUrl(): string {
  return process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
}

const DAY_SECONDS = 86_400;

/** Keeps deliveries as jobs of BullMQ, which hands them to its own workers. */
export function bullInbox(): WebhookInbox & { close(): Promise<void> } {
  // A receiver must answer in time: better 503 at once than a delivery that waits here for Redis to come back.
  const connection = new Redis(redisUrl(), { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
  connection.on("error", () => undefined);
  const queue = new Queue<WebhookDelivery, void, string>(QUEUE, {
    connection,
    defaultJobOptions: {
      attempts: 12,
      backoff: { type: "exponential", delay: 1_000, jitter: 1 },
      // Kept as the memory of what was handled: a delivery that is sent again has the identifier of its job.
      removeOnComplete: { age: 7 * DAY_SECONDS },
      removeOnFail: false,
    },
  });
  queue.on("error", () => undefined);
  return {
    async put(delivery) {
      // BullMQ takes no identifiers that are numbers.
      const jobId = `delivery-${delivery.id}`;
      const state = await queue.getJobState(jobId);
      if (state !== "unknown") return "duplicate";
      // Two at the same moment make one job all the same: adding an identifier that is there changes nothing.
      await queue.add(delivery.event, delivery, { jobId });
      return "stored";
    },
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
