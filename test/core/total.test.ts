import { describe, expect, it } from "vitest";
import { exportWith } from "../../src/export/node-export.js";
import type { ExportProgress } from "../../src/export/progress.js";
import { InputError, MainClient } from "../../src/index.js";
import { fakePages } from "../../src/sandbox/index.js";
import { type ListWork, listProgress } from "../../src/work/list-progress.js";
import { machineFiles } from "../../src/work/place/node-files.js";
import { mainClient, options } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { serve } from "../support/server.js";

/** A list of accounts that reports this total on each page; `null` omits the header. */
function listing(count: number, totalOn: (page: number) => string | null) {
  return recordingFetch(({ url }) => {
    const size = Number(url.searchParams.get("per_page") ?? count);
    const page = Number(url.searchParams.get("cursor") ?? 0);
    const ids = Array.from({ length: count }, (_, at) => at + 1).slice(page * size, (page + 1) * size);
    const total = totalOn(page);
    const next = (page + 1) * size < count ? { link: `<${url.origin}/?cursor=${page + 1}>; rel="next"` } : {};
    return jsonResponse(
      ids.map((id) => ({ ...accountRecord(), id })),
      200,
      { ...next, ...(total !== null && { total }) },
    );
  });
}

describe("page.total", () => {
  it.each<[header: string | null, total: number | null]>([
    ["250", 250],
    [" 250 ", 250],
    ["3", 3],
    [null, null],
    ["2", null],
    ["0", null],
    ["-1", null],
    ["1e3", null],
    ["12.5", null],
    ["many", null],
    ["", null],
    ["9999999999999999", null],
  ])("of the header %j is %j", async (header, total) => {
    const { fetch } = listing(3, () => header);
    const page = await mainClient({ fetch }).accounts.list();
    expect(JSON.parse(JSON.stringify(page)).total).toBe(total);
  });
});

describe("count()", () => {
  it("sends one request for one record, with the filters and without a position", async () => {
    const { fetch, calls } = listing(250, () => "250");
    const client = mainClient({ fetch });
    expect(await client.accounts.list({ search: "x", per_page: 50, cursor: "7" }).count()).toBe(250);
    const first = await client.accounts.list({ search: "x" });
    expect(await client.accounts.list({ search: "x" }, { resume: first.checkpoint }).count()).toBe(250);
    const queries = calls.map(({ url }) => Object.fromEntries(url.searchParams));
    expect([queries[0], queries[2]]).toEqual(Array(2).fill({ search: "x", per_page: "1" }));
    expect(calls).toHaveLength(3);
  });

  it("is null if the service does not report it, and exact if one page is the whole list", async () => {
    const countRecords = (count: number, total: string | null) =>
      mainClient({ fetch: listing(count, () => total).fetch })
        .accounts.list()
        .count();
    expect([
      await countRecords(250, null),
      await countRecords(250, "many"),
      await countRecords(1, null),
      await countRecords(0, null),
    ]).toEqual([null, null, 1, 0]);
  });

  it("rejects like the list, before anything is sent", async () => {
    const { fetch, calls } = listing(3, () => "3");
    const client = mainClient({ fetch });
    const wrong = { serch: "x" } as object;
    expect(await failure(client.accounts.list(wrong).count())).toBeInstanceOf(InputError);
    expect(await failure(client.accounts.list({}, { prefetch: -1 }).count())).toBeInstanceOf(InputError);
    expect(calls).toHaveLength(0);
  });

  it("counts a list without pages, and a joined list without reading its references", async () => {
    const { fetch, calls } = recordingFetch(({ url }) =>
      jsonResponse(
        Array.from({ length: url.searchParams.has("per_page") ? 1 : 4 }, (_, id) => ({ id, student_id: 7 })),
        200,
        {
          ...(url.searchParams.has("per_page") && { total: "30" }),
        },
      ),
    );
    const client = mainClient({ fetch });
    expect(await client.authentications.listForUser(7).count()).toBe(4);
    expect(await client.enrollments.list().with({ student: true }).count()).toBe(30);
    expect(calls.map(({ url }) => url.search)).toEqual(["", "?per_page=1"]);
  });

  it("works on raw lists and on those of a test", async () => {
    const { fetch } = listing(250, () => "250");
    expect(await mainClient({ fetch }).requestPages({ path: "api/v1/accounts" }).count()).toBe(250);
    expect(await fakePages([[{ id: 1 }, { id: 2 }], [{ id: 3 }]]).count()).toBe(3);
  });
});

describe("progress", () => {
  const work = (more: Partial<ListWork>): ListWork => ({
    done: 100,
    total: 1_000,
    hasNext: true,
    elapsedMs: 1_000,
    requests: 1,
    limit: { requests: 500, windowMs: 300_000 },
    ...more,
  });

  it("is known from the first page on, with an end estimated from the pace", () => {
    expect(listProgress(work({}))).toEqual({ percent: 10, leftMs: 9_000 });
    expect(listProgress(work({ done: 600, doneBefore: 500 }))).toEqual({ percent: 60, leftMs: 4_000 });
  });

  it("includes the remaining windows of the rate limit", () => {
    const long = work({ done: 100, total: 130_000 });
    expect(listProgress(long).leftMs).toBe(1_299_000);
    expect(listProgress({ ...long, elapsedMs: 100 }).leftMs).toBe(600_000);
    expect(listProgress({ ...long, elapsedMs: 100, limit: null }).leftMs).toBe(129_900);
    // The list needs three windows, and its 600 requests have begun the second one.
    expect(listProgress({ ...long, done: 60_000, requests: 600, elapsedMs: 1 }).leftMs).toBe(300_000);
  });

  it.each<[what: string, more: Partial<ListWork>]>([
    ["no total", { total: null }],
    ["one that was reached before the end", { total: 100 }],
    ["one that is smaller than what was read", { total: 7 }],
  ])("is unknown with %s", (_, more) => {
    expect(listProgress(work(more))).toEqual({ percent: null, leftMs: null });
  });

  it("reaches 100 % only at the end", () => {
    expect(listProgress(work({ hasNext: false, total: 7 }))).toEqual({ percent: 100, leftMs: 0 });
    expect(listProgress(work({ done: 9_999, total: 10_000 })).percent).toBe(99);
  });
});

const random = (page: number) => String((page * 7_919) % 1_000);

it.each<[what: string, totalOn: (page: number) => string | null]>([
  ["too small", () => "120"],
  ["too large", () => "100000"],
  ["zero", () => "0"],
  ["text", () => "many"],
  ["negative", () => "-250"],
  ["missing at times", (page) => (page % 2 ? null : "250")],
  ["changing", random],
  ["growing as fast as it is read", (page) => String((page + 1) * 20)],
])("with a wrong total (%s) no record is lost, and progress stays below 100 %% until the end", async (_, totalOn) => {
  const script = listing(250, totalOn);
  const server = await serve(async ({ target }, response) => {
    const answer = await script.fetch(`http://server${target}`, {});
    response.writeHead(200, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  const client = new MainClient(options({ baseUrl: server.url, pageSize: 20 }));
  const pages = () => client.accounts.list();
  const ids = Array.from({ length: 250 }, (_, at) => at + 1);
  expect((await pages().toArray()).map(({ id }) => id)).toEqual(ids);
  const seen: ExportProgress[] = [];
  const lines: string[] = [];
  const stream = {
    write: (chunk: Uint8Array, done: () => void) => {
      lines.push(...new TextDecoder().decode(chunk).trim().split("\n"));
      done();
    },
    on: () => undefined,
    off: () => undefined,
  };
  await exportWith(machineFiles, stream, pages(), {
    format: "ndjson",
    onProgress: (progress) => void seen.push(progress),
  });
  expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual(ids);
  expect(seen.at(-1)?.percent).toBe(100);
  for (const { percent, expectedEnd } of seen.slice(0, -1)) {
    expect(percent === null || (percent >= 0 && percent <= 99), `${percent} %`).toBe(true);
    expect(expectedEnd === null).toBe(percent === null);
  }
});
