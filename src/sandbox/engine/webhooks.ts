import { callObserver } from "../../core/events.js";
import type { Open } from "../../core/schema/model.js";
import type { WebhookEventName } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import { Line, type Sending, type WebhookParts } from "./delivery-line.js";
import { checkWebhookFault, type WebhookFault } from "./fault.js";
import { checkSubscription, type SandboxDelivery, type WebhookSubscription } from "./subscription.js";

// rule: a delivery that does not get a 2xx response is sent again 10 seconds later and once more 60 seconds after that;
// then it has failed.
const RETRY_AFTER_MS = [10_000, 60_000];
const KEPT_DELIVERIES = 10_000;
// The URL of a webhook whose receiver is a function.
const RECEIVER_URL = "https://receiver.example/webhooks";

/** @internal */
export interface WebhookState {
  /** The name of the sandbox that made the snapshot. */
  readonly of: string;
  readonly count: number;
  /** Identifiers of the webhooks made by `subscribe`. */
  readonly ids: readonly number[];
  readonly known: number | null;
}

/** Sends webhooks, signed if configured, for every write through the APIs or in the store. */
export class SandboxWebhooks {
  readonly #parts: WebhookParts;
  readonly #tenantId: string;
  // The queues, by the webhook's identifier in the store. The queue of a deleted webhook may still be sending.
  readonly #lines = new Map<number, Line>();
  // The subscriptions at each snapshot. A snapshot contains only an index in this list, because JSON cannot contain a
  // receiver function.
  readonly #remembered: ReadonlyMap<number, Sending>[] = [];
  #faults: { readonly fault: WebhookFault; left: number }[] = [];
  #deliveries: SandboxDelivery[] = [];
  #count = 0;

  /** @internal */
  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#tenantId = `00000000-0000-4000-8000-${(parts.seed >>> 0).toString(16).padStart(12, "0")}`;
  }

  /** The last 10,000 deliveries that have ended, in the order in which they ended. Copies are separate entries. */
  get deliveries(): readonly SandboxDelivery[] {
    return this.#deliveries;
  }

  /**
   * Subscribes a receiver to events from now on. Each subscription receives its deliveries one at a time, in the order
   * of the events. The APIs list the subscription as a webhook, and can change or delete it.
   * @returns a function that ends the subscription; deliveries already queued are still sent.
   * @throws RangeError for an unknown option, an unknown event, or a delay that is negative or not a number.
   * @example
   * sandbox.webhooks.subscribe({ to: handler, secrets: "s3cret", events: ["invoice.*"] });
   */
  subscribe(subscription: WebhookSubscription): () => void {
    checkSubscription(subscription);
    const { events = ["*"], ...sending } = subscription;
    const url = typeof sending.to === "function" ? RECEIVER_URL : String(sending.to);
    const { webhooks } = this.#parts.store;
    const { id } = this.#parts.writeInternally(() => webhooks.insert({ url, active: true, events: [...events] }));
    this.#open(id, { ...sending, shownUrl: url });
    return () => {
      this.#lines.get(id)?.release();
      webhooks.delete(id);
    };
  }

  /**
   * Applies a fault to the next matching delivery, or to the next `times` deliveries.
   * @throws RangeError for an unknown field or an invalid value.
   * @example
   * sandbox.webhooks.next({ event: "invoice.updated", duplicate: true });
   */
  next(fault: WebhookFault): void {
    checkWebhookFault(fault);
    this.#faults.push({ fault, left: fault.times ?? fault.count ?? 1 });
  }

  /** Faults that were applied to fewer deliveries than requested. @internal */
  get unused(): readonly WebhookFault[] {
    return this.#faults.filter(({ left }) => left !== Number.POSITIVE_INFINITY).map(({ fault }) => fault);
  }

  /** Sends an event that no write in the sandbox causes, such as `user.merged`. */
  send(event: Open<WebhookEventName>, data: Readonly<Record<string, unknown>>): void {
    const delivery = `delivery-${++this.#count}`;
    const named = { tenant_id: this.#tenantId, educator: "sandbox", event };
    for (const { id, active, events } of this.#parts.store.webhooks.rows()) {
      if (!active || !events.some((pattern) => matchesWebhookPattern(pattern, event))) continue;
      const line = this.#lines.get(id) ?? this.#open(id, this.#usualSending());
      line.send(delivery, named, data, this.#takeFault(event) ?? this.#usualFault());
    }
  }

  /** Resolves when every queued delivery has ended. Does not wait for scheduled retries. */
  async settled(): Promise<void> {
    for (const line of [...this.#lines.values()]) await line.waitUntilSettled();
  }

  /** Forgets subscriptions, faults and deliveries; queued deliveries are not sent. @internal */
  reset(): void {
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    this.#faults = [];
    this.#deliveries = [];
    this.#count = 0;
  }

  /**
   * The state for a snapshot: the number of events, and an index with which only this sandbox can restore the
   * subscriptions.
   * @internal
   */
  state(): WebhookState {
    const { name, store } = this.#parts;
    const subscribed = [...this.#lines].filter(
      ([id, { sending }]) => sending.shownUrl !== null && store.webhooks.peek(id),
    );
    const subscriptions = new Map(subscribed.map(([id, { sending }]) => [id, sending]));
    const known = subscribed.length === 0 ? null : this.#remembered.push(subscriptions) - 1;
    return { of: name, count: this.#count, ids: [...subscriptions.keys()], known };
  }

  /**
   * Restores the subscriptions of a snapshot, after the store has restored its records. Removes the subscriptions of
   * another sandbox, because their receivers are unknown here. @internal
   */
  restore({ of, count, ids, known }: WebhookState): void {
    this.reset();
    this.#count = count;
    const subscriptions = of === this.#parts.name && known !== null ? this.#remembered[known] : undefined;
    if (!subscriptions) for (const id of ids) this.#parts.store.webhooks.delete(id);
    for (const [id, sending] of subscriptions ?? []) this.#open(id, sending);
  }

  #open(id: number, sending: Sending): Line {
    const line = new Line(id, sending, this.#parts, (delivery) => {
      this.#deliveries.push(delivery);
      if (this.#deliveries.length > KEPT_DELIVERIES) this.#deliveries.shift();
      callObserver(this.#parts.onDelivery, delivery);
    });
    this.#lines.set(id, line);
    return line;
  }

  #usualSending(): Sending {
    const { fetch: _, keptNotifications: __, ...options } = this.#parts.options;
    return {
      retryAfterMs: this.#parts.manners.retries === "none" ? [] : RETRY_AFTER_MS,
      ...options,
      to: "",
      shownUrl: null,
    };
  }

  // The fault that the manners prescribe for a delivery without a fault of its own; null for none.
  #usualFault(): WebhookFault | null {
    const { deliveries, deliveryOrder, lostDeliveries } = this.#parts.manners;
    if (lostDeliveries === "some" && this.#count % 3 === 0) return { drop: true };
    const reorder = deliveryOrder === "swapped" && this.#count % 2 === 1;
    const duplicate = deliveries === "twice";
    return reorder || duplicate ? { reorder, duplicate } : null;
  }

  #takeFault(event: string): WebhookFault | null {
    const armed = this.#faults.find(
      ({ fault }) => fault.event === undefined || matchesWebhookPattern(fault.event, event),
    );
    if (!armed) return null;
    armed.left--;
    if (armed.left <= 0) this.#faults = this.#faults.filter((other) => other !== armed);
    return armed.fault;
  }
}
