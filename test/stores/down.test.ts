import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RateLimitStore } from "../../src/index.js";
import { rateLimitStore as postgresStore } from "../../src/stores/postgres/index.js";
import { rateLimitStore as redisStore } from "../../src/stores/redis/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { mostInAnyWindow } from "../support/rate-server.js";
import { accountRecord } from "../support/records.js";
import { DATABASES } from "./support/databases.js";

const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
beforeEach(() => void process.on("unhandledRejection", onRejection));
afterEach(() => {
  process.off("unhandledRejection", onRejection);
  expect(rejections.splice(0)).toEqual([]);
});

/** A client on the store, and when its requests were sent. */
function counted(store: RateLimitStore, rateLimit: { requests: number; windowMs: number }) {
  const sentAt: number[] = [];
  const { fetch } = recordingFetch(() => {
    sentAt.push(Date.now());
    return jsonResponse(accountRecord());
  });
  const client = mainClient({ fetch, rateLimit: { ...rateLimit, store } });
  return { sentAt, call: () => client.accounts.get(7) };
}

describe.each(DATABASES)("%s that is taken down", (_, start) => {
  it("stops no call and breaks no limit, is reported once, and is asked again when it is back", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const database = await start();
    try {
      const store = database.open();
      const reserve = vi.spyOn(store, "reserve");
      const settle = vi.spyOn(store, "settle");
      const { sentAt, call } = counted(store, { requests: 10, windowMs: 1_000 });
      await Promise.all(Array.from({ length: 5 }, call));
      expect(warn).not.toHaveBeenCalled();
      await database.down();
      await Promise.all(Array.from({ length: 20 }, call));
      expect(warn).toHaveBeenCalledTimes(1);
      expect(mostInAnyWindow(sentAt, 1_000)).toBeLessThanOrEqual(10);
      await database.up();
      await vi.waitFor(
        async () => {
          await call();
          const answers = reserve.mock.settledResults.slice(-2);
          expect(answers.map(({ type }) => type)).toEqual(["fulfilled", "fulfilled"]);
        },
        { timeout: 15_000, interval: 100 },
      );
      expect(sentAt.length).toBeGreaterThanOrEqual(26);
      // Otherwise the last settlement finds no database, and the next test sees its warning.
      await Promise.allSettled(settle.mock.results.map(({ value }) => value));
    } finally {
      await database.remove();
    }
  }, 60_000);
});

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
  ] as const)("stops no call through %s", async (_name, open) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const { sentAt, call } = counted(open(), { requests: 100, windowMs: 60_000 });
    await Promise.all(Array.from({ length: 5 }, call));
    expect(sentAt).toHaveLength(5);
    expect(warn).toHaveBeenCalledTimes(1);
  });
});

it.each([
  ["Postgres", () => postgresStore({ query: () => new Promise<never>(() => undefined) })],
  ["Redis", () => redisStore({ eval: () => new Promise<never>(() => undefined) })],
] as const)(
  "a database that never answers is given up after 5 seconds: %s",
  async (_name, open) => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const { sentAt, call } = counted(open(), { requests: 100, windowMs: 60_000 });
    await Promise.all(Array.from({ length: 5 }, call));
    expect(sentAt).toHaveLength(5);
    expect(warn).toHaveBeenCalledTimes(1);
  },
  20_000,
);
