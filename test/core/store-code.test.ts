import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RateLimitStore } from "../../src/index.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

beforeEach(() => {
  vi.resetModules();
  // Imitates a page that has lost its network connection.
  vi.doMock("../../src/core/limits/guarded-store.js", () => {
    throw new Error("cannot be loaded");
  });
});

afterEach(() => {
  vi.doUnmock("../../src/core/limits/guarded-store.js");
  vi.resetModules();
});

test("a client that cannot load the code for stores counts in its own process, with one warning", async () => {
  const { MainClient, MemoryRateLimitStore } = await import("../../src/index.js");
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
  const memory = new MemoryRateLimitStore();
  // A store passed by the caller, like one that processes share.
  const store: RateLimitStore = {
    reserve: (request) => memory.reserve(request),
    settle: (settlement) => memory.settle(settlement),
    block: (block) => memory.block(block),
  };
  const client = new MainClient({
    baseUrl: "https://school.example",
    apiKey: "key-of-a-store-without-code",
    fetch,
    rateLimit: { store },
  });
  for (let call = 0; call < 3; call++) expect((await client.accounts.get(7)).id).toBe(7);
  expect(calls).toHaveLength(3);
  expect(client.rateLimit.used).toBe(3);
  expect(warn.mock.calls.flat()).toEqual([expect.stringContaining("falling back to a per-process limit")]);
});
