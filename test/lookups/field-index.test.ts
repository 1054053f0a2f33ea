import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { Pages } from "../../src/core/lists/pages.js";
import { FieldIndex } from "../../src/lookups/field-index.js";
import type { Identified } from "../../src/lookups/known-records.js";
import { Writes } from "../../src/lookups/writes.js";
import { failure, ManualClock, settle } from "../support/manual-clock.js";
import { pageSource } from "../support/page-source.js";

const MAX_AGE = 1_000;

/** An index of rooms by their code, and the rooms, which a test may change. */
function world(codes: readonly unknown[], maxRecords = 100) {
  const clock = new ManualClock();
  const rooms = codes.map((code, at) => ({ id: at + 1, code }));
  const readings = { count: 0, fail: false, hold: null as Promise<never> | null };
  const writes = new Writes();
  const list = () => {
    const source = pageSource([], {}, () => {
      readings.count++;
      if (readings.fail) throw new RangeError("offline");
      return { records: [...rooms] };
    });
    const { hold } = readings;
    if (hold) {
      const { send } = source;
      source.send = (request) => send.call(source, request).then(() => hold);
    }
    return new Pages<Identified>(source);
  };
  const source = { id: "rooms.list", field: "code", list, fits: () => true, writes };
  const index = new FieldIndex(source, { maxAge: MAX_AGE, maxRecords }, clock);
  const find = async (...values: unknown[]) =>
    (await index.find(values)).map((room) => (room as { id: number } | null)?.id ?? null);
  return { clock, rooms, readings, writes, index, find };
}

describe("an index of a list", () => {
  it("returns the records in the order of the values, null for a missing one", async () => {
    const { find, readings } = world(["a", "b", 7]);
    expect(await find("b", "x", "a", 7, "7")).toEqual([2, null, 1, 3, null]);
    expect(await find()).toEqual([]);
    expect(readings.count).toBe(1);
  });

  it("returns the first of several records with the same value", async () => {
    expect(await world(["a", "a", "b"]).find("a", "b")).toEqual([1, 3]);
  });

  it("finds no record by a value that none has", async () => {
    expect(await world([null, undefined, "a"]).find(null, undefined, "a")).toEqual([null, null, 3]);
  });

  it("is valid for maxAge after it was read, and no longer", async () => {
    const { clock, find, readings } = world(["a"]);
    await find("a");
    await clock.advance(MAX_AGE - 1);
    await find("a");
    expect(readings.count).toBe(1);
    await clock.advance(1);
    await find("a");
    expect(readings.count).toBe(2);
  });

  it("is read again for a value that it lacks, once per maxAge", async () => {
    const { clock, rooms, find, readings } = world(["a"]);
    await find("a");
    rooms.push({ id: 2, code: "b" });
    await clock.advance(500);
    expect(await find("a", "b")).toEqual([1, 2]);
    expect(readings.count).toBe(2);
    rooms.push({ id: 3, code: "c" });
    await clock.advance(MAX_AGE - 1);
    expect(await find("c")).toEqual([null]);
    expect(readings.count).toBe(2);
    await clock.advance(1);
    // By now the index is older than maxAge, so the rooms are read again.
    expect(await find("c")).toEqual([3]);
    expect(readings.count).toBe(3);
  });

  it("is not read again for a value that the last reading did not find", async () => {
    const { find, readings } = world(["a"]);
    expect(await find("x")).toEqual([null]);
    expect(readings.count).toBe(1);
  });

  it("is read once for several callers at the same time", async () => {
    const { find, readings } = world(["a", "b"]);
    expect(await Promise.all([find("a"), find("b"), find("x")])).toEqual([[1], [2], [null]]);
    expect(readings.count).toBe(1);
  });

  it("is read again after it was dropped, even during a reading", async () => {
    const { rooms, index, find, readings } = world(["a"]);
    await find("a");
    index.forget();
    await find("a");
    expect(readings.count).toBe(2);
    index.forget();
    const before = find("b");
    rooms.push({ id: 2, code: "b" });
    index.forget();
    const after = find("b");
    expect([await after, (await before).length]).toEqual([[2], 1]);
    expect(readings.count).toBe(4);
  });

  it("is read again after a failure, which rejects every waiting caller", async () => {
    const { find, readings } = world(["a"]);
    readings.fail = true;
    const [one, other] = await Promise.all([failure(find("a")), failure(find("a"))]);
    expect(one).toBeInstanceOf(RangeError);
    expect(other).toBe(one);
    expect(readings.count).toBe(1);
    readings.fail = false;
    expect(await find("a")).toEqual([1]);
  });

  it("is not affected by the failure of an earlier, dropped reading", async () => {
    const { index, find, readings } = world(["a"]);
    let lose = () => {};
    readings.hold = new Promise((_, reject) => {
      lose = () => reject(new RangeError("offline"));
    });
    const lost = failure(find("a"));
    await settle();
    index.forget();
    readings.hold = null;
    expect(await find("a")).toEqual([1]);
    lose();
    expect(await lost).toBeInstanceOf(RangeError);
    await find("a");
    expect(readings.count).toBe(2);
  });

  it("holds at most maxRecords different values", async () => {
    expect(await world(["a", "b", "b", null], 2).find("b")).toEqual([2]);
    const error = await failure<InputError>(world(["a", "b", "c"], 2).find("a"));
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toContain("more than 2 records");
    expect(error.issues).toEqual([{ path: "maxRecords", message: "is less than the number of records in the list" }]);
    expect(error, "the list was read").toMatchObject({ outcome: null, operation: "rooms.list" });
  });
});
