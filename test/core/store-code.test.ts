import { expect, test, vi } from "vitest";
import { MemoryRateLimitStore } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

// As in a page that lost its network.
vi.mock("#guarded-store", () => ({ loadGuardedStore: () => Promise.reject(new Error("cannot be loaded")) }));

test("a client whose code for stores cannot be loaded counts in its own process, with one warning", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
  const store = new MemoryRateLimitStore();
  const client = mainClient({ fetch, rateLimit: { store } });
  for (let call = 0; call < 3; call++) expect((await client.accounts.get(7)).id).toBe(7);
  expect(calls).toHaveLength(3);
  expect(client.rateLimit.used).toBe(3);
  expect(warn.mock.calls.flat()).toEqual([expect.stringContaining("falling back to a per-process limit")]);
});
