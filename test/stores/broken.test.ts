import { describe, expect, it, vi } from "vitest";
import type { RateLimitStore } from "../../src/index.js";
import { rateLimitStore as postgresStore } from "../../src/stores/postgres/index.js";
import { rateLimitStore as redisStore } from "../../src/stores/redis/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

function clientOn(store: RateLimitStore, clock?: ManualClock) {
  const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
  return { calls, client: mainClient({ fetch, clock, rateLimit: { requests: 100, windowMs: 60_000, store } }) };
}

const NONSENSE: Record<string, unknown> = {
  null: null,
  "an empty answer": { rows: [] },
  "an empty row": { rows: [{}] },
  "a text": "OK",
  "other columns": { rows: [{ slot: 7, wait_ms: "soon", blocked: null }] },
};

describe.each(Object.entries(NONSENSE))("a database that returns %s", (_, answer) => {
  it.each([
    ["Postgres", () => postgresStore({ query: async () => answer as { rows: [] } })],
    ["Redis", () => redisStore({ eval: async () => answer })],
  ] as const)("fails no call through %s", async (_name, open) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const { calls, client } = clientOn(open());
    await Promise.all(Array.from({ length: 5 }, () => client.accounts.get(7)));
    expect(calls).toHaveLength(5);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

it.each([
  ["Postgres", () => postgresStore({ query: () => new Promise<never>(() => undefined) })],
  ["Redis", () => redisStore({ eval: () => new Promise<never>(() => undefined) })],
] as const)("a call of a database that never responds is abandoned after 5 seconds: %s", async (_name, open) => {
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const clock = new ManualClock();
  const { calls, client } = clientOn(open(), clock);
  const started = clock.now();
  await clock.run(Promise.all(Array.from({ length: 5 }, () => client.accounts.get(7))));
  expect([calls.length, clock.now() - started]).toEqual([5, 5_000]);
  expect(warn).toHaveBeenCalledTimes(1);
});
