import { Queue } from "bullmq";
import { webhookInbox } from "education-admin-sdk/stores/redis";
import type { WebhookDelivery, WebhookInbox } from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";

/** Name of the queue that the receiver fills and the worker empties. */
export const QUEUE = "webhooks";

/**
 * URL of Redis. Configure Redis to write each change to disk (`appendonly yes`, `appendfsync always`), or it loses
 * deliveries when it ends.
 */
export function redisUrl(): string {
  return process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
}

/** The receiver's inbox, and a function that closes its connections. */
export function openInbox(): { inbox: WebhookInbox; close(): Promise<void> } {
  // A receiver must answer in time: better 503 at once than a delivery that waits here for Redis to come back.
  const connection = new Redis(redisUrl(), { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
  connection.on("error", () => undefined);
  const queue = new Queue<WebhookDelivery, void, string>(QUEUE, { connection });
  queue.on("error", () => undefined);
  return {
    inbox: webhookInbox(connection, { queue }),
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
