import type {
  ReceivedDelivery,
  TakenDelivery,
  TakeRequest,
  WebhookInbox,
  WebhookStore,
} from "education-admin-sdk/webhooks";
import { check, inTime, type TestFunction, type TestTime } from "./check.ts";

/** Options of `webhookInboxTests`. */
export interface WebhookInboxTests {
  /** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. */
  readonly test: TestFunction;
  /** Makes an empty inbox. Called once for each test. */
  readonly create: () => WebhookInbox | PromiseLike<WebhookInbox>;
  /**
   * False for an inbox from which a queue takes the deliveries: then only `put` and `records` are tested. The default,
   * true, is for a store from which the library takes the deliveries.
   */
  readonly takes?: boolean | undefined;
  /**
   * Advances the clock of a store that has its own clock for tests. For a store that uses the times in its arguments,
   * pass `() => {}`. Without this option the tests wait for less than 5 seconds in total.
   */
  readonly advance?: ((ms: number) => unknown) | undefined;
}

const LEASE = 300;

/**
 * Registers the tests that every inbox for webhooks must pass.
 * @example
 * import { test } from "node:test";
 *
 * webhookInboxTests({ test, create: () => memoryStore(), advance: () => {} });
 */
export function webhookInboxTests({ test, create, takes = true, advance }: WebhookInboxTests): void {
  test("webhook inbox: stores a delivery once", async () => {
    const inbox = await create();
    check((await inbox.put(delivery("a"))) === "stored", "a new delivery is stored");
    check((await inbox.put(delivery("a"))) === "duplicate", "a known delivery is a duplicate");
    check((await inbox.put(delivery("b"))) === "stored", "another delivery is stored");
  });

  test("webhook inbox: recognizes a copy of a record's last delivery, and of one that was sent later", async () => {
    const inbox = await create();
    let count = 0;
    const put = (foldKey: string | null, sentAt: number, record = "r") =>
      inbox.put({ ...delivery(`d${++count}`), record, foldKey, sentAt });
    check((await put("open", 9_000_000)) === "stored", "the first one is stored");
    check((await put("open", 12_500_000)) === "duplicate", "an equal one within an hour is a duplicate");
    check((await put("open", 12_600_000)) === "stored", "an equal one after an hour is another change");
    check((await put("paid", 12_600_000)) === "stored", "another key is stored");
    check((await put("open", 12_600_000)) === "stored", "one that is equal to the last but one is another change");
    check((await put(null, 12_600_000)) === "stored", "one without a key is stored");
    check((await put("open", 12_600_000)) === "stored", "one without a key is another change, too");
    check((await put("else", 12_600_000, "s")) === "stored", "another record's is stored");
    check((await put("open", 12_600_001)) === "duplicate", "another record's lies not between");
    check((await put("paid", 12_599_999)) === "duplicate", "one that was sent before an equal one is a duplicate");
  });

  const register = (name: string, run: (inbox: WebhookInbox, time: TestTime) => Promise<void>) =>
    test(`webhook inbox: ${name}`, async () => inTime(advance, async (time) => run(await create(), time)));

  register("locks records for one holder at a time and remembers their newest version", async ({ records }, time) => {
    if (!records) return;
    const lock = async (holder: string, ms = 10_000) => records.lock("r", holder, time.now() + ms);
    check(await lock("one"), "a free record is locked");
    check(!(await lock("two")), "a locked record is not locked by another holder");
    check(await lock("one", 200), "a holder moves the end of its lock");
    await records.unlock("r", "two");
    check(!(await lock("two")), "another holder cannot unlock it");
    await time.pass(250);
    check(await lock("two"), "a lock ends by itself");
    await records.unlock("r", "two");
    check(await lock("one"), "an unlocked record is free");
    check((await records.newest("r")) === null, "no version is known of a record that was never handled");
    for (const updatedAt of [5, 9, 7]) await records.handled({ record: "r", updatedAt });
    check((await records.newest("r")) === 9, "the newest version is remembered");
  });

  if (!takes) return;
  const define = (name: string, run: (trial: Trial) => Promise<void>) =>
    register(name, async (store, time) => {
      check("take" in store, "the store has take; without it, pass takes: false");
      await run(new Trial(store as WebhookStore, time));
    });

  define("hands out what it was given, unchanged, the oldest first, at most as many as asked for", async (trial) => {
    const first = { ...delivery("a"), payload: `{"ü":"\\u0000 'quoted'"}`, sentAt: 12_000, receivedAt: 1 };
    await trial.store.put(first);
    await trial.store.put({ ...delivery("b"), receivedAt: 2 });
    await trial.store.put({ ...delivery("c"), receivedAt: 3 });
    const taken = await trial.take({ limit: 2 });
    check(taken.map(({ id }) => id).join() === "a,b", "the two oldest come", taken);
    const { record: _record, foldKey: _foldKey, ...kept } = first;
    const isSame = Object.entries(kept).every(([name, value]) => taken[0]?.[name as keyof TakenDelivery] === value);
    check(isSame && taken[0]?.attempt === 1, "it is what was stored, as the first attempt", taken[0]);
  });

  define("hides what it handed out until the lease ends, and then hands it out again", async (trial) => {
    await trial.store.put(delivery("a"));
    await trial.ids("a");
    await trial.ids("");
    await trial.time.pass(LEASE + 20);
    const [again] = await trial.take();
    check(again?.id === "a" && again.attempt === 2, "it comes as the second attempt", again);
  });

  define("hands every delivery to one of many takers", async (trial) => {
    for (let at = 0; at < 30; at++) await trial.store.put(delivery(`d${at}`));
    const taken = (await Promise.all(Array.from({ length: 10 }, () => trial.take({ limit: 5 })))).flat();
    check(new Set(taken.map(({ id }) => id)).size === 30 && taken.length === 30, "each of 30 comes once", taken.length);
  });

  define("moves the end of a lease", async (trial) => {
    await trial.store.put(delivery("a"));
    await trial.ids("a");
    await trial.store.extend("a", trial.time.now() + 3 * LEASE, 1);
    await trial.time.pass(LEASE + 50);
    await trial.ids("");
    await trial.time.pass(2 * LEASE);
    await trial.ids("a");
  });

  define("fences an owner whose delivery was handed out again", async (trial) => {
    await trial.store.put(delivery("a"));
    await trial.ids("a");
    await trial.time.pass(LEASE + 20);
    await trial.ids("a");
    await trial.store.retry("a", trial.time.now() - 1, 1);
    await trial.store.dead("a", 1);
    await trial.store.extend("a", trial.time.now() - 1, 1);
    await trial.ids("");
    await trial.store.retry("a", trial.time.now() - 1, 2);
    await trial.ids("a");
  });

  define("makes a delivery available again at a time", async (trial) => {
    await trial.store.put(delivery("a"));
    await trial.ids("a");
    await trial.store.retry("a", trial.time.now() + 150, 1);
    await trial.ids("");
    await trial.time.pass(170);
    await trial.ids("a");
    await trial.store.retry("a", trial.time.now() - 1, 2);
    await trial.ids("a");
  });

  define("never hands out what was handled or set aside, and knows it when it comes again", async (trial) => {
    for (const id of ["a", "b"]) await trial.store.put(delivery(id));
    await trial.ids("a,b");
    await trial.store.done("a", null);
    await trial.store.dead("b", 1);
    await trial.time.pass(LEASE + 20);
    await trial.ids("");
    check((await trial.store.put(delivery("a"))) === "duplicate", "a handled delivery is a duplicate");
  });

  define("hands out an equal delivery that is another change, and no copy of one that was handled", async (trial) => {
    const [first, other] = ["key", "other"].map((foldKey) => ({ ...delivery(""), record: "r", foldKey }));
    for (const [at, one] of [first, first, other, first].entries()) {
      await trial.store.put({ ...(one as ReceivedDelivery), id: `d${at}` });
      await trial.ids(at === 1 ? "" : `d${at}`);
      await trial.store.done(`d${at}`, null);
    }
  });

  define("hands out one delivery of a record at a time, the oldest first", async (trial) => {
    for (const [at, id] of ["a1", "a2", "b1"].entries()) {
      await trial.store.put({ ...delivery(id), record: id.slice(0, 1), receivedAt: at + 1 });
    }
    await trial.store.put({ ...delivery("none"), receivedAt: 4 });
    const onePerRecord = { onePerRecord: true };
    await trial.ids("a1,b1,none", onePerRecord);
    await trial.ids("", onePerRecord);
    await trial.store.done("a1", null);
    await trial.ids("a2", onePerRecord);
    await trial.time.pass(LEASE + 20);
    await trial.ids("a2,b1,none", onePerRecord);
  });

  define("lets a delivery that waits for another attempt not hold up its record", async (trial) => {
    for (const [at, id] of ["a1", "a2"].entries()) {
      await trial.store.put({ ...delivery(id), record: "a", receivedAt: at + 1 });
    }
    await trial.ids("a1", { onePerRecord: true });
    await trial.store.retry("a1", trial.time.now() + 60_000, 1);
    await trial.ids("a2", { onePerRecord: true });
  });

  define("remembers the newest version of a record, if it remembers any", async (trial) => {
    if (!trial.store.newest) return;
    check((await trial.store.newest("r")) === null, "no version is known of a record that was never handled");
    for (const [at, updatedAt] of [5, 9, 7].entries()) {
      await trial.store.put(delivery(`d${at}`));
      await trial.ids(`d${at}`);
      await trial.store.done(`d${at}`, { record: "r", updatedAt });
    }
    check((await trial.store.newest("r")) === 9, "the newest version is remembered");
  });
}

function delivery(id: string): ReceivedDelivery {
  return { id, event: "a.b", payload: "{}", receivedAt: Date.now(), sentAt: null, record: null, foldKey: null };
}

/** The store and the clock of one test. */
class Trial {
  readonly store: WebhookStore;
  readonly time: TestTime;

  constructor(store: WebhookStore, time: TestTime) {
    this.store = store;
    this.time = time;
  }

  async take(more: Partial<TakeRequest> = {}): Promise<readonly TakenDelivery[]> {
    const now = this.time.now();
    return this.store.take({ limit: 100, now, leaseUntil: now + LEASE, onePerRecord: false, ...more });
  }

  /** Takes deliveries and checks their ids. */
  async ids(expected: string, more: Partial<TakeRequest> = {}): Promise<void> {
    const ids = (await this.take(more)).map(({ id }) => id).sort();
    check(ids.join() === expected, `what is handed out is "${expected}"`, ids);
  }
}
