import { inspect, types } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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

describe("a list as a promise of its first page", () => {
  it("has working catch and finally methods", async () => {
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

  it("returns its first page from first(), with one request", async () => {
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

describe("rest() of a page", () => {
  it("yields its records and those of the following pages, each once", async () => {
    for (const prefetch of [0, 1, 3]) {
      const list = scriptedList(7);
      const ids: number[] = [];
      for await (const { id } of (await contacts(list, prefetch)).rest()) ids.push(id);
      expect(ids).toEqual(upTo(7));
      expect(list.pages).toEqual([1, 2, 3, 4]);
    }
  });

  it("starts at that page, not at the start of the list", async () => {
    const list = scriptedList(7);
    const second = await (await contacts(list)).nextPage();
    const ids: number[] = [];
    for await (const { id } of second.rest()) ids.push(id);
    expect(ids).toEqual([3, 4, 5, 6, 7]);
    expect(list.pages).toEqual([1, 2, 3, 4]);
  });

  it("ends after the records of the last page", async () => {
    const list = scriptedList(2);
    const ids: number[] = [];
    for await (const { id } of (await contacts(list)).rest()) ids.push(id);
    expect(ids).toEqual([1, 2]);
    expect(list.calls).toHaveLength(1);
  });
});

describe("nextPage() of a page", () => {
  it("sends once when called twice and returns the same page", async () => {
    const list = scriptedList(6);
    const page = await contacts(list);
    const [one, other] = await Promise.all([page.nextPage(), page.nextPage()]);
    const again = await page.nextPage();
    expect([one, other, again].map(({ records }) => records.map(({ id }) => id))).toEqual([
      [3, 4],
      [3, 4],
      [3, 4],
    ]);
    expect(list.pages).toEqual([1, 2]);
  });

  it("may be called again after a failure", async () => {
    const list = scriptedList(6);
    const page = await contacts(list);
    list.failNext(2, () => jsonResponse(errorBody(404), 404));
    expect(await failure(page.nextPage())).toBeInstanceOf(NotFoundError);
    expect((await page.nextPage()).records.map(({ id }) => id)).toEqual([3, 4]);
  });
});

it("a list that is printed explains how to use it", () => {
  expect(inspect(contacts(scriptedList(5)))).toBe(
    "Pages { <organization.contacts.list: loop over it, or await it for the first page> }",
  );
});

describe("a page as data", () => {
  it("is a plain object with the fields of PageData, and does not look like a stream", async () => {
    const page = await contacts(scriptedList(5));
    const { records, checkpoint } = page;
    const none = { total: null, previousCursor: null, pageCount: null };
    const plain = { records, hasNext: true, cursor: "after-2", checkpoint, ...none };
    expect([JSON.parse(JSON.stringify(page)), structuredClone(page), { ...page }]).toEqual([plain, plain, plain]);
    expect(Object.getPrototypeOf(page)).toBe(Object.prototype);
    for (const name of ["next", "then", "toJSON", Symbol.iterator, Symbol.asyncIterator])
      expect(name in page, String(name)).toBe(false);
    const last = await contacts(scriptedList(2));
    expect(JSON.parse(JSON.stringify(last))).toMatchObject({ hasNext: false, cursor: null });
  });

  it("has a checkpoint that another process can resume", async () => {
    const { checkpoint } = JSON.parse(JSON.stringify(await contacts(scriptedList(5))));
    const list = scriptedList(5);
    const { organization } = mainClient({ fetch: list.fetch });
    const rest = await organization.contacts.list({ per_page: 2 }, { resume: checkpoint }).toArray();
    expect(rest.map(({ id }) => id)).toEqual([3, 4, 5]);
  });
});

describe("the stack of a list's error", () => {
  // If a timer resumed the call, Node would use two of the stack's ten lines for itself, so eight must be enough.
  const { stackTraceLimit } = Error;
  beforeEach(() => {
    Error.stackTraceLimit = 8;
  });
  afterEach(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

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

  it("names the caller of a page's nextPage()", async () => {
    const list = scriptedList(6);
    const page = await contacts(list);
    list.failNext(2, () => jsonResponse(errorBody(404), 404));
    async function asksForTheNextPage() {
      return await page.nextPage();
    }
    expect((await failure(asksForTheNextPage())).stack).toContain("asksForTheNextPage");
  });
});

describe("a call", () => {
  it("is a promise: its methods, those of Promise.prototype and a proxy return the data or the error", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const call = mainClient({ fetch }).accounts.get(7);
    const { withResponse, then } = call;
    const proxy = new Proxy(call, {});
    const account = await call;
    expect([types.isPromise(call), call instanceof Promise, call instanceof Call]).toEqual([true, true, true]);
    const ways = [
      proxy,
      then((data) => data),
      Promise.prototype.then.call(call),
      Promise.resolve(call),
      proxy.finally(),
    ];
    expect(await Promise.all(ways)).toEqual(ways.map(() => account));
    expect((await withResponse()).data).toBe(account);
    expect(() => JSON.stringify({ account: call })).toThrow("await it");
    const failed = mainClient({ fetch: refusing() }).accounts.get(7);
    const error = await failure(failed);
    expect([await failure(failed.withResponse()), await failed.catch((thrown: unknown) => thrown)]).toEqual([
      error,
      error,
    ]);
  });

  it("whose response alone is awaited leaves no unhandled rejection, but one that is not awaited does", async () => {
    const unhandled: unknown[] = [];
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection").on("unhandledRejection", (reason) => unhandled.push(reason));
    const { accounts } = mainClient({ fetch: refusing() });
    const error = await failure(accounts.get(7).withResponse());
    void accounts.get(8);
    void accounts.get(9).withResponse();
    while (unhandled.length < 2) await new Promise((resolve) => setImmediate(resolve));
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
    expect(unhandled).toHaveLength(2);
    expect(unhandled).not.toContain(error);
  });

  it("and a list are refused by structured cloning, and a list by JSON with an explanation", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch });
    expect(() => JSON.stringify([client.accounts.list()])).toThrow("accounts.list: a list holds no data yet. Await it");
    expect(() => structuredClone(client.accounts.get(7))).toThrow("could not be cloned");
    expect(() => structuredClone({ accounts: client.accounts.list() })).toThrow("could not be cloned");
  });

  it("has then, catch and finally, and sends once", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const call = mainClient({ fetch }).accounts.get(7);
    expect(call).toBeInstanceOf(Call);
    const [one, other] = await Promise.all([call, call.then((account) => account)]);
    expect(one).toBe(other);
    expect((await call.finally(() => undefined)).id).toBe(7);
    expect(calls).toHaveLength(1);
  });

  it("accepts handlers that name the type of the error, as a promise does", async () => {
    const client = mainClient({ fetch: refusing() });
    const message = (error: Error) => error.message;
    expect(await client.accounts.get(7).catch((error: Error) => error.message)).toContain("404");
    expect(await client.accounts.get(7).then(() => "", message)).toContain("404");
    expect(await client.accounts.list().catch(message)).toContain("404");
    expect(await client.accounts.list().then(() => "", message)).toContain("404");
  });

  it("prints that it has to be awaited, and no data", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const call = mainClient({ fetch }).accounts.get(7);
    expect(inspect(call)).toContain("await");
    await call;
    expect(inspect(call)).not.toContain(accountRecord().name as string);
  });
});

describe("an iterator of a list", () => {
  it("ends with its await using block, which aborts prefetches", async () => {
    const list = scriptedList(10);
    const seen: number[] = [];
    const iterator = contacts(list)[Symbol.asyncIterator]();
    {
      await using records = iterator;
      const { value } = await records.next();
      if (value) seen.push(value.id);
    }
    expect(seen).toEqual([1]);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});
