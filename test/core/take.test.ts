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
        // Slow enough that the reader has to wait for a page in flight.
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
    const records = mainClient({ fetch: list.fetch })
      .organization.contacts.list({ per_page: 100 })
      .take(150)
      [Symbol.asyncIterator]();
    await records.next();
    await until(() => list.calls.length === 2, "the second page");
    await settle();
    expect(sizes(list)).toEqual(["100", "100"]);
    await records.return();
  });

  it("ends at the records it needs if the next page is unreachable; only a longer one fails", async () => {
    const torn = { link: "<https://school.example/api/organization/contacts?cursor=2" };
    const { fetch } = recordingFetch(() => jsonResponse([contactRecord(1), contactRecord(2)], 200, torn));
    const pages = mainClient({ fetch }).organization.contacts.list();
    expect((await collect(pages.take(2))).map(({ id }) => id)).toEqual([1, 2]);
    expect(await failure(collect(pages.take(3)))).toBeInstanceOf(PaginationError);
  });

  it("does not prefetch a page that is not needed", async () => {
    const list = scriptedList(1_000);
    const records = mainClient({ fetch: list.fetch })
      .organization.contacts.list({ per_page: 100 })
      .take(100)
      [Symbol.asyncIterator]();
    await records.next();
    await settle();
    expect(list.calls).toHaveLength(1);
    await records.return();
  });
});

describe("take(0)", () => {
  it("requests nothing, and its checkpoint leads to the start of the list", async () => {
    const list = scriptedList(150);
    const { contacts } = mainClient({ fetch: list.fetch }).organization;
    const none = await contacts.list().take(0);
    expect([none.records, none.hasNext, list.calls.length]).toEqual([[], false, 0]);
    const all = await contacts.list({}, { resume: none.checkpoint }).toArray();
    expect(all.map(({ id }) => id)).toEqual(upTo(150));
    expect(list.calls).toHaveLength(2);
  });

  it("keeps the position and the page size with which the list begins", async () => {
    const list = scriptedList(7);
    const { contacts } = mainClient({ fetch: list.fetch }).organization;
    const none = await contacts.list({ per_page: 2, cursor: "after-3" }).take(0);
    const rest = await contacts.list({ per_page: 2 }, { resume: none.checkpoint }).toArray();
    const from = await contacts.list({ per_page: 2, cursor: "after-3" }).toArray();
    expect(rest.map(({ id }) => id)).toEqual(from.map(({ id }) => id));
    expect(from.length).toBeLessThan(7);
  });

  it("keeps the checkpoint that the list was resumed from", async () => {
    const list = scriptedList(7);
    const { contacts } = mainClient({ fetch: list.fetch }).organization;
    const { checkpoint } = await contacts.list({ per_page: 2 });
    expect((await contacts.list({ per_page: 2 }, { resume: checkpoint }).take(0)).checkpoint).toBe(checkpoint);
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

  it("refuses unknown options", async () => {
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

  it("ends a loop over hasNext, the pages and the events at the same page, and the checkpoint continues from there", async () => {
    const list = scriptedList(250);
    const said: boolean[] = [];
    const on = { page: ({ hasNext }: { hasNext: boolean }) => void said.push(hasNext) };
    const { contacts } = mainClient({ fetch: list.fetch, on }).organization;
    let page = await contacts.list({ per_page: 10 }, { maxPages: 3 });
    while (page.hasNext) page = await page.nextPage();
    expect(said).toEqual([true, true, false]);
    expect(await failure(page.nextPage())).toBeInstanceOf(PaginationError);
    expect(list.calls).toHaveLength(3);
    const rest = await contacts.list({ per_page: 10 }, { resume: page.checkpoint });
    expect(rest.records[0]?.id).toBe(31);
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

describe("the results of take and filter", () => {
  const lists = () => {
    const list = scriptedList(7);
    return { list, pages: mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 2 }) };
  };
  const idsOf = (records: readonly { id: number }[]) => records.map(({ id }) => id);
  const odd = ({ id }: { id: number }) => id % 2 === 1;

  it("are lists with a first page, pages, an array, a count and a rest", async () => {
    const { list, pages } = lists();
    const five = pages.take(5);
    const first = await five;
    expect(idsOf(await collect(first.rest()))).toEqual(upTo(5));
    const found = await collect(five.byPage());
    expect(found.map(({ records, hasNext }) => [idsOf(records), hasNext])).toEqual([
      [[1, 2], true],
      [[3, 4], true],
      [[5], false],
    ]);
    expect(idsOf(await five.take(3).toArray())).toEqual(upTo(3));
    expect(idsOf(await pages.take(0).toArray())).toEqual([]);
    expect(Math.max(...list.pages)).toBe(3);
    // The checkpoint leads back to the page that `take` cut short.
    const { checkpoint } = found.at(-1) as { checkpoint: string };
    const { organization } = mainClient({ fetch: list.fetch });
    expect(idsOf(await organization.contacts.list({ per_page: 2 }, { resume: checkpoint }).toArray())).toEqual([
      5, 6, 7,
    ]);
  });

  it("keep some records and every checkpoint, and count the records that were read", async () => {
    const { list, pages } = lists();
    const found = await collect(
      pages
        .filter(odd)
        .filter(({ id }) => id !== 3)
        .byPage(),
    );
    expect(found.map(({ records, read, total }) => [idsOf(records), read, total])).toEqual([
      [[1], 2, null],
      [[], 2, null],
      [[5], 2, null],
      [[7], 1, null],
    ]);
    const resume = found[1]?.checkpoint;
    const { organization } = mainClient({ fetch: list.fetch });
    expect(idsOf(await organization.contacts.list({ per_page: 2 }, { resume }).filter(odd).toArray())).toEqual([5, 7]);
    expect(idsOf(await pages.filter(odd).take(2).toArray())).toEqual([1, 3]);
    expect(await pages.filter(odd).count()).toBeNull();
  });

  it("do not end at a thousand pages in a row without a matching record", async () => {
    const { fetch } = recordingFetch(({ index }) => {
      const link = index < 1_002 ? { link: `</x?cursor=${index + 1}>; rel="next"` } : {};
      return jsonResponse([contactRecord(index + 1)], 200, link);
    });
    const pages = mainClient({ fetch, rateLimit: false }).organization.contacts.list();
    expect(idsOf(await pages.filter(({ id }) => id === 1_003).toArray())).toEqual([1_003]);
  });

  it("refuse an invalid filter, and one after take", async () => {
    const { list, pages } = lists();
    expect(() => pages.filter(true as never)).toThrow("predicate must be a function");
    expect(() => pages.take(3).filter(odd)).toThrow("must be applied before take");
    const promising = pages.filter((async () => false) as never);
    expect(await failure(promising.toArray())).toMatchObject({ code: "input" });
    expect(list.calls.length).toBeLessThanOrEqual(1);
  });
});
