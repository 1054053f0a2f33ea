export type { RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { IoRedisConnection, NodeRedisConnection, RedisConnection } from "./connection.js";
export { rateLimitStore } from "./rate-limit-store.js";
