import { describe, expect, it, test } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { rememberAtMost } from "../../src/webhooks/bounded-map.js";
import { parseWebhook } from "../../src/webhooks/index.js";
import { identify } from "../../src/webhooks/receive/identity.js";
import { recordOf, versionOf } from "../../src/webhooks/record-version.js";
import { RecordOrder } from "../../src/webhooks/work/record-order.js";
import { callStore, withTimeLimit } from "../../src/webhooks/work/time-limit.js";
import { ManualClock } from "../support/manual-clock.js";

const eventOf = (name: string, event_data: object) =>
  parseWebhook(JSON.stringify({ tenant_id: "t-1", educator: "academy", event: name, event_data }));

describe("the identity of a delivery", () => {
  const updated_at = "2026-01-01T10:00:00Z";
  /** The identity of a delivery: `id` if the service sends an identifier, otherwise `foldKey`. */
  const idOf = async (body: string, givenId: string | null = null) =>
    (await identify({ event: parseWebhook(body), givenId }))[givenId === null ? "foldKey" : "id"];

  it("is the same for an event whose fields are in another order, at every depth", async () => {
    const one = `{"event":"a.b","event_data":{"id":1,"updated_at":"${updated_at}","x":[{"a":1,"b":null},"c"]}}`;
    const other = `{"event_data":{"x":[{"b":null,"a":1},"c"],"updated_at":"${updated_at}","id":1},"event":"a.b"}`;
    expect(await idOf(one)).toBe(await idOf(other));
    expect(await idOf(one, "d-1")).toBe(await idOf(other, "d-1"));
    expect(await idOf(one)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("differs for different events, or different identifiers of the service", async () => {
    const bodies = [
      { id: 1, updated_at, y: 1 },
      { id: "1", updated_at, y: 1 },
      { id: 1, updated_at, x: null },
      { id: 1, updated_at, x: [] },
      { id: 1, updated_at, x: {} },
      { id: 1, updated_at, x: [1, 2] },
      { id: 1, updated_at, x: [2, 1] },
      { id: 1, updated_at, x: ["1,2"] },
      { id: 1, updated_at, x: [12] },
      { id: 1, updated_at, x: { a: 1, b: 2 } },
      { id: 1, updated_at, x: { a: { b: 2 } } },
    ].map((event_data) => JSON.stringify({ event: "a.b", event_data }));
    const ids = await Promise.all(bodies.map((body) => idOf(body)));
    expect(new Set(ids).size).toBe(bodies.length);
    const [body = ""] = bodies;
    expect(await idOf(body, "..x:1")).not.toBe(await idOf(body, "..x:2"));
  });

  it.each([
    { id: 1, updated_at },
    { id: 1, type: "Invoice", created_at: updated_at, updated_at },
    { id: 1, x: 1 },
    { updated_at, x: 1 },
  ])("is unique for an event without its record's state: %j", async (event_data) => {
    const event = eventOf("invoice.updated", event_data);
    const [one, other] = [await identify({ event, givenId: null }), await identify({ event, givenId: null })];
    expect([one.foldKey, one.id === other.id]).toEqual([null, false]);
  });

  it("keeps a valid identifier of the service, with part of the content's hash", async () => {
    const body = '{"event":"a.b"}';
    for (const id of ["d-1", "A_b.9", "x".repeat(128)])
      expect(await idOf(body, id)).toMatch(new RegExp(`^${id}\\.\\w{32}$`));
    for (const id of ["a b", "a/b", "é", "x".repeat(129)]) expect(await idOf(body, id)).toMatch(/^\w{64}$/);
  });
});

describe("the record of an event", () => {
  test.each([
    [{ id: 7 }, "t-1/invoice/7"],
    [{ id: "x-7" }, "t-1/invoice/x-7"],
    [{}, null],
    [{ id: null }, null],
    [{ id: { a: 1 } }, null],
  ])("%j", (data, record) => {
    expect(recordOf(eventOf("invoice.updated", data))).toBe(record);
  });

  test.each([
    [
      { id: 7, updated_at: "1970-01-01T00:00:01Z" },
      { record: "t-1/invoice/7", updatedAt: 1_000 },
    ],
    [{ updated_at: "1970-01-01T00:00:01Z" }, null],
    [{ id: 7, updated_at: "soon" }, null],
    [{ id: 7 }, null],
  ])("has a version: %j", (data, version) => {
    const receivedAt = Date.parse("2026-02-01T00:00:00Z");
    expect(versionOf(eventOf("invoice.updated", data), { receivedAt, sentAt: null })).toEqual(version);
  });

  it.each([
    ["of two clocks that are right", 9_000, null, 0],
    ["of a sender that is ahead", 11_000, null, null],
    ["of a sender that is ahead, although it comes late", -1_000, 11_000, null],
    ["of one that comes late", -60_000, -1_000, -60_000],
  ])("has the version %s", (_, updated, sent, version) => {
    const receivedAt = 1_000_000;
    const event = eventOf("invoice.updated", { id: 7, updated_at: new Date(receivedAt + updated).toISOString() });
    const found = versionOf(event, { receivedAt, sentAt: sent === null ? null : receivedAt + sent });
    expect(found?.updatedAt ?? null).toBe(version === null ? null : receivedAt + version);
  });
});

describe("the order of the events of a record", () => {
  const inbox = { put: async () => "stored" as const };
  const version = (updatedAt: number) => ({ record: "r", updatedAt });

  it("recognizes events older than the last one handled, in this process or according to the store", async () => {
    const order = new RecordOrder({ ...inbox, newest: async () => 5 } as never, systemClock);
    const older: boolean[] = [];
    const run = (updatedAt: number | null) =>
      order.inTurn("r", updatedAt === null ? null : version(updatedAt), async (isOlder) => older.push(isOlder));
    for (const at of [4, 5, 7, 6, 7, null, 8]) await run(at);
    expect(older).toEqual([true, false, false, true, false, false, false]);
  });

  it("reads the shared records before the store itself", async () => {
    const order = new RecordOrder(
      { ...inbox, newest: async () => 1, records: { newest: async () => 9 } } as never,
      systemClock,
    );
    expect(await order.inTurn("r", version(5), async (isOlder) => isOlder)).toBe(true);
  });

  it("does not remember a failed version, and continues with the next", async () => {
    const order = new RecordOrder(inbox, systemClock);
    const failed = order.inTurn("r", version(9), async () => Promise.reject(new Error("no")));
    const next = order.inTurn("r", version(8), async (isOlder) => isOlder);
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe(false);
  });

  it("handles one event of a record at a time, and events of other records meanwhile", async () => {
    const order = new RecordOrder(inbox, systemClock);
    const log: string[] = [];
    const run = (record: string, name: string) =>
      order.inTurn(record, null, async () => {
        log.push(`${name} begins`);
        await Promise.resolve();
        log.push(`${name} ends`);
      });
    await Promise.all([run("r", "a"), run("r", "b"), run("s", "c")]);
    expect(log.filter((line) => !line.startsWith("c"))).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    expect(log.indexOf("c begins")).toBeLessThan(log.indexOf("a ends"));
  });
});

test("drops the oldest entries of a bounded map, where a repeated entry becomes the newest", () => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
    ["c", 4],
  ] as const) {
    rememberAtMost(map, 2, key, value);
  }
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});

describe("a time limit", () => {
  it("ends the wait for slower work, and leaves no timer after faster work", async () => {
    const clock = new ManualClock();
    expect(await withTimeLimit(clock, 100, Promise.resolve("done"))).toBe("done");
    await expect(withTimeLimit(clock, 100, Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(clock.pending).toBe(0);
    const late = withTimeLimit(clock, 100, new Promise(() => undefined));
    await clock.advance(99);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await late).toBe("time_up");
  });

  it("is ten seconds for a store, whose own failures pass through, even if it throws", async () => {
    const clock = new ManualClock();
    const never = callStore(clock, "take", () => new Promise(() => undefined));
    never.catch(() => undefined);
    await clock.advance(10_000);
    await expect(never).rejects.toThrow("The store did not respond to take within 10000 ms");
    const thrown = callStore(clock, "take", () => {
      throw new Error("closed");
    });
    await expect(thrown).rejects.toThrow("closed");
    expect(await callStore(clock, "take", async () => 7)).toBe(7);
  });
});
