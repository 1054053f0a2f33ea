import { type Clock, systemClock } from "../../core/clock.js";
import {
  type Checked,
  callable,
  checkOptions,
  type Fail,
  type Filled,
  methods,
  type OptionTable,
  oneOf,
  record,
} from "../../core/option-checks.js";
import type { Backoff } from "../../work/schedule.js";
import { atLeast, timeOf } from "../checks.js";
import type { WebhookEvent } from "../events.js";
import { canTake, type WebhookInbox, type WebhookRecords, type WebhookStore } from "../store.js";
import type { OutOfOrder } from "./dispatcher.js";
import { memoryStore } from "./memory-store.js";
import { safeReporter, type WebhookReporter } from "./reports.js";
import type { Router, WebhookContext, WebhookListener, WebhookListeners } from "./router.js";

/** Options for handing events to listeners. */
export interface WebhookWorkerOptions {
  /** Called for every event, like a listener for `*`. */
  readonly onEvent?: WebhookListener | undefined;
  /** Listeners by pattern. All matching listeners are called in the given order, one after another, after `onEvent`. */
  readonly on?: WebhookListeners | undefined;
  /**
   * The store in which deliveries wait. Default `memoryStore`, which loses them when the process ends. For an inbox
   * without `take`, a queue with its own workers calls `process`.
   */
  readonly store?: WebhookStore | WebhookInbox | undefined;
  /** Maximum number of deliveries handled at a time. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * Milliseconds that a listener may take for an event. Then `context.signal` is aborted, the attempt counts as failed
   * and its slot becomes free; a listener that ignores the signal may still run during the next attempt. Default
   * 60,000.
   */
  readonly listenerTimeoutMs?: number | undefined;
  /**
   * How many times a delivery is handed out before it is set aside. Default 12: about ten minutes with the default
   * backoff.
   */
  readonly maxAttempts?: number | undefined;
  /**
   * The pause before another attempt is a random fraction of a limit: `baseMs`, doubled with every attempt, but at most
   * `maxMs`, in milliseconds. Default 1,000 and 300,000.
   */
  readonly backoff?: { readonly baseMs?: number | undefined; readonly maxMs?: number | undefined } | undefined;
  /**
   * Milliseconds for which the store hides a delivery from other takers; renewed while listeners work. Default 30,000.
   * Give all workers of one inbox the same `leaseMs` and `backoff`: in SQLite and Postgres, a worker ends, within the
   * hour, any wait that exceeds its own settings, because a wrong clock may have set it.
   */
  readonly leaseMs?: number | undefined;
  /**
   * Treatment of an event that is older, by `updated_at`, than an already handled version of its record: `deliver` does
   * not compare, `drop` skips the event, `mark` sets `context.outOfOrder`. With `drop` and `mark`, the events of a
   * record are handled one after another. Events without `updated_at` are never dropped or marked. Default `deliver`.
   */
  readonly outOfOrder?: OutOfOrder | undefined;
  /** Called for a delivery that failed `maxAttempts` times, before the store sets it aside. */
  readonly onDead?: ((event: WebhookEvent, context: WebhookContext, error: unknown) => unknown) | undefined;
  /**
   * Called for every action of the receiver. Without it, problems that need human attention are logged to the console,
   * and the failures of a listener only once per outage.
   */
  readonly report?: WebhookReporter | undefined;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

const BACKOFF = {
  baseMs: [/* @__PURE__ */ atLeast(0)],
  maxMs: [/* @__PURE__ */ atLeast(0)],
} satisfies OptionTable<NonNullable<WebhookWorkerOptions["backoff"]>>;

export const WORKER_OPTIONS = {
  onEvent: [callable<WebhookListener>],
  on: [record<WebhookListeners>, {}],
  store: [checkStore],
  concurrency: [/* @__PURE__ */ atLeast(1), 10],
  listenerTimeoutMs: [/* @__PURE__ */ atLeast(1)],
  maxAttempts: [/* @__PURE__ */ atLeast(1), 12],
  backoff: [checkBackoff],
  leaseMs: [/* @__PURE__ */ atLeast(1), 30_000],
  outOfOrder: [/* @__PURE__ */ oneOf<OutOfOrder>("deliver", "drop", "mark"), "deliver"],
  onDead: [callable<NonNullable<WebhookWorkerOptions["onDead"]>>],
  report: [callable<WebhookReporter>],
  clock: [checkClock, systemClock],
} satisfies OptionTable<WebhookWorkerOptions>;

export type WorkerOptions = Filled<typeof WORKER_OPTIONS>;

export interface WorkerSettings extends Omit<WorkerOptions, "backoff"> {
  readonly store: WebhookStore | WebhookInbox;
  readonly backoff: Backoff;
  readonly listenerTimeoutMs: number;
  readonly report: WebhookReporter;
}

/** Fills in the defaults that `WORKER_OPTIONS` lacks because a receiver sets them differently. */
export function workerSettings(options: WorkerOptions): WorkerSettings {
  const { store = memoryStore(), listenerTimeoutMs = 60_000, report, clock } = options;
  const { baseMs = 1_000, maxMs = 300_000 } = options.backoff ?? {};
  const backoff = { firstMs: baseMs, mostMs: maxMs };
  return { ...options, store, listenerTimeoutMs, backoff, report: safeReporter(report, clock) };
}

function checkStore(option: string, store: WebhookStore | WebhookInbox, fail: Fail): WebhookStore | WebhookInbox {
  methods<WebhookInbox>("put")(option, store, fail);
  if (canTake(store)) {
    methods<WebhookStore>("take", "extend", "done", "retry", "dead")(option, store, fail);
    atLeast(0)(`${option}.pollMs`, store.pollMs ?? 0, fail);
  }
  const { records } = store;
  if (records) methods<WebhookRecords>("lock", "unlock", "newest", "handled")(`${option}.records`, records, fail);
  return store;
}

function checkBackoff(option: string, backoff: object, fail: Fail): Checked<typeof BACKOFF> {
  return checkOptions(backoff, BACKOFF, fail, `${option}.`);
}

function checkClock(option: string, clock: Clock, fail: Fail): Clock {
  methods<Clock>("now", "setTimeout", "clearTimeout")(option, clock, fail);
  timeOf(`${option}.now`, () => clock.now());
  return clock;
}

/** Adds the listeners of the options. @throws ConfigurationError if a pattern or a listener is invalid. */
export function addListeners(router: Router, { onEvent, on }: Pick<WorkerOptions, "onEvent" | "on">): void {
  if (onEvent !== undefined) router.add("*", onEvent);
  for (const [pattern, listener] of Object.entries(on)) {
    if (listener !== undefined) router.add(pattern, listener);
  }
}
