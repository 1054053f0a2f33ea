import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { NotFoundError } from "../../src/core/errors.js";
import { Pages } from "../../src/core/lists/pages.js";
import { type Identified, RecordReader } from "../../src/core/lookups/record-reader.js";
import { model } from "../../src/core/model.js";
import type { Operation } from "../../src/core/operation.js";
import { failure, ManualClock, settle } from "../support/manual-clock.js";
import { pageSource, ROOMS } from "../support/page-source.js";

const SIZE = 100;
const FOREVER = Number.POSITIVE_INFINITY;

/** What the service offers to read rooms, of which there are as many as `total`. */
interface Offer {
  readonly total?: number;
  readonly single?: boolean;
  readonly list?: boolean;
  readonly filter?: boolean;
  /** The service says how many pages the list has. */
  readonly last?: boolean;
  /** Rooms that exist but are in no list. */
  readonly unlisted?: readonly number[];
}

/** A reader, and what it asked for: `7` a record, `page 2` a page, `filter 3` three records by the filter. */
function world({ total = 1_000, single = true, list = true, filter = false, last = true, unlisted = [] }: Offer = {}) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const queries: object[] = [];
  const settings = { total, fail: null as Error | null };
  const row: Operation = {
    ...ROOMS,
    paged: last ? "cursor+page" : "cursor",
    ...(filter && { query: model(() => ({ id: z.optional(z.array(z.int())) })) }),
  };
  const isListed = (id: number) => id <= settings.total && !unlisted.includes(id);
  const listed = () => Array.from({ length: settings.total }, (_, at) => at + 1).filter(isListed);
  const pageOf = (number: number) => {
    const all = listed();
    const pages = Math.max(1, Math.ceil(all.length / SIZE));
    const links = [`<?page=${number + 1}>; rel="next"`, `<?page=${pages}&x=1>; rel="last"`];
    const records = all.slice((number - 1) * SIZE, number * SIZE).map((id) => ({ id, from: "list" }));
    return { records, ...(number < pages && { link: (last ? links : links.slice(0, 1)).join(", ") }) };
  };
  const reader = new RecordReader(
    {
      row: list ? row : null,
      list: (query) =>
        new Pages<Identified>(
          pageSource([], { prefetch: 0 }, (request) => {
            if (settings.fail) throw settings.fail;
            const { id } = query as { id?: number[] };
            if (id !== undefined) {
              asked.push(`filter ${id.length}`);
              return { records: id.filter(isListed).map((each) => ({ id: each })) };
            }
            const page = Number(request.query.find(([name]) => name === "page")?.[1] ?? 1);
            asked.push(`page ${page}`);
            if (page === 1) queries.push(query);
            return pageOf(page);
          }),
        ),
      get: single
        ? async (id) => {
            asked.push(String(id));
            if (settings.fail) throw settings.fail;
            if (id <= settings.total) return { id };
            throw new NotFoundError("none", {
              status: 404,
              apiCode: null,
              apiMessage: null,
              errors: null,
              body: null,
              headers: new Headers(),
              requestId: null,
              method: "GET",
              path: "rooms/{id}",
              outcome: null,
            });
          }
        : null,
    },
    clock,
  );
  const read = async (ids: readonly number[], maxAge = FOREVER) => {
    const found = await reader.read(ids, maxAge, {});
    return ids.map((id) => found.get(id)?.id ?? null);
  };
  const plan = (ids: readonly number[]) => reader.plan(ids, {});
  /** What was asked since this was last called. */
  const since = () => asked.splice(0);
  return { clock, settings, reader, queries, read, plan, since };
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

describe("reading records by identifier", () => {
  it("reads each once, in the order asked for, and null where there is none", async () => {
    const { read, since } = world({ list: false, total: 50 });
    expect(await read([7, 3, 7, 99])).toEqual([7, 3, 7, null]);
    expect(since()).toEqual(["7", "3", "99"]);
    expect(await read([99, 3, 8])).toEqual([null, 3, 8]);
    expect(since()).toEqual(["8"]);
    expect(await read([])).toEqual([]);
    expect(since()).toEqual([]);
  });

  it("reads one record by itself, without asking for the list", async () => {
    const { read, since } = world();
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual(["7"]);
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual([]);
  });

  it("reads what is older than allowed once more, also what did not exist", async () => {
    const { clock, read, since, settings } = world({ list: false, total: 5 });
    await read([3, 6]);
    since();
    settings.total = 6;
    await clock.advance(1_000);
    expect(await read([3, 6], 1_000)).toEqual([3, null]);
    expect(since()).toEqual([]);
    expect(await read([3, 6], 999)).toEqual([3, 6]);
    expect(since()).toEqual(["3", "6"]);
  });

  it("hands on an error that is not about one record, and knows nothing afterwards", async () => {
    const { read, since, settings } = world({ list: false });
    settings.fail = new RangeError("offline");
    expect(await failure(read([7]))).toBe(settings.fail);
    settings.fail = null;
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual(["7", "7"]);
  });

  it("reads one after another, so that the second finds what the first has read", async () => {
    const { read, since } = world({ list: false });
    expect(await Promise.all([read([1, 2]), read([2, 3])])).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect(since()).toEqual(["1", "2", "3"]);
  });

  it("ends one caller's wait with its abort, and no other's", async () => {
    const { reader, read, since } = world({ list: false });
    const first = read([1]);
    const signal = AbortSignal.abort(new RangeError("left"));
    expect(await failure(reader.read([2], FOREVER, { signal }))).toBe(signal.reason);
    expect(await read([3])).toEqual([3]);
    expect(await first).toEqual([1]);
    await settle();
    expect(since()).toEqual(["1", "3"]);
  });
});

describe("reading the list instead", () => {
  it("is done when it takes fewer requests, and only as far as needed", async () => {
    const { read, plan, since } = world({ total: 1_000 });
    const ids = upTo(250);
    expect(await plan(ids)).toEqual({ strategy: "list", requests: 9 });
    expect(since()).toEqual(["page 1"]);
    expect(await read(ids)).toEqual(ids);
    expect(since()).toEqual(["page 2", "page 3"]);
    expect(await plan(ids)).toEqual({ strategy: "single", requests: 0 });
    expect(await plan(upTo(905, 401))).toEqual({ strategy: "list", requests: 7 });
    expect(since()).toEqual([]);
  });

  it("asks for whole pages, and for pages with numbers where the list has them", async () => {
    const [numbered, other] = [world(), world({ last: false })];
    await numbered.plan(upTo(250));
    await other.plan(upTo(250));
    expect(numbered.queries).toEqual([{ page: 1, per_page: 100 }]);
    expect(other.queries).toEqual([{ per_page: 100 }]);
  });

  it("does not go on while a page held only one of the records needed", async () => {
    const { read, since } = world({ total: 10_000 });
    await read([1, 5_000, 5_001]);
    expect(since()).toEqual(["page 1", "5000", "5001"]);
    await read([101, 102]);
    expect(since()).toEqual(["101", "102"]);
  });

  it("is not done for few records of a long list", async () => {
    const { read, plan, since } = world({ total: 1_000 });
    expect(await plan([500, 700, 700])).toEqual({ strategy: "single", requests: 2 });
    expect(await read([500, 700])).toEqual([500, 700]);
    expect(since()).toEqual(["page 1", "500", "700"]);
  });

  it("goes on where it stopped, while each page holds several of the records needed", async () => {
    const { read, since } = world({ total: 10_000 });
    await read([1, 2, 3]);
    expect(since()).toEqual(["page 1"]);
    expect(await read([101, 102, 9_000])).toEqual([101, 102, 9_000]);
    expect(since()).toEqual(["page 2", "9000"]);
    // Page 2 held two of them; page 3 holds none, so page 4 is not read.
    expect(await read([5_001, 5_002])).toEqual([5_001, 5_002]);
    expect(since()).toEqual(["page 3", "5001", "5002"]);
    expect(await read([301, 302])).toEqual([301, 302]);
    expect(since()).toEqual(["301", "302"]);
  });

  it("counts what single reads have cost before", async () => {
    const { read, plan, since } = world({ total: 1_000 });
    for (let id = 101; id <= 105; id++) await read([id]);
    expect(since()[0]).toBe("101");
    // Five records were read, or the list was begun: with five more the list costs no more than what was spent.
    await read(upTo(705, 701));
    await read(upTo(805, 801));
    expect((await plan(upTo(905, 901))).strategy).toMatch(/list|single/);
    await read(upTo(1_000));
    expect(await plan(upTo(1_000))).toEqual({ strategy: "single", requests: 0 });
  });

  it("finds records that no list holds one by one afterwards", async () => {
    const { read, since } = world({ total: 50, unlisted: [7, 8] });
    expect(await read(upTo(10))).toEqual(upTo(10));
    expect(since()).toEqual(["page 1", "7", "8"]);
    expect(await read([7, 8])).toEqual([7, 8]);
    expect(since()).toEqual([]);
  });

  it("is not done again for what it did not hold, as long as it counts", async () => {
    const { clock, read, since } = world({ total: 50 });
    expect(await read([51, 52])).toEqual([null, null]);
    expect(since()).toEqual(["page 1", "51", "52"]);
    expect(await read([53, 54], 1_000)).toEqual([null, null]);
    expect(since()).toEqual(["53", "54"]);
    await clock.advance(1_001);
    expect(await read([53, 54], 1_000)).toEqual([null, null]);
    expect(since()).toEqual(["page 1", "53", "54"]);
  });

  it("is not done where the service does not say how long the list is", async () => {
    const { read, plan, since } = world({ last: false });
    expect(await plan(upTo(205, 200))).toEqual({ strategy: "single", requests: 6 });
    expect(await read(upTo(205, 200))).toEqual(upTo(205, 200));
    expect(since()).toEqual(["page 1", ...upTo(205, 200).map(String)]);
    expect(await read([300, 301])).toEqual([300, 301]);
    expect(since(), "its first page is not asked for again").toEqual(["300", "301"]);
  });

  it("is begun anew once what it held first is too old, where it is the only way", async () => {
    const { clock, read, since } = world({ single: false, total: 250 });
    expect(await read([7], 1_000)).toEqual([7]);
    expect(since()).toEqual(["page 1"]);
    await clock.advance(600);
    expect(await read([107], 1_000)).toEqual([107]);
    expect(since()).toEqual(["page 2"]);
    await clock.advance(401);
    expect(await read([7, 107], 1_000)).toEqual([7, 107]);
    expect(since()).toEqual(["page 1"]);
  });

  it("counts from when it was begun, also when it was read to its end later", async () => {
    const { clock, read, since } = world({ single: false, total: 250 });
    await read([7], 1_000);
    await clock.advance(600);
    expect(await read([900], 1_000)).toEqual([null]);
    expect(since()).toEqual(["page 1", "page 2", "page 3"]);
    await clock.advance(401);
    expect(await read([7], 1_000)).toEqual([7]);
    expect(since()).toEqual(["page 1"]);
  });

  it("is done where that is the only way, to its end", async () => {
    const { clock, read, plan, since } = world({ single: false, last: false, total: 250 });
    expect(await plan([7])).toEqual({ strategy: "list", requests: null });
    expect(since()).toEqual([]);
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual(["page 1"]);
    expect(await plan([207])).toEqual({ strategy: "list", requests: null });
    expect(await read([7, 900])).toEqual([7, null]);
    expect(since()).toEqual(["page 2", "page 3"]);
    expect(await plan([7, 900])).toEqual({ strategy: "single", requests: 0 });
    expect(await read([901, 902], 1_000)).toEqual([null, null]);
    expect(since()).toEqual([]);
    await clock.advance(1_001);
    expect(await read([903], 1_000)).toEqual([null]);
    expect(since()).toEqual(["page 1", "page 2", "page 3"]);
  });

  it("is not done when the list is longer than what may be kept", async () => {
    const long = world({ total: 100_200 });
    expect(await long.plan(upTo(1_500, 101))).toEqual({ strategy: "single", requests: 1_400 });
    const only = world({ total: 100_200, single: false });
    await only.read([7]);
    expect(await only.plan([900])).toEqual({ strategy: "list", requests: 1_001 });
    const shorter = world({ total: 100_100 });
    expect(await shorter.plan(upTo(1_500, 101))).toEqual({ strategy: "list", requests: 1_000 });
  });
});

describe("reading by the list's filter", () => {
  it("takes a hundred records at once", async () => {
    const { read, plan, since } = world({ filter: true });
    expect(await plan(upTo(100))).toEqual({ strategy: "filter", requests: 1 });
    expect(await read(upTo(100))).toEqual(upTo(100));
    expect(since()).toEqual(["filter 100"]);
    // The filter has been used, so the list may be worth reading: its first page tells.
    expect(await read([500])).toEqual([500]);
    expect(since()).toEqual(["page 1", "500"]);
    expect(await read([600])).toEqual([600]);
    expect(since()).toEqual(["600"]);
  });

  it("takes several requests for more, and finds what it leaves out one by one", async () => {
    const { read, since } = world({ filter: true, total: 10_000, unlisted: [8_000] });
    const ids = upTo(8_130, 7_900);
    expect(await read(ids)).toEqual(ids);
    expect(since()).toEqual(["page 1", "filter 100", "filter 100", "filter 31", "8000"]);
  });

  it("goes before reading on in the list", async () => {
    const { read, since } = world({ filter: true, total: 10_000 });
    await read(upTo(250));
    expect(since()).toEqual(["page 1", "filter 100", "filter 50"]);
    await read([301, 302]);
    expect(since()).toEqual(["filter 2"]);
  });

  it("is the way for one record where there is no operation for one, and tells what does not exist", async () => {
    const { clock, read, since } = world({ filter: true, single: false, total: 10_000 });
    expect(await read([77])).toEqual([77]);
    expect(await read([77, 20_000])).toEqual([77, null]);
    expect(since()[0]).toBe("filter 1");
    expect(await read([20_000], 1_000)).toEqual([null]);
    expect(since()).toEqual([]);
    await clock.advance(1_001);
    expect(await read([77], 1_000)).toEqual([77]);
    expect(since().length).toBe(1);
  });
});
