import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Reservation } from "../../src/index.js";
import { SharedWindows, throughLogs } from "../../src/stores/shared-windows.js";
import { RULES } from "../../src/stores/turns.js";
import { createRandom } from "../campaign/support/random.js";
import { settle } from "../support/manual-clock.js";
import { OrderedLogs } from "./support/ordered-logs.js";

const START = 1_800_000_000_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date", "performance"], now: START }));
afterEach(() => vi.useRealTimers());

const limits = { requests: 3, batchRequests: 3, priority: "interactive", windowMs: 1_000, leaseMs: 2_000 } as const;
const alone = { application: null, processes: 1 };

/** A database with logs. `open` opens a store on it, as each of several processes would. */
class Logs extends OrderedLogs {
  open(append = this.append, more: { application?: string; isPooled?: boolean } = {}): SharedWindows {
    const { isPooled = true, ...settings } = more;
    return new SharedWindows(throughLogs(append, { isPooled }), { ...alone, ...settings });
  }
}

const reserve = (store: SharedWindows, more: { key?: string; requests?: number; leaseMs?: number } = {}) =>
  store.reserve({ key: "key", now: Date.now(), ...limits, ...more });
const slotOf = (answer: Reservation): string => (answer.granted ? answer.slot : "none");
const countGranted = (answers: readonly Reservation[]) => answers.filter((answer) => answer.granted).length;

describe("windows that processes share", () => {
  it("grant the whole limit to processes that call at once, in one round trip each", async () => {
    const logs = new Logs();
    const stores = Array.from({ length: 5 }, () => logs.open());
    const answers = await Promise.all(stores.flatMap((store) => [reserve(store), reserve(store)]));
    expect(countGranted(answers)).toBe(3);
    expect(logs.appended).toHaveLength(5);
  });

  it("exist once per key, and once for all keys of an application", async () => {
    const logs = new Logs();
    const store = logs.open();
    await reserve(store, { key: "one" });
    await reserve(store, { key: "two" });
    const application = logs.open(logs.append, { application: "schools" });
    await reserve(application, { key: "one" });
    await reserve(application, { key: "two" });
    const names = ["key one", "key two", "application schools"];
    expect([...logs.kept.keys()]).toEqual(names.map((name) => `${RULES} ${name}`));
  });

  it("have at most three entries in progress; later requests share the next one", async () => {
    const logs = new Logs();
    const answers: (() => void)[] = [];
    const store = logs.open(async (window, append) => {
      const part = await logs.append(window, append);
      await new Promise<void>((resolve) => answers.push(resolve));
      return part;
    });
    const asked: Promise<Reservation>[] = [];
    for (let at = 0; at < 9; at++) {
      asked.push(reserve(store, { requests: 9 }));
      await settle();
    }
    expect(logs.appended).toHaveLength(3);
    answers.shift()?.();
    await settle();
    expect(logs.appended).toHaveLength(4);
    while (answers.length > 0) {
      answers.shift()?.();
      await settle();
    }
    expect(countGranted(await Promise.all(asked))).toBe(9);
    expect(logs.appended).toHaveLength(4);
  });

  it("decide the same in every process, whatever the order of responses and whichever process trims the log", async () => {
    // While `performance` stands still, the log neither gathers entries nor grants permits ahead.
    vi.spyOn(performance, "now").mockReturnValue(0);
    for (let seed = 1; seed <= 10; seed++) {
      const random = createRandom(seed);
      const next = (below: number) => random.whole(0, below - 1);
      const logs = new Logs();
      const waiting: (() => void)[] = [];
      const open = () =>
        logs.open(async (window, append) => {
          const part = await logs.append(window, append);
          await new Promise<void>((resolve) => waiting.push(resolve));
          return part;
        });
      const stores = [open(), open(), open()];
      // The model: the time at which each slot becomes free.
      const places = new Map<string, number>();
      const inFlight: { store: SharedWindows; slot: string }[] = [];
      const faults: string[] = [];
      const work: Promise<unknown>[] = [];
      for (let step = 0; step < 120; step++) {
        vi.setSystemTime(Date.now() + next(60));
        const store = stores[next(3)] as SharedWindows;
        const one = inFlight.length > 0 && next(3) > 0 ? inFlight.splice(next(inFlight.length), 1)[0] : undefined;
        if (one) {
          places.set(one.slot, Date.now() + 1_000);
          work.push(one.store.settle({ key: "key", slot: one.slot, now: 0, windowMs: 1_000, sent: true }));
        } else {
          work.push(
            reserve(store, { requests: 6, leaseMs: 60_000 }).then((answer) => {
              if (!answer.granted) return;
              const taken = [...places.values()].filter((freeAt) => freeAt > Date.now()).length;
              if (taken >= 6) faults.push(`${taken + 1} places at ${Date.now() - START}`);
              places.set(answer.slot, Number.POSITIVE_INFINITY);
              inFlight.push({ store, slot: answer.slot });
            }),
          );
        }
        for (let more = next(3); more > 0; more--) waiting.splice(next(Math.max(1, waiting.length)), 1)[0]?.();
        if (next(4) === 0) await settle();
      }
      let isDone = false;
      const all = Promise.all(work).then(() => {
        isDone = true;
      });
      for (; !isDone; await settle()) waiting.shift()?.();
      await all;
      expect(faults).toEqual([]);
    }
  });

  it("are trimmed by the process that wrote the thirty-second entry", async () => {
    const logs = new Logs();
    const stores = [logs.open(), logs.open()];
    for (let round = 0; round < 100; round++) {
      const store = stores[round % 2] as SharedWindows;
      const slot = slotOf(await reserve(store));
      await store.settle({ key: "key", slot, now: 0, windowMs: 1_000, sent: false });
    }
    expect(logs.cuts).toBeGreaterThan(3);
    expect(logs.kept.get(`${RULES} key key`)?.entries.length).toBeLessThan(70);
    expect(countGranted([await reserve(logs.open())])).toBe(1);
  });

  it("never revoke a slot because the database's date is set back, and still free it a window later", async () => {
    const store = new Logs().open();
    const slots = [await reserve(store), await reserve(store), await reserve(store)].map(slotOf);
    for (const slot of slots) await store.settle({ key: "key", slot, now: 0, windowMs: 1_000, sent: true });
    vi.setSystemTime(START - 3_600_000);
    expect(await reserve(store)).toEqual({ granted: false, reason: "window", retryAt: Date.now() + 1_000 });
    vi.setSystemTime(START - 3_600_000 + 900);
    expect(await reserve(store)).toMatchObject({ granted: false });
    vi.setSystemTime(START - 3_600_000 + 1_000);
    expect(await reserve(store)).toMatchObject({ granted: true });
  });

  it("keep the slot of a request without a time limit for a day", async () => {
    const store = new Logs().open();
    const ask = () => reserve(store, { requests: 1, leaseMs: Infinity });
    expect(await ask()).toMatchObject({ granted: true });
    vi.setSystemTime(START + 86_399_900);
    expect(await ask()).toMatchObject({ granted: false, retryAt: null });
    vi.setSystemTime(START + 86_400_000);
    expect(await ask()).toMatchObject({ granted: true });
  });

  it("detect that the database lost entries that others have replaced, and follow its state", async () => {
    const logs = new Logs();
    const [one, other] = [logs.open(), logs.open()];
    await reserve(one);
    const row = logs.kept.get(`${RULES} key key`);
    const before = [...(row?.entries ?? [])];
    await reserve(one);
    row?.entries.splice(0, 9, ...before);
    await reserve(other);
    expect([
      countGranted([await reserve(one)]),
      countGranted([await reserve(one)]),
      countGranted([await reserve(other)]),
    ]).toEqual([1, 0, 0]);
  });

  it("start over if the row is missing", async () => {
    const logs = new Logs();
    const store = logs.open();
    for (let at = 0; at < 3; at++) await reserve(store);
    logs.kept.clear();
    expect(countGranted([await reserve(store), await reserve(store), await reserve(store), await reserve(store)])).toBe(
      3,
    );
  });

  it("retry once if a connection ends, and return the slots that were granted twice", async () => {
    const logs = new Logs();
    let ends = 1;
    const store = logs.open(async (window, append) => {
      const part = await logs.append(window, append);
      if (ends-- > 0) throw new Error("connection ended");
      return part;
    });
    expect(countGranted([await reserve(store)])).toBe(1);
    await settle();
    const other = logs.open();
    expect(countGranted(await Promise.all([reserve(other), reserve(other), reserve(other)]))).toBe(2);
  });

  it("reject requests while the database fails, and grant again when it is back", async () => {
    const logs = new Logs();
    let isDown = true;
    const store = logs.open(async (window, append) => {
      if (isDown) throw new Error("down");
      return logs.append(window, append);
    });
    await expect(Promise.all([reserve(store), reserve(store)])).rejects.toThrow("down");
    isDown = false;
    expect(await reserve(store)).toMatchObject({ granted: true });
  });

  it.each([
    ["another shape", {} as never],
    ["no version", { base: Number.NaN, state: null, first: 0, entries: [] }],
    ["entries without that of this process", { base: 5, state: null, first: 5, entries: [] }],
    ["a state that is no JSON", { base: 1, state: "OK", first: 1, entries: [] }],
    ["an entry that is no JSON", { base: 1, state: null, first: 1, entries: ["OK"] }],
  ])("reject %s", async (_, part) => {
    await expect(reserve(new Logs().open(async () => part))).rejects.toThrow();
  });

  it("continue after 5 seconds if the database never responds", async () => {
    const logs = new Logs();
    const hang = { left: 3 };
    const store = logs.open((window, append) =>
      hang.left-- > 0 ? new Promise(() => undefined) : logs.append(window, append),
    );
    const time = vi.spyOn(performance, "now").mockReturnValue(1_000);
    for (let at = 0; at < 3; at++) {
      void reserve(store);
      await settle();
    }
    const waiting = reserve(store);
    await settle();
    expect(logs.appended).toHaveLength(0);
    time.mockReturnValue(6_000);
    const late = expect(waiting).rejects.toThrow("did not respond in time");
    expect(await reserve(store)).toMatchObject({ granted: true });
    await late;
  });

  it("report the database's last state of a key", async () => {
    const store = new Logs().open();
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
