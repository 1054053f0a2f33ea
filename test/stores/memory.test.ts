import { describe, test } from "vitest";
import { MemoryRateLimitStore } from "../../src/index.js";
import { rateLimitStoreTests } from "../../src/stores/testing/index.js";

describe("the memory of the process", () => {
  rateLimitStoreTests({ test, create: () => new MemoryRateLimitStore(), advance: () => undefined });
});
