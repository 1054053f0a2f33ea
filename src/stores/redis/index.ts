export type { RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { IoRedisConnection, NodeRedisConnection, RedisConnection } from "./connection.js";
export {
  type BullJobOptions,
  type BullQueue,
  type BullWaitingJob,
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
