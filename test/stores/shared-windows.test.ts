import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Reservation } from "../../src/index.js";
import { SharedWindows, type WindowRow, type WindowRows } from "../../src/stores/shared-windows.js";
import { until } from "../support/manual-clock.js";

const START = 1_800_000_000_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => vi.useRealTimers());

const limits = { requests: 3, batchRequests: 3, priority: "interactive", windowMs: 1_000, leaseMs: 2_000 } as const;
const alone = { application: null, processes: 1 };

/** Rows in memory, that count how often they are asked. */
function rows() {
  const kept = new Map<string, WindowRow>();
  const calls = { read: 0, swapped: 0, refused: 0 };
  const made: WindowRows = {
    async read(window) {
      calls.read++;
      return { ...(kept.get(window) ?? { state: null, version: 0 }), now: Date.now() };
    },
    async swap(window, version, next) {
      const isKnown = (kept.get(window)?.version ?? 0) === version;
      if (isKnown) kept.set(window, next);
      calls[isKnown ? "swapped" : "refused"]++;
      return isKnown;
    },
  };
  return { ...made, kept, calls };
}

const reserve = (store: SharedWindows, key = "key"): Promise<Reservation> =>
  store.reserve({ key, now: Date.now(), ...limits });

const slotOf = (answer: Reservation): string => (answer.granted ? answer.slot : "none");

describe("windows that processes share", () => {
  it("grant what the limit allows to processes that ask at once, and begin again after each other's changes", async () => {
    const shared = rows();
    const stores = Array.from({ length: 5 }, () => new SharedWindows(shared, alone));
    const answers = await Promise.all(stores.flatMap((store) => [reserve(store), reserve(store)]));
    expect(answers.filter(({ granted }) => granted)).toHaveLength(3);
    expect(new Set(answers.filter(({ granted }) => granted).map(slotOf)).size).toBe(3);
    expect(shared.calls.refused).toBeGreaterThan(0);
  });

  it("are changed once for all that was asked meanwhile", async () => {
    const shared = rows();
    const store = new SharedWindows(shared, alone);
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(store)));
    expect(answers.filter(({ granted }) => granted)).toHaveLength(3);
    expect(shared.calls).toEqual({ read: 2, swapped: 2, refused: 0 });
  });

  it("are one for each key, and one for all keys of an application", async () => {
    const shared = rows();
    const store = new SharedWindows(shared, alone);
    await reserve(store, "one");
    await reserve(store, "two");
    const application = new SharedWindows(shared, { ...alone, application: "schools" });
    await reserve(application, "one");
    await reserve(application, "two");
    expect([...shared.kept.keys()]).toEqual(["key one", "key two", "application schools"]);
  });

  it("never take back a place because the database's date is set back, and free it a window later all the same", async () => {
    const store = new SharedWindows(rows(), alone);
    const slots = [await reserve(store), await reserve(store), await reserve(store)].map(slotOf);
    for (const slot of slots) await store.settle({ key: "key", slot, now: 0, windowMs: 1_000, sent: true });
    vi.setSystemTime(START - 3_600_000);
    expect(await reserve(store)).toEqual({ granted: false, reason: "window", retryAt: Date.now() + 1_000 });
    vi.setSystemTime(START - 3_600_000 + 999);
    expect(await reserve(store)).toMatchObject({ granted: false });
    vi.setSystemTime(START - 3_600_000 + 1_000);
    expect(await reserve(store)).toMatchObject({ granted: true });
  });

  it("keep a place of a request without a time limit for a day", async () => {
    const store = new SharedWindows(rows(), alone);
    const ask = () => store.reserve({ key: "key", now: Date.now(), ...limits, requests: 1, leaseMs: Infinity });
    expect(await ask()).toMatchObject({ granted: true });
    vi.setSystemTime(START + 86_399_999);
    expect(await ask()).toMatchObject({ granted: false, retryAt: null });
    vi.setSystemTime(START + 86_400_000);
    expect(await ask()).toMatchObject({ granted: true });
  });

  it("give a row that was removed a version that it never had", async () => {
    const shared = rows();
    const store = new SharedWindows(shared, alone);
    await reserve(store);
    const first = shared.kept.get("key key")?.version;
    shared.kept.clear();
    vi.setSystemTime(START + 5_000);
    await reserve(store);
    expect(shared.kept.get("key key")?.version).toBeGreaterThan((first ?? 0) + 1_000);
  });

  it("reject what was asked when the database fails, and answer again when it is back", async () => {
    const shared = rows();
    const store = new SharedWindows(shared, alone);
    const read = vi.spyOn(shared, "read").mockRejectedValueOnce(new Error("down"));
    await expect(Promise.all([reserve(store), reserve(store)])).rejects.toThrow("down");
    read.mockRestore();
    expect(await reserve(store)).toMatchObject({ granted: true });
  });

  it.each([
    ["another shape", {} as never],
    ["no time", { state: null, version: 0, now: Number.NaN }],
    ["no version", { state: null, version: Number.NaN, now: 0 }],
    ["a state that is no JSON", { state: "OK", version: 1, now: 0 }],
  ])("reject %s", async (_, row) => {
    const store = new SharedWindows({ read: () => row, swap: () => true }, alone);
    await expect(reserve(store)).rejects.toThrow();
  });

  it("go on after 5 seconds when the database never answers", async () => {
    const shared = rows();
    const store = new SharedWindows(shared, alone);
    vi.spyOn(shared, "read").mockReturnValueOnce(new Promise(() => undefined));
    const time = vi.spyOn(performance, "now").mockReturnValue(1_000);
    void reserve(store);
    const waiting = reserve(store);
    await until(() => true);
    expect(shared.calls.read).toBe(0);
    time.mockReturnValue(6_000);
    expect(await reserve(store)).toMatchObject({ granted: true });
    expect(await waiting).toMatchObject({ granted: true });
  });

  it("are given up when other processes change them each time for 5 seconds", async () => {
    const shared = rows();
    const time = vi.spyOn(performance, "now");
    let now = 0;
    time.mockImplementation(() => (now += 100));
    vi.spyOn(shared, "swap").mockResolvedValue(false);
    await expect(reserve(new SharedWindows(shared, alone))).rejects.toThrow("changed the window each time");
  });

  it("tell what the database said last of a key", async () => {
    const store = new SharedWindows(rows(), alone);
    expect(store.usage({ key: "key", now: Date.now() })).toEqual({ used: 0, resetAt: null });
    const slot = slotOf(await reserve(store));
    await store.settle({ key: "key", slot, now: Date.now(), windowMs: 1_000, sent: true });
    await reserve(store);
    expect(store.usage({ key: "key", now: Date.now() })).toEqual({ used: 2, resetAt: Date.now() + 1_000 });
    await store.block({ key: "key", now: Date.now(), until: Date.now() + 500 });
    await reserve(store);
    expect(store.usage({ key: "key", now: Date.now() })).toEqual({ used: 2, resetAt: Date.now() + 500 });
  });
});
