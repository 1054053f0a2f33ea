export type { DeadDelivery, InboxOperations } from "../inbox.js";
export type { RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { IoRedisConnection, NodeRedisConnection, RedisConnection } from "./connection.js";
export {
  type BullJobOptions,
  type BullQueue,
  type BullStoredJob,
  type QueueInbox,
  type RedisInboxOptions,
  webhookInbox,
} from "./inbox.js";
export {
  type BullJob,
  type WebhookProcessor,
  type WebhookProcessorOptions,
  webhookProcessor,
} from "./processor.js";
export { rateLimitStore } from "./rate-limit-store.js";
