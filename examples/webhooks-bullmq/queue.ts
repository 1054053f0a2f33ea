import { Queue } from "bullmq";
import type { WebhookDelivery, WebhookInbox, WebhookRecords } from "education-admin-sdk/webhooks";
import { Redis } from "ioredis";

/** Name of the queue the receiver fills and the worker empties. */
export const QUEUE = "webhooks";

/** Where Redis is. Let it write to its disk (`appendonly yes`), or its deliveries end with it. */
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
      // Kept to recognise a delivery that is sent again: it has the same job id.
      removeOnComplete: { age: 7 * DAY_SECONDS },
      removeOnFail: false,
    },
  });
  queue.on("error", () => undefined);

  /** Tells whether a delivery with this key waits and was never handed out. */
  async function isWaiting(foldKey: string): Promise<boolean> {
    const jobId = await connection.get(`webhooks:fold:${foldKey}`);
    const job = jobId === null ? undefined : await queue.getJob(jobId);
    return job !== undefined && job.attemptsStarted === 0 && (await job.isWaiting());
  }

  return {
    async put({ record: _record, foldKey, ...delivery }) {
      if (foldKey !== null && (await isWaiting(foldKey))) return "duplicate";
      // BullMQ takes no job ids that are numbers.
      const jobId = `delivery-${delivery.id}`;
      const state = await queue.getJobState(jobId);
      if (state !== "unknown") return "duplicate";
      // Two at the same moment still make one job: adding an id that exists changes nothing.
      await queue.add(delivery.event, delivery, { jobId });
      if (foldKey !== null) await connection.set(`webhooks:fold:${foldKey}`, jobId, "EX", DAY_SECONDS);
      return "stored";
    },
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}

// Redis runs a script as one step, so that no other process comes between its lines.
const LOCK = `
  local holder = redis.call("GET", KEYS[1])
  if holder and holder ~= ARGV[1] then return 0 end
  redis.call("SET", KEYS[1], ARGV[1], "PXAT", ARGV[2])
  return 1`;
const UNLOCK = `if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end`;
const HANDLED = `
  local newest = redis.call("GET", KEYS[1])
  if not newest or tonumber(newest) < tonumber(ARGV[1]) then redis.call("SET", KEYS[1], ARGV[1], "EX", ARGV[2]) end`;

/** Locks and versions of records in Redis, shared by all workers: `outOfOrder` then holds for all of them together. */
export function redisRecords(redis: Redis): WebhookRecords {
  return {
    async lock(record, holder, until) {
      return (await redis.eval(LOCK, 1, `webhooks:lock:${record}`, holder, until)) === 1;
    },
    async unlock(record, holder) {
      await redis.eval(UNLOCK, 1, `webhooks:lock:${record}`, holder);
    },
    async newest(record) {
      const newest = await redis.get(`webhooks:version:${record}`);
      return newest === null ? null : Number(newest);
    },
    async handled({ record, updatedAt }) {
      await redis.eval(HANDLED, 1, `webhooks:version:${record}`, updatedAt, 30 * DAY_SECONDS);
    },
  };
}
