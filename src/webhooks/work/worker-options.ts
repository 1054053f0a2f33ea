import { type Clock, systemClock } from "../../core/clock.js";
import { ConfigurationError } from "../../core/errors.js";
import { atLeast, checkFunction, checkMethods, checkNames, isObject, oneOf, timeOf } from "../checks.js";
import type { WebhookEvent } from "../events.js";
import { canTake, type WebhookInbox, type WebhookStore } from "../store.js";
import type { OutOfOrder } from "./dispatcher.js";
import { memoryStore } from "./memory-store.js";
import { safeReporter, type WebhookReport, type WebhookReporter } from "./reports.js";
import type { Router, WebhookContext, WebhookListener, WebhookListeners } from "./router.js";

/** Options for handing events to listeners. */
export interface WebhookWorkerOptions {
  /** Called for every event, like a listener for `*`. */
  readonly onEvent?: WebhookListener | undefined;
  /** Listeners by pattern. All matching ones are called, one after another, in the given order, after `onEvent`. */
  readonly on?: WebhookListeners | undefined;
  /**
   * The store in which deliveries wait. Default `memoryStore`, which loses them when the process ends. For an inbox
   * without `take`, a queue with its own workers calls `process`.
   */
  readonly store?: WebhookStore | WebhookInbox | undefined;
  /** The most deliveries handled at a time. Default 10. */
  readonly concurrency?: number | undefined;
  /**
   * Milliseconds that a listener may take for an event. Then `context.signal` is aborted, the attempt counts as failed
   * and its slot is free; a listener that ignores the signal may still run during the next attempt. Default 60,000.
   */
  readonly listenerTimeoutMs?: number | undefined;
  /**
   * How many times a delivery is handed out before it is set aside. Default 12: about ten minutes with the default
   * backoff.
   */
  readonly maxAttempts?: number | undefined;
  /**
   * The pause before another attempt is a random fraction of `baseMs`, doubled with every attempt, at most `maxMs`, in
   * milliseconds. Default 1,000 and 300,000.
   */
  readonly backoff?: { readonly baseMs?: number | undefined; readonly maxMs?: number | undefined } | undefined;
  /**
   * Milliseconds for which the store hides a delivery from other takers; renewed while listeners work. Default 30,000.
   * Give all workers of one inbox the same `leaseMs` and `backoff`: in SQLite, a worker assumes that a wait longer than
   * its own settings allow was set by a wrong clock, and ends that wait within the hour.
   */
  readonly leaseMs?: number | undefined;
  /**
   * Treatment of an event that is older, by `updated_at`, than a version of its record that was already handled:
   * `deliver` does not compare, `drop` skips the event, `mark` sets `context.outOfOrder`. With `drop` and `mark`, the
   * events of a record are handled one after another. Events without `updated_at` are never dropped or marked. Default
   * `deliver`.
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

export const WORKER_OPTIONS = [
  "onEvent",
  "on",
  "store",
  "concurrency",
  "listenerTimeoutMs",
  "maxAttempts",
  "backoff",
  "leaseMs",
  "outOfOrder",
  "onDead",
  "report",
  "clock",
] as const;

export interface WorkerSettings {
  readonly store: WebhookStore | WebhookInbox;
  readonly concurrency: number;
  readonly listenerTimeoutMs: number;
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly leaseMs: number;
  readonly outOfOrder: OutOfOrder;
  readonly onDead: WebhookWorkerOptions["onDead"];
  readonly report: (report: WebhookReport) => void;
  readonly clock: Clock;
}

/** Checks a worker's options and fills in defaults. @throws ConfigurationError if one is invalid. */
export function workerSettings(options: WebhookWorkerOptions): WorkerSettings {
  const { store = memoryStore(), clock = systemClock, backoff = {} } = options;
  checkMethods("store", store, ["put"]);
  if (canTake(store)) {
    checkMethods("store", store, ["put", "take", "extend", "done", "retry", "dead"]);
    atLeast(0, "store.pollMs", store.pollMs ?? 0);
  }
  if (store.records !== undefined)
    checkMethods("store.records", store.records, ["lock", "unlock", "newest", "handled"]);
  checkMethods("clock", clock, ["now", "setTimeout", "clearTimeout"]);
  timeOf("clock.now", () => clock.now());
  checkNames("backoff", backoff, ["baseMs", "maxMs"]);
  for (const name of ["onEvent", "onDead", "report"] as const) checkFunction(name, options[name]);
  return {
    store,
    clock,
    concurrency: atLeast(1, "concurrency", options.concurrency ?? 10),
    listenerTimeoutMs: atLeast(1, "listenerTimeoutMs", options.listenerTimeoutMs ?? 60_000),
    maxAttempts: atLeast(1, "maxAttempts", options.maxAttempts ?? 12),
    baseMs: atLeast(0, "backoff.baseMs", backoff.baseMs ?? 1_000),
    maxMs: atLeast(0, "backoff.maxMs", backoff.maxMs ?? 300_000),
    leaseMs: atLeast(1, "leaseMs", options.leaseMs ?? 30_000),
    outOfOrder: oneOf(["deliver", "drop", "mark"], "outOfOrder", options.outOfOrder ?? "deliver"),
    onDead: options.onDead,
    report: safeReporter(options.report, clock),
  };
}

/** Adds the listeners of the options. @throws ConfigurationError if a pattern or a listener is invalid. */
export function addListeners(router: Router, { onEvent, on = {} }: WebhookWorkerOptions): void {
  if (onEvent !== undefined) router.add("*", onEvent);
  if (!isObject(on))
    throw new ConfigurationError('Webhooks: `on` must be an object, such as { "invoice.*": listener }');
  for (const [pattern, listener] of Object.entries(on)) {
    if (listener !== undefined) router.add(pattern, listener);
  }
}
