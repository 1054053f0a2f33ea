import { describe, expect, it } from "vitest";
import type { FetchedPage } from "../../src/core/lists/cursor.js";
import { OrderedIterator } from "../../src/core/lists/iterator.js";
import type { PagePrefetcher } from "../../src/core/lists/prefetcher.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse } from "../support/fetch.js";
import { scriptedList, upTo } from "../support/lists.js";
import { failure, settle } from "../support/manual-clock.js";
import { errorBody } from "../support/server.js";

function contacts(total: number, options: { prefetch?: number; per_page?: number } = {}) {
  const list = scriptedList(total);
  const { prefetch = 1, per_page = 2 } = options;
  const pages = mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page }, { prefetch });
  return { list, pages };
}

/** An iterator over the records of pages. */
function iteratorOver(next: () => Promise<FetchedPage | null>): OrderedIterator<unknown> {
  const pages = { next, close: () => undefined } as unknown as PagePrefetcher;
  return new OrderedIterator(
    async () => pages,
    ({ records }) => records,
    undefined,
  );
}

// First in the file, because the endless loop that it detects would keep the other tests from ending.
describe("an iterator at its end", () => {
  it("fetches no more pages, however often it is called", async () => {
    let fetches = 0;
    const records = iteratorOver(async () => {
      if (++fetches > 1) throw new Error("fetched after the end");
      return null;
    });
    for (let times = 0; times < 3; times++) expect(await records.next()).toEqual({ done: true, value: undefined });
    expect(fetches).toBe(1);
  });
});

describe("an iterator that fails", () => {
  for (const prefetch of [0, 1, 3]) {
    for (const failing of [1, 2, 3, 4]) {
      it(`returns page ${failing} when called again, and every record exactly once (prefetch ${prefetch})`, async () => {
        const { list, pages } = contacts(7, { prefetch });
        list.failNext(failing, () => jsonResponse(errorBody(404), 404));
        const records = pages[Symbol.asyncIterator]();
        const seen: number[] = [];
        let failures = 0;
        for (;;) {
          try {
            const { done, value } = await records.next();
            if (done) break;
            seen.push(value.id);
          } catch (error) {
            expect(error).toMatchObject({ status: 404 });
            failures++;
          }
        }
        expect(seen).toEqual(upTo(7));
        expect(failures).toBe(1);
        expect(list.pages.filter((page) => page === failing)).toHaveLength(2);
        expect(list.pages).toHaveLength(5);
      });
    }
  }

  it("continues in byPage() as well, and after several failures of one page", async () => {
    const { list, pages } = contacts(6);
    const iterator = pages.byPage();
    const sizes: number[] = [];
    for (let failures = 0; ; ) {
      if (failures < 3) list.failNext(2, () => jsonResponse(errorBody(422), 422));
      try {
        const { done, value } = await iterator.next();
        if (done) break;
        sizes.push(value.records[0]?.id as number);
      } catch {
        failures++;
      }
    }
    expect(sizes).toEqual([1, 3, 5]);
  });

  it("stays at its end", async () => {
    const { list, pages } = contacts(2);
    const records = pages[Symbol.asyncIterator]();
    for (let turn = 0; turn < 5; turn++) await records.next();
    expect(await records.next()).toEqual({ done: true, value: undefined });
    expect(list.calls).toHaveLength(1);
  });

  it("reports no failure of a prefetched page that is never read", async () => {
    const { list, pages } = contacts(6);
    list.failNext(2, () => jsonResponse(errorBody(404), 404));
    for await (const { id } of pages) {
      await settle();
      if (id === 2) break;
    }
    await settle();
    expect(list.pages).toEqual([1, 2]);
  });
});

describe("an iterator whose values have ended", () => {
  it("requests no more and ends for every waiting caller", async () => {
    let fetches = 0;
    const iterator = iteratorOver(async () => {
      if (++fetches > 1) throw new Error("asked again after the end");
      return null;
    });
    const ends = await Promise.all([iterator.next(), iterator.next(), iterator.next()]);
    expect(ends).toEqual(Array.from({ length: 3 }, () => ({ done: true, value: undefined })));
    expect(fetches).toBe(1);
  });

  it("returns none after return(), even if one is ready", async () => {
    const iterator = iteratorOver(async () => ({ records: [1, 2] }) as unknown as FetchedPage);
    expect(await iterator.next()).toEqual({ done: false, value: 1 });
    await iterator.return();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe("an iterator called several times at once", () => {
  for (const prefetch of [0, 1, 3]) {
    it(`returns each record once and in order (prefetch ${prefetch})`, async () => {
      const { list, pages } = contacts(9, { prefetch });
      const records = pages[Symbol.asyncIterator]();
      const results = await Promise.all(Array.from({ length: 12 }, () => records.next()));
      expect(results.filter(({ done }) => !done).map(({ value }) => value?.id)).toEqual(upTo(9));
      expect(results.slice(9).map(({ done }) => done)).toEqual([true, true, true]);
      expect(list.pages).toEqual(upTo(5));
    });
  }

  it("rejects one of the calls if a page fails, and continues for the others", async () => {
    const { list, pages } = contacts(6, { prefetch: 0 });
    list.failNext(2, () => jsonResponse(errorBody(404), 404));
    const records = pages[Symbol.asyncIterator]();
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => records.next()));
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
    const seen = results.flatMap((result) => (result.status === "fulfilled" ? [result.value.value?.id] : []));
    expect(seen).toEqual([...upTo(6), undefined]);
  });

  it("returns pages in order from byPage() too", async () => {
    const { pages } = contacts(6);
    const iterator = pages.byPage();
    const found = await Promise.all([iterator.next(), iterator.next(), iterator.next(), iterator.next()]);
    expect(found.map(({ value }) => value?.records[0]?.id)).toEqual([1, 3, 5, undefined]);
  });
});

describe("an iterator that a loop leaves", () => {
  it("ends: calls after return() are done, also those that wait", async () => {
    const { pages } = contacts(6);
    const records = pages[Symbol.asyncIterator]();
    await records.next();
    await records.next();
    const waiting = records.next();
    expect(await records.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await records.next()).toEqual({ done: true, value: undefined });
  });

  it("ends too if the loop's body throws, with the body's error", async () => {
    const { list, pages } = contacts(6);
    const error = await failure(async () => {
      for await (const _ of pages) throw new RangeError("mine");
    });
    expect(error).toBeInstanceOf(RangeError);
    await settle();
    expect(list.pages.length).toBeLessThanOrEqual(2);
  });

  it("does not affect other iterators of the same list", async () => {
    const { pages } = contacts(6);
    const one = pages[Symbol.asyncIterator]();
    const other = pages[Symbol.asyncIterator]();
    expect((await one.next()).value?.id).toBe(1);
    expect((await other.next()).value?.id).toBe(1);
    await one.return?.();
    const seen = [1];
    for await (const { id } of other) seen.push(id);
    expect(seen).toEqual(upTo(6));
  });
});

describe("two iterations of one list at once", () => {
  it("both return every record exactly once", async () => {
    for (const awaited of [false, true]) {
      const { list, pages } = contacts(7);
      if (awaited) await pages;
      const both = await Promise.all([pages.toArray(), pages.toArray()]);
      for (const records of both) expect(records.map(({ id }) => id)).toEqual(upTo(7));
      // Only one of the two iterations uses the first page that was awaited; the other requests it again.
      expect(list.calls).toHaveLength(8);
    }
  });

  it("share no failure", async () => {
    const { list, pages } = contacts(4, { prefetch: 0 });
    list.failNext(2, () => jsonResponse(errorBody(404), 404));
    const [one, other] = await Promise.allSettled([pages.toArray(), pages.toArray()]);
    expect([one?.status, other?.status].sort()).toEqual(["fulfilled", "rejected"]);
  });
});

describe("an abort by the observer of a page", () => {
  for (const prefetch of [0, 1, 3]) {
    it(`prevents every further request (prefetch ${prefetch})`, async () => {
      const stop = new AbortController();
      const list = scriptedList(6);
      const on = { page: () => stop.abort(new RangeError("enough")) };
      const { contacts: listed } = mainClient({ fetch: list.fetch, on }).organization;
      const records = listed.list({ per_page: 2 }, { prefetch, signal: stop.signal }).toArray();
      expect(await failure(records)).toBe(stop.signal.reason);
      await settle();
      expect(list.calls).toHaveLength(1);
    });
  }
});
