export type { DeadDelivery, DurableInbox } from "../inbox.js";
export type { RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { PostgresConnection } from "./connection.js";
export { webhookInbox } from "./inbox.js";
export { rateLimitStore } from "./rate-limit-store.js";
