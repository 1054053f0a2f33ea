import { describe, test } from "vitest";
import { MemoryRateLimitStore } from "../../src/index.js";
import { memoryStore } from "../../src/webhooks/index.js";
import { rateLimitStoreTests, webhookInboxTests } from "./suite/index.ts";

describe("the memory of the process", () => {
  rateLimitStoreTests({ test, create: () => new MemoryRateLimitStore(), advance: () => undefined });
  webhookInboxTests({ test, create: () => memoryStore(), advance: () => undefined });
});
