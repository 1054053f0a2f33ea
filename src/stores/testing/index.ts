export type { TestFunction } from "./check.js";
export { type RateLimitStoreTests, rateLimitStoreTests } from "./rate-limit.js";
