import { describe, expect, it } from "vitest";
import { type Page, type PageEvent, PaginationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList, upTo } from "../support/lists.js";
import { failure, settle, until } from "../support/manual-clock.js";
import { accountRecord, contactRecord } from "../support/records.js";
import { errorBody, json, serve } from "../support/server.js";

const ids = (records: readonly { id: number }[]) => records.map(({ id }) => id);

describe("a list", () => {
  it("sends nothing until it is used", async () => {
    const list = scriptedList(3);
    const pages = mainClient({ fetch: list.fetch }).organization.contacts.list();
    pages.take(2);
    pages.byPage();
    pages[Symbol.asyncIterator]();
    await settle();
    expect(list.calls).toEqual([]);
  });

  it("resolves to its first page when awaited, with records, hasNext, cursor, checkpoint and response", async () => {
    const list = scriptedList(5);
    const page = await mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 2 });
    expect(ids(page.records)).toEqual([1, 2]);
    expect(page.hasNext).toBe(true);
    expect(page.cursor).toBe("after-2");
    expect(JSON.parse(page.checkpoint)).toMatchObject({ operation: "organization.contacts.list" });
    expect(page.response).toMatchObject({ status: 200, attempts: 1, waitedMs: 0 });
    expect(list.pages).toEqual([1]);
  });

  it("has its previous page and its number of pages if the service reports them", async () => {
    const page = "<https://inner.example/x?page=3>; rel=last, <https://inner.example/x?page=2>; rel=next";
    const cursor = '<https://inner.example/x?per_page=2&cursor=before%20this>; rel="prev", </x?cursor=b>; rel="next"';
    const links = [undefined, page, cursor, "</x?page=x>; rel=last", "<https://[>; rel=prev, </x?page=0>; rel=last"];
    const { fetch } = recordingFetch(({ index }) => {
      const link = links[index];
      return jsonResponse([contactRecord(index)], 200, link === undefined ? {} : { link });
    });
    const pages = mainClient({ fetch }).organization.contacts.list();
    const told: [string | null, number | null][] = [];
    for (const _ of links) {
      const { previousCursor, pageCount } = await mainClient({ fetch }).organization.contacts.list();
      told.push([previousCursor, pageCount]);
    }
    expect(told).toEqual([
      [null, null],
      [null, 3],
      ["before this", null],
      [null, null],
      [null, null],
    ]);
    expect(JSON.parse(JSON.stringify(await pages))).toMatchObject({ previousCursor: null, pageCount: null });
  });

  it("fails at once when a page links to itself", async () => {
    const { fetch, calls } = recordingFetch(() =>
      jsonResponse([contactRecord(1)], 200, { link: "<https://inner.example/x?cursor=same>; rel=next" }),
    );
    const error = await failure(mainClient({ fetch }).organization.contacts.list({ cursor: "same" }).toArray());
    expect(error).toMatchObject({ code: "pagination" });
    expect(error.message).toContain("page 1 links back to page 1");
    expect(calls).toHaveLength(1);
  });

  it("fails when 1,000 pages in a row are empty", async () => {
    const { fetch, calls } = recordingFetch(({ index }) =>
      jsonResponse(index === 0 ? [accountRecord(7)] : [], 200, { link: `<?cursor=${index + 2}>; rel="next"` }),
    );
    const error = await failure(mainClient({ fetch, rateLimit: false }).accounts.list().toArray());
    expect(error.message).toContain("1000 pages in a row are empty");
    expect(calls).toHaveLength(1_001);
  });

  it("goes from page to page with nextPage(), which rejects after the last page", async () => {
    const list = scriptedList(5);
    let page = await mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 2 });
    page = await page.nextPage();
    expect(ids(page.records)).toEqual([3, 4]);
    page = await page.nextPage();
    expect(ids(page.records)).toEqual([5]);
    expect(page).toMatchObject({ hasNext: false, cursor: null });
    expect(await failure(page.nextPage())).toBeInstanceOf(PaginationError);
    expect(list.pages).toEqual([1, 2, 3]);
  });

  it("returns every record in order, from the start in each loop", async () => {
    const list = scriptedList(250);
    const pages = mainClient({ fetch: list.fetch }).organization.contacts.list();
    for (let time = 0; time < 2; time++) {
      const seen: number[] = [];
      for await (const { id } of pages) seen.push(id);
      expect(seen).toEqual(upTo(250));
    }
    expect(list.pages).toEqual([1, 2, 3, 1, 2, 3]);
    expect(list.calls[0]?.url.searchParams.get("per_page")).toBe("100");
  });

  it("requests pageSize records per page if the list sets no size", async () => {
    const list = scriptedList(7);
    await mainClient({ fetch: list.fetch, pageSize: 3 }).organization.contacts.list().toArray();
    expect(list.pages).toEqual([1, 2, 3]);
  });

  it("returns every page with byPage()", async () => {
    const list = scriptedList(5);
    const found: Page<{ id: number }>[] = [];
    const pages = mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 2 });
    for await (const page of pages.byPage()) found.push(page);
    expect(found.map((page) => ids(page.records))).toEqual([[1, 2], [3, 4], [5]]);
    expect(found.map(({ hasNext }) => hasNext)).toEqual([true, true, false]);
  });

  it("does not fetch the awaited first page again in the next loop", async () => {
    const list = scriptedList(5);
    const pages = mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 2 });
    const first = await pages;
    expect(await pages).toMatchObject({ checkpoint: first.checkpoint });
    expect(ids(await pages.toArray())).toEqual(upTo(5));
    expect(list.pages).toEqual([1, 2, 3]);
    expect(ids(await pages.toArray())).toEqual(upTo(5));
    expect(list.pages).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it("requests the first page again after it failed", async () => {
    const list = scriptedList(3);
    list.failNext(1, () => jsonResponse(errorBody(404), 404));
    const pages = mainClient({ fetch: list.fetch }).organization.contacts.list();
    expect(await failure(pages)).toMatchObject({ status: 404 });
    expect(ids((await pages).records)).toEqual([1, 2, 3]);
  });

  it("reports every page through on.page, without values of filters", async () => {
    const list = scriptedList(5);
    const events: PageEvent[] = [];
    const client = mainClient({ fetch: list.fetch, on: { page: (event) => events.push(event) } });
    await client.organization.contacts.list({ per_page: 2 }).toArray();
    expect(events.map(({ page, records, hasNext }) => [page, records, hasNext])).toEqual([
      [1, 2, true],
      [2, 2, true],
      [3, 1, false],
    ]);
    expect(events[0]).toMatchObject({ operation: "organization.contacts.list", method: "GET", path: "contacts" });
  });

  it("reads the first page as an interactive call and the others as batch, unless the caller decides", async () => {
    const list = scriptedList(6);
    // Batch requests may use only one of the three slots. The second page uses it, so the third page has to wait.
    const client = mainClient({ fetch: list.fetch, rateLimit: { requests: 3, reserve: 0.7, windowMs: 20_000 } });
    const pages = client.organization.contacts.list({ per_page: 2 });
    const records = pages[Symbol.asyncIterator]();
    for (let record = 0; record < 4; record++) await records.next();
    void records.next().catch(() => undefined);
    await until(() => client.rateLimit.queued === 1);
    expect((await client.organization.contacts.list({ per_page: 4 })).records).toHaveLength(4);
    await records.return?.();
    expect(client.rateLimit.queued).toBe(0);
  });
});

describe("take and toArray", () => {
  it("take(7) requests seven records once", async () => {
    const list = scriptedList(1000);
    const seen: number[] = [];
    for await (const { id } of mainClient({ fetch: list.fetch }).organization.contacts.list().take(7)) seen.push(id);
    expect(seen).toEqual(upTo(7));
    expect(list.calls.map(({ url }) => url.searchParams.get("per_page"))).toEqual(["7"]);
  });

  it("take(250) requests three pages and prefetches none, however deep the prefetch", async () => {
    for (const prefetch of [0, 1, 5]) {
      const list = scriptedList(1000);
      const pages = mainClient({ fetch: list.fetch }).organization.contacts.list({}, { prefetch });
      const seen: number[] = [];
      for await (const { id } of pages.take(250)) seen.push(id);
      await settle();
      expect(seen).toEqual(upTo(250));
      expect(list.pages).toEqual([1, 2, 3]);
    }
  });

  it("take(130) splits the records evenly over two pages instead of requesting 70 that it does not need", async () => {
    const list = scriptedList(1000);
    const seen: number[] = [];
    for await (const { id } of mainClient({ fetch: list.fetch }).organization.contacts.list().take(130)) seen.push(id);
    expect(seen).toEqual(upTo(130));
    expect(list.calls.map(({ url }) => url.searchParams.get("per_page"))).toEqual(["65", "65"]);
  });

  it("take ends with the list, keeps the caller's per_page, and take(0) sends nothing", async () => {
    const list = scriptedList(5);
    const client = mainClient({ fetch: list.fetch });
    const seen: number[] = [];
    for await (const { id } of client.organization.contacts.list({ per_page: 2 }).take(100)) seen.push(id);
    expect(seen).toEqual(upTo(5));
    expect(list.pages).toEqual([1, 2, 3]);
    for await (const _ of client.organization.contacts.list().take(0)) throw new Error("nothing was asked for");
    expect(list.calls).toHaveLength(3);
  });

  it("toArray({ max }) stops like take, toArray() reads everything", async () => {
    const list = scriptedList(250);
    const client = mainClient({ fetch: list.fetch });
    expect(ids(await client.organization.contacts.list().toArray({ max: 120 }))).toEqual(upTo(120));
    expect(list.pages).toEqual([1, 2]);
    expect(await client.organization.contacts.list().toArray()).toHaveLength(250);
    expect(await client.organization.contacts.list().toArray({ max: 0 })).toEqual([]);
    await expect(client.organization.contacts.list().toArray(null as never)).rejects.toThrow(
      /options must be a plain object/,
    );
    await expect(client.organization.contacts.list().toArray({ max: -1 })).rejects.toThrow(/list: max must be/);
  });
});

describe("prefetch", () => {
  for (const [prefetch, ahead] of [
    [0, 1],
    [1, 2],
    [3, 4],
  ] as const) {
    it(`of ${prefetch} has requested ${ahead} page(s) while the loop handles the first`, async () => {
      const list = scriptedList(1000);
      const pages = mainClient({ fetch: list.fetch }).organization.contacts.list({}, { prefetch });
      const records = pages[Symbol.asyncIterator]();
      await records.next();
      await until(() => list.pages.length >= ahead);
      await settle();
      expect(list.pages).toEqual(upTo(ahead));
      await records.return?.();
    });
  }

  it("is 1 by default, and never more than one request at a time", async () => {
    let underWay = 0;
    let most = 0;
    const list = scriptedList(1000);
    const client = mainClient({
      fetch: async (url, init) => {
        most = Math.max(most, ++underWay);
        await settle();
        underWay--;
        return list.fetch(url, init);
      },
    });
    const records = client.organization.contacts.list()[Symbol.asyncIterator]();
    await records.next();
    await until(() => list.pages.length === 2);
    await settle();
    expect(list.pages).toEqual([1, 2]);
    await records.return?.();
    expect(await client.organization.contacts.list({}, { prefetch: 5 }).toArray()).toHaveLength(1000);
    expect(most).toBe(1);
  });

  it("is cancelled by break: the connection ends and the slot in the window becomes free", async () => {
    const first = await scriptedList(10).fetch("https://school.example/?per_page=2", {});
    const records = await first.json();
    const server = await serve((request, response) => {
      if (request.index === 0) json(response, 200, records, { link: '<?cursor=after-2>; rel="next"' });
    });
    const client = mainClient({ baseUrl: server.url, rateLimit: { concurrency: 1 } });
    for await (const _ of client.organization.contacts.list({ per_page: 2 })) {
      await until(() => server.requests.length === 2);
      break;
    }
    await until(() => server.sockets === 0, "the connection's end");
    // The only permit is free again.
    const next = client.accounts.get(7);
    await until(() => server.requests.length === 3);
    expect(client.rateLimit.queued).toBe(0);
    await server.close();
    await failure(next);
  });

  it("is cancelled in the queue by break and never sent", async () => {
    const list = scriptedList(10);
    const client = mainClient({ fetch: list.fetch, rateLimit: { requests: 1, windowMs: 60_000 } });
    for await (const _ of client.organization.contacts.list({ per_page: 2 })) {
      await until(() => client.rateLimit.queued === 1);
      break;
    }
    expect(client.rateLimit.queued).toBe(0);
    expect(list.calls).toHaveLength(1);
  });
});
