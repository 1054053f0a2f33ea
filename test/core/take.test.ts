import { describe, expect, it } from "vitest";
import { type FetchLike, InputError, PaginationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList, upTo } from "../support/lists.js";
import { failure, settle, until } from "../support/manual-clock.js";
import { contactRecord } from "../support/records.js";

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const sizes = (list: ReturnType<typeof scriptedList>) => list.calls.map(({ url }) => url.searchParams.get("per_page"));

describe("take", () => {
  for (const [count, pageSizes] of [
    [150, ["75", "75"]],
    [200, ["100", "100"]],
    [201, ["67", "67", "67"]],
    [100, ["100"]],
    [7, ["7"]],
    [130, ["65", "65"]],
    [350, ["88", "88", "88", "88"]],
  ] as const) {
    it(`(${count}) requests exactly ${pageSizes.length} pages of ${pageSizes[0]}`, async () => {
      for (const prefetch of [0, 1, 5]) {
        const list = scriptedList(1_000);
        // Slow enough that the reader waits for a page that is in flight.
        const fetch: FetchLike = async (input, init) => {
          await new Promise((resolve) => setTimeout(resolve, 3));
          return list.fetch(input, init);
        };
        const pages = mainClient({ fetch }).organization.contacts.list({}, { prefetch });
        expect((await collect(pages.take(count))).map(({ id }) => id)).toEqual(upTo(count));
        await new Promise((resolve) => setTimeout(resolve, 10));
        expect(sizes(list)).toEqual(pageSizes);
      }
    });
  }

  it("prefetches a last page that is only partly needed", async () => {
    const list = scriptedList(1_000);
    const records = mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 100 }).take(150);
    await records.next();
    await until(() => list.calls.length === 2, "the second page");
    await settle();
    expect(sizes(list)).toEqual(["100", "100"]);
    await records.return();
  });

  it("ends with what it needs where there is no way to the next page, and only a longer one fails", async () => {
    const torn = { link: "<https://school.example/api/organization/contacts?cursor=2" };
    const { fetch } = recordingFetch(() => jsonResponse([contactRecord(1), contactRecord(2)], 200, torn));
    const pages = mainClient({ fetch }).organization.contacts.list();
    expect((await collect(pages.take(2))).map(({ id }) => id)).toEqual([1, 2]);
    expect(await failure(collect(pages.take(3)))).toBeInstanceOf(PaginationError);
  });

  it("does not prefetch a page that is not needed", async () => {
    const list = scriptedList(1_000);
    const records = mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 100 }).take(100);
    await records.next();
    await settle();
    expect(list.calls).toHaveLength(1);
    await records.return();
  });
});

describe("toArray", () => {
  it("refuses anything but an options object before sending", async () => {
    const list = scriptedList(10);
    const { contacts } = mainClient({ fetch: list.fetch }).organization;
    for (const wrong of [0, 5, "5", null, true]) {
      expect(await failure(() => contacts.list().toArray(wrong as never))).toBeInstanceOf(InputError);
    }
    expect(list.calls).toHaveLength(0);
  });

  it("refuses options it does not know", async () => {
    const list = scriptedList(10);
    const { contacts } = mainClient({ fetch: list.fetch }).organization;
    const error = await failure(() => contacts.list().toArray({ limit: 1 } as never));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain("limit");
  });

  it("with max 0 sends nothing", async () => {
    const list = scriptedList(10);
    expect(await mainClient({ fetch: list.fetch }).organization.contacts.list().toArray({ max: 0 })).toEqual([]);
    expect(list.calls).toHaveLength(0);
  });
});

describe("maxPages", () => {
  it("may be Infinity", async () => {
    const list = scriptedList(250);
    const pages = mainClient({ fetch: list.fetch }).organization.contacts.list({}, { maxPages: Infinity });
    expect(await pages.toArray()).toHaveLength(250);
    expect(list.calls).toHaveLength(3);
  });
});

describe("a page fetched both by page.nextPage() and by a loop", () => {
  it("is not mistaken for a cycle", async () => {
    const list = scriptedList(6);
    const pages = mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 2 });
    const first = await pages;
    const second = await first.nextPage();
    expect(second.records.map(({ id }) => id)).toEqual([3, 4]);
    expect((await pages.toArray()).map(({ id }) => id)).toEqual(upTo(6));
  });
});
