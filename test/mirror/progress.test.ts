import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import type { SyncProgress } from "../../src/mirror/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { copyOf, recordsOf } from "./support/copies.js";

const ROWS = 250;

/** A copy of 250 accounts on pages of 50; `totalOf` returns the value of each page's `total` header. */
async function start(totalOf: (page: number) => string | null, perPageMs = 0) {
  const sandbox = createSandbox({ size: ROWS, now: "2030-01-01T00:00:00Z" });
  let pages = 0;
  const fetch: Sandbox["fetch"] = async (input, init) => {
    const response = await sandbox.fetch(input, init);
    if (!new URL(String(input)).pathname.endsWith("/accounts")) return response;
    await new Promise<void>((resolve) => sandbox.clock.setTimeout(resolve, perPageMs));
    const headers = new Headers(response.headers);
    const total = totalOf(++pages);
    if (total === null) headers.delete("total");
    else headers.set("total", total);
    return new Response(response.body, { status: response.status, headers });
  };
  const client = new MainClient({ ...sandbox, fetch, pageSize: 50 });
  const made = copyOf(sandbox, client, { resources: ["accounts"] });
  const progress: SyncProgress[] = [];
  const sync = async (signal?: AbortSignal) => {
    const syncing = made.copy
      .sync({ signal, onProgress: (at) => void (at.waitingUntil === null && progress.push(at)) })
      .catch((error: unknown) => error);
    await sandbox.clock.advance(60_000);
    return syncing;
  };
  const percents = () => progress.splice(0).map(({ percent }) => percent);
  return { sandbox, progress, percents, sync, ...made };
}

test("progress has a percentage and an estimated end from the first page on", async () => {
  const { progress, sync } = await start(() => String(ROWS), 1_000);
  await sync();
  expect(progress.map(({ total, percent }) => [total, percent])).toEqual([20, 40, 60, 80, 100].map((at) => [ROWS, at]));
  const ends = progress.map(({ expectedEnd }) => expectedEnd?.toISOString() ?? null);
  const end = "2030-01-01T00:00:05.000Z";
  expect(ends).toEqual([end, end, end, end, null]);
});

test("a run that continues after an interruption counts the records of the previous one", async () => {
  const { percents, progress, copy, sandbox, sync } = await start(() => String(ROWS), 1_000);
  const stop = new AbortController();
  const onProgress = ({ read }: SyncProgress) => void (read === 100 && stop.abort(new Error("enough")));
  const begun = copy.sync({ signal: stop.signal, onProgress }).catch((error: unknown) => error);
  await sandbox.clock.advance(10_000);
  expect(await begun).toMatchObject({ message: "enough" });
  await sync();
  expect(progress[0]?.expectedEnd).toEqual(new Date(Date.parse("2030-01-01T00:00:10Z") + 3_000));
  expect(percents()).toEqual([60, 80, 100]);
});

test.each<[string, (page: number) => string | null, (number | null)[]]>([
  ["is missing", () => null, [null, null, null, null, 100]],
  ["is too small", () => "120", [50 / 1.2, 100 / 1.2, null, null, 100]],
  ["is too large", () => "1000", [5, 10, 15, 20, 100]],
  ["is text", () => "many", [null, null, null, null, 100]],
  ["is negative", () => "-250", [null, null, null, null, 100]],
  ["changes", (page) => String(page * 100), [50, 50, 50, 50, 100]],
])("a total that %s has no other effect, and progress never exceeds 100 percent", async (_, totalOf, expected) => {
  const { sandbox, percents, records, sync } = await start(totalOf);
  // Deletes a record so that the last page is not full. After a full last page, the mirror would treat the list as cut
  // off.
  sandbox.store.accounts.delete(1);
  expect(await sync()).toMatchObject({ complete: true });
  const found = percents();
  expect(found.map((one) => one && Math.round(one * 100))).toEqual(expected.map((one) => one && Math.round(one * 100)));
  expect(records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
});

test("lists below a parent have no percentage", async () => {
  const sandbox = createSandbox({ size: 5, skipWaits: true });
  const { copy } = copyOf(sandbox, new MainClient(sandbox), { resources: ["authentications"] });
  const found: SyncProgress[] = [];
  await copy.sync({ onProgress: (at) => void found.push(at) });
  const below = found.filter(({ list }) => list === "authentications");
  expect(below.length).toBeGreaterThan(3);
  for (const { total, percent, expectedEnd } of below)
    expect([total, percent, expectedEnd]).toEqual([null, null, null]);
});
