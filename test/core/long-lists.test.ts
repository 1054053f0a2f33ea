import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { withCursorLifetime } from "../support/cursor-lifetime.js";

const MINUTE = 60_000;
const WINDOW = 5 * MINUTE;

/** A service whose cursors live two minutes, and a client that may send 45 of 50 requests for lists in a window. */
function start(records: number, { hasTotal = true } = {}) {
  // With a fixed start, no real time passes on a busy machine.
  const sandbox = createSandbox({ size: records, skipWaits: true, rateLimit: false, now: "2030-03-04T12:00:00.000Z" });
  const { fetch, sent } = withCursorLifetime(sandbox, 2 * MINUTE);
  const client = new MainClient({
    ...sandbox,
    pageSize: 1,
    rateLimit: { requests: 50, windowMs: WINDOW },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (hasTotal) return response;
      const headers = new Headers(response.headers);
      headers.delete("total");
      return new Response(response.body, { status: response.status, headers });
    },
    on: { wait() {} },
  });
  const accounts = (options = {}) => client.accounts.list({}, options).toArray({ max: 1_000 });
  return { client, accounts, sent };
}

function longestPause(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((time, at) => time - (times[at] ?? 0)));
}

test("a list longer than a window is read without an expired cursor, and takes no longer than its windows", async () => {
  const { accounts, sent } = start(120);
  expect(await accounts()).toHaveLength(120);
  expect(sent()).toHaveLength(120);
  expect(longestPause(sent())).toBeLessThan(20_100);
  // 45 requests in each window.
  expect(sent().at(-1)).toBeLessThanOrEqual(2 * WINDOW + 1_000);
  // Only the last requests of a window are spread.
  expect(sent().filter((time) => time < 1_000).length).toBeGreaterThan(25);
});

test("a list that fits into the window is not slowed down", async () => {
  const { accounts, sent } = start(45);
  await accounts();
  expect(sent().at(-1)).toBeLessThan(1_000);
});

test("a list that ends early, after a number of pages or records, is not slowed down", async () => {
  const { client, sent } = start(120);
  for await (const _ of client.accounts.list({}, { maxPages: 20, prefetch: 0 }).byPage());
  expect(await client.accounts.list().take(25).toArray({ max: 25 })).toHaveLength(25);
  expect(sent().at(-1)).toBeLessThan(1_000);
});

test("a list of unknown length is read without an expired cursor", async () => {
  const { accounts, sent } = start(60, { hasTotal: false });
  expect(await accounts()).toHaveLength(60);
  expect(longestPause(sent())).toBeLessThan(20_100);
});

test("a list of interactive priority is not spread", async () => {
  const { accounts, sent } = start(50);
  expect(await accounts({ priority: "interactive" })).toHaveLength(50);
  expect(sent().at(-1)).toBeLessThan(1_000);
});

test("an abort ends the pause between two pages", async () => {
  const sandbox = createSandbox({ size: 20, rateLimit: false });
  const client = new MainClient({ ...sandbox, pageSize: 1, rateLimit: { requests: 10, windowMs: WINDOW, reserve: 0 } });
  const stop = new AbortController();
  let isOver = false;
  const reading = client.accounts
    .list({}, { signal: stop.signal })
    .toArray()
    .finally(() => {
      isOver = true;
    });
  reading.catch(() => undefined);
  await sandbox.clock.advance(10_000);
  const sent = sandbox.requests.length;
  expect(sent).toBeLessThan(10);
  await sandbox.clock.advance(5_000);
  expect([sandbox.requests.length, isOver]).toEqual([sent, false]);
  stop.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
});
