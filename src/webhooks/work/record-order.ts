import type { Clock } from "../../core/clock.js";
import { rememberAtMost } from "../bounded-map.js";
import type { RecordVersion, WebhookInbox, WebhookStore } from "../store.js";
import { callStore } from "./time-limit.js";

// Maximum number of records whose newest version is remembered; the least recently handled are forgotten first.
const MAX_RECORDS = 10_000;

/** Handles the events of a record one after another in this process, and tracks the newest version handled. */
export class RecordOrder {
  readonly #newest = new Map<string, number>();
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #store: WebhookInbox & Partial<Pick<WebhookStore, "newest">>;
  readonly #clock: Clock;

  constructor(store: WebhookInbox, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Calls `run` after all earlier work on the record has ended, and remembers the version if `run` resolves. */
  async inTurn<T>(record: string, version: RecordVersion | null, run: (isOlder: boolean) => Promise<T>): Promise<T> {
    const before = this.#tails.get(record);
    const turn = before ? before.then(() => this.#run(version, run)) : this.#run(version, run);
    const tail = turn.catch(() => undefined);
    this.#tails.set(record, tail);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(record) === tail) this.#tails.delete(record);
    }
  }

  async #run<T>(version: RecordVersion | null, run: (isOlder: boolean) => Promise<T>): Promise<T> {
    if (version === null) return run(false);
    const { record } = version;
    const newest = Math.max(this.#newest.get(record) ?? -Infinity, (await this.#storedVersion(record)) ?? -Infinity);
    const value = await run(version.updatedAt < newest);
    rememberAtMost(this.#newest, MAX_RECORDS, record, Math.max(newest, version.updatedAt));
    return value;
  }

  async #storedVersion(record: string): Promise<number | null> {
    const { records, newest } = this.#store;
    if (!records && !newest) return null;
    // Has a time limit: a store that hangs would otherwise block all later events of the record.
    const ask = async () => (records ? records.newest(record) : this.#store.newest?.(record)) ?? null;
    return callStore(this.#clock, "newest", ask);
  }
}
