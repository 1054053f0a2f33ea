import { expect, test } from "vitest";
import type { DurableInbox } from "../../../src/stores/sql-inbox.js";
import { deliveryOf } from "../../webhooks/support.js";

/**
 * Registers the tests that the inboxes of this package must pass in addition to those for every store. The test fakes
 * `Date`; `advance` moves the fake date and the database's clock.
 */
export function durableInboxTests({
  create,
  advance,
}: {
  readonly create: (options?: { readonly keepMs: number }) => Promise<DurableInbox>;
  readonly advance: (ms: number) => Promise<void>;
}): void {
  const requestNow = () => ({ limit: 10, now: Date.now(), leaseUntil: Date.now() + 1_000, onePerRecord: true });
  const take = (inbox: DurableInbox) => inbox.take(requestNow());

  test("counts, lists dead deliveries, the oldest first, and revives them", async () => {
    const inbox = await create();
    expect(await inbox.count()).toEqual({ waiting: 0, done: 0, dead: 0 });
    for (const id of ["a", "b", "c", "d"]) await inbox.put({ ...deliveryOf("a.b", {}, id), receivedAt: 5 });
    await take(inbox);
    await inbox.dead("b", 1);
    await inbox.dead("a", 1);
    await inbox.done("c", null);
    expect(await inbox.count()).toEqual({ waiting: 1, done: 1, dead: 2 });
    const dead = (id: string) => ({ id, event: "a.b", receivedAt: 5, attempt: 1 });
    expect(await inbox.listDead()).toEqual([dead("a"), dead("b")]);
    expect(await inbox.listDead(1)).toEqual([dead("a")]);
    const revived: boolean[] = [];
    for (const id of ["a", "a", "c", "none"]) revived.push(await inbox.revive(id));
    expect(revived).toEqual([true, false, false, false]);
    expect(await take(inbox)).toMatchObject([{ id: "a", attempt: 1 }]);
  });

  test("hands out deliveries again that a clock a year ahead postponed", async () => {
    const inbox = await create();
    for (const id of ["failed", "leased"]) await inbox.put(deliveryOf("a.b", {}, id));
    const year = 31_536_000_000;
    await advance(year);
    expect(await take(inbox)).toHaveLength(2);
    await inbox.retry("failed", Date.now() + 500, 1);
    await advance(-year);
    const again = await take(inbox);
    expect(again.map(({ id, attempt }) => [id, attempt]).sort()).toEqual([
      ["failed", 2],
      ["leased", 2],
    ]);
  });

  test("waits no longer than its worker's longest wait after the clock was set back by three hours", async () => {
    const inbox = await create();
    const takeAgain = (longestWaitMs: number) => inbox.take({ ...requestNow(), longestWaitMs });
    for (const id of ["failed", "leased"]) await inbox.put(deliveryOf("a.b", {}, id));
    await take(inbox);
    await inbox.retry("failed", Date.now() + 60_000, 1);
    await advance(-3 * 3_600_000);
    expect(await takeAgain(4 * 3_600_000)).toEqual([]);
    // The inbox shortens waits that are too long once an hour, and whenever the clock goes back.
    await advance(-1);
    expect((await takeAgain(60_000)).map(({ id }) => id).sort()).toEqual(["failed", "leased"]);
  });

  test("returns deliveries in the order of their receipt, unchanged", async () => {
    const inbox = await create();
    const put = async (id: string, receivedAt: number, sentAt: number | null) =>
      inbox.put({ ...deliveryOf("a.b", { id }, id), receivedAt, sentAt });
    await put("third", 30, 7);
    await put("first", 10, null);
    await put("second", 20, 5);
    const taken = await take(inbox);
    expect(taken.map(({ id, receivedAt, sentAt, attempt }) => [id, receivedAt, sentAt, attempt])).toEqual([
      ["first", 10, null, 1],
      ["second", 20, 5, 1],
      ["third", 30, 7, 1],
    ]);
  });

  test("deletes handled deliveries after their retention time, and checks once an hour", async () => {
    const inbox = await create({ keepMs: 1_000 });
    const handle = async (id: string) => {
      await inbox.put(deliveryOf("a.b", {}, id));
      await take(inbox);
      await inbox.done(id, { record: id, updatedAt: 7 });
    };
    const countAndVersions = async () => [
      (await inbox.count()).done,
      await inbox.newest?.("first"),
      await inbox.newest?.("next"),
    ];
    await handle("first");
    await advance(3_599_999);
    await handle("next");
    expect(await countAndVersions()).toEqual([2, 7, 7]);
    await advance(1);
    await take(inbox);
    expect(await countAndVersions()).toEqual([1, null, 7]);
    await advance(3_600_000);
    await take(inbox);
    expect(await countAndVersions()).toEqual([0, null, null]);
  });
}
