import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { RateLimitStore } from "../../src/index.js";
import { rateLimitStore } from "../../src/stores/sqlite/index.js";
import { amount, drawCases } from "../support/amount.js";

const WINDOW_MS = 300_000;
const REQUESTS = 20;
const WINDOWS = amount(4, 10);

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 }));
afterEach(() => vi.useRealTimers());

/**
 * Processes that share a file. Each has its own clock, which is ahead of the real time by one of these milliseconds.
 */
function processes(...ahead: number[]) {
  const folder = mkdtempSync(join(tmpdir(), "two-clocks-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let real = 1_800_000_000_000;
  const sent: number[] = [];
  const all = ahead.map((difference) => {
    const clock = { difference };
    const database = new DatabaseSync(join(folder, "limit.sqlite"));
    onTestFinished(() => database.close());
    const store: RateLimitStore = rateLimitStore(database);
    const at = () => vi.setSystemTime(real + clock.difference);
    return {
      clock,
      /** Sends as many requests as the limit allows, but no more than `most`. */
      async send(most: number): Promise<void> {
        for (let count = 0; count < most; count++) {
          at();
          const now = Date.now();
          const limits = { windowMs: WINDOW_MS, requests: REQUESTS, batchRequests: REQUESTS, leaseMs: WINDOW_MS };
          const reservation = await store.reserve({ key: "k", priority: "interactive", now, ...limits });
          if (!reservation.granted) return;
          sent.push(real);
          await store.settle({ key: "k", slot: reservation.slot, windowMs: WINDOW_MS, sent: true, now });
        }
      },
    };
  });
  return {
    all,
    wait: (ms: number) => (real += ms),
    sent,
    /** The largest number of requests in any window that begins at `since` or later. */
    most: (since = 0) =>
      Math.max(
        ...sent
          .filter((at) => at >= since)
          .map((at) => sent.filter((other) => other >= at && other < at + WINDOW_MS).length),
      ),
    now: () => real,
  };
}

describe("processes whose clocks differ share a limit of SQLite", () => {
  test.each(drawCases([0, 100, 5_000, 3_600_000, -3_600_000], 1))("by %d ms, in turns", async (difference) => {
    const { all, wait, most, sent } = processes(0, difference);
    for (let turn = 0; turn < 300 * WINDOWS; turn++) {
      await all[turn % 2]?.send(1);
      wait(1_000);
    }
    // Until each process has called once, the one with the slower clock does not know how far it is behind.
    expect(most()).toBeLessThanOrEqual(REQUESTS + 1);
    expect(sent.length).toBeGreaterThanOrEqual((WINDOWS - 1) * REQUESTS);
  });

  test("in bursts, with at most twice the limit in one window until both have called, and no excess after that", async () => {
    const { all, wait, most, now } = processes(0, 3_600_000);
    const [behind, ahead] = all;
    await ahead?.send(1);
    wait(WINDOW_MS - 10_000);
    await behind?.send(REQUESTS);
    wait(10_000);
    await ahead?.send(REQUESTS);
    await behind?.send(1);
    expect(most()).toBeLessThanOrEqual(2 * REQUESTS);
    wait(WINDOW_MS);
    const since = now();
    for (let turn = 0; turn < 40; turn++) {
      await all[turn % 3 === 0 ? 0 : 1]?.send(REQUESTS);
      wait(40_000);
    }
    expect(most(since)).toBeLessThanOrEqual(REQUESTS);
  });

  test("and a date set back, for both, frees no slot early and keeps none for long", async () => {
    const { all, wait, most, sent } = processes(0, 0);
    for (let turn = 0; turn < 2_000; turn++) {
      if (turn === 400) for (const { clock } of all) clock.difference = -3_600_000;
      await all[turn % 2]?.send(1);
      wait(1_000);
    }
    expect(most()).toBeLessThanOrEqual(REQUESTS);
    expect(sent.length).toBeGreaterThanOrEqual(6 * REQUESTS);
  });
});
