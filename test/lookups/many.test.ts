import { describe, expect, it, test } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { Pages } from "../../src/core/lists/pages.js";
import type { RequestOptions } from "../../src/index.js";
import type { Identified } from "../../src/lookups/known-records.js";
import { lookupOf } from "../../src/lookups/lookup.js";
import { manyOf } from "../../src/lookups/many.js";
import { Writes } from "../../src/lookups/writes.js";
import { failure, ManualClock } from "../support/manual-clock.js";
import { pageSource } from "../support/page-source.js";

/** The message and the issues of the error that a function throws; null if it throws none. */
function refusal(work: () => unknown) {
  try {
    work();
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    const { message, issues } = error as InputError;
    return { message, issues };
  }
}

/** A clock that records the longest timer that was set. */
class NotingClock extends ManualClock {
  longest = 0;

  override setTimeout(callback: () => void, ms: number): unknown {
    this.longest = Math.max(this.longest, ms);
    return super.setTimeout(callback, ms);
  }
}

const context = (totalTimeout: number | null = null, clock = new NotingClock()) => ({
  settings: { clock, totalTimeout, pageSize: 100 },
  writesTo: () => new Writes(),
});

const rooms = () =>
  new Pages<Identified>(pageSource([], {}, () => ({ records: [1, 2, 3].map((id) => ({ id, code: `c${id}` })) })));

describe("many records by identifier", () => {
  const many = (ids: unknown, options: object = {}) =>
    manyOf({ list: rooms, get: async (id) => ({ id }) }, ids as number[], options, context());

  it("are returned in the order of the identifiers, even if the caller's array changes meanwhile", async () => {
    const ids = [3, 1, 3];
    const wanted = many(ids);
    ids.length = 0;
    expect(await wanted.plan()).toEqual({ strategy: "list", requests: 0 });
    expect(await wanted.read()).toEqual([3, 1, 3].map((id) => expect.objectContaining({ id })));
    expect(await many([7]).plan()).toEqual({ strategy: "single", requests: 1 });
  });

  it("are read again if they are awaited again after a failure, except those that arrived", async () => {
    const asked: number[] = [];
    let failures = 1;
    const get = async (id: number) => {
      asked.push(id);
      if (id === 8 && failures-- > 0) throw new RangeError("offline");
      return { id };
    };
    const list = () => new Pages<Identified>(pageSource([], {}, () => ({ records: [] })));
    const wanted = manyOf({ list, get }, [7, 8], {}, context());
    const [first, other] = [failure(wanted.read()), failure(wanted.read())];
    expect(await first).toBeInstanceOf(RangeError);
    expect(await other).toBe(await first);
    expect(await wanted.read()).toEqual([{ id: 7 }, { id: 8 }]);
    await wanted.read();
    expect(asked).toEqual([7, 8, 8]);
  });

  it("have no time limit if the call's is Infinity, whatever the client's is", async () => {
    const given = context(500);
    const { clock } = given.settings;
    const limits: unknown[] = [];
    const get = async (id: number, { totalTimeout }: RequestOptions) => {
      limits.push(totalTimeout);
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 1_000));
      return { id };
    };
    const list = () => new Pages<Identified>(pageSource([], {}, () => ({ records: [] })));
    const wanted = manyOf({ list, get }, [7], { totalTimeout: Number.POSITIVE_INFINITY }, given);
    expect(await clock.run(wanted.read())).toEqual([{ id: 7 }]);
    expect(limits).toEqual([Number.POSITIVE_INFINITY]);
    expect(clock.longest).toBe(1_000);
    expect(await clock.run(failure(manyOf({ list, get }, [7], {}, given).read()))).toMatchObject({
      scope: "total",
    });
  });

  it.each<[ids: unknown, path: string, message: string]>([
    [7, "ids", "must be an array of identifiers"],
    [null, "ids", "must be an array of identifiers"],
    [[0], "ids[0]", "must be a positive whole number"],
    [[1, -1], "ids[1]", "must be a positive whole number"],
    [[1, 2, 1.5], "ids[2]", "must be a positive whole number"],
    [["7"], "ids[0]", "must be a positive whole number"],
    [[2 ** 53], "ids[0]", "must be a positive whole number"],
  ])("%j is refused before anything is sent", (ids, path, message) => {
    expect(refusal(() => many(ids))).toMatchObject({ issues: [{ path, message }] });
    expect(refusal(() => many(ids))?.message).toMatch(/^rooms\.list: /);
  });

  it("accept identifiers from 1 and the options of a call", () => {
    expect(refusal(() => many([1, Number.MAX_SAFE_INTEGER]))).toBeNull();
    expect(refusal(() => many([], { timeout: 5, priority: "batch" }))).toBeNull();
    expect(refusal(() => many([1], { prioritty: "batch" }))).toMatchObject({ issues: [{ path: "prioritty" }] });
  });
});

describe("a lookup", () => {
  const lookup = (options: unknown = {}) => lookupOf(rooms, "code", options as object, context());

  it("returns one record, or several in order, null for a missing one", async () => {
    const byCode = lookup();
    expect(await byCode.get("c2")).toMatchObject({ id: 2 });
    expect(await byCode.get("x")).toBeNull();
    expect(await byCode.getMany(["c3", "x", "c1"])).toMatchObject([{ id: 3 }, null, { id: 1 }]);
    expect(await failure(byCode.getMany(["c1"], { signal: AbortSignal.abort(new RangeError("left")) }))).toBeInstanceOf(
      RangeError,
    );
  });

  it.each<[options: unknown, path: string]>([
    [null, "options"],
    [[], "options"],
    [{ maxage: 1 }, "maxage"],
    [{ maxAge: 0 }, "maxAge"],
    [{ maxRecords: 0 }, "maxRecords"],
    [{ maxRecords: 1.5 }, "maxRecords"],
  ])("with the options %j is refused", (options, path) => {
    expect(refusal(() => lookup(options))).toMatchObject({
      message: expect.stringMatching(/^rooms\.list: /),
      issues: [{ path, message: expect.any(String) }],
    });
  });

  test("accepts at most the configured number of records, by default 100,000", async () => {
    expect(await lookup({ maxRecords: 3 }).get("c1")).toMatchObject({ id: 1 });
    expect(await failure(lookup({ maxRecords: 2 }).get("c1"))).toBeInstanceOf(InputError);
  });
});
