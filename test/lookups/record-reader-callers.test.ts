import { describe, expect, it } from "vitest";
import { PaginationError } from "../../src/core/errors.js";
import { collectGarbage } from "../support/garbage.js";
import { failure } from "../support/manual-clock.js";
import { FOREVER, refusal, upTo, world } from "./support/reader.js";

describe("a list whose pages cannot be read", () => {
  const hasPage = (query: object) => "page" in query;

  it.each([400, 404, 410, 422])("by their numbers is read by cursor after a %d", async (status) => {
    const failing = (_page: number, query: object) => (hasPage(query) ? refusal(status) : undefined);
    const { read, queries, clock, since } = world({ failing });
    expect(await read(upTo(150))).toEqual(upTo(150));
    expect(queries).toEqual([{ page: 1, per_page: 100 }, { per_page: 100 }]);
    since();
    await clock.advance(1_001);
    expect(await read(upTo(150), 1_000)).toEqual(upTo(150));
    expect(queries.slice(2), "the service is not asked for a number again").toEqual([{ per_page: 100 }]);
  });

  it.each([401, 403, 429])("for another reason fails with its error: %d", async (status) => {
    const { read, since } = world({ failing: () => refusal(status) });
    expect(await failure(read([1, 2]))).toMatchObject({ status });
    expect(since()).toEqual(["page 1"]);
  });

  it.each<[string, Error]>([
    ["a 500", refusal(500)],
    ["a cursor that expired", refusal(410)],
    ["a cursor that is repeated", new PaginationError("links back", { operation: "rooms.list" })],
  ])("to its end, because of %s, is not tried again until maxAge has passed", async (_, error) => {
    let isBroken = true;
    const { read, since, clock } = world({ failing: (page) => (page === 2 && isBroken ? error : undefined) });
    await read([1, 2], 1_000);
    expect(await read([101, 102], 1_000)).toEqual([101, 102]);
    expect(since()).toEqual(["page 1", "page 2", "101", "102"]);
    expect(await read([201, 202], 1_000)).toEqual([201, 202]);
    expect(since()).toEqual(["201", "202"]);
    isBroken = false;
    await clock.advance(1_001);
    expect(await read(upTo(50, 1), 1_000)).toEqual(upTo(50, 1));
    expect(since()).toEqual(["page 1"]);
  });

  it("is read by its filter instead", async () => {
    const { read, since } = world({ filter: true, single: false, failing: () => refusal(500) });
    await read([1]);
    expect(await read(upTo(150))).toEqual(upTo(150));
    expect(since()).toEqual(["filter 1", "page 1", "filter 100", "filter 49"]);
  });

  it("fails if there is no other way", async () => {
    const { read } = world({ single: false, failing: () => refusal(500) });
    expect(await failure(read([1]))).toMatchObject({ status: 500 });
  });
});

describe("several callers", () => {
  it("have each page read with the signal and the priority of a caller that needs it", async () => {
    const { reader, signals, priorities } = world({ total: 500 });
    const [first, second] = [new AbortController().signal, new AbortController().signal];
    await reader.read(upTo(90), FOREVER, { signal: first, priority: "interactive" });
    await reader.read(upTo(190, 101), FOREVER, { signal: second, priority: "batch" });
    await reader.read(upTo(290, 201), FOREVER, { priority: "interactive" });
    expect(signals).toEqual([first, second, undefined]);
    expect(priorities).toEqual(["interactive", "batch", "interactive"]);
  });

  it("leave none of their arguments in memory", async () => {
    const { reader } = world({ total: 10 });
    const given: WeakRef<object>[] = [];
    for (let read = 0; read < 100; read++) given.push(new WeakRef(await reader.read([7], FOREVER, {})));
    await collectGarbage();
    expect(given.filter((each) => each.deref() !== undefined).length).toBeLessThanOrEqual(1);
  });
});

describe("records that the client writes", () => {
  it("are read again, and no others", async () => {
    const { read, since, writes } = world({ list: false });
    await read([1, 2, 3]);
    since();
    writes.note(2);
    expect(await read([1, 2, 3])).toEqual([1, 2, 3]);
    expect(since()).toEqual(["2"]);
    writes.note(null);
    await read([1, 2]);
    expect(since()).toEqual(["1", "2"]);
  });

  it("are read singly if a page requested before the write contained them", async () => {
    const { read, since, writes } = world({ total: 1_000, failing: () => void writes.note(7) });
    expect(await read(upTo(50))).toEqual(upTo(50));
    expect(since()).toEqual(["page 1", "7"]);
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual([]);
  });

  it("are found by reading the list again if that is the only way", async () => {
    const { read, since, writes, settings } = world({ single: false, total: 150 });
    expect(await read([7, 200])).toEqual([7, null]);
    expect(since()).toEqual(["page 1", "page 2"]);
    settings.total = 250;
    expect(await read([200])).toEqual([null]);
    expect(since()).toEqual([]);
    writes.note(200);
    expect(await read([200])).toEqual([200]);
    expect(since()).toEqual(["page 1", "page 2"]);
    // Notes the write in the middle of the list.
    writes.note(7);
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual(["page 1"]);
  });
});

describe("the stored records", () => {
  it("are at most 100,000, the last ones read", async () => {
    const { read, since } = world({ total: 100_100 });
    await read(upTo(100_100));
    expect(since()).toHaveLength(1_001);
    expect(await read(upTo(105, 101))).toEqual(upTo(105, 101));
    expect(since()).toEqual([]);
    expect(await read([1, 2])).toEqual([1, 2]);
    expect(since()).toEqual(["1", "2"]);
  });
});
