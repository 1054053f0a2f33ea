import type {
  RateLimitBlock,
  RateLimitStore,
  RateLimitUsage,
  Reservation,
  ReserveRequest,
  Settlement,
} from "../core/limits/rate-limit-store.js";
import { rememberAtMost } from "../webhooks/bounded-map.js";
import type { RateLimitSettings } from "./options.js";
import { type Ran, RULES, type Step } from "./turns.js";
import { type Append, type LogPart, WindowLog } from "./window-log.js";

export type RunStep = (window: string, step: Step) => Ran | PromiseLike<Ran>;

// Limits how long a request without a time limit occupies a place in its window.
const LONGEST_LEASE_MS = 86_400_000;

// Limits the number of logs, because every replaced token leaves a log behind.
const MAX_LOGS = 1_000;

/**
 * Runs each step by adding it to a window's log, whose entries the database orders. Each version of `RULES` has its own
 * logs, because processes with different rules would reach different decisions from the same entries. If `isPooled`,
 * entries take up connections of a pool, so only a few are added at a time.
 */
export function throughLogs(
  append: (window: string, append: Append) => PromiseLike<LogPart>,
  { isPooled }: { readonly isPooled: boolean },
): RunStep {
  const logs = new Map<string, WindowLog>();
  return (window, step) => {
    const log = logs.get(window) ?? new WindowLog((more) => append(`${RULES} ${window}`, more), isPooled);
    rememberAtMost(logs, MAX_LOGS, window, log);
    return log.run(step);
  };
}

// Limits the size of `#known`, because every replaced token leaves an entry behind.
const MAX_KEYS = 1_000;

interface Known extends RateLimitUsage {
  /** The time by which all used slots are free. */
  readonly until: number;
}

export class SharedWindows implements RateLimitStore {
  readonly processes: number;
  readonly #run: RunStep;
  /** Null if each key has its own window. */
  readonly application: string | null;
  /** The database's last reply for each key, with times converted to the caller's clock. */
  readonly #known = new Map<string, Known>();

  constructor(run: RunStep, { application, processes }: RateLimitSettings) {
    this.processes = processes;
    this.#run = run;
    this.application = application;
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    const { requests, batchRequests, priority, windowMs } = request;
    const leaseMs = Math.ceil(Math.min(request.leaseMs, Math.max(windowMs, LONGEST_LEASE_MS)));
    const slot = Math.random().toString(36).slice(2);
    const { answer, now, used, at } = await this.#step(request.key, {
      do: "reserve",
      key: this.#keyOf(request.key),
      shared: this.application !== null,
      batch: priority === "batch" ? 1 : 0,
      requests,
      batchRequests,
      windowMs: Math.ceil(windowMs),
      leaseMs,
      slot,
    });
    const callersTime = (time: number | null) => (time === null ? null : request.now + time - now);
    const known = { used, resetAt: callersTime(at), until: request.now + leaseMs };
    rememberAtMost(this.#known, MAX_KEYS, request.key, known);
    if (!answer) throw new Error("The database returned no result");
    if (answer.granted) return { granted: true, slot, used };
    return { granted: false, retryAt: callersTime(answer.at), reason: answer.blocked ? "rate_limited" : "window" };
  }

  async settle({ key, slot, windowMs, sent }: Settlement): Promise<void> {
    const freesInMs = sent ? Math.ceil(windowMs) : null;
    await this.#step(key, { do: "settle", key: this.#keyOf(key), slot, freesInMs, agoMs: 0 });
  }

  async block({ key, now, until }: RateLimitBlock): Promise<void> {
    await this.#step(key, { do: "block", ms: Math.ceil(until - now) });
  }

  usage({ key, now }: { readonly key: string; readonly now: number }): RateLimitUsage {
    const known = this.#known.get(key);
    if (!known || known.until <= now) return { used: 0, resetAt: null };
    const { used, resetAt } = known;
    return { used, resetAt: resetAt !== null && resetAt <= now ? null : resetAt };
  }

  #keyOf(key: string): string {
    return this.application === null ? "" : key;
  }

  async #step(key: string, step: Step): Promise<Ran> {
    const name = this.application === null ? `key ${key}` : `application ${this.application}`;
    return this.#run(name, step);
  }
}
