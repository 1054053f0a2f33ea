import { describe, expect, it } from "vitest";
import { PaginationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { json, type Seen, serve } from "../support/server.js";

/** A server with a list of three pages. `link` writes the header that leads to a cursor. */
async function threePages(link: (cursor: string, request: Seen, origin: string) => string | null) {
  const server = await serve((request, response) => {
    const page = Number(request.query.get("cursor") ?? "1");
    const header = page < 3 ? link(String(page + 1), request, server.url) : null;
    json(response, 200, [accountRecord(page * 10), accountRecord(page * 10 + 1)], header ? { link: header } : {});
  });
  return { server, client: mainClient({ baseUrl: server.url }) };
}

const EVERY_ID = [10, 11, 20, 21, 30, 31];

describe("following Link over HTTP", () => {
  const spellings: Record<string, (cursor: string, request: Seen, origin: string) => string> = {
    "a quoted relation": (cursor, _, origin) => `<${origin}/api/v1/accounts?cursor=${cursor}>; rel="next"`,
    "a relation in single quotes": (cursor, _, origin) => `<${origin}/api/v1/accounts?cursor=${cursor}>; rel='next'`,
    "an unquoted relation": (cursor, _, origin) => `<${origin}/api/v1/accounts?cursor=${cursor}>; rel=next`,
    "several relations in one parameter": (cursor, _, origin) =>
      `<${origin}/api/v1/accounts?cursor=${cursor}>; rel="last next"`,
    "other links before and after": (cursor, _, origin) =>
      `<${origin}/a?cursor=x>; rel="prev", <${origin}/a?cursor=${cursor}>; rel="next", <${origin}/a?cursor=y>; rel="last"`,
    "upper case": (cursor, _, origin) => `<${origin}/api/v1/accounts?cursor=${cursor}>; REL="NEXT"`,
    "commas and semicolons inside the address": (cursor, _, origin) =>
      `<${origin}/a;v=1?x=1,2;3&cursor=9>; rel="prev", <${origin}/a?fields=id,name&cursor=${cursor}>; rel="next"`,
    "commas and quotation marks inside another parameter": (cursor, _, origin) =>
      `<${origin}/a?cursor=9>; title="a, \\"b\\"; rel=next"; rel=prev, <${origin}/a?cursor=${cursor}>; rel=next`,
    "a relative address": (cursor) => `</api/v1/accounts?cursor=${cursor}>; rel="next"`,
    "only a query": (cursor) => `<?cursor=${cursor}>; rel="next"`,
    "another host": (cursor) => `<https://machine-12.internal.example/api/v1/accounts?cursor=${cursor}>; rel="next"`,
    "another path": (cursor, _, origin) => `<${origin}/behind/the/proxy?cursor=${cursor}>; rel="next"`,
  };

  it("does not mistake a truncated header for the end of the list", async () => {
    const { client } = await threePages((cursor) => `<?cursor=${cursor}; rel="next"`);
    const list = client.accounts.list();
    const page = await list;
    expect(page.records).toHaveLength(2);
    expect(page.hasNext).toBe(true);
    const error = await failure(list.toArray());
    expect(error).toBeInstanceOf(PaginationError);
    expect(error.message).toContain("the Link header of page 1 cannot be read");
  });

  for (const [spelling, link] of Object.entries(spellings)) {
    it(`reads every record when the header has ${spelling}`, async () => {
      const { server, client } = await threePages(link);
      const ids = (await client.accounts.list().toArray()).map(({ id }) => id);
      expect(ids).toEqual(EVERY_ID);
      expect(server.requests.map(({ path }) => path)).toEqual(Array(3).fill("/api/v1/accounts"));
      expect(server.requests.map(({ query }) => query.get("cursor"))).toEqual([null, "2", "3"]);
    });
  }

  it("requests only the configured origin, with the token, whatever host the link names", async () => {
    const stranger = await serve((_, response) => json(response, 200, []));
    const { server, client } = await threePages(
      (cursor) => `<${stranger.url}/api/v1/accounts?cursor=${cursor}>; rel="next"`,
    );
    expect(await client.accounts.list().toArray()).toHaveLength(6);
    expect(stranger.requests).toEqual([]);
    for (const { headers } of server.requests) expect(headers.authorization).toMatch(/^Bearer key-of-client-/);
  });

  it("keeps the path prefix of the base URL when the link lacks it", async () => {
    const { server } = await threePages((cursor) => `</api/v1/accounts?cursor=${cursor}>; rel="next"`);
    const client = mainClient({ baseUrl: `${server.url}/gateway/school/` });
    expect(await client.accounts.list().toArray()).toHaveLength(6);
    expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(["/gateway/school/api/v1/accounts"]));
  });

  for (const [what, link] of [
    ["the header is missing", null],
    ["there is only prev", '<https://school.example/api/v1/accounts?cursor=1>; rel="prev"'],
  ] as const) {
    it(`ends after the first page when ${what}`, async () => {
      const { server, client } = await threePages(() => link);
      expect(await client.accounts.list().toArray()).toHaveLength(2);
      expect(server.requests).toHaveLength(1);
    });
  }

  it("reports an unreadable header, because there may be a next page", async () => {
    const { client } = await threePages(() => '<<<>;;=","');
    const records: unknown[] = [];
    const reading = (async () => {
      for await (const record of client.accounts.list()) records.push(record);
    })();
    await expect(reading).rejects.toThrow(PaginationError);
    expect(records).toHaveLength(2);
  });

  it("continues after an empty page that has a next link", async () => {
    const server = await serve((request, response) => {
      const page = Number(request.query.get("cursor") ?? "1");
      const records = page === 2 ? [] : [accountRecord(page)];
      json(response, 200, records, page < 3 ? { link: `<?cursor=${page + 1}>; rel="next"` } : {});
    });
    const client = mainClient({ baseUrl: server.url });
    expect((await client.accounts.list().toArray()).map(({ id }) => id)).toEqual([1, 3]);
    const sizes: number[] = [];
    for await (const { records } of client.accounts.list().byPage()) sizes.push(records.length);
    expect(sizes).toEqual([1, 0, 1]);
  });

  it("keeps filters and page size on every page, even if the link lost or changed them", async () => {
    const { server, client } = await threePages(
      (cursor) => `<?cursor=${cursor}&account_type=personal&search=other>; rel="next"`,
    );
    await client.accounts.list({ account_type: "business", search: "a&b=ü/,", per_page: 2 }).toArray();
    expect(server.requests).toHaveLength(3);
    for (const { query } of server.requests) {
      expect(query.getAll("account_type")).toEqual(["business"]);
      expect(query.getAll("search")).toEqual(["a&b=ü/,"]);
      expect(query.getAll("per_page")).toEqual(["2"]);
    }
  });

  it("keeps array filters in the client's format even if the link uses another one", async () => {
    const { server, client } = await threePages(
      (cursor) => `<?status%5B%5D=open&status%5B%5D=paid&cursor=${cursor}>; rel="next"`,
    );
    await client.invoices.list({ status: ["open", "paid"] }, { validation: "off" }).toArray();
    expect(server.requests).toHaveLength(3);
    for (const { query } of server.requests) {
      expect(query.getAll("status")).toEqual(["open", "paid"]);
      expect(query.getAll("status[]")).toEqual([]);
    }
  });

  it("starts at the caller's own cursor", async () => {
    const { server, client } = await threePages((cursor) => `<?cursor=${cursor}>; rel="next"`);
    const records = await client.accounts.list({ cursor: "2" }).toArray();
    expect(records.map(({ id }) => id)).toEqual([20, 21, 30, 31]);
    expect(server.requests.map(({ query }) => query.get("cursor"))).toEqual(["2", "3"]);
  });

  it("follows the deprecated page mode", async () => {
    const server = await serve((request, response) => {
      const page = Number(request.query.get("page"));
      const link = page < 3 ? { link: `<?page=${page + 1}>; rel="next", <?page=3>; rel="last"` } : {};
      json(response, 200, [accountRecord(page)], link);
    });
    const pages = mainClient({ baseUrl: server.url }).accounts.list({ page: 1 });
    expect((await pages.toArray()).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(server.requests.map(({ query }) => query.get("page"))).toEqual(["1", "2", "3"]);
  });

  it("follows a Link also on lists without pagination parameters", async () => {
    const server = await serve((request, response) => {
      const last = request.query.has("cursor");
      const record = { id: last ? 2 : 1, slug: "x", name: "X", custom_object_slug: "vehicles" };
      json(response, 200, [record], last ? {} : { link: '<?cursor=2>; rel="next"' });
    });
    const client = mainClient({ baseUrl: server.url, validation: "off" });
    expect(await client.customAssociations.list("users").toArray()).toHaveLength(2);
    expect(server.requests.map(({ target }) => target)).toEqual([
      "/api/v1/custom/users/associations",
      "/api/v1/custom/users/associations?cursor=2",
    ]);
  });

  it("stops at maxPages", async () => {
    const { server, client } = await threePages((cursor) => `<?cursor=${cursor}>; rel="next"`);
    const records = await client.accounts.list({}, { maxPages: 2 }).toArray();
    expect(records.map(({ id }) => id)).toEqual([10, 11, 20, 21]);
    expect(server.requests).toHaveLength(2);
  });
});

describe("a cursor that repeats", () => {
  it("throws PaginationError at the first repeat instead of looping forever", async () => {
    const server = await serve((request, response) => {
      const cursor = request.query.get("cursor");
      const id = ["", "a", "b"].indexOf(cursor ?? "") + 1;
      json(response, 200, [accountRecord(id)], { link: `<?cursor=${cursor === "a" ? "b" : "a"}>; rel="next"` });
    });
    const seen: number[] = [];
    const error = await failure<PaginationError>(async () => {
      for await (const { id } of mainClient({ baseUrl: server.url }).accounts.list()) seen.push(id);
    });
    expect(error).toBeInstanceOf(PaginationError);
    expect(error.operation).toBe("accounts.list");
    expect(error.message).toContain("links back to page 2");
    // The link of page b leads back to page a, which is not requested a second time.
    expect(server.requests.map(({ query }) => query.get("cursor"))).toEqual([null, "a", "b"]);
  });

  it("throws PaginationError for a page that links to itself and for a link back to the start", async () => {
    for (const target of ["<?cursor=a>", "<?per_page=100>"]) {
      const server = await serve((request, response) => {
        const header = request.query.has("cursor") ? target : "<?cursor=a>";
        json(response, 200, [accountRecord(1)], { link: `${header}; rel="next"` });
      });
      const error = await failure(mainClient({ baseUrl: server.url }).accounts.list().toArray());
      expect(error).toBeInstanceOf(PaginationError);
      expect(server.requests).toHaveLength(2);
    }
  });

  it("lets the caller repeat a failed page without an error", async () => {
    const server = await serve((request, response) => {
      if (request.index === 1) return json(response, 404, { errors: {}, code: 404, message: "gone for a moment" });
      const link = request.query.has("cursor") ? {} : { link: '<?cursor=a>; rel="next"' };
      json(response, 200, [accountRecord(request.query.has("cursor") ? 2 : 1)], link);
    });
    const records = mainClient({ baseUrl: server.url }).accounts.list({}, { prefetch: 0 })[Symbol.asyncIterator]();
    expect((await records.next()).value?.id).toBe(1);
    await failure(records.next());
    expect((await records.next()).value?.id).toBe(2);
    expect((await records.next()).done).toBe(true);
  });
});
