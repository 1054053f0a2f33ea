import { describe, expect, it } from "vitest";
import { Call, NotFoundError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList, upTo } from "../support/lists.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const contacts = (list: ReturnType<typeof scriptedList>, prefetch = 1) =>
  mainClient({ fetch: list.fetch }).organization.contacts.list({ per_page: 2 }, { prefetch });

const refusing = () => recordingFetch(() => jsonResponse(errorBody(404), 404)).fetch;

/** What a view library does to everything it is given: objects come back behind a proxy, all the way down. */
function reactive<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, key, receiver) {
      const value: unknown = Reflect.get(object, key, receiver);
      const kind = Object.prototype.toString.call(value);
      const wrapped = kind === "[object Object]" || kind === "[object Array]";
      return wrapped && Object.isExtensible(value) ? reactive(value as object) : value;
    },
  });
}

describe("a list as a promise of its first page", () => {
  it("has a catch and a finally that work", async () => {
    const pages = mainClient({ fetch: refusing() }).accounts.list();
    const caught = await pages.catch((error: unknown) => error);
    expect(caught).toBeInstanceOf(NotFoundError);
    let ended = 0;
    const page = await contacts(scriptedList(5)).finally(() => void ended++);
    expect(page.records.map(({ id }) => id)).toEqual([1, 2]);
    const failing = mainClient({ fetch: refusing() }).accounts.list();
    expect(await failure(failing.finally(() => void ended++))).toBeInstanceOf(NotFoundError);
    expect(ended).toBe(2);
  });

  it("gives its first page by name, with one request", async () => {
    const list = scriptedList(5);
    const pages = contacts(list);
    const page = await pages.first();
    expect(page.records.map(({ id }) => id)).toEqual([1, 2]);
    expect(page.hasNext).toBe(true);
    expect(list.calls).toHaveLength(1);
  });

  it("sends nothing before it is used", async () => {
    const list = scriptedList(5);
    contacts(list);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(list.calls).toHaveLength(0);
  });
});

describe("a loop over a page", () => {
  it("goes through its records and on through the pages that follow, each once", async () => {
    for (const prefetch of [0, 1, 3]) {
      const list = scriptedList(7);
      const ids: number[] = [];
      for await (const { id } of await contacts(list, prefetch)) ids.push(id);
      expect(ids).toEqual(upTo(7));
      expect(list.pages).toEqual([1, 2, 3, 4]);
    }
  });

  it("begins at that page, not at the start of the list", async () => {
    const list = scriptedList(7);
    const second = await (await contacts(list)).next();
    const ids: number[] = [];
    for await (const { id } of second) ids.push(id);
    expect(ids).toEqual([3, 4, 5, 6, 7]);
    expect(list.pages).toEqual([1, 2, 3, 4]);
  });

  it("over the last page ends after its records", async () => {
    const list = scriptedList(2);
    const ids: number[] = [];
    for await (const { id } of await contacts(list)) ids.push(id);
    expect(ids).toEqual([1, 2]);
    expect(list.calls).toHaveLength(1);
  });
});

describe("next() of a page", () => {
  it("called twice sends once and gives the same page", async () => {
    const list = scriptedList(6);
    const page = await contacts(list);
    const [one, other] = await Promise.all([page.next(), page.next()]);
    const again = await page.next();
    expect([one, other, again].map(({ records }) => records.map(({ id }) => id))).toEqual([
      [3, 4],
      [3, 4],
      [3, 4],
    ]);
    expect(list.pages).toEqual([1, 2]);
  });

  it("may be called again after it failed", async () => {
    const list = scriptedList(6);
    const page = await contacts(list);
    list.failNext(2, () => jsonResponse(errorBody(404), 404));
    expect(await failure(page.next())).toBeInstanceOf(NotFoundError);
    expect((await page.next()).records.map(({ id }) => id)).toEqual([3, 4]);
  });
});

describe("a page as JSON", () => {
  it("is its records, whether more follow, its cursor and its checkpoint", async () => {
    const page = await contacts(scriptedList(5));
    expect(JSON.parse(JSON.stringify(page))).toEqual({
      records: page.records,
      hasNext: true,
      cursor: "after-2",
      checkpoint: page.checkpoint,
    });
    const last = await contacts(scriptedList(2));
    expect(JSON.parse(JSON.stringify(last))).toMatchObject({ hasNext: false, cursor: null });
  });

  it("resumes in another process", async () => {
    const { checkpoint } = JSON.parse(JSON.stringify(await contacts(scriptedList(5))));
    const list = scriptedList(5);
    const { organization } = mainClient({ fetch: list.fetch });
    const rest = await organization.contacts.list({ per_page: 2 }, { resume: checkpoint }).toArray();
    expect(rest.map(({ id }) => id)).toEqual([3, 4, 5]);
  });
});

describe("behind a proxy", () => {
  it("a client, its resources and its other clients work", async () => {
    const { fetch, calls } = recordingFetch(({ url }) =>
      jsonResponse(url.pathname.endsWith("/7") ? accountRecord() : []),
    );
    const client = reactive(mainClient({ fetch }));
    expect((await client.accounts.get(7)).id).toBe(7);
    expect(await client.accounts.list().toArray()).toEqual([]);
    expect(await client.organization.contacts.list().toArray()).toEqual([]);
    await client.request({ method: "GET", path: "api/v1/accounts/7" });
    expect(client.baseUrl).toBe("https://school.example");
    expect(client.rateLimit).toMatchObject({ limit: 500, used: 4 });
    expect(JSON.stringify(client)).toContain("https://school.example");
    expect(calls).toHaveLength(4);
  });

  it("a list and its pages work", async () => {
    const list = scriptedList(6);
    const pages = reactive(contacts(list));
    expect((await pages.toArray()).map(({ id }) => id)).toEqual(upTo(6));
    const page = reactive(await contacts(scriptedList(6)));
    const second = reactive(await page.next());
    expect(second.records.map(({ id }) => id)).toEqual([3, 4]);
    expect(JSON.parse(second.checkpoint)).toMatchObject({ v: 1 });
    const ids: number[] = [];
    for await (const { id } of reactive(contacts(scriptedList(6))).take(3)) ids.push(id);
    expect(ids).toEqual([1, 2, 3]);
  });
});

describe("methods taken off their objects", () => {
  it("work", async () => {
    const { fetch } = recordingFetch(({ url }) =>
      jsonResponse(url.pathname.endsWith("/7") ? accountRecord() : [accountRecord()]),
    );
    const client = mainClient({ fetch });
    const { get, list } = client.accounts;
    const { request } = client;
    expect((await get(7)).id).toBe(7);
    expect(await list().toArray()).toHaveLength(1);
    expect(await request({ method: "GET", path: "api/v1/accounts/7" })).toMatchObject({ id: 7 });
  });

  it("of a page and a list work", async () => {
    const { next } = await contacts(scriptedList(6));
    expect((await next()).records.map(({ id }) => id)).toEqual([3, 4]);
    const { toArray } = contacts(scriptedList(6));
    expect(await toArray()).toHaveLength(6);
  });
});

describe("the stack of a list's error", () => {
  const failing = () => mainClient({ fetch: refusing() }).accounts.list();

  async function loopsOverTheList() {
    for await (const account of failing()) return account;
  }
  async function makesAnArrayOfTheList() {
    return await failing().toArray();
  }
  async function takesOfTheList() {
    for await (const account of failing().take(5)) return account;
  }
  async function awaitsTheList() {
    return await failing();
  }
  async function readsPageByPage() {
    for await (const page of failing().byPage()) return page;
  }

  for (const caller of [
    loopsOverTheList,
    makesAnArrayOfTheList,
    takesOfTheList,
    awaitsTheList,
    readsPageByPage,
  ] as const) {
    it(`names the caller: ${caller.name}`, async () => {
      const error = await failure(caller());
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error.stack).toContain(caller.name);
    });
  }

  it("names the caller of a page's next()", async () => {
    const list = scriptedList(6);
    const page = await contacts(list);
    list.failNext(2, () => jsonResponse(errorBody(404), 404));
    async function asksForTheNextPage() {
      return await page.next();
    }
    expect((await failure(asksForTheNextPage())).stack).toContain("asksForTheNextPage");
  });
});

describe("a call", () => {
  it("is a promise to whoever asks: then, catch and finally, and it is awaited once", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const call = mainClient({ fetch }).accounts.get(7);
    expect(call).toBeInstanceOf(Call);
    const [one, other] = await Promise.all([call, call.then((account) => account)]);
    expect(one).toBe(other);
    expect((await call.finally(() => undefined)).id).toBe(7);
    expect(calls).toHaveLength(1);
  });
});
