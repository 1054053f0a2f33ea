import type { Clock } from "../../core/clock.js";
import { rememberAtMost } from "../bounded-map.js";
import { WebhookListenerTimeoutError } from "../errors.js";
import type { WebhookEvent } from "../events.js";
import { parseWebhook } from "../payload.js";
import { recordOf, versionOf } from "../record-version.js";
import type { RecordVersion, TakenDelivery, WebhookDelivery, WebhookInbox } from "../store.js";
import type { ListenerCalls } from "./listener-calls.js";
import { RecordOrder } from "./record-order.js";
import { type Route, Router, type WebhookContext } from "./router.js";

/** The treatment of an event whose `updated_at` is earlier than that of an already handled version of its record. */
export type OutOfOrder = "deliver" | "drop" | "mark";

export interface Dispatched {
  /** True if the event was older than a handled version, and was skipped. */
  readonly dropped: boolean;
  /** The version to remember as handled; null if the order of events does not matter or is unknown. */
  readonly version: RecordVersion | null;
}

export interface DispatcherOptions {
  readonly outOfOrder: OutOfOrder;
  readonly store: WebhookInbox;
  readonly clock: Clock;
  readonly calls: ListenerCalls;
  /** Called when a listener exceeds its time limit. */
  readonly onStuck: (taken: TakenDelivery) => void;
}

// Maximum number of deliveries whose successful listeners are remembered.
const MAX_REMEMBERED = 10_000;

/** Calls the listeners of an event in order, each until it has succeeded once. */
export class Dispatcher {
  readonly router = new Router();
  readonly #options: DispatcherOptions;
  readonly #order: RecordOrder;
  readonly #succeeded = new Map<string, Set<Route>>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#order = new RecordOrder(options.store, options.clock);
  }

  /** Calls all listeners, then rejects with the error of the first one that failed. */
  async dispatch(taken: TakenDelivery): Promise<Dispatched> {
    const event = this.event(taken);
    const { outOfOrder } = this.#options;
    const record = outOfOrder === "deliver" ? null : recordOf(event);
    if (record === null) {
      await this.#callAll(event.event, taken, false);
      return { dropped: false, version: null };
    }
    const version = versionOf(event, taken);
    return this.#order.inTurn(record, version, async (isOlder) => {
      const dropped = isOlder && outOfOrder === "drop";
      if (!dropped) await this.#callAll(event.event, taken, isOlder);
      return { dropped, version };
    });
  }

  /** Forgets which listeners of a settled delivery succeeded. */
  forget(id: string): void {
    this.#succeeded.delete(id);
  }

  event(delivery: WebhookDelivery): WebhookEvent {
    // The receiver has already checked the nesting.
    return parseWebhook(delivery.payload, { maxDepth: Number.POSITIVE_INFINITY });
  }

  async #callAll(name: string, taken: TakenDelivery, outOfOrder: boolean): Promise<void> {
    const succeeded = this.#succeeded.get(taken.id) ?? new Set();
    const failures: unknown[] = [];
    for (const route of this.router.matching(name)) {
      if (succeeded.has(route)) continue;
      try {
        await this.call(taken, outOfOrder, async (...given) => {
          await route.listener(...given);
          // A success counts even after the time limit, so that a slow listener is not called again.
          succeeded.add(route);
        });
      } catch (error) {
        failures.push(error);
      }
    }
    rememberAtMost(this.#succeeded, MAX_REMEMBERED, taken.id, succeeded);
    if (failures.length > 0) throw failures[0];
  }

  /** Calls a function with an event and its context, within the time limit of listeners. */
  async call(
    taken: TakenDelivery,
    outOfOrder: boolean,
    listener: (event: WebhookEvent, context: WebhookContext) => unknown,
  ): Promise<void> {
    const { id: deliveryId, receivedAt, sentAt, attempt } = taken;
    // Parsed for each listener, so that one listener's changes do not reach the next one.
    const event = this.event(taken);
    try {
      await this.#options.calls.run((signal) =>
        listener(event, { deliveryId, receivedAt, sentAt, attempt, outOfOrder, signal }),
      );
    } catch (error) {
      if (error instanceof WebhookListenerTimeoutError) this.#options.onStuck(taken);
      throw error;
    }
  }
}
