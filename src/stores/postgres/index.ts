export type { RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { PostgresConnection } from "./connection.js";
export { rateLimitStore } from "./rate-limit-store.js";
