import { describe, expect, it, test } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { allOperations } from "../../src/operations.js";
import { Collection } from "../../src/sandbox/data/collection.js";
import { mannersOf } from "../../src/sandbox/data/manners.js";
import type { Listing, Mark, Order } from "../../src/sandbox/engine/behavior.js";
import { pageOf, totals } from "../../src/sandbox/engine/paging.js";
import { linksOf } from "./support.js";

interface Row {
  readonly id: number;
  readonly rank: number;
}

const row = allOperations.find(({ id }) => id === "accounts.list") as Operation;
const collection = (count: number) =>
  new Collection<Row>({
    name: "rows",
    seed: 1,
    count,
    now: () => 0,
    monday: () => 0,
    guard: (_, write) => write(),
    columns: { rank: ({ id }) => (id * 7) % 5 },
  });

/** Returns a function that requests a page of the list by its address, as a client would. */
function listOf(records: Collection<Row>, listing: Partial<Listing<Row>> = {}, operation = row) {
  const totalOf = totals(() => records.version);
  return (address: string | undefined) => {
    const url = new URL(address ?? "", "https://sandbox.example/api/v1/accounts");
    const query = Object.fromEntries(
      [...url.searchParams].map(([name, text]) => [name, name === "cursor" ? text : Number(text)]),
    );
    const page = pageOf(
      { records, fits: null, order: null, ...listing },
      { operation, url, query, totalOf, manners: mannersOf(), now: 0 },
    );
    const links = linksOf(new Headers(page.link === null ? {} : { link: page.link }));
    return { ids: page.records.map(({ id }) => id), ...links } as {
      ids: number[];
      next?: string;
      prev?: string;
      last?: string;
    };
  };
}

/** Orders the records by rank, and records of equal rank by default. */
function byRank(records: Collection<Row>): Order {
  const keysOf = (slot: number) => [records.row(slot)?.rank];
  const compare = ([[a], one]: Mark, [[b], other]: Mark) => Number(a) - Number(b) || one - other;
  const slots = Array.from({ length: records.slots }, (_, slot) => slot).filter((slot) => records.row(slot));
  return { slots: slots.sort((a, b) => compare([keysOf(a), a], [keysOf(b), b])), keysOf, compare };
}

describe.each(["as they are", "sorted", "filtered"] as const)("pages of records %s", (kind) => {
  const listing = (records: Collection<Row>): Partial<Listing<Row>> => {
    if (kind === "sorted") return { order: byRank(records) };
    return kind === "filtered" ? { fits: ({ id }) => id % 3 !== 0 } : {};
  };
  const all = (records: Collection<Row>) => {
    if (kind === "sorted") return byRank(records).slots.map((slot) => records.row(slot)?.id);
    return [...records].map(({ id }) => id).filter((id) => kind !== "filtered" || id % 3 !== 0);
  };

  test.each([
    [0, 1],
    [1, 1],
    [4, 1],
    [10, 3],
    [9, 3],
    [12, 4],
    [7, 100],
  ])("%d records, %d on a page: next leads through all of them, and prev leads back", (count, size) => {
    const records = collection(count);
    // Deletes a record, so that positions and identifiers differ.
    records.delete(2);
    const ask = listOf(records, listing(records));
    const pages = [];
    for (let at: string | undefined = `?per_page=${size}`; at; at = pages.at(-1)?.next) pages.push(ask(at));
    const expected = all(records);
    expect(pages.flatMap(({ ids }) => ids)).toEqual(expected);
    expect(pages).toHaveLength(Math.max(1, Math.ceil(expected.length / size)));
    expect(pages.map(({ prev }) => prev !== undefined)).toEqual(pages.map((_, at) => at > 0));
    for (const [at, { prev }] of pages.entries()) {
      if (!prev) continue;
      const before = ask(prev);
      expect(before.ids).toEqual(pages[at - 1]?.ids);
      expect(ask(before.next).ids).toEqual(pages[at]?.ids);
      expect(before.prev !== undefined).toBe(at > 1);
    }
  });

  it("have numbers, next and last instead", () => {
    const records = collection(10);
    const ask = listOf(records, listing(records));
    const expected = all(records);
    const last = Math.ceil(expected.length / 3);
    for (let page = 1; page <= last + 1; page++) {
      const answer = ask(`?per_page=3&page=${page}`);
      expect(answer.ids).toEqual(expected.slice((page - 1) * 3, page * 3));
      expect(new URL(answer.last ?? "").search).toBe(`?per_page=3&page=${last}`);
      expect(answer.next?.replace(/^.*page=/, "")).toBe(page < last ? String(page + 1) : undefined);
      expect(answer.prev).toBeUndefined();
    }
  });
});

describe("pages of a list that changes", () => {
  it("continue after the last record seen, even if it has been deleted", () => {
    const records = collection(9);
    const ask = listOf(records);
    const first = ask("?per_page=3");
    records.delete(3);
    records.delete(4);
    expect(ask(first.next).ids).toEqual([5, 6, 7]);
  });

  it("are empty past the end, and lead back to the remaining records", () => {
    const records = collection(4);
    const ask = listOf(records);
    const { next } = ask("?per_page=2");
    for (const id of [2, 3, 4]) records.delete(id);
    const page = ask(next);
    expect(page.ids).toEqual([]);
    expect(page.next).toBeUndefined();
    expect(ask(page.prev).ids).toEqual([1]);
  });

  it("have no next if all later records were deleted, and are empty if all earlier records were", () => {
    for (const sorted of [false, true]) {
      const records = collection(4);
      const ask = (address: string | undefined) => listOf(records, sorted ? { order: byRank(records) } : {})(address);
      const first = ask("?per_page=2");
      const second = ask(first.next);
      for (const id of second.ids) records.delete(id);
      expect(ask(second.prev)).toEqual({ ids: first.ids });
      for (const id of first.ids) records.delete(id);
      records.insert({ rank: 99 });
      expect(ask(second.prev)).toEqual({ ids: [] });
    }
  });

  it("are all new on the way back to records added in between", () => {
    const records = collection(4);
    const ask = listOf(records);
    const { next } = ask("?per_page=2");
    records.insert({});
    const second = ask(next);
    expect([second.ids, ask(second.next).ids]).toEqual([[3, 4], [5]]);
  });
});

describe("the request for a page", () => {
  it("gets 25 records without a number, and numbered pages count the same way", () => {
    const ask = listOf(collection(60));
    expect(ask("").ids).toHaveLength(25);
    expect(ask("?page=3").ids).toHaveLength(10);
    expect(listOf(collection(0))("?page=1").last).toContain("page=1");
  });

  it("uses the cursor if it has a page too, and its links have only the cursor", () => {
    const ask = listOf(collection(6));
    const { next = "" } = ask("?per_page=2");
    const page = ask(`${next}&page=3`);
    expect(page.ids).toEqual([3, 4]);
    expect(new URL(page.next ?? "").searchParams.get("page")).toBeNull();
  });

  it("gets a list without pages as a whole", () => {
    const ask = listOf(collection(60), {}, { ...row, paged: "none" });
    expect(ask("")).toEqual({ ids: Array.from({ length: 60 }, (_, at) => at + 1) });
  });

  test.each([
    ["text", "nonsense"],
    ["JSON that is no list", btoa("{}")],
    ["a list that is too short", btoa('["next",3]')],
    ["no list that the sandbox made", btoa('["next",3,1,1]')],
    ["bytes that are not base64", "%%%"],
  ])("is refused with 400 if its cursor is %s", (_, cursor) => {
    const ask = listOf(collection(3));
    expect(() => ask(`?cursor=${encodeURIComponent(cursor)}`)).toThrow(
      expect.objectContaining({ status: 400, errors: { cursor: ["is not a cursor of this list"] } }),
    );
  });

  it("is refused if its cursor belongs to other filters, whatever their order, or to another operation", () => {
    const records = collection(6);
    const ask = listOf(records);
    const { next = "" } = ask("?per_page=2&a=1&b=2");
    const cursor = new URL(next).searchParams.get("cursor");
    expect(ask(`?b=2&cursor=${cursor}&a=1&per_page=1`).ids).toEqual([3]);
    const other = listOf(records, {}, { ...row, id: "users.list" } as Operation);
    for (const refused of [
      () => ask(`?cursor=${cursor}`),
      () => ask(`?a=1&b=3&cursor=${cursor}`),
      () => ask(`/api/v1/users?a=1&b=2&cursor=${cursor}`),
      () => other(`?a=1&b=2&cursor=${cursor}`),
    ]) {
      expect(refused).toThrow(
        expect.objectContaining({ status: 400, errors: { cursor: [expect.stringMatching(/another list/)] } }),
      );
    }
    // The host and the path before the API are ignored, because a proxy may change them.
    expect(ask(`https://proxy.example/behind/api/v1/accounts?a=1&b=2&cursor=${cursor}`).ids).toHaveLength(4);
  });
});
