import { describe, expect, it, vi } from "vitest";
import { failure, settle } from "../support/manual-clock.js";
import { FOREVER, upTo, world } from "./support/reader.js";

describe("reading records by identifier", () => {
  it("reads each once, in the requested order, with null for a missing one", async () => {
    const { read, since } = world({ list: false, total: 50 });
    expect(await read([7, 3, 7, 99])).toEqual([7, 3, 7, null]);
    expect(since()).toEqual(["7", "3", "99"]);
    expect(await read([99, 3, 8])).toEqual([null, 3, 8]);
    expect(since()).toEqual(["8"]);
    expect(await read([])).toEqual([]);
    expect(since()).toEqual([]);
  });

  it("reads a single record without the list", async () => {
    const { read, since } = world();
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual(["7"]);
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual([]);
  });

  it("reads records again that are older than allowed, including missing ones", async () => {
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

  it("passes on an error that does not concern one record, and caches nothing from it", async () => {
    const { read, since, settings } = world({ list: false });
    settings.fail = new RangeError("offline");
    expect(await failure(read([7]))).toBe(settings.fail);
    settings.fail = null;
    expect(await read([7])).toEqual([7]);
    expect(since()).toEqual(["7", "7"]);
  });

  it("reads one after another, so that the second caller finds the records of the first", async () => {
    const { read, since } = world({ list: false });
    expect(await Promise.all([read([1, 2]), read([2, 3])])).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect(since()).toEqual(["1", "2", "3"]);
  });

  it("stops waiting for a caller that aborts, and for no other caller", async () => {
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
  it("happens if it takes fewer requests, and only as far as needed", async () => {
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

  it("requests whole pages, by number if the list has numbers", async () => {
    const [numbered, other] = [world(), world({ last: false })];
    await numbered.plan(upTo(250));
    await other.plan(upTo(250));
    expect(numbered.queries).toEqual([{ page: 1, per_page: 100 }]);
    expect(other.queries).toEqual([{ per_page: 100 }]);
  });

  it("does not continue after a page with only one of the records", async () => {
    const { read, since } = world({ total: 10_000 });
    await read([1, 5_000, 5_001]);
    expect(since()).toEqual(["page 1", "5000", "5001"]);
    await read([101, 102]);
    expect(since()).toEqual(["101", "102"]);
  });

  it("does not happen for few records of a long list", async () => {
    const { read, plan, since } = world({ total: 1_000 });
    expect(await plan([500, 700, 700])).toEqual({ strategy: "single", requests: 2 });
    expect(await read([500, 700])).toEqual([500, 700]);
    expect(since()).toEqual(["page 1", "500", "700"]);
  });

  it("continues where it stopped, while each page holds several of the records", async () => {
    const { read, since } = world({ total: 10_000 });
    await read([1, 2, 3]);
    expect(since()).toEqual(["page 1"]);
    expect(await read([101, 102, 9_000])).toEqual([101, 102, 9_000]);
    expect(since()).toEqual(["page 2", "9000"]);
    // Page 2 holds two of them; page 3 holds none, so page 4 is not read.
    expect(await read([5_001, 5_002])).toEqual([5_001, 5_002]);
    expect(since()).toEqual(["page 3", "5001", "5002"]);
    expect(await read([301, 302])).toEqual([301, 302]);
    expect(since()).toEqual(["301", "302"]);
  });

  it("takes the cost of earlier single reads into account", async () => {
    const { read, plan, since } = world({ total: 1_000 });
    for (let id = 101; id <= 105; id++) await read([id]);
    expect(since()[0]).toBe("101");
    // Five records were read singly, or the list was begun. After five more, the list costs no more than the single
    // reads did.
    await read(upTo(705, 701));
    await read(upTo(805, 801));
    expect((await plan(upTo(905, 901))).strategy).toMatch(/list|single/);
    await read(upTo(1_000));
    expect(await plan(upTo(1_000))).toEqual({ strategy: "single", requests: 0 });
  });

  it("reads unlisted records one by one afterwards", async () => {
    const { read, since } = world({ total: 50, unlisted: [7, 8] });
    expect(await read(upTo(10))).toEqual(upTo(10));
    expect(since()).toEqual(["page 1", "7", "8"]);
    expect(await read([7, 8])).toEqual([7, 8]);
    expect(since()).toEqual([]);
  });

  it("does not repeat for missing records while the reading is valid", async () => {
    const { clock, read, since } = world({ total: 50 });
    expect(await read([51, 52])).toEqual([null, null]);
    expect(since()).toEqual(["page 1", "51", "52"]);
    expect(await read([53, 54], 1_000)).toEqual([null, null]);
    expect(since()).toEqual(["53", "54"]);
    await clock.advance(1_001);
    expect(await read([53, 54], 1_000)).toEqual([null, null]);
    expect(since()).toEqual(["page 1", "53", "54"]);
  });

  it("continues by one page per request if the service does not return the list's length", async () => {
    const { read, plan, since } = world({ last: false });
    expect(await plan(upTo(950, 901))).toEqual({ strategy: "single", requests: 50 });
    expect(await read(upTo(950, 901))).toEqual(upTo(950, 901));
    const asked = since();
    expect(asked.filter((each) => each.startsWith("page"))).toEqual(upTo(10).map((page) => `page ${page}`));
    expect(asked.length, "at most twice the 10 pages of the list").toBeLessThanOrEqual(20);
    expect(await read([300, 301])).toEqual([300, 301]);
    expect(since(), "the list was read to its end").toEqual([]);
  });

  it.each([1, 3, 30])("costs at most twice the requests of %d records of a list of unknown length", async (count) => {
    const { read, since } = world({ last: false, total: 20_000 });
    const ids = upTo(count).map((at) => 20_000 - at * 150);
    for (const id of ids) await read([id]);
    expect(since().length).toBeLessThanOrEqual(2 * count);
    const many = world({ last: false, total: 20_000 });
    expect(await many.read(ids)).toEqual(ids);
    expect(many.since().length).toBeLessThanOrEqual(2 * count + 1);
  });

  it("starts over if its first pages are too old, provided that no other way exists", async () => {
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

  it("counts as read at its start, even if it reached the end later", async () => {
    const { clock, read, since } = world({ single: false, total: 250 });
    await read([7], 1_000);
    await clock.advance(600);
    expect(await read([900], 1_000)).toEqual([null]);
    expect(since()).toEqual(["page 1", "page 2", "page 3"]);
    await clock.advance(401);
    expect(await read([7], 1_000)).toEqual([7]);
    expect(since()).toEqual(["page 1"]);
  });

  it("goes to the end of the list if no other way exists", async () => {
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

  it("does not happen if the list is longer than the cache limit", async () => {
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
  it("continues singly or with the list if the service ignores the filter, and treats no record as missing", async () => {
    const single = world({ filter: true, ignored: true });
    expect(await single.read([501, 502, 2_000])).toEqual([501, 502, null]);
    const listed = world({ filter: true, ignored: true, single: false });
    expect(await listed.read([501, 502, 2_000])).toEqual([501, 502, null]);
    expect(listed.since().slice(0, 2)).toEqual(["filter 3", "page 1"]);
  });

  it("reads a hundred records at once", async () => {
    const { read, plan, since } = world({ filter: true });
    expect(await plan(upTo(100))).toEqual({ strategy: "filter", requests: 1 });
    expect(await read(upTo(100))).toEqual(upTo(100));
    expect(since()).toEqual(["filter 100"]);
    // The filter has been used, so reading the list may be worthwhile: its first page decides.
    expect(await read([500])).toEqual([500]);
    expect(since()).toEqual(["page 1", "500"]);
    expect(await read([600])).toEqual([600]);
    expect(since()).toEqual(["600"]);
  });

  it("takes several requests for more, and reads records that it omits one by one", async () => {
    const { read, since } = world({ filter: true, total: 10_000, unlisted: [8_000] });
    const ids = upTo(8_130, 7_900);
    expect(await read(ids)).toEqual(ids);
    expect(since()).toEqual(["page 1", "filter 100", "filter 100", "filter 31", "8000"]);
  });

  it("takes precedence over reading more of the list", async () => {
    const { read, since } = world({ filter: true, total: 10_000 });
    await read(upTo(250));
    expect(since()).toEqual(["page 1", "filter 100", "filter 50"]);
    await read([301, 302]);
    expect(since()).toEqual(["filter 2"]);
  });

  it("also reads a single record if no operation does, and detects that it is missing", async () => {
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

describe("reading very many records by the filter", () => {
  it("requests each by the filter once, then reads those that it omits one by one", async () => {
    const { read, since } = world({ filter: true, total: 300_000, unlisted: [100, 200, 230] });
    const ids = upTo(250);
    expect(await read(ids)).toEqual(ids);
    expect(since()).toEqual(["page 1", "filter 100", "filter 50", "100", "200", "230"]);
  });

  it("examines each a few times, however many there are", async () => {
    const { writes, read, since } = world({ filter: true, total: 300_000 });
    const looks = vi.spyOn(writes, "wrote");
    const ids = upTo(5_000);
    expect(await read(ids)).toEqual(ids);
    expect(since()).toEqual(["page 1", ...Array.from({ length: 49 }, () => "filter 100")]);
    expect(looks.mock.calls.length).toBeLessThan(10 * ids.length);
  });
});
