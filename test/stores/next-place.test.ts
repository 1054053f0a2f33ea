import { describe, expect, it } from "vitest";
import {
  type Ask,
  endOf,
  type KeyState,
  type Place,
  reserve,
  settle,
  tidy,
  usage,
  type Window,
} from "../../src/stores/turns.js";

const NOW = 1_000_000;

// The limit is 50 requests in 49 seconds. It follows: one request per second (98% of the limit), a share of 5 for each
// of ten keys, 2,450 ms to catch up, at most 250 ms until a key asks again, and a turn that is reserved for 490 ms.
const ASK: Ask = {
  key: "me",
  shared: true,
  batch: 0,
  requests: 50,
  batchRequests: 10,
  windowMs: 49_000,
  leaseMs: 60_000,
  slot: "mine",
};
const BATCH: Ask = { ...ASK, batch: 1 };

/** Slots of requests in flight. */
const inFlight = (many: number, batch: 0 | 1 = 0): Place[] =>
  Array.from({ length: many }, (_, at) => [NOW + 60_000, batch, `slot ${at}`]);

/** Slots that become free after the given milliseconds. */
const free = (...after: number[]): Place[] => after.map((ms) => [NOW + ms, 0]);
const freeBatch = (...after: number[]): Place[] => after.map((ms) => [NOW + ms, 1]);

const state = (places: Place[], waits: KeyState["waits"] = {}): KeyState => ({ knownUntil: NOW + 1, places, waits });

/** A key that has waited the given milliseconds and whose turn is reserved. */
const since = (ms: number): [number, number] => [NOW - ms, NOW + 10_000];

const windowOf = (keys: Record<string, KeyState>, spacedUntil = 0): Window => ({
  seen: NOW,
  blockedUntil: 0,
  spacedUntil,
  keys,
});

/**
 * Requests a slot. If none is granted, returns in how many milliseconds to try again (`in`), and when the reserved turn
 * ends (`kept`).
 */
function next(window: Window, ask: Ask = ASK) {
  const answer = reserve(window, ask, NOW);
  if (answer.granted) return "granted";
  const kept = window.keys[ask.key]?.waits[ask.batch];
  return { in: (answer.at ?? Number.NaN) - NOW, kept: (kept?.[1] ?? Number.NaN) - NOW };
}

describe("a key that requests the next slot of an application", () => {
  it("gets a free slot, and counts as a user of the application for ten windows", () => {
    const window = windowOf({ other: state(inFlight(49)), me: state([], { 0: since(5), 1: since(5) }) });
    expect(next(window)).toBe("granted");
    expect(window.keys.me).toEqual({
      knownUntil: NOW + 490_000,
      places: [[NOW + 60_000, 0, "mine"]],
      waits: { 1: since(5) },
    });
  });

  it("learns when the first slot becomes free, and keeps its turn for a hundredth of the window", () => {
    const window = windowOf({ other: state([...inFlight(48), ...free(4_000, 3_000)]) });
    expect(next(window)).toEqual({ in: 3_000, kept: 3_490 });
    expect(window.keys.me).toEqual({ knownUntil: NOW + 490_000, places: [], waits: { 0: [NOW, NOW + 3_490] } });
  });

  it("keeps the start of its wait", () => {
    const window = windowOf({ other: state([...inFlight(49), ...free(3_000)]), me: state([], { 0: since(70) }) });
    expect(next(window)).toEqual({ in: 3_000, kept: 3_490 });
    expect(window.keys.me?.waits).toEqual({ 0: [NOW - 70, NOW + 3_490] });
  });

  it.each([
    ["at least 20 ms", 1_000, 20],
    ["at most a second", 300_000, 1_000],
  ])("keeps its turn for %s", (_, windowMs, kept) => {
    const window = windowOf({ other: state([...inFlight(49), ...free(3_000)]) });
    expect(next(window, { ...ASK, windowMs })).toEqual({ in: 3_000, kept: 3_000 + kept });
  });

  it("learns when the slot after those of earlier keys becomes free", () => {
    const waiting = { first: state([], { 0: since(9) }), second: state([], { 0: since(8) }) };
    const places = [...inFlight(47), ...free(3_000, 4_000, 5_000)];
    expect(next(windowOf({ other: state(places), ...waiting }))).toEqual({ in: 5_000, kept: 5_490 });
  });

  it("tries again within 250 ms if a slot is free that an earlier key may not take", () => {
    const waiting = { first: state([], { 0: since(9) }) };
    const later = windowOf({ other: state([...inFlight(48), ...free(3_000)]), ...waiting });
    expect(next(later)).toEqual({ in: 250, kept: 740 });
    const sooner = windowOf({ other: state([...inFlight(48), ...free(100)]), ...waiting });
    expect(next(sooner)).toEqual({ in: 100, kept: 590 });
  });

  it.each([
    ["250 ms at most", 50, 49_000, 250],
    ["half of what one place takes", 50, 980, 10],
    ["5 ms at least", 50, 98, 5],
    ["half of the window when the limit is 0", 0, 300, 150],
  ])("tries again if requests in flight hold all slots: %s", (_, requests, windowMs, after) => {
    const window = windowOf({ other: state(inFlight(requests)) });
    expect(next(window, { ...ASK, requests, windowMs })).toMatchObject({ in: after });
  });

  describe("above its share", () => {
    it("gets a slot after its time has come, and the next one a second later", () => {
      const window = windowOf({ me: state(inFlight(5)) }, NOW);
      expect(next(window)).toBe("granted");
      expect(window.spacedUntil).toBe(NOW + 1_000);
    });

    it("catches up a twentieth of a window", () => {
      const window = windowOf({ me: state(inFlight(5)) }, NOW - 40_000);
      expect(next(window)).toBe("granted");
      expect(window.spacedUntil).toBe(NOW - 2_450 + 1_000);
    });

    it("learns the time of its next slot, in whole milliseconds", () => {
      expect(next(windowOf({ me: state(inFlight(5)) }, NOW + 700.3))).toEqual({ in: 701, kept: 1_191 });
      expect(next(windowOf({ me: state(inFlight(4)) }, NOW + 700.3))).toBe("granted");
    });

    it("comes after each earlier request", () => {
      const waiting = {
        one: state([], { 0: since(1) }),
        two: state([], { 0: since(1), 1: since(1) }),
        me: state(inFlight(5)),
      };
      expect(next(windowOf({ ...waiting }, NOW + 700), BATCH)).toEqual({ in: 3_700, kept: 4_190 });
    });

    it("learns the later of a free slot's time and its own time", () => {
      const full = () => ({ other: state([...inFlight(44), ...free(3_000)]), me: state(inFlight(5)) });
      expect(next(windowOf(full(), NOW + 2_000))).toEqual({ in: 3_000, kept: 3_490 });
      expect(next(windowOf(full(), NOW + 3_100))).toEqual({ in: 3_100, kept: 3_590 });
    });

    it("has a smaller share if more than ten keys use the application", () => {
      const others = (many: number) =>
        Object.fromEntries(Array.from({ length: many }, (_, at) => [`${at}`, state([])]));
      const ask = (many: number, places: number) =>
        next(windowOf({ ...others(many - 1), me: state(inFlight(places)) }, NOW + 700));
      expect([ask(10, 4), ask(11, 4), ask(12, 4), ask(13, 4)]).toEqual([
        "granted",
        "granted",
        "granted",
        { in: 700, kept: 1_190 },
      ]);
    });
  });

  describe("whose response takes 400 ms to arrive", () => {
    const FAR: Ask = { ...ASK, tripMs: 400 };

    it("gets a slot that is free by the time at which it could try again, whichever key holds it", () => {
      const window = windowOf({ other: state([...inFlight(48), ...free(401, 400)]), me: state([], { 0: since(5) }) });
      expect(reserve(window, FAR, NOW)).toEqual({ granted: true, from: NOW + 400 });
      expect(window.keys.other?.places).toHaveLength(49);
      expect(window.keys.me).toMatchObject({ places: [[NOW + 60_400, 0, "mine", NOW + 400]], waits: {} });
      expect(usage(window, NOW)).toEqual({ used: 50, at: NOW + 401 });
      expect(window.spacedUntil).toBe(NOW - 2_450 + (49_000 + 400) / 49);
    });

    it("keeps its turn until it can try again, and a little longer", () => {
      const waiting = { first: state([], { 0: since(9) }) };
      const window = windowOf({ other: state([...inFlight(48), ...free(5_000)]), ...waiting });
      expect(next(window, FAR)).toEqual({ in: 250, kept: 890 });
      expect(next(windowOf({ other: state([...inFlight(49), ...free(401)]) }), FAR)).toEqual({ in: 401, kept: 891 });
    });

    it("leaves the slots that earlier keys need", () => {
      const waiting = { first: state([], { 0: since(9) }) };
      const window = (...after: number[]) =>
        windowOf({ other: state([...inFlight(48), ...free(...after)]), ...waiting });
      expect(next(window(100, 401), FAR)).toEqual({ in: 401, kept: 891 });
      const one = window(100, 300);
      expect(reserve(one, FAR, NOW)).toEqual({ granted: true, from: NOW + 300 });
      expect(one.keys.other?.places.at(-1)).toEqual([NOW + 100, 0]);
    });

    it("gets no slot ahead above its share", () => {
      const full = () => windowOf({ other: state([...inFlight(44), ...free(300)]), me: state(inFlight(5)) });
      expect(next(full(), FAR)).toEqual({ in: 300, kept: 890 });
    });

    it("returns an unused slot, which becomes free at its time", () => {
      const window = windowOf({ other: state([...inFlight(49), ...free(300)]) });
      reserve(window, FAR, NOW);
      settle(window, "me", "mine", null);
      expect(usage(window, NOW)).toEqual({ used: 50, at: NOW + 300 });
    });
  });

  describe("takes its turn", () => {
    // Asks when one slot is free. If another key's turn comes first, the slot belongs to that key.
    const oneFree = (waits: Record<string, KeyState>, me: KeyState, ask: Ask = ASK) =>
      next(windowOf({ full: state(inFlight(49 - me.places.length)), ...waits, me }), ask);
    const again = { in: 250, kept: 740 };

    it.each([
      ["after one with fewer places", state([], { 0: since(0) }), 1, again],
      ["before one with more places", state([], { 0: since(9) }), -1, "granted"],
    ])("%s", (_, waiting, more, expected) => {
      const mine = Math.max(0, more);
      const theirs = Math.max(0, -more);
      const window = windowOf({
        full: state(inFlight(49 - mine - theirs)),
        waiting: { ...waiting, places: inFlight(theirs) },
        me: state(inFlight(mine), { 0: since(5) }),
      });
      expect(next(window)).toEqual(expected);
    });

    it("after a key that waits longer with as many slots, but not after one that waits as long", () => {
      expect(oneFree({ one: state([], { 0: since(6) }) }, state([], { 0: since(5) }))).toEqual(again);
      expect(oneFree({ one: state([], { 0: since(5) }) }, state([], { 0: since(5) }))).toBe("granted");
      expect(oneFree({ one: state([], { 0: since(1) }) }, state([]))).toEqual(again);
    });

    it("as an interactive request before every batch request", () => {
      expect(oneFree({ one: state([], { 1: since(9) }) }, state([], { 1: since(9) }))).toBe("granted");
    });

    it("as a batch request after every interactive one, its own as well", () => {
      const interactive = { one: { ...state([], { 0: since(0) }) } };
      expect(oneFree(interactive, state([], { 1: since(9) }), BATCH)).toEqual(again);
      expect(oneFree({}, state([], { 0: since(0), 1: since(9) }), BATCH)).toEqual(again);
    });

    it("within the share of batch requests", () => {
      const full = () => state([...inFlight(9, 1), ...freeBatch(3_000)]);
      expect(next(windowOf({ full: full() }), BATCH)).toEqual({ in: 3_000, kept: 3_490 });
      expect(next(windowOf({ full: full() }))).toBe("granted");
      const one = { one: state([], { 1: since(9) }) };
      expect(next(windowOf({ full: state(inFlight(9, 1)), ...one }), BATCH)).toEqual(again);
      expect(next(windowOf({ full: state(inFlight(8, 1)), ...one }), BATCH)).toBe("granted");
      // Batch requests also count towards the limit of the application as a whole.
      expect(next(windowOf({ full: state(inFlight(49)) }), BATCH)).toBe("granted");
      expect(next(windowOf({ full: state(inFlight(49)), ...one }), BATCH)).toEqual(again);
      expect(next(windowOf({ full: state([...inFlight(41), ...inFlight(9, 1)]) }))).toEqual(again);
      // An interactive request does not take a slot from the batch requests, even if its turn is earlier.
      const interactive = { one: state([], { 0: since(9) }) };
      expect(next(windowOf({ full: state(inFlight(9, 1)), ...interactive }), BATCH)).toBe("granted");
    });
  });
});

describe("the time of a window", () => {
  it("frees slots, ends waits and drops keys exactly on time", () => {
    const keys = {
      places: { knownUntil: 0, places: free(0, 1), waits: {} },
      waits: { knownUntil: 0, places: [], waits: { 0: [0, NOW], 1: [0, NOW + 1] } as KeyState["waits"] },
      known: { knownUntil: NOW + 1, places: [], waits: {} },
      gone: { knownUntil: NOW, places: free(0), waits: { 0: [0, NOW] } as KeyState["waits"] },
    };
    const window = windowOf(keys);
    tidy(window, NOW);
    expect(window.keys).toEqual({
      places: { knownUntil: 0, places: free(1), waits: {} },
      waits: { knownUntil: 0, places: [], waits: { 1: [0, NOW + 1] } },
      known: { knownUntil: NOW + 1, places: [], waits: {} },
    });
  });

  it("ends with the last time that has an effect", () => {
    const key = (knownUntil: number, places: Place[], waits: KeyState["waits"]) => ({ knownUntil, places, waits });
    expect([
      endOf({ ...windowOf({ a: key(7, free(-NOW + 5), { 0: [9, 6] }) }), blockedUntil: 4 }),
      endOf({ ...windowOf({ a: key(4, free(-NOW + 5), { 0: [9, 6] }) }), blockedUntil: 4 }),
      endOf({ ...windowOf({ a: key(4, free(-NOW + 5), {}) }), blockedUntil: 4 }),
      endOf({ ...windowOf({ a: key(3, [], {}) }), blockedUntil: 4 }),
    ]).toEqual([7, 6, 5, 4]);
  });

  it("is the end of a block only while the block lasts", () => {
    const window = windowOf({ a: state([...inFlight(1), ...free(30, 20)]) });
    expect(usage({ ...window, blockedUntil: NOW }, NOW)).toEqual({ used: 3, at: NOW + 20 });
    expect(usage({ ...window, blockedUntil: NOW + 1 }, NOW)).toEqual({ used: 3, at: NOW + 1 });
    expect(reserve({ ...window, blockedUntil: NOW }, ASK, NOW)).toEqual({ granted: true });
    const blocked = { granted: false, at: NOW + 1, blocked: true };
    expect(reserve({ ...window, blockedUntil: NOW + 1 }, ASK, NOW)).toEqual(blocked);
  });

  it("counts from the response to a request, and a slot records whether a batch request holds it", () => {
    const window = windowOf({ a: state([...inFlight(1), ...inFlight(1, 1)]), b: state(inFlight(1)) });
    settle(window, "a", "slot 0", NOW + 49_000);
    settle(window, "a", "unknown", NOW + 49_000);
    settle(window, "nobody", "slot 0", NOW + 49_000);
    expect(window.keys.a?.places).toEqual([
      [NOW + 60_000, 1, "slot 0"],
      [NOW + 49_000, 0],
    ]);
    settle(window, "a", "slot 0", NOW + 49_000);
    expect(window.keys.a?.places).toEqual([
      [NOW + 49_000, 0],
      [NOW + 49_000, 1],
    ]);
    settle(window, "b", "slot 0", null);
    expect(window.keys.b?.places).toEqual([]);
  });
});
