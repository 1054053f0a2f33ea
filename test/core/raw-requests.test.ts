import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { type Call, Pages, ResponseValidationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList, upTo } from "../support/lists.js";
import { failure } from "../support/manual-clock.js";
import { contactRecord } from "../support/records.js";

interface Parsed {
  readonly count: number;
}

/** A schema that has only the Standard Schema interface. */
const counted = {
  "~standard": {
    version: 1,
    vendor: "some-library",
    validate: (value: unknown) => {
      const { count } = value as { count?: unknown };
      return typeof count === "string" && /^\d+$/.test(count)
        ? { value: { count: Number(count) } }
        : { issues: [{ message: "must be digits", path: ["count"] }] };
    },
    types: undefined as { input: { count: string }; output: Parsed } | undefined,
  },
} as const;

/** The same schema with asynchronous validation. */
const countedLater = {
  "~standard": {
    ...counted["~standard"],
    validate: async (value: unknown) => counted["~standard"].validate(value),
  },
} as const;

const answering = (value: unknown) => recordingFetch(() => jsonResponse(value)).fetch;
const get = { method: "GET", path: "api/v1/counts" } as const;

describe("client.request with a Standard Schema", () => {
  it("returns the parsed value", async () => {
    const client = mainClient({ fetch: answering({ count: "7" }) });
    expect(await client.request({ ...get, response: counted })).toEqual({ count: 7 });
    expect(await client.request({ ...get, response: countedLater })).toEqual({ count: 7 });
  });

  it("returns the parsed value of a zod schema", async () => {
    const client = mainClient({ fetch: answering({ count: "7", other: true }) });
    const response = z.object({ count: z.coerce.number() });
    expect(await client.request({ ...get, response })).toEqual({ count: 7 });
  });

  it("does not make the caller's schema stricter in strict validation", async () => {
    const client = mainClient({
      fetch: answering({ count: "7", other: true, nested: { more: 1 } }),
      validation: "strict",
    });
    const response = z.object({ count: z.coerce.number(), nested: z.object({}) });
    expect(await client.request({ ...get, response })).toEqual({ count: 7, nested: {} });
  });

  it("has the output type of the schema", () => {
    const client = mainClient({ fetch: answering({ count: "7" }) });
    const call = client.request({ ...get, response: counted });
    expectTypeOf(call).toEqualTypeOf<Call<Parsed>>();
    const untyped = client.request(get);
    expectTypeOf(untyped).toEqualTypeOf<Call<unknown>>();
  });

  it("returns status and headers from withResponse", async () => {
    const client = mainClient({ fetch: answering({ count: "7" }) });
    const { data, response } = await client.request({ ...get, response: counted }).withResponse();
    expect(data).toEqual({ count: 7 });
    expect(response.status).toBe(200);
  });

  it("throws ResponseValidationError in strict validation when the response does not match", async () => {
    for (const response of [counted, countedLater]) {
      const client = mainClient({ fetch: answering({ count: "many" }), validation: "strict" });
      const error = await failure<ResponseValidationError>(client.request({ ...get, response }));
      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(error.issues).toEqual([{ path: "count", message: expect.any(String) }]);
      expect(error.raw).toEqual({ count: "many" });
      expect(error.message).not.toContain("many");
    }
  });

  it("names the field of an issue whose path has objects for keys", async () => {
    const issue = { message: "must be digits", path: ["list", { key: 0 }, { key: "count" }] };
    const response = {
      "~standard": { version: 1, vendor: "some-library", validate: () => ({ issues: [issue] }) },
    } as const;
    const client = mainClient({ fetch: answering({ list: [{ count: "many" }] }), validation: "strict" });
    const error = await failure<ResponseValidationError>(client.request({ ...get, response }));
    expect(error.issues).toMatchObject([{ path: "list[0].count" }]);
  });

  it("reports a mismatch once and returns the value unchanged when validation is not strict", async () => {
    const drift: [string, string][] = [];
    const client = mainClient({
      fetch: answering({ count: "many" }),
      on: { drift: ({ operation, field }) => drift.push([operation, field]) },
    });
    for (let call = 0; call < 3; call++) {
      expect(await client.request({ ...get, response: counted })).toEqual({ count: "many" });
    }
    expect(drift).toEqual([["GET api/v1/counts", "count"]]);
  });

  it("refuses a value that is not a schema before sending", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse({}));
    const client = mainClient({ fetch });
    for (const response of [{}, () => true, { "~standard": {} }, { "~standard": { version: 1 } }, "schema"]) {
      const error = await failure(async () => client.request({ ...get, response: response as never }));
      expect(error).toMatchObject({ code: "input" });
    }
    expect(calls).toHaveLength(0);
  });
});

describe("client.requestPages", () => {
  it("refuses every method except GET", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([]));
    const pages = mainClient({ fetch }).requestPages({ path: "api/v1/rooms", method: "DELETE" as "GET" });
    expect((await failure(pages.toArray())).message).toContain("method must be GET, or left out");
    expect(calls).toEqual([]);
  });

  const path = "api/organization/contacts";
  const list = (total: number) => {
    const scripted = scriptedList(total);
    return { scripted, client: mainClient({ fetch: scripted.fetch }) };
  };

  it("sends nothing until it is used, then fetches every page", async () => {
    const { client, scripted } = list(250);
    const pages = client.requestPages({ path });
    expect(pages).toBeInstanceOf(Pages);
    expect(scripted.calls).toHaveLength(0);
    const ids: unknown[] = [];
    for await (const record of pages) ids.push((record as { id: number }).id);
    expect(ids).toEqual(upTo(250));
    expect(scripted.calls.map(({ url }) => url.pathname)).toEqual(Array(3).fill(`/${path}`));
    expect(scripted.calls.map(({ init }) => init.method)).toEqual(["GET", "GET", "GET"]);
    expect(scripted.calls.map(({ url }) => url.searchParams.get("per_page"))).toEqual(["100", "100", "100"]);
  });

  it("sends its query for every page", async () => {
    const { client, scripted } = list(5);
    await client.requestPages({ path, query: { per_page: 2, search: "a", tag: ["x", "y"] } }).toArray();
    expect(scripted.calls).toHaveLength(3);
    for (const { url } of scripted.calls) {
      expect(url.searchParams.getAll("search")).toEqual(["a"]);
      expect(url.searchParams.getAll("tag")).toEqual(["x", "y"]);
      expect(url.searchParams.getAll("per_page")).toEqual(["2"]);
    }
  });

  it("accepts the options of lists: resume, maxPages, signal", async () => {
    const { client, scripted } = list(6);
    const first = await client.requestPages({ path, query: { per_page: 2 } }, { maxPages: 1 });
    expect(first.records).toHaveLength(2);
    const rest = client.requestPages({ path, query: { per_page: 2 } }, { resume: first.checkpoint, maxPages: 1 });
    expect((await rest.toArray()).map((record) => (record as { id: number }).id)).toEqual([3, 4]);
    expect(scripted.pages).toEqual([1, 2]);
    const other = client.requestPages({ path: "api/v1/accounts" }, { resume: first.checkpoint });
    expect(await failure(async () => other)).toMatchObject({ code: "checkpoint" });
    const reason = new Error("stop");
    const aborted = client.requestPages({ path }, { signal: AbortSignal.abort(reason) });
    expect(await failure(aborted.toArray())).toBe(reason);
  });

  it("returns the parsed value of each record, typed by the schema", async () => {
    const { fetch } = recordingFetch(() => jsonResponse([{ count: "1" }, { count: "2" }]));
    const client = mainClient({ fetch });
    for (const response of [counted, countedLater]) {
      const pages = client.requestPages({ path: "api/v1/counts", response });
      expect(await pages.toArray()).toEqual([{ count: 1 }, { count: 2 }]);
      expectTypeOf(pages).toEqualTypeOf<Pages<Parsed>>();
    }
  });

  it("throws in strict validation with the index of the invalid record", async () => {
    const { fetch } = recordingFetch(() => jsonResponse([{ count: "1" }, { count: "no", id: 9 }]));
    const client = mainClient({ fetch, validation: "strict" });
    const error = await failure(client.requestPages({ path: "api/v1/counts", response: counted }).toArray());
    expect(error).toMatchObject({ code: "response_validation", index: 1, id: 9 });
  });

  it("leaves out invalid records with onInvalid skip, and reports them", async () => {
    const { fetch } = recordingFetch(() => jsonResponse([{ count: "1" }, { count: "no" }, { count: "3" }]));
    const drift: string[] = [];
    const client = mainClient({ fetch, validation: "strict", on: { drift: ({ field }) => drift.push(field) } });
    const pages = client.requestPages({ path: "api/v1/counts", response: counted }, { onInvalid: "skip" });
    expect(await pages.toArray()).toEqual([{ count: 1 }, { count: 3 }]);
    expect(drift).toEqual(["count"]);
  });

  it("parses nothing when validation is off", async () => {
    const { fetch } = recordingFetch(() => jsonResponse([{ count: "1" }]));
    const pages = mainClient({ fetch, validation: "off" }).requestPages({ path: "api/v1/counts", response: counted });
    expect(await pages.toArray()).toEqual([{ count: "1" }]);
  });

  it("refuses a response that is not a list, and invalid input", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(contactRecord()));
    const client = mainClient({ fetch });
    expect(await failure(client.requestPages({ path }).toArray())).toMatchObject({ code: "response_format" });
    for (const request of [{ path: "../x" }, { path: 7 }, { path, query: 7 }, { path, query: new Map() }, {}, null]) {
      const error = await failure(async () => client.requestPages(request as never).toArray());
      expect(error).toMatchObject({ code: "input" });
    }
    expect(calls).toHaveLength(1);
  });

  it("is allowed for a read-only client", async () => {
    const scripted = scriptedList(3);
    const client = mainClient({ fetch: scripted.fetch, readOnly: true });
    expect(await client.requestPages({ path }).toArray()).toHaveLength(3);
  });
});
