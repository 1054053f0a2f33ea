export type { RateLimitStoreOptions, WebhookInboxOptions } from "../options.js";
export type { SqliteConnection, SqliteStatement, SqliteValues } from "./connection.js";
export { rateLimitStore } from "./rate-limit-store.js";
