/**
 * Tests that your own store must pass. Authors of stores copy this folder, so it imports only the types of the package.
 */
export type { TestFunction } from "./check.ts";
export { webhookInboxTests } from "./inbox.ts";
export { rateLimitStoreTests } from "./rate-limit.ts";
export { tokenStoreTests } from "./tokens.ts";
