/** The `./stores/testing` entry: tests that a store of your own must pass. */
export type { TestFunction } from "./check.js";
export { type WebhookInboxTests, webhookInboxTests } from "./inbox.js";
export { type RateLimitStoreTests, rateLimitStoreTests } from "./rate-limit.js";
export { type TokenStoreTests, tokenStoreTests } from "./tokens.js";
