import { callObserver } from "../../core/events.js";
import type { Open } from "../../core/schema/model.js";
import type { WebhookEventName } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import { Line, type Sending, type WebhookParts } from "./delivery-line.js";
import { checkWebhookFault, type WebhookFault } from "./fault.js";
import { checkSubscription, type SandboxDelivery, type WebhookSubscription } from "./subscription.js";

// rule: a delivery that was not answered with 2xx is sent again 10 and 60 seconds later; then it has failed.
const RETRY_AFTER_MS = [10_000, 60_000];
// What the webhook of a receiver that is a function shows as its address.
const RECEIVER_URL = "https://receiver.example/webhooks";

/** What a snapshot keeps of the webhooks. @internal */
export interface WebhookState {
  /** Who knows the subscriptions. */
  readonly of: string;
  readonly count: number;
  /** Identifiers of the webhooks that are subscriptions. */
  readonly ids: readonly number[];
  readonly known: number | null;
}

/** Sends webhooks, signed if asked, for every write through the APIs or in the store. */
export class SandboxWebhooks {
  readonly #parts: WebhookParts;
  readonly #tenantId: string;
  // By the webhook's identifier in the store. Those of webhooks that are gone may still be sending.
  readonly #lines = new Map<number, Line>();
  // The subscriptions of snapshots, which refer to them by number: a target that is a function is nowhere else.
  readonly #remembered: ReadonlyMap<number, Sending>[] = [];
  #faults: { readonly fault: WebhookFault; left: number }[] = [];
  #deliveries: SandboxDelivery[] = [];
  #count = 0;

  /** @internal */
  constructor(parts: WebhookParts) {
    this.#parts = parts;
    this.#tenantId = `00000000-0000-4000-8000-${(parts.seed >>> 0).toString(16).padStart(12, "0")}`;
  }

  /** Every delivery so far, in the order in which they ended; copies are separate entries. */
  get deliveries(): readonly SandboxDelivery[] {
    return this.#deliveries;
  }

  /**
   * Sends events from now on. Each subscription receives its deliveries one at a time, in the order of the events. The APIs
   * list it as a webhook, and changing or deleting it there changes what is sent.
   * @returns a function that ends the subscription; deliveries already queued are still sent.
   * @throws RangeError for an option that does not exist, an event that is not known, or a delay that is not a number from 0.
   * @example
   * sandbox.webhooks.subscribe({ to: handler, secrets: "s3cret", events: ["invoice.*"] });
   */
  subscribe(subscription: WebhookSubscription): () => void {
    checkSubscription(subscription);
    const { events = ["*"], ...sending } = subscription;
    const url = typeof sending.to === "function" ? RECEIVER_URL : String(sending.to);
    const { webhooks } = this.#parts.store;
    const { id } = this.#parts.within(() => webhooks.insert({ url, active: true, events: [...events] }));
    this.#open(id, { ...sending, shownUrl: url });
    return () => {
      this.#lines.get(id)?.release();
      webhooks.delete(id);
    };
  }

  /**
   * Applies a fault to the next matching delivery, or the next several.
   * @throws RangeError for a field that does not exist or has a value it cannot have.
   * @example
   * sandbox.webhooks.next({ event: "invoice.updated", duplicate: true });
   */
  next(fault: WebhookFault): void {
    checkWebhookFault(fault);
    this.#faults.push({ fault, left: fault.times ?? fault.count ?? 1 });
  }

  /** Faults that were not applied to as many deliveries as they should. @internal */
  get unused(): readonly WebhookFault[] {
    return this.#faults.filter(({ left }) => left !== Number.POSITIVE_INFINITY).map(({ fault }) => fault);
  }

  /** Sends an event that is not caused by a write in the sandbox, such as `user.merged` or `planned_course.canceled`. */
  send(event: Open<WebhookEventName>, data: Readonly<Record<string, unknown>>): void {
    const delivery = `delivery-${++this.#count}`;
    const named = { tenant_id: this.#tenantId, educator: "sandbox", event };
    for (const { id, active, events } of this.#parts.store.webhooks.rows()) {
      if (!active || !events.some((pattern) => matchesWebhookPattern(pattern, event))) continue;
      const line = this.#lines.get(id) ?? this.#open(id, this.#usualSending());
      line.send(delivery, named, data, this.#takeFault(event) ?? this.#usualFault());
    }
  }

  /** Resolves when every queued delivery has ended. Retries that wait for their time are not waited for. */
  async settled(): Promise<void> {
    for (const line of [...this.#lines.values()]) await line.settled();
  }

  /** Forgets subscriptions, faults and deliveries; queued deliveries are not sent. @internal */
  reset(): void {
    for (const line of this.#lines.values()) line.close();
    this.#lines.clear();
    this.#faults = [];
    this.#deliveries = [];
    this.#count = 0;
  }

  /** What a snapshot keeps: the subscriptions, by a number that only this sandbox knows, and how many events there were. @internal */
  state(): WebhookState {
    const { name, store } = this.#parts;
    const own = [...this.#lines].filter(([id, { sending }]) => sending.shownUrl !== null && store.webhooks.peek(id));
    const subscriptions = new Map(own.map(([id, { sending }]) => [id, sending]));
    const known = own.length === 0 ? null : this.#remembered.push(subscriptions) - 1;
    return { of: name, count: this.#count, ids: [...subscriptions.keys()], known };
  }

  /**
   * Returns to the subscriptions there were, after the store has returned to its records. Those of another sandbox are taken away,
   * because a target that is a function is known there only. @internal
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
      callObserver(this.#parts.onDelivery, delivery);
    });
    this.#lines.set(id, line);
    return line;
  }

  // How webhooks that are made through the APIs send.
  #usualSending(): Sending {
    const { fetch: _, keptNotifications: __, ...options } = this.#parts.options;
    return { retryAfterMs: RETRY_AFTER_MS, ...options, to: "", shownUrl: null };
  }

  // What the manners do to every delivery.
  #usualFault(): WebhookFault | null {
    const { deliveries, deliveryOrder } = this.#parts.manners;
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
