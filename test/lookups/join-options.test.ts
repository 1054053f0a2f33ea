import { describe, expect, it, vi } from "vitest";
import { RequestTimeoutError, ResponseValidationError, type ServerError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { type FetchCall, jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { accountRecord, invoiceRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const idIn = ({ url }: FetchCall) => Number(/accounts\/(\d+)/.exec(url.pathname)?.[1]);

/** A response that never arrives; the promise rejects as fetch does when its signal aborts. */
const hanging = ({ init }: FetchCall): Promise<Response> =>
  new Promise((_, reject) => init.signal?.addEventListener("abort", () => reject(init.signal?.reason)));

/**
 * A service with invoices. The test defines the response for each account; a page's cursor names the page's invoices.
 */
function world(account: (call: FetchCall) => Response | Promise<Response>, options: object = {}) {
  const clock = new ManualClock();
  const recording = recordingFetch((call) => {
    if (call.url.pathname.includes("/accounts")) return account(call);
    const ids = (call.url.searchParams.get("cursor") ?? "").split("-").map(Number);
    return jsonResponse(ids.map((id) => ({ ...invoiceRecord(id), account_id: id })));
  });
  const client = mainClient({ fetch: recording.fetch, clock, ...options });
  const invoices = (ids: number[], given: object = {}) =>
    client.invoices.list({ cursor: ids.join("-") }, given).with({ account: true });
  const accounts = () => recording.calls.filter(({ url }) => url.pathname.includes("/accounts"));
  return { clock, client, invoices, accounts };
}

describe("the options of a list with references", () => {
  it("apply one time limit to the page and its references together", async () => {
    const { clock, invoices, accounts } = world(hanging);
    const started = clock.now();
    const error = await clock.run(failure<RequestTimeoutError>(invoices([1], { totalTimeout: 500 })));
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({ scope: "total", operation: "invoices.list" });
    expect(clock.now() - started).toBe(500);
    expect(accounts().map(({ init }) => init.signal?.aborted)).toEqual([true]);
    expect(clock.pending).toBe(0);
  });

  it("are remembered for a hundred different headers", async () => {
    const { clock, client, accounts } = world((call) => jsonResponse(accountRecord(idIn(call))));
    const read = async (header: number) => {
      const list = client.invoices.list({ cursor: "1" }, { headers: { "x-color": String(header) } });
      await clock.run(list.with({ account: true }, { maxAge: 600_000 }).first(), 0);
      return accounts().length;
    };
    expect([await read(0), await read(0)]).toEqual([1, 1]);
    for (let header = 1; header <= 99; header++) await read(header);
    expect(await read(0)).toBe(100);
    await read(100);
    expect(await read(0), "the oldest is forgotten").toBe(102);
  });

  it("leave no timer behind", async () => {
    const { clock, invoices } = world((call) => jsonResponse(accountRecord(idIn(call))));
    await clock.run(invoices([1], { totalTimeout: 500 }).first(), 0);
    expect(clock.pending).toBe(0);
  });

  it("are refused unless they and the references are plain objects", async () => {
    const { client } = world(hanging);
    for (const given of [["account"], "account", null] as never[]) {
      const error = await failure(async () => client.invoices.list().with(given).first());
      expect(error.message).toContain("with must be a plain object, such as");
    }
    const error = await failure(async () =>
      client.invoices
        .list()
        .with({ account: true }, [] as never)
        .first(),
    );
    expect(error.message).toContain("the options must be a plain object");
  });

  it("limit the time of each attempt, and the retries", async () => {
    const { clock, invoices, accounts } = world(hanging);
    const started = clock.now();
    const error = await clock.run(failure<RequestTimeoutError>(invoices([1], { timeout: 70, retry: false })));
    expect(error).toMatchObject({ scope: "attempt", operation: "accounts.get" });
    expect(clock.now() - started).toBe(70);
    expect(accounts()).toHaveLength(1);
  });

  it("set the number of retries", async () => {
    const { clock, invoices, accounts } = world(() => jsonResponse(errorBody(503), 503));
    await clock.run(failure<ServerError>(invoices([1], { retry: { limit: 2 } })));
    expect(accounts()).toHaveLength(3);
  });

  it("add headers and set the validation", async () => {
    const { invoices, accounts } = world(() => jsonResponse({ ...accountRecord(1), name: 7 }));
    const validation = "strict";
    await expect(invoices([1], { headers: { "x-who": "me" }, validation })).rejects.toBeInstanceOf(
      ResponseValidationError,
    );
    expect(accounts().map(({ headers }) => headers["x-who"])).toEqual(["me"]);
    // Another list must not receive the records read for this one.
    await invoices([1], { validation: "off" });
    await invoices([1], { validation: "off", headers: { "x-who": "you" } });
    expect(accounts().map(({ headers }) => headers["x-who"])).toEqual(["me", undefined, "you"]);
  });
});

describe("a list with references", () => {
  const slowly =
    (clock: () => ManualClock) =>
    async (call: FetchCall): Promise<Response> => {
      await new Promise<void>((resolve) => clock().setTimeout(resolve, 1_000));
      return Number.isNaN(idIn(call))
        ? jsonResponse([accountRecord(1), accountRecord(2), accountRecord(3)])
        : jsonResponse(accountRecord(idIn(call)));
    };

  it("has no time limit if its totalTimeout is Infinity, whatever the client's is", async () => {
    const { clock, invoices } = world(
      slowly(() => clock),
      { totalTimeout: 500 },
    );
    for (const ids of [[1], [1, 2, 3]]) {
      const page = await clock.run(invoices(ids, { totalTimeout: Infinity }).first());
      expect(page.records.map(({ account }) => account?.id)).toEqual(ids);
    }
    expect(await clock.run(failure(invoices([4], {})))).toBeInstanceOf(RequestTimeoutError);
  });

  it.each([{ totalTimeout: 10_000 }, { totalTimeout: Infinity }, {}])(
    "sets no timer for Infinity: %j",
    async (options) => {
      const { clock, invoices, accounts } = world(
        slowly(() => clock),
        options,
      );
      const timers = vi.spyOn(clock, "setTimeout");
      await clock.run(invoices([1, 2, 3]).first());
      expect(accounts()).toHaveLength(1);
      expect(timers.mock.calls.filter(([, ms]) => !Number.isFinite(ms))).toEqual([]);
    },
  );
});

describe("a list of records that two lists refer to", () => {
  it("is read further within the second list's time limit, however short the first one's was", async () => {
    const { clock, invoices, accounts } = world(async ({ url }) => {
      const page = Number(url.searchParams.get("page"));
      if (page === 2) await new Promise<void>((resolve) => clock.setTimeout(resolve, 1_000));
      const link = '<?page=2>; rel="last", <?page=2>; rel="next"';
      const records = [1, 2, 3].map((id) => accountRecord(page * 100 + id));
      return jsonResponse(records, 200, page === 1 ? { link } : {});
    });
    await clock.run(invoices([101, 102, 103], { totalTimeout: 500 }).first());
    const { records } = await clock.run(invoices([201, 202, 203], { totalTimeout: 10_000 }).first());
    expect(records.map(({ account }) => account?.id)).toEqual([201, 202, 203]);
    expect(accounts().map(({ url }) => url.searchParams.get("page"))).toEqual(["1", "2"]);
  });
});

describe("headers of a list with references", () => {
  const accountOf = (call: FetchCall) => jsonResponse(accountRecord(idIn(call)));

  it.each([
    "traceparent",
    "tracestate",
    "baggage",
    "b3",
    "x-b3-spanid",
    "X-Request-Id",
    "request-id",
    "x-correlation-id",
    "x-client-trace-id",
  ])("that only identify the request do not cause records to be read again: %s", async (name) => {
    const { invoices, accounts } = world(accountOf);
    await invoices([1], { headers: { [name]: "one" } });
    await invoices([1], { headers: { [name]: "two" } });
    await invoices([2], { headers: { [name]: "three" } });
    const sent = new Set(accounts().map(({ headers }) => headers[name.toLowerCase()]));
    expect([...sent]).toEqual(["one", "three"]);
  });

  it.each(["accept-language", "x-tenant", "x-tenant-id", "x-requested-id"])(
    "that may change the records cause them to be read for each value: %s",
    async (name) => {
      const { invoices, accounts } = world(accountOf);
      await invoices([1], { headers: { [name]: "one" } });
      await invoices([1], { headers: { [name]: "two" } });
      expect(accounts().map(({ headers }) => headers[name])).toEqual(["one", "two"]);
    },
  );
});

describe("lists of one client that read the same resource", () => {
  const oneHangs = (call: FetchCall) => (idIn(call) === 1 ? hanging(call) : jsonResponse(accountRecord(idIn(call))));

  it("do not wait for each other's records while they read other ones", async () => {
    const { clock, invoices, accounts } = world(oneHangs);
    const slow = failure(invoices([1], { retry: false }));
    await until(() => accounts().length === 1);
    const [invoice] = (await invoices([2], { retry: false })).records;
    expect(invoice?.account?.id).toBe(2);
    await clock.run(slow);
  });

  it("keep their own time limits while they wait for a record that another list reads", async () => {
    const { clock, invoices, accounts } = world(oneHangs, { totalTimeout: 10_000 });
    const slow = failure(invoices([1]));
    await until(() => accounts().length === 1);
    const started = clock.now();
    expect(await clock.run(failure(invoices([1], { totalTimeout: 500 })))).toBeInstanceOf(RequestTimeoutError);
    expect(clock.now() - started).toBe(500);
    expect(accounts()).toHaveLength(1);
    await clock.run(slow);
    expect(clock.now() - started).toBe(10_000);
  });

  it("read a record by themselves if the list that was reading it gave up", async () => {
    let answers = 0;
    const { clock, invoices, accounts } = world((call) =>
      ++answers === 1 ? hanging(call) : jsonResponse(accountRecord(idIn(call))),
    );
    const stop = new AbortController();
    const left = failure(invoices([1], { signal: stop.signal }));
    await until(() => accounts().length === 1);
    const stays = invoices([1]).first();
    await settle();
    stop.abort(new RangeError("left"));
    expect(await left).toBe(stop.signal.reason);
    expect((await clock.run(stays)).records[0]?.account?.id).toBe(1);
    expect(accounts()).toHaveLength(2);
  });

  it("do not wait behind a batch list that waits for the window", async () => {
    const rateLimit = { requests: 10, windowMs: 300_000, reserve: 0.5 };
    const account = (call: FetchCall) =>
      Number.isNaN(idIn(call)) ? jsonResponse(errorBody(500), 500) : jsonResponse(accountRecord(idIn(call)));
    const { clock, client, invoices } = world(account, { rateLimit, retry: false });
    const batch = invoices([1, 2, 3, 4, 5, 6, 7, 8], { priority: "batch" }).first();
    await until(() => client.rateLimit.queued > 0);
    const started = clock.now();
    const [invoice] = (await clock.run(invoices([9], { priority: "interactive" }).first(), 0)).records;
    expect(invoice?.account?.id).toBe(9);
    expect(clock.now()).toBe(started);
    expect((await clock.run(batch)).records.map(({ account }) => account?.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("abort all reads of a page when one of them fails", async () => {
    const { clock, invoices, accounts } = world((call) =>
      idIn(call) === 1 || Number.isNaN(idIn(call)) ? jsonResponse(errorBody(500), 500) : hanging(call),
    );
    await clock.run(failure(invoices([1, 2, 3], { retry: false })));
    await settle();
    const hung = accounts().filter((call) => idIn(call) > 1);
    expect(hung.map(({ init }) => init.signal?.aborted)).toEqual([true, true]);
    expect(clock.pending).toBe(0);
  });
});

describe("a list with null among its records", () => {
  const withNull = (call: FetchCall) => {
    if (/accounts$/.test(call.url.pathname)) return jsonResponse([null, accountRecord(7), null]);
    return jsonResponse(errorBody(404), 404);
  };
  const on = { drift: () => undefined };

  it("does not prevent joining, getMany or lookup", async () => {
    const { client, invoices } = world(withNull, { on });
    const { records } = await invoices([7, 8]);
    expect(records.map(({ account }) => account?.id)).toEqual([7, undefined]);
    expect((await client.accounts.getMany([7, 8])).map((account) => account?.id)).toEqual([7, undefined]);
    expect(await client.accounts.lookup("name").get(accountRecord(7).name)).toMatchObject({ id: 7 });
  });

  it("is drift under strict validation", async () => {
    const { client, invoices } = world(withNull, { validation: "strict", on });
    await expect(client.accounts.lookup("name").get("x")).rejects.toBeInstanceOf(ResponseValidationError);
    await expect(invoices([7, 8])).resolves.toBeDefined();
  });
});
