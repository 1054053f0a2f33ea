import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WebhookInbox } from "../../src/webhooks/index.js";
import { webhookInboxTests } from "./suite/index.ts";
import { rightInbox } from "./support/right-inbox.ts";
import { resultOf, resultsOf } from "./support/suite-results.ts";
import { advance, foldsLaterOnly, foldsWithinAnHour, locks, resultsWith, type Wrong } from "./support/wrong-inboxes.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const LOCKS = "locks records for one holder";

describe("the tests of webhook inboxes", () => {
  it("pass a correct store, with or without optional methods", async () => {
    const results = await resultsWith(() => ({}));
    expect(Object.keys(results)).toHaveLength(14);
    expect(Object.values(results)).toEqual(Array(14).fill(null));
    expect(await resultsWith(() => ({ newest: undefined as never, records: undefined as never }))).toEqual(results);
  });

  it("wait less than 5 seconds in total on the machine's clock", async () => {
    let isOver = false;
    const results = resultsOf((test) => webhookInboxTests({ test, create: rightInbox }));
    void results.finally(() => {
      isOver = true;
    });
    let waited = 0;
    for (; waited < 5_000 && !isOver; waited++) await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
    expect(Object.values(await results)).toEqual(Array(14).fill(null));
    expect(waited).toBeGreaterThan(2_000);
  });

  it("are only the first three for an inbox whose deliveries a queue takes", async () => {
    const inbox = ({ put, records }: WebhookInbox): WebhookInbox => ({ put, records });
    const queue = await resultsOf((test) =>
      webhookInboxTests({ test, create: () => inbox(rightInbox()), takes: false, advance }),
    );
    expect(Object.values(queue)).toEqual([null, null, null]);
    const store = await resultsOf((test) => webhookInboxTests({ test, create: () => inbox(rightInbox()), advance }));
    expect(Object.values(store).slice(3)).toEqual(Array(11).fill("the store has take; without it, pass takes: false"));
  });

  it.each<[wrong: string, store: Wrong, test: string, message: string]>([
    ["stores nothing", () => ({ put: async () => "duplicate" }), "stores a delivery once", "a new delivery is stored"],
    [
      "calls no delivery a duplicate",
      () => ({ put: async () => "stored" }),
      "stores a delivery once",
      "a known delivery is a duplicate",
    ],
    [
      "knows deliveries by their event",
      ({ put }) => ({ put: (delivery) => put({ ...delivery, id: delivery.event }) }),
      "stores a delivery once",
      "another delivery is stored",
    ],
    [
      "ignores the key that folds",
      ({ put }) => ({ put: (delivery) => put({ ...delivery, foldKey: null }) }),
      "recognizes a copy",
      "an equal one within an hour is a duplicate",
    ],
    [
      "folds whatever had a key within an hour",
      foldsWithinAnHour,
      "recognizes a copy",
      "one that is equal to the last but one is another change",
    ],
    [
      "folds only what was sent later",
      foldsLaterOnly,
      "recognizes a copy",
      "one that was sent before an equal one is a duplicate",
    ],
    [
      "folds whatever has a key",
      ({ put }) => ({ put: (delivery) => put({ ...delivery, foldKey: delivery.foldKey && "any" }) }),
      "recognizes a copy",
      "another key is stored",
    ],
    [
      "stores nothing that has a key",
      ({ put }) => ({ put: async (delivery) => (delivery.foldKey === null ? put(delivery) : "duplicate") }),
      "recognizes a copy",
      "the first one is stored",
    ],
    [
      "knows no hour",
      ({ put }) => ({ put: (delivery) => put({ ...delivery, sentAt: 9_000_000 }) }),
      "recognizes a copy",
      "an equal one after an hour is another change",
    ],
    [
      "knows no records",
      ({ put }) => ({ put: (delivery) => put({ ...delivery, record: "r" }) }),
      "recognizes a copy",
      "another record's lies not between",
    ],
    ["locks nothing", locks(() => ({ lock: async () => false })), LOCKS, "a free record is locked"],
    [
      "locks a record for all who ask",
      locks(() => ({ lock: async () => true })),
      LOCKS,
      "a locked record is not locked by another holder",
    ],
    [
      "never locks a record again",
      locks(({ lock }) => {
        const known = new Set<string>();
        return {
          async lock(record, holder, until) {
            if (known.has(record)) return false;
            known.add(record);
            return lock(record, holder, until);
          },
        };
      }),
      LOCKS,
      "a holder moves the end of its lock",
    ],
    [
      "lets anybody end a lock",
      locks(({ unlock }) => ({ unlock: (record) => unlock(record, "one") })),
      LOCKS,
      "another holder cannot unlock it",
    ],
    [
      "keeps the first end of a lock",
      locks(({ lock }) => {
        let first: number | undefined;
        return {
          lock(record, holder, until) {
            first ??= until;
            return lock(record, holder, first);
          },
        };
      }),
      LOCKS,
      "a lock ends by itself",
    ],
    ["never ends a lock", locks(() => ({ unlock: async () => undefined })), LOCKS, "an unlocked record is free"],
    [
      "makes up a version",
      locks(({ newest }) => ({ newest: async (record) => (await newest(record)) ?? 0 })),
      LOCKS,
      "no version is known",
    ],
    [
      "remembers the last version of a record",
      locks(() => {
        let last: number | null = null;
        return {
          newest: async () => last,
          handled: async ({ updatedAt }) => {
            last = updatedAt;
          },
        };
      }),
      LOCKS,
      "the newest version is remembered",
    ],
    [
      "hands out all it has",
      ({ take }) => ({ take: (request) => take({ ...request, limit: 100 }) }),
      "hands out what it was given",
      "the two oldest come",
    ],
    [
      "hands out the newest first",
      ({ take }) => ({
        take: async (request) => (await take({ ...request, limit: 100 })).slice(-request.limit).reverse(),
      }),
      "hands out what it was given",
      "the two oldest come",
    ],
    [
      "changes bodies",
      ({ put }) => ({ put: (delivery) => put({ ...delivery, payload: delivery.payload.toUpperCase() }) }),
      "hands out what it was given",
      "it is what was stored",
    ],
    [
      "counts attempts from 0",
      ({ take }) => ({
        take: async (request) => (await take(request)).map((one) => ({ ...one, attempt: one.attempt - 1 })),
      }),
      "hands out what it was given",
      "it is what was stored, as the first attempt",
    ],
    [
      "hides nothing",
      ({ take }) => ({ take: (request) => take({ ...request, leaseUntil: request.now }) }),
      "hides what it handed out",
      'what is handed out is ""; found ["a"]',
    ],
    [
      "never ends a lease",
      ({ take }) => ({ take: (request) => take({ ...request, leaseUntil: Infinity }) }),
      "hides what it handed out",
      "it comes as the second attempt",
    ],
    [
      "counts one attempt only",
      ({ take }) => ({ take: async (request) => (await take(request)).map((one) => ({ ...one, attempt: 1 })) }),
      "hides what it handed out",
      "it comes as the second attempt",
    ],
    [
      "hands a delivery to all who ask meanwhile",
      ({ take }) => {
        let running: ReturnType<typeof take> | undefined;
        return {
          take(request) {
            running ??= take(request).finally(() => {
              running = undefined;
            });
            return running;
          },
        };
      },
      "hands every delivery to one",
      "each of 30 comes once",
    ],
    [
      "loses a delivery of a large take",
      ({ take }) => ({ take: async (request) => (await take(request)).filter((_, at) => at < 4) }),
      "hands every delivery to one",
      "each of 30 comes once; found 24",
    ],
    [
      "does not move the end of a lease",
      () => ({ extend: async () => undefined }),
      "moves the end of a lease",
      'what is handed out is ""; found ["a"]',
    ],
    [
      "ends no lease that was moved",
      ({ extend }) => ({ extend: (id, _, attempt) => extend(id, Infinity, attempt) }),
      "moves the end of a lease",
      'what is handed out is "a"; found []',
    ],
    [
      "makes a delivery available again for whoever had it",
      ({ retry }) => ({ retry: (id, at) => retry(id, at, undefined as never) }),
      "fences an owner",
      'what is handed out is ""; found ["a"]',
    ],
    [
      "sets a delivery aside for whoever had it",
      ({ dead }) => ({ dead: (id) => dead(id, undefined as never) }),
      "fences an owner",
      'what is handed out is "a"; found []',
    ],
    [
      "moves a lease for whoever had it",
      ({ extend }) => ({ extend: (id, until) => extend(id, until, undefined as never) }),
      "fences an owner",
      'what is handed out is ""; found ["a"]',
    ],
    [
      "fences everybody",
      () => ({ retry: async () => undefined }),
      "fences an owner",
      'what is handed out is "a"; found []',
    ],
    [
      "makes a delivery available at once",
      ({ retry }) => ({ retry: (id, _, attempt) => retry(id, 0, attempt) }),
      "makes a delivery available again at a time",
      'what is handed out is ""; found ["a"]',
    ],
    [
      "makes a delivery available a second late",
      ({ retry }) => ({ retry: (id, at, attempt) => retry(id, at + 1_000, attempt) }),
      "makes a delivery available again at a time",
      'what is handed out is "a"; found []',
    ],
    [
      "hands out what was handled",
      () => ({ done: async () => undefined }),
      "never hands out what was handled",
      'what is handed out is ""; found ["a"]',
    ],
    [
      "hands out what was set aside",
      () => ({ dead: async () => undefined }),
      "never hands out what was handled",
      'what is handed out is ""; found ["b"]',
    ],
    [
      "forgets what was handled",
      ({ put, done }) => {
        const handled = new Set<string>();
        return {
          put: async (delivery) => (handled.has(delivery.id) ? "stored" : put(delivery)),
          async done(id, version) {
            handled.add(id);
            await done(id, version);
          },
        };
      },
      "never hands out what was handled",
      "a handled delivery is a duplicate",
    ],
    [
      "knows a key for ever",
      ({ put }) => {
        const keys = new Set<string>();
        return {
          async put(delivery) {
            if (delivery.foldKey !== null && keys.has(delivery.foldKey)) return "duplicate";
            if (delivery.foldKey !== null) keys.add(delivery.foldKey);
            return put(delivery);
          },
        };
      },
      "recognizes a copy",
      "an equal one after an hour is another change",
    ],
    [
      "stores a delivery with a known key, and never hands it out",
      ({ put }) => {
        const keys = new Set<string | null>();
        return {
          async put(delivery) {
            if (keys.has(delivery.foldKey)) return "stored";
            keys.add(delivery.foldKey);
            return put(delivery);
          },
        };
      },
      "hands out an equal delivery",
      'what is handed out is "d3"; found []',
    ],
    [
      "hands out all deliveries of a record",
      ({ take }) => ({ take: (request) => take({ ...request, onePerRecord: false }) }),
      "hands out one delivery of a record",
      'what is handed out is "a1,b1,none"; found ["a1","a2","b1","none"]',
    ],
    [
      "takes deliveries of no record for those of one",
      ({ put }) => ({ put: (delivery) => put({ ...delivery, record: delivery.record ?? "b" }) }),
      "hands out one delivery of a record",
      'what is handed out is "a1,b1,none"; found ["a1","b1"]',
    ],
    [
      "keeps a record locked when its delivery was handled",
      ({ take, done }) => {
        let isFirst = true;
        return {
          take: async (request) => (isFirst || !request.onePerRecord ? take(request) : []),
          async done(id, version) {
            isFirst = false;
            await done(id, version);
          },
        };
      },
      "hands out one delivery of a record",
      'what is handed out is "a2"; found []',
    ],
    [
      "hands out no record again",
      ({ take }) => {
        const known = new Set<string>();
        return {
          async take(request) {
            const taken = await take(request);
            const fresh = taken.filter(({ id }) => !known.has(id));
            for (const { id } of fresh) known.add(id);
            return fresh;
          },
        };
      },
      "hands out one delivery of a record",
      'what is handed out is "a2,b1,none"; found []',
    ],
    [
      "holds up a record until the next attempt",
      ({ extend }) => ({ retry: extend }),
      "lets a delivery that waits",
      'what is handed out is "a2"; found []',
    ],
    [
      "makes up a newest version",
      ({ newest }) => ({ newest: async (record) => (await newest(record)) ?? 0 }),
      "remembers the newest version",
      "no version is known",
    ],
    [
      "remembers no version",
      () => ({ newest: async () => null }),
      "remembers the newest version",
      "the newest version is remembered",
    ],
  ])("fail for a store that %s", async (_, wrong, name, message) => {
    expect(resultOf(`webhook inbox: ${name}`, await resultsWith(wrong))).toContain(message);
  });
});
