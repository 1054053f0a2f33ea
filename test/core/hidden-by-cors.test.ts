// Imitates how a browser treats a page on another origin; test/browser tests this in Chromium.
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConnectionError, PaginationError, RateLimitError } from "../../src/index.js";
import { mainClient, options } from "../support/clients.js";
import { jsonResponse, recordingFetch, type TestFetch } from "../support/fetch.js";
import { scriptedList } from "../support/lists.js";
import { contactRecord } from "../support/records.js";

/** Lets only the named headers through and marks the response as cross-origin, like browsers do. */
function acrossOrigins(fetch: TestFetch, exposed: readonly string[]): TestFetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const headers = new Headers([...response.headers].filter(([name]) => ["content-type", ...exposed].includes(name)));
    const shown = new Response(await response.text(), { status: response.status, headers });
    return Object.defineProperty(shown, "type", { value: "cors" });
  };
}

afterEach(() => vi.unstubAllGlobals());

describe("headers that CORS hides", () => {
  it("are named in the response if the client looked for them", async () => {
    const { fetch } = recordingFetch(() => jsonResponse({ id: 1 }, 200, { "x-request-id": "r1" }));
    const client = mainClient({ fetch: acrossOrigins(fetch, []), validation: "off" });
    const { response } = await client.accounts.get(1).withResponse();
    expect(response.hiddenHeaders).toEqual(["x-request-id"]);
    const shown = mainClient({ fetch: acrossOrigins(fetch, ["x-request-id"]), validation: "off" });
    expect((await shown.accounts.get(1).withResponse()).response).toMatchObject({ hiddenHeaders: [], requestId: "r1" });
  });

  it("are not named if the platform exposes all headers", async () => {
    const { fetch } = recordingFetch(() => jsonResponse({ id: 1 }));
    const { response } = await mainClient({ fetch, validation: "off" }).accounts.get(1).withResponse();
    expect(response.hiddenHeaders).toEqual([]);
  });

  it("end a list after a full page without a Link, with an error that mentions further records", async () => {
    const list = scriptedList(250);
    const client = mainClient({ fetch: acrossOrigins(list.fetch, []) });
    const ids: number[] = [];
    const failure = await (async () => {
      for await (const contact of client.organization.contacts.list()) ids.push(contact.id);
    })().catch((error: unknown) => error);
    expect(ids).toHaveLength(100);
    expect(failure).toBeInstanceOf(PaginationError);
    expect(failure).toMatchObject({
      message: expect.stringContaining("Access-Control-Expose-Headers: Link"),
      operation: "organization.contacts.list",
      attempts: 1,
    });
    expect(list.pages).toEqual([1]);
  });

  it("leave such a page with a next page, whose checkpoint repeats the page", async () => {
    const list = scriptedList(250);
    const client = mainClient({ fetch: acrossOrigins(list.fetch, []) });
    const page = await client.organization.contacts.list();
    expect(page.hasNext).toBe(true);
    await expect(page.nextPage()).rejects.toBeInstanceOf(PaginationError);
    const again = await client.organization.contacts.list({}, { resume: page.checkpoint });
    expect(again.records).toHaveLength(100);
  });

  it("cause no error if the caller wants no more than the page", async () => {
    const list = scriptedList(250);
    const { contacts } = mainClient({ fetch: acrossOrigins(list.fetch, []) }).organization;
    expect(await contacts.list().toArray({ max: 100 })).toHaveLength(100);
    expect(await contacts.list({}, { maxPages: 1 }).toArray()).toHaveLength(100);
  });

  it("do not prevent the end of a list after a short page, nor a Link that is exposed", async () => {
    const short = mainClient({ fetch: acrossOrigins(scriptedList(99).fetch, []) });
    expect(await short.organization.contacts.list().toArray()).toHaveLength(99);
    const { fetch } = recordingFetch(({ url }) =>
      jsonResponse(
        Array.from({ length: 100 }, (_, at) => contactRecord(at + (url.searchParams.has("cursor") ? 101 : 1))),
        200,
        { link: url.searchParams.has("cursor") ? '<?cursor=a>; rel="prev"' : '<?cursor=b>; rel="next"' },
      ),
    );
    const exposed = mainClient({ fetch: acrossOrigins(fetch, ["link"]) });
    expect(await exposed.organization.contacts.list().toArray()).toHaveLength(200);
  });

  it("make the wait of a 429 an estimate if Retry-After is among them, and the error mentions this", async () => {
    const { fetch } = recordingFetch(() => jsonResponse({}, 429, { "retry-after": "1" }));
    const client = mainClient({ fetch: acrossOrigins(fetch, []), retry: false });
    const error = await client.accounts.get(1).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).hiddenHeaders).toEqual(["x-request-id", "retry-after"]);
    expect((error as Error).message).toContain("the wait is a guess");
    expect(JSON.stringify(error)).not.toContain("hiddenHeaders");
  });
});

describe("a request that the browser blocks", () => {
  const failing: TestFetch = () => Promise.reject(new TypeError("Failed to fetch"));
  const failure = (): Promise<unknown> =>
    mainClient({ ...options(), fetch: failing, retry: false })
      .accounts.get(1)
      .catch((error: unknown) => error);

  it("is explained: offline", async () => {
    vi.stubGlobal("navigator", { onLine: false });
    vi.stubGlobal("location", { origin: "https://www.example" });
    expect(await failure()).toBeInstanceOf(ConnectionError);
    expect(((await failure()) as Error).message).toMatch(/offline/);
    expect(((await failure()) as Error).message).not.toMatch(/CORS/);
  });

  it("is explained: online, from a page of another origin", async () => {
    vi.stubGlobal("navigator", { onLine: true });
    vi.stubGlobal("location", { origin: "https://www.example" });
    expect(((await failure()) as Error).message).toMatch(/https:\/\/www\.example.*CORS.*add your domain/);
  });

  it("is explained: online, from a page of the service's own origin", async () => {
    vi.stubGlobal("navigator", { onLine: true });
    vi.stubGlobal("location", { origin: "https://school.example" });
    expect(((await failure()) as Error).message).not.toMatch(/CORS|offline/);
  });

  it("gets no browser hint outside a browser", async () => {
    expect(((await failure()) as Error).message).not.toMatch(/browser/);
  });
});
