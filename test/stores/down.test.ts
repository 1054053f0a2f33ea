import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { ManualClock, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { describeDatabases } from "./support/databases.js";

const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
beforeEach(() => void process.on("unhandledRejection", onRejection));
afterEach(() => {
  process.off("unhandledRejection", onRejection);
  expect(rejections.splice(0)).toEqual([]);
});

const HOUR = 3_600_000;
const LIMIT = 100;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeDatabases("%s that is taken down", (start) => {
  it("blocks no call and breaks no limit, is reported once, and is called again after it is back", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const database = await start();
    try {
      const store = database.open();
      const reserve = vi.spyOn(store, "reserve");
      const settle = vi.spyOn(store, "settle");
      const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
      // The window is longer than the test, so no slot becomes free during the test.
      const clock = new ManualClock(Date.now());
      const client = mainClient({ fetch, clock, rateLimit: { requests: LIMIT, windowMs: HOUR, store } });
      const call = () => client.accounts.get(7);
      await Promise.all(Array.from({ length: 5 }, call));
      expect(warn).not.toHaveBeenCalled();
      await database.down();
      await Promise.all(Array.from({ length: 20 }, call));
      expect(warn).toHaveBeenCalledTimes(1);
      await database.up();
      await vi.waitFor(
        async () => {
          // A store that has failed is called again ten times per window.
          await clock.advance(HOUR / 100);
          await call();
          const answers = reserve.mock.settledResults.slice(-2);
          expect(answers.map(({ type }) => type)).toEqual(["fulfilled", "fulfilled"]);
        },
        { timeout: 60_000, interval: 100 },
      );
      await database.down();
      const { signal, abort } = abortable();
      const rest = Array.from({ length: LIMIT }, () => client.accounts.get(7, { signal }).catch(() => undefined));
      await until(() => calls.length >= LIMIT, "the rest of the window", 60_000);
      // Leaves time for a request above the limit to arrive.
      await sleep(300);
      expect(calls).toHaveLength(LIMIT);
      abort();
      await Promise.all(rest);
      // Waits, because otherwise the last settlement would not reach the database, and its warning would appear in the
      // next test.
      await Promise.allSettled(settle.mock.results.map(({ value }) => value));
    } finally {
      await database.remove();
    }
  }, 150_000);
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
