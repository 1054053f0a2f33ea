/**
 * The `./stores/redis` entry: rate limits, webhook deliveries and schools' tokens, shared by several processes through
 * Redis.
 */

export type { RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { EncryptionKey, TokenStoreOptions } from "../sealing.js";
export type { DeadDelivery, InboxOperations } from "../sql-inbox.js";
export type { TokenEntry, TokenFacts, TokenStore } from "../token-store.js";
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
export { redisTokens } from "./tokens.js";
