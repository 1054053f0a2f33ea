import { type Clock, systemClock } from "../core/clock.js";
import { atLeast } from "./at-least.js";
import { type Dispatched, Dispatcher, type OutOfOrder } from "./dispatcher.js";
import type { WebhookEvent } from "./events.js";
import { memoryStore } from "./memory-store.js";
import { Pump } from "./pump.js";
import { safeReporter, type WebhookReport, type WebhookReporter } from "./reports.js";
import type { WebhookContext, WebhookListener, WebhookListeners, WebhookOn } from "./router.js";
import { canTake, type TakenDelivery, type WebhookDelivery, type WebhookInbox, type WebhookStore } from "./store.js";

/** How events are handed to listeners. */
export interface WebhookWorkerOptions {
  /** Called for every event; the same as a listener for `*`. */
  readonly onEvent?: WebhookListener | undefined;
  /** Listeners by pattern. All that match are called, one after the other, in the order given, after `onEvent`. */
  readonly on?: WebhookListeners | undefined;
  /**
   * Where deliveries wait. Default {@link memoryStore}, which loses them with the process. An inbox without `take` is
   * one whose own workers call `process`.
   */
  readonly store?: WebhookStore | WebhookInbox | undefined;
  /** Most deliveries handled at a time. Default 10. */
  readonly concurrency?: number | undefined;
  /** How often a delivery is handed out before it is set aside. Default 12: about ten minutes with the default backoff. */
  readonly maxAttempts?: number | undefined;
  /**
   * The wait before another attempt is a random share of `baseMs`, doubled with every attempt, at most `maxMs`.
   * Default 1 000 and 300 000.
   */
  readonly backoff?: { readonly baseMs?: number | undefined; readonly maxMs?: number | undefined } | undefined;
  /** Milliseconds the store hides a delivery from other takers, renewed while the listeners work. Default 30 000. */
  readonly leaseMs?: number | undefined;
  /**
   * What becomes of an event that comes after a newer version of its record was handled: `deliver` does not look,
   * `drop` leaves it out, `mark` sets `context.outOfOrder`. The last two handle events about one record one after the
   * other. Events without `updated_at` always pass. Default `deliver`.
   */
  readonly outOfOrder?: OutOfOrder | undefined;
  /** Told of a delivery that failed `maxAttempts` times, before the store sets it aside. */
  readonly onDead?: ((event: WebhookEvent, context: WebhookContext, error: unknown) => unknown) | undefined;
  /** Told what happens. Without it, deliveries set aside and failures of the store are said on the console. */
  readonly report?: WebhookReporter | undefined;
  /** Time, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** Hands events to listeners. */
export interface WebhookWorker {
  /** Adds a listener, for a known pattern or for an event this version does not know. Add all before the first delivery. */
  readonly on: WebhookOn<this>;
  /**
   * Hands one delivery to the listeners, for queues with their own workers. Rejects with what a listener threw: the
   * queue's own retry is then in charge. A listener that succeeded is not called again for that delivery by the same
   * process.
   * @param attempt 1, the default, for the first time; shown to listeners.
   */
  process(delivery: WebhookDelivery, attempt?: number): Promise<void>;
  /** Looks for due deliveries now, without waiting for the store's `pollMs`. */
  wake(): void;
  /** Resolves once nothing is due, being handled or waiting to be tried again by this process. */
  drain(): Promise<void>;
  /**
   * Takes no more, and resolves once every listener is done. After `graceMs`, default 8 000, the listeners' signals are
   * aborted; what they leave undone is handed out again when its lease has passed. With a memory store, `drain` first.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/**
 * Hands the deliveries of a store to listeners without receiving any: for a process beside the receiver, and for
 * queues with their own workers. Starts to take at once.
 * @throws ConfigurationError when an option makes no sense.
 * @example
 * const store = memoryStore();
 * const worker = createWebhookWorker({ store, on: { "invoice.*": (event) => console.log(event.event_data.id) } });
 */
export function createWebhookWorker(options: WebhookWorkerOptions): WebhookWorker {
  const worker = new Worker(options);
  // Where only this process puts, nothing can wait yet, and a runtime may forbid timers before its first request.
  if (options.store && canTake(options.store) && options.store.pollMs !== 0) worker.wake();
  return worker;
}

class Worker implements WebhookWorker {
  readonly #clock: Clock;
  readonly #report: (report: WebhookReport) => void;
  readonly #maxAttempts: number;
  readonly #backoff: { readonly baseMs: number; readonly maxMs: number };
  readonly #leaseMs: number;
  readonly #onDead: WebhookWorkerOptions["onDead"];
  readonly #abort = new AbortController();
  readonly #dispatcher: Dispatcher;
  readonly #pump: Pump | null;

  constructor(options: WebhookWorkerOptions) {
    const store = options.store ?? memoryStore();
    this.#clock = options.clock ?? systemClock;
    this.#report = safeReporter(options.report);
    this.#maxAttempts = atLeast(1, "maxAttempts", options.maxAttempts ?? 12);
    this.#leaseMs = atLeast(1, "leaseMs", options.leaseMs ?? 30_000);
    this.#backoff = {
      baseMs: atLeast(0, "backoff.baseMs", options.backoff?.baseMs ?? 1_000),
      maxMs: atLeast(0, "backoff.maxMs", options.backoff?.maxMs ?? 300_000),
    };
    this.#onDead = options.onDead;
    this.#dispatcher = new Dispatcher({
      outOfOrder: options.outOfOrder ?? "deliver",
      signal: this.#abort.signal,
      store,
    });
    if (options.onEvent !== undefined) this.#dispatcher.router.add("*", options.onEvent);
    for (const [pattern, listener] of Object.entries(options.on ?? {})) this.#dispatcher.router.add(pattern, listener);
    const concurrency = atLeast(1, "concurrency", options.concurrency ?? 10);
    this.#pump = canTake(store)
      ? new Pump({
          store,
          clock: this.#clock,
          concurrency,
          leaseMs: this.#leaseMs,
          handle: (taken) => this.#handle(store, taken),
          onError: (error) => this.#report({ kind: "failed", what: "take", error }),
        })
      : null;
  }

  on: WebhookOn<this> = (pattern, listener) => {
    this.#dispatcher.router.add(pattern, listener);
    return this;
  };

  async process(delivery: WebhookDelivery, attempt = 1): Promise<void> {
    const startedAt = this.#clock.now();
    const dispatched = await this.#dispatcher.dispatch(delivery, attempt);
    this.#dispatcher.forget(delivery.id);
    this.#reportSuccess({ ...delivery, attempt }, dispatched, startedAt);
  }

  wake(): void {
    this.#pump?.wake();
  }

  async drain(): Promise<void> {
    await this.#pump?.drain();
  }

  async close({ graceMs = 8_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    let timer: unknown;
    const graceOver = new Promise<void>((resolve) => {
      timer = this.#clock.setTimeout(resolve, graceMs);
    });
    await Promise.race([this.#pump?.close(), graceOver]);
    this.#clock.clearTimeout(timer);
    this.#abort.abort(new Error("The webhook receiver was closed"));
  }

  async #handle(store: WebhookStore, taken: TakenDelivery): Promise<number | null> {
    const startedAt = this.#clock.now();
    const stopRenewing = this.#renewLease(store, taken.id);
    try {
      if (taken.attempt > this.#maxAttempts) throw new Error("The process ended during the last attempt");
      const dispatched = await this.#dispatcher.dispatch(taken, taken.attempt);
      this.#reportSuccess(taken, dispatched, startedAt);
      // When this fails, the delivery is handed out again: the dispatcher still knows that its listeners are done.
      if (await this.#settle("done", () => store.done(taken.id, dispatched.version))) this.#dispatcher.forget(taken.id);
      return null;
    } catch (error) {
      return await this.#failed(store, taken, error);
    } finally {
      stopRenewing();
    }
  }

  async #failed(store: WebhookStore, taken: TakenDelivery, error: unknown): Promise<number | null> {
    const { id: deliveryId, event, attempt } = taken;
    if (attempt >= this.#maxAttempts) {
      this.#dispatcher.forget(deliveryId);
      this.#report({ kind: "dead", deliveryId, event, attempt, error });
      await this.#settle("onDead", async () =>
        this.#onDead?.(this.#dispatcher.event(taken), this.#dispatcher.context(taken, attempt), error),
      );
      await this.#settle("dead", () => store.dead(deliveryId));
      return null;
    }
    const { baseMs, maxMs } = this.#backoff;
    const delayMs = Math.round(Math.random() * Math.min(maxMs, baseMs * 2 ** (attempt - 1)));
    this.#report({ kind: "retry", deliveryId, event, attempt, delayMs, error });
    const at = this.#clock.now() + delayMs;
    return (await this.#settle("retry", () => store.retry(deliveryId, at))) ? at : null;
  }

  async #settle(what: "done" | "retry" | "dead" | "onDead", step: () => Promise<unknown>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      this.#report({ kind: "failed", what, error });
      return false;
    }
  }

  #renewLease(store: WebhookStore, id: string): () => void {
    const every = this.#leaseMs / 3;
    let timer: unknown;
    const renew = () => {
      timer = this.#clock.setTimeout(() => {
        store
          .extend(id, this.#clock.now() + this.#leaseMs)
          .catch((error: unknown) => this.#report({ kind: "failed", what: "extend", error }));
        renew();
      }, every);
    };
    renew();
    return () => this.#clock.clearTimeout(timer);
  }

  #reportSuccess(taken: TakenDelivery, { dropped }: Dispatched, startedAt: number): void {
    const { id: deliveryId, event, attempt } = taken;
    if (dropped) this.#report({ kind: "dropped", deliveryId, event, attempt });
    else this.#report({ kind: "handled", deliveryId, event, attempt, durationMs: this.#clock.now() - startedAt });
  }
}
