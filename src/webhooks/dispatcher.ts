import { rememberAtMost } from "./bounded-map.js";
import type { WebhookEvent } from "./events.js";
import { parseWebhook } from "./payload.js";
import { RecordOrder, versionOf } from "./record-order.js";
import { Router, type WebhookContext, type WebhookListener } from "./router.js";
import type { RecordVersion, WebhookDelivery, WebhookInbox } from "./store.js";

/** What becomes of an event that is older than what was handled of the same record, told by its `updated_at`. */
export type OutOfOrder = "deliver" | "drop" | "mark";

/** How a delivery went. */
export interface Dispatched {
  /** True when it was older than what was handled, and left out. */
  readonly dropped: boolean;
  /** What to remember as handled; null when the order of events is of no interest or not known. */
  readonly version: RecordVersion | null;
}

// Deliveries remembered that only some listeners handled.
const MAX_PARTIAL = 10_000;

/** Calls the listeners that want an event, in order, each until it succeeded once. */
export class Dispatcher {
  readonly router = new Router();
  readonly #outOfOrder: OutOfOrder;
  readonly #signal: AbortSignal;
  readonly #order: RecordOrder;
  readonly #succeeded = new Map<string, Set<WebhookListener>>();

  constructor(options: { outOfOrder: OutOfOrder; signal: AbortSignal; store: WebhookInbox }) {
    this.#outOfOrder = options.outOfOrder;
    this.#signal = options.signal;
    this.#order = new RecordOrder(options.store);
  }

  /** Rejects with what the first failing listener threw, after the others had their turn. */
  async dispatch(delivery: WebhookDelivery, attempt: number): Promise<Dispatched> {
    const event = this.event(delivery);
    const version = this.#outOfOrder === "deliver" ? null : versionOf(event);
    if (version === null) {
      await this.#callAll(event, this.context(delivery, attempt));
      return { dropped: false, version };
    }
    return this.#order.inTurn(version, async (isOlder) => {
      const dropped = isOlder && this.#outOfOrder === "drop";
      if (!dropped) await this.#callAll(event, this.context(delivery, attempt, isOlder));
      return { dropped, version };
    });
  }

  /** Forgets which listeners succeeded: the delivery is settled. */
  forget(id: string): void {
    this.#succeeded.delete(id);
  }

  event(delivery: WebhookDelivery): WebhookEvent {
    // How deep it may be was decided when it was received.
    return parseWebhook(delivery.payload, { maxDepth: Number.POSITIVE_INFINITY });
  }

  context(delivery: WebhookDelivery, attempt: number, outOfOrder = false): WebhookContext {
    const { id: deliveryId, receivedAt, sentAt } = delivery;
    return { deliveryId, receivedAt, sentAt, attempt, outOfOrder, signal: this.#signal };
  }

  async #callAll(event: WebhookEvent, context: WebhookContext): Promise<void> {
    const succeeded = this.#succeeded.get(context.deliveryId) ?? new Set();
    const failures: unknown[] = [];
    for (const listener of this.router.matching(event.event)) {
      if (succeeded.has(listener)) continue;
      try {
        await listener(event, context);
        succeeded.add(listener);
      } catch (error) {
        failures.push(error);
      }
    }
    rememberAtMost(this.#succeeded, MAX_PARTIAL, context.deliveryId, succeeded);
    if (failures.length > 0) throw failures[0];
  }
}
