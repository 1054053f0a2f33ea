/// <reference lib="esnext.disposable" preserve="true" />
import type { Clock } from "../../core/clock.js";
import { ConfigurationError } from "../../core/errors.js";
import { optionsOf } from "../../core/option-checks.js";
import { later, type Moment } from "../../core/time.js";
import { datesOfProcess, momentNow, pauseAfter } from "../../work/schedule.js";
import { WebhookRecordBusyError } from "../errors.js";
import { recordOf } from "../record-version.js";
import { canTake, type TakenDelivery, type WebhookDelivery, type WebhookRecords, type WebhookStore } from "../store.js";
import { type Dispatched, Dispatcher } from "./dispatcher.js";
import { Failures, type WebhookFailing } from "./failures.js";
import { ListenerCalls } from "./listener-calls.js";
import { Pump } from "./pump.js";
import type { ReportedDelivery } from "./reports.js";
import type { WebhookOn } from "./router.js";
import { callStore, withTimeLimit } from "./time-limit.js";
import {
  addListeners,
  type WebhookWorkerOptions,
  WORKER_OPTIONS,
  type WorkerOptions,
  type WorkerSettings,
  workerSettings,
} from "./worker-options.js";

/** Options for `drain` and `close`. */
export interface GraceOptions {
  /** The longest wait, in milliseconds. */
  readonly graceMs?: number | undefined;
}

/** Whether a receiver or worker handles its deliveries without failures. Contains no content of events. */
export interface WebhookHealth {
  /** The parts that have failed since their last success: listeners by event, store calls, `secrets`. */
  readonly failing: readonly WebhookFailing[];
  /** Number of deliveries that this process is handling or will retry. */
  readonly waiting: number;
  /** When the oldest delivery in `waiting` was received; null if there is none. */
  readonly oldest: Date | null;
  /** When the next delivery will be retried; null if none waits for a retry. */
  readonly waitsUntil: Date | null;
}

/** Thrown if the worker was closed before or while it handled a delivery; queues should not count the attempt. */
export class WorkerClosed extends Error {
  constructor() {
    super("The webhook worker is closed");
  }
}

/** Hands events to listeners. */
export interface WebhookWorker {
  /**
   * Adds a listener for a known pattern, or for an event that this version does not know. Add all listeners before the
   * first delivery.
   */
  readonly on: WebhookOn<this>;
  /**
   * Hands one delivery to the listeners, for queues with their own workers. Rejects with a listener's error, so that
   * the queue retries. If the same process gets the delivery again, it skips the listeners that succeeded.
   * @param attempt 1, the default, for the first attempt; passed to listeners.
   * @param options.isLast true if the queue gives up when this attempt fails: `report` then gets `dead` and `onDead` is
   * called.
   * @throws ConfigurationError if there are no listeners.
   * @throws WebhookRecordBusyError if the store has `records` and another event of the same record is being handled or
   * has to be handled first.
   * @throws WebhookListenerTimeoutError if a listener exceeds `listenerTimeoutMs`.
   */
  process(delivery: WebhookDelivery, attempt?: number, options?: { readonly isLast?: boolean }): Promise<void>;
  /**
   * Reports what fails and since when, and how far this process is behind. Does not count deliveries that other
   * processes handle or that only wait in the store.
   */
  health(): WebhookHealth;
  /**
   * Starts to take deliveries from the store, and polls for more at the store's `pollMs` interval. Before this call a
   * worker does nothing, so that a build may load its module. A receiver starts with its first request.
   */
  start(): void;
  /** Takes available deliveries now, without waiting for the store's `pollMs`; starts the worker. */
  wake(): void;
  /**
   * Resolves to true when no delivery is available, being handled or waiting for a retry by this process, and to false
   * after `graceMs` milliseconds, default 30,000.
   */
  drain(options?: GraceOptions): Promise<boolean>;
  /**
   * Takes no more deliveries and waits for the listeners. After `graceMs`, default 8,000, their signals are aborted.
   * One second later the promise resolves in any case; from then on, neither the store nor timers are used. Unfinished
   * deliveries are handed out again, at once or when their leases expire. With a memory store, call `drain` first.
   */
  close(options?: GraceOptions): Promise<void>;
  /** The same as `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Hands the deliveries of a store to listeners without receiving any: for a process apart from the receiver, and for
 * queues with their own workers. Takes deliveries once `start()` was called.
 * @throws ConfigurationError if an option is invalid.
 * @example
 * const store = memoryStore();
 * const worker = createWebhookWorker({ store, on: { "invoice.*": (event) => console.log(event.event_data.id) } });
 * worker.start();
 */
export function createWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  return new Worker(optionsOf("createWebhookWorker", options, WORKER_OPTIONS));
}

// Maximum time that all store calls for one delivery may take together.
const STORE_CALLS_MS = 40_000;

const ABORT_GRACE_MS = 1_000;

export class Worker implements WebhookWorker {
  readonly #settings: WorkerSettings;
  readonly #calls: ListenerCalls;
  readonly #dispatcher: Dispatcher;
  readonly #pump: Pump | null;
  readonly #failures: Failures;
  readonly #dates: Pick<Clock, "now">;
  #isStarted = false;
  /** `ending` after `close` has aborted the listeners' signals; `ended` when `close` has resolved. */
  #state: "open" | "closing" | "ending" | "ended" = "open";
  #closed: Promise<void> | null = null;

  /** @param failures the failures of the receiver, whose reporter already adds each report to them. */
  constructor(options: WorkerOptions, failures?: Failures) {
    const settings = workerSettings(options);
    this.#failures = failures ?? new Failures(settings.clock);
    this.#settings = failures ? settings : { ...settings, report: this.#failures.watch(settings.report) };
    const { store, clock, concurrency, leaseMs, listenerTimeoutMs, backoff, outOfOrder, report } = this.#settings;
    this.#dates = canTake(store) && store.pollMs === 0 ? datesOfProcess(clock) : clock;
    this.#calls = new ListenerCalls(clock, listenerTimeoutMs);
    const onStuck = (taken: TakenDelivery) =>
      report({ kind: "stuck", ...reportedDelivery(taken), timeoutMs: listenerTimeoutMs });
    this.#dispatcher = new Dispatcher({ outOfOrder, store, clock, calls: this.#calls, onStuck });
    const { router } = this.#dispatcher;
    addListeners(router, options);
    this.#pump = canTake(store)
      ? new Pump({
          store,
          clock,
          // Without listeners, deliveries are left to other processes.
          get concurrency() {
            return router.isEmpty && store.pollMs !== 0 ? 0 : concurrency;
          },
          dates: this.#dates,
          leaseMs,
          longestWaitMs: Math.max(leaseMs, backoff.mostMs),
          onePerRecord: outOfOrder !== "deliver",
          handle: (taken) => this.#handle(store, taken),
          // The sum of the time limits of the listeners, of `onDead` and of the store calls.
          limitMs: ({ event }) => (router.matching(event).length + 1) * listenerTimeoutMs + STORE_CALLS_MS,
          onLost: onStuck,
          onError: (error) => report({ kind: "failed", what: "take", error }),
          onRecovery: () => this.#failures.passed("take"),
        })
      : null;
  }

  on: WebhookOn<this> = (pattern, listener) => {
    this.#dispatcher.router.add(pattern, listener);
    return this;
  };

  async process(delivery: WebhookDelivery, attempt = 1, { isLast = false } = {}): Promise<void> {
    if (this.#state !== "open") throw new WorkerClosed();
    if (this.#dispatcher.router.isEmpty)
      throw new ConfigurationError("Webhooks: no listener was added: pass `onEvent` or `on`");
    const { clock, outOfOrder, store } = this.#settings;
    const startedAt = momentNow(clock);
    const taken = { ...delivery, attempt };
    const record = outOfOrder === "deliver" ? null : recordOf(this.#dispatcher.event(delivery));
    try {
      const dispatched =
        store.records === undefined || record === null
          ? await this.#dispatcher.dispatch(taken)
          : await this.#withLock(store.records, record, taken);
      // Does not call `forget`: if the queue fails to record the success and retries, no listener is called again.
      this.#reportSuccess(taken, dispatched, startedAt);
    } catch (error) {
      if (this.#isEnding()) throw new WorkerClosed();
      if (isLast && !(error instanceof WebhookRecordBusyError)) await this.#giveUp(taken, error);
      throw error;
    }
  }

  health(): WebhookHealth {
    const { clock } = this.#settings;
    const { received = [], retryAt = null } = this.#pump?.waiting() ?? {};
    return {
      failing: this.#failures.list(),
      waiting: received.length,
      oldest: received.length === 0 ? null : new Date(Math.min(...received)),
      waitsUntil: retryAt === null ? null : new Date(clock.now() + retryAt - momentNow(clock)),
    };
  }

  start(): void {
    const { store } = this.#settings;
    // Takes waiting deliveries. If only this process stores them, none can wait yet.
    if (!this.#isStarted && canTake(store) && store.pollMs !== 0) this.wake();
  }

  wake(): void {
    this.#isStarted = true;
    this.#pump?.wake();
  }

  async drain({ graceMs = 30_000 }: GraceOptions = {}): Promise<boolean> {
    this.start();
    const drained = this.#pump?.drain() ?? this.#calls.idle();
    return (await withTimeLimit(this.#settings.clock, graceMs, drained)) !== "time_up";
  }

  close({ graceMs = 8_000 }: GraceOptions = {}): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    const { clock } = this.#settings;
    this.#state = "closing";
    const quiet = Promise.all([this.#pump?.close(), this.#calls.idle()]);
    if ((await withTimeLimit(clock, graceMs, quiet)) === "time_up") {
      this.#state = "ending";
      const reason = new Error("The webhook receiver was closed");
      this.#calls.abort(reason);
      await withTimeLimit(clock, ABORT_GRACE_MS, quiet);
      this.#state = "ended";
      this.#calls.giveUp(reason);
    }
    this.#state = "ended";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #withLock(records: WebhookRecords, record: string, taken: TakenDelivery): Promise<Dispatched> {
    const { clock, leaseMs } = this.#settings;
    const holder = globalThis.crypto.randomUUID();
    const lock = (forIt?: WebhookDelivery) =>
      callStore(clock, "lock", () => records.lock(record, holder, clock.now() + leaseMs, forIt));
    if (!(await lock(taken))) throw new WebhookRecordBusyError();
    const stopRenewing = this.#renew(() => lock());
    try {
      const dispatched = await this.#dispatcher.dispatch(taken);
      const { version } = dispatched;
      if (version) await callStore(clock, "handled", () => records.handled(version));
      return dispatched;
    } finally {
      stopRenewing();
      // If unlocking fails, the lock expires by itself.
      await this.#settle("unlock", () => records.unlock(record, holder, taken));
    }
  }

  async #handle(store: WebhookStore, taken: TakenDelivery): Promise<Moment | null> {
    const { clock, leaseMs, maxAttempts } = this.#settings;
    const startedAt = momentNow(clock);
    const stopRenewing = this.#renew(() => store.extend(taken.id, this.#dates.now() + leaseMs, taken.attempt));
    try {
      if (taken.attempt > maxAttempts) throw new Error("The process ended during the last attempt");
      const dispatched = await this.#dispatcher.dispatch(taken);
      this.#reportSuccess(taken, dispatched, startedAt);
      // If this fails, the delivery is handed out again, and the dispatcher still knows which listeners succeeded.
      if (await this.#settle("done", () => store.done(taken.id, dispatched.version))) this.#dispatcher.forget(taken.id);
      return null;
    } catch (error) {
      return await this.#retryOrGiveUp(store, taken, error);
    } finally {
      stopRenewing();
    }
  }

  async #retryOrGiveUp(store: WebhookStore, taken: TakenDelivery, error: unknown): Promise<Moment | null> {
    const { clock, maxAttempts, backoff, report } = this.#settings;
    const { id, attempt } = taken;
    // If the worker is ending, `close` made the listener fail, so another process may take the delivery at once.
    const closing = this.#isEnding();
    if (attempt >= maxAttempts && !closing) {
      await this.#giveUp(taken, error);
      await this.#settle("dead", () => store.dead(id, attempt));
      return null;
    }
    const delayMs = closing ? 0 : Math.round(Math.random() * pauseAfter(attempt, backoff));
    report({ kind: "retry", ...reportedDelivery(taken), delayMs, error });
    const at = this.#dates.now() + delayMs;
    const availableAt = later(momentNow(clock), delayMs);
    return (await this.#settle("retry", () => store.retry(id, at, attempt))) ? availableAt : null;
  }

  async #giveUp(taken: TakenDelivery, error: unknown): Promise<void> {
    const { report, onDead } = this.#settings;
    this.#dispatcher.forget(taken.id);
    report({ kind: "dead", ...reportedDelivery(taken), error });
    if (!onDead) return;
    const call = () => this.#dispatcher.call(taken, false, (...given) => onDead(...given, error));
    await call().then(
      () => this.#failures.passed("onDead"),
      (failure: unknown) => report({ kind: "failed", what: "onDead", error: failure }),
    );
  }

  #isEnding(): boolean {
    return this.#state === "ending" || this.#state === "ended";
  }

  /**
   * Records the outcome of a delivery in the store, or unlocks a record. False if that failed, or if the worker has
   * ended, because the store may then be closed.
   */
  async #settle(what: "done" | "retry" | "dead" | "unlock", step: () => Promise<unknown>): Promise<boolean> {
    if (this.#state === "ended") return false;
    try {
      await callStore(this.#settings.clock, what, step);
      this.#failures.passed(what);
      return true;
    } catch (error) {
      this.#settings.report({ kind: "failed", what, error });
      return false;
    }
  }

  /** Renews a lease or a lock until the returned function is called. */
  #renew(step: () => Promise<unknown>): () => void {
    const { clock, leaseMs, report } = this.#settings;
    const every = leaseMs / 3;
    let timer: unknown;
    const next = () => {
      timer = clock.setTimeout(() => {
        (async () => step())().then(
          () => this.#failures.passed("extend"),
          (error: unknown) => report({ kind: "failed", what: "extend", error }),
        );
        next();
      }, every);
    };
    next();
    return () => clock.clearTimeout(timer);
  }

  #reportSuccess(taken: TakenDelivery, { dropped }: Dispatched, startedAt: Moment): void {
    const { clock, report } = this.#settings;
    if (dropped) report({ kind: "dropped", ...reportedDelivery(taken) });
    else report({ kind: "handled", ...reportedDelivery(taken), durationMs: momentNow(clock) - startedAt });
  }
}

function reportedDelivery({ id: deliveryId, event, attempt }: TakenDelivery): ReportedDelivery {
  return { deliveryId, event, attempt };
}
