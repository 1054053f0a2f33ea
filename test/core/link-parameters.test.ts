import { describe, expect, it } from "vitest";
import { PaginationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { upTo } from "../support/lists.js";
import { failure } from "../support/manual-clock.js";
import { contactRecord } from "../support/records.js";
import { errorBody, json, serve } from "../support/server.js";

const next = (query: string) => ({ link: `<https://inner.example/api?${query}>; rel="next"` });

describe("additional parameters of a next link", () => {
  it("are sent with every following page, so that no record is lost or duplicated", async () => {
    // Serves a snapshot of the list, and refuses a cursor without the snapshot parameter of the link.
    const server = await serve(({ query }, response) => {
      const page = Number((query.get("cursor") ?? "page-1").slice("page-".length));
      if (page > 1 && query.get("snapshot") !== "s1") return json(response, 422, errorBody(422));
      const records = [contactRecord(2 * page - 1), contactRecord(2 * page)];
      const link = page < 6 ? next(`cursor=page-${page + 1}&snapshot=s1&per_page=2`) : {};
      return json(response, 200, records, link);
    });
    const contacts = mainClient({ baseUrl: server.url }).organization.contacts;
    const ids = (await contacts.list({ per_page: 2 }).toArray()).map(({ id }) => id);
    expect(ids).toEqual(upTo(12));
    expect(server.requests.map(({ query }) => query.get("snapshot"))).toEqual([null, ...Array(5).fill("s1")]);
    expect(server.requests.map(({ query }) => query.getAll("snapshot").length)).toEqual([0, 1, 1, 1, 1, 1]);
  });

  it("change and disappear as the link does", async () => {
    const links = [next("cursor=b&locale=nl"), next("cursor=c&locale=en"), next("cursor=d"), {}];
    const { fetch, calls } = recordingFetch(({ index }) => jsonResponse([contactRecord(index + 1)], 200, links[index]));
    await mainClient({ fetch }).organization.contacts.list().toArray();
    expect(calls.map(({ url }) => url.searchParams.getAll("locale"))).toEqual([[], ["nl"], ["en"], []]);
  });

  it("do not replace the caller's own filters", async () => {
    const links = [next("cursor=b&search=other&snapshot=1"), next("cursor=c&search=other&snapshot=1"), {}];
    const { fetch, calls } = recordingFetch(({ index }) => jsonResponse([], 200, links[index]));
    await mainClient({ fetch }).accounts.list({ search: "mine" }).toArray();
    expect(calls.map(({ url }) => url.searchParams.getAll("search"))).toEqual([["mine"], ["mine"], ["mine"]]);
    expect(calls.map(({ url }) => url.searchParams.get("snapshot"))).toEqual([null, "1", "1"]);
  });

  it("are left out of a checkpoint, which anyone may have changed", async () => {
    const links = [next("cursor=b&snapshot=1"), next("cursor=c&snapshot=1"), next("cursor=d&snapshot=1"), {}];
    const { fetch, calls } = recordingFetch(({ index }) => jsonResponse([contactRecord(index + 1)], 200, links[index]));
    const { contacts } = mainClient({ fetch }).organization;
    const first = await contacts.list({}, { prefetch: 0 });
    const second = await first.nextPage();
    await contacts.list({}, { resume: second.checkpoint }).toArray();
    expect(calls.map(({ url }) => [url.searchParams.get("cursor"), url.searchParams.get("snapshot")])).toEqual([
      [null, null],
      ["b", "1"],
      ["c", null],
      ["d", "1"],
    ]);
  });
});

describe("a repeated cursor", () => {
  const CHANGES: Record<string, (index: number) => string> = {
    "the value of another parameter changes": (index) => `at=${index}`,
    "the name of another parameter changes": (index) => `at${index}=1`,
    "the number of parameters grows": (index) => Array.from({ length: index }, (_, at) => `at${at}=1`).join("&"),
  };

  for (const [what, more] of Object.entries(CHANGES)) {
    it(`ends the list even when ${what} with every page`, async () => {
      const { fetch, calls } = recordingFetch(({ index }) => {
        if (index > 50) throw new Error("too many requests");
        return jsonResponse([contactRecord(index + 1)], 200, next(`cursor=same&${more(index)}`));
      });
      const error = await failure(mainClient({ fetch, retry: false }).organization.contacts.list().toArray());
      expect(error).toBeInstanceOf(PaginationError);
      expect(calls.length).toBeLessThanOrEqual(4);
    });
  }

  it("fails only after the records of its page were returned", async () => {
    const cursors = ["b", "c", "b"];
    for (const prefetch of [0, 1, 3]) {
      const { fetch } = recordingFetch(({ index }) =>
        jsonResponse([contactRecord(index + 1)], 200, next(`cursor=${cursors[Math.min(index, 2)]}`)),
      );
      const ids: number[] = [];
      const reading = async () => {
        for await (const { id } of mainClient({ fetch }).organization.contacts.list({}, { prefetch })) ids.push(id);
      };
      expect(await failure(reading())).toBeInstanceOf(PaginationError);
      expect(ids).toEqual([1, 2, 3]);
    }
  });
});
