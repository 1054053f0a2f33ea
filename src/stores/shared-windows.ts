import type {
  RateLimitBlock,
  RateLimitStore,
  RateLimitUsage,
  Reservation,
  ReserveRequest,
  Settlement,
} from "../core/limits/rate-limit-store.js";
import { LastKnown } from "./last-known.js";
import type { RateLimitSettings } from "./options.js";
import { block, endOf, newWindow, reserve, settle, tidy, usage, type Window } from "./turns.js";

/** What a database keeps of a window. */
export interface WindowRow {
  /** Null while nobody has used the window. */
  readonly state: string | null;
  /** Another one after each change; 0 while there is no row. */
  readonly version: number;
}

/** Rows of a database, one for each window; a row changes only if nobody else has changed it meanwhile. */
export interface WindowRows {
  /** The row, and the database's time in milliseconds. */
  read(window: string): MaybePromise<WindowRow & { readonly now: number }>;
  /**
   * Replaces the row that has a version. False when its version is another one by now.
   * @param keepMs after how many milliseconds nothing of the row matters any more.
   */
  swap(window: string, version: number, next: WindowRow, keepMs: number): MaybePromise<boolean>;
}

type MaybePromise<Value> = Value | PromiseLike<Value>;

/** Something to do in a window, and who waits for it. */
interface Step {
  run(window: Window, now: number): void;
  resolve(): void;
  reject(error: unknown): void;
}

// After that a turn that a database has not ended holds up nobody: the caller has given up.
const HANGS_AFTER_MS = 5_000;

// A place of a request without a time limit.
const LONGEST_LEASE_MS = 86_400_000;

/**
 * A rate limit store on rows of a database. A turn of a window reads its row, does what was asked meanwhile, and swaps the
 * row; if another process was faster, it begins again.
 */
export class SharedWindows implements RateLimitStore {
  readonly processes: number;
  readonly #rows: WindowRows;
  readonly #application: string | null;
  readonly #lastKnown = new LastKnown();
  readonly #queues = new Map<string, Step[]>();
  /** The turn of each window that has one now, by when it began. */
  readonly #turns = new Map<string, { readonly startedAt: number }>();
  /**
   * The time of each window minus the database's, which may be set back. It is not stored: with SQLite the times of
   * processes may differ, and one that is ahead would add to it what the others had added because of it.
   */
  readonly #shifts = new Map<string, number>();

  constructor(rows: WindowRows, { application, processes }: RateLimitSettings) {
    this.processes = processes;
    this.#rows = rows;
    this.#application = application;
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    const { requests, batchRequests, priority, windowMs, leaseMs } = request;
    const ask = {
      key: this.#keyOf(request.key),
      shared: this.#application !== null,
      batch: priority === "batch" ? 1 : 0,
      requests,
      batchRequests,
      windowMs: Math.ceil(windowMs),
      leaseMs: Math.ceil(Math.min(leaseMs, Math.max(windowMs, LONGEST_LEASE_MS))),
      slot: Math.random().toString(36).slice(2),
    } as const;
    return this.#step(request.key, (window, now) => {
      const answer = reserve(window, ask, now);
      const { used, at } = usage(window, now);
      const callersTime = (time: number | null) => (time === null ? null : request.now + time - now);
      this.#lastKnown.remember(request.key, { used, resetAt: callersTime(at), until: request.now + ask.leaseMs });
      if (answer.granted) return { granted: true, slot: ask.slot, used };
      return {
        granted: false,
        retryAt: callersTime(answer.at),
        reason: answer.blocked ? "rate_limited" : "window",
      };
    });
  }

  settle({ key, slot, windowMs, sent }: Settlement): Promise<void> {
    return this.#step(key, (window, now) =>
      settle(window, this.#keyOf(key), slot, sent ? now + Math.ceil(windowMs) : null),
    );
  }

  block({ key, now, until }: RateLimitBlock): Promise<void> {
    return this.#step(key, (window, windowNow) => block(window, windowNow + Math.ceil(until - now)));
  }

  usage({ key, now }: { readonly key: string; readonly now: number }): RateLimitUsage {
    return this.#lastKnown.usage(key, now);
  }

  #keyOf(key: string): string {
    return this.#application === null ? "" : key;
  }

  /** Does something in the window of a key. */
  #step<Value>(key: string, run: (window: Window, now: number) => Value): Promise<Value> {
    const name = this.#application === null ? `key ${key}` : `application ${this.#application}`;
    return new Promise((resolve, reject) => {
      let value: Value;
      const queue = this.#queues.get(name) ?? [];
      this.#queues.set(name, queue);
      queue.push({
        run: (window, now) => {
          value = run(window, now);
        },
        resolve: () => resolve(value),
        reject,
      });
      void this.#turnsOf(name);
    });
  }

  /** Turns of a window, one after the other, until nothing is asked any more. */
  async #turnsOf(name: string): Promise<void> {
    const current = this.#turns.get(name);
    if (current && performance.now() - current.startedAt < HANGS_AFTER_MS) return;
    for (;;) {
      const steps = this.#queues.get(name) ?? [];
      this.#queues.delete(name);
      if (steps.length === 0) break;
      const turn = { startedAt: performance.now() };
      this.#turns.set(name, turn);
      try {
        await this.#turn(name, steps, turn.startedAt);
        for (const step of steps) step.resolve();
      } catch (error) {
        for (const step of steps) step.reject(error);
      }
      // This one hung, and a later one has begun.
      if (this.#turns.get(name) !== turn) return;
    }
    this.#turns.delete(name);
  }

  async #turn(name: string, steps: readonly Step[], startedAt: number): Promise<void> {
    while (performance.now() - startedAt < HANGS_AFTER_MS) {
      const { state, version, now: databaseNow } = await this.#rows.read(name);
      if (!Number.isFinite(databaseNow) || !Number.isFinite(version))
        throw new Error("The database returned no window");
      const window = state === null ? newWindow() : (JSON.parse(state) as Window);
      const now = this.#time(name, databaseNow, window.seen);
      window.seen = now;
      tidy(window, now);
      for (const step of steps) step.run(window, now);
      // A row that was removed and made again has no version that it had before.
      const next = { version: version === 0 ? Math.floor(databaseNow) : version + 1, state: JSON.stringify(window) };
      if (await this.#rows.swap(name, version, next, Math.max(1, Math.ceil(endOf(window) - now)))) return;
    }
    throw new Error("Other processes changed the window each time");
  }

  /** The window's own time. It never goes backwards. */
  #time(name: string, databaseNow: number, seen: number): number {
    const shift = this.#shifts.get(name) ?? 0;
    const now = Math.max(databaseNow + shift, seen);
    if (now > databaseNow + shift) this.#shifts.set(name, now - databaseNow);
    return now;
  }
}
