import type { Open } from "../../core/schema/model.js";
import { isLoopback } from "../../core/service.js";
import type { WebhookNotificationStatus, WebhookSendAttempt } from "../../resources/settings/webhooks.js";
import type { WebhookEvent, WebhookEventName } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import type { SandboxManners } from "../data/manners.js";
import type { Store, StoredWebhook } from "../data/store.js";
import { checkWebhookFault } from "./check-fault.js";
import type { SandboxClock } from "./clock.js";
import { Line, NotSent, type Planned } from "./delivery-line.js";
import type { WebhookFault } from "./fault.js";
import type { SandboxDelivery, SandboxWebhookOptions, WebhookSubscription } from "./subscription.js";
import { checkSubscription } from "./webhook-options.js";

// rule: a delivery that was not answered with 2xx is sent again 10 and 60 seconds later; then it has failed.
const RETRY_AFTER_MS = [10_000, 60_000];
const KEPT_NOTIFICATIONS = 1_000;
// What the webhook of a receiver that is a function shows as its address.
const RECEIVER_URL = "https://receiver.example/webhooks";

/** The parts of the sandbox's webhooks. @internal */
export interface WebhookParts {
  /** Carries out writes of the sandbox's own. */
  readonly within: <R>(write: () => R) => R;
  readonly clock: SandboxClock;
  /** The service's time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly manners: SandboxManners;
  /** A text of this sandbox alone. */
  readonly name: string;
  readonly seed: number;
  readonly store: Pick<Store, "webhooks" | "webhookNotifications">;
  readonly options: SandboxWebhookOptions;
  readonly onDelivery: ((delivery: SandboxDelivery) => void) | undefined;
}

interface Sending {
  readonly subscription: WebhookSubscription;
  readonly url: string;
}

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
  // By the webhook's identifier in the store.
  readonly #lines = new Map<number, Line>();
  // What `subscribe` was called with, by the webhook's identifier: a target that is a function is nowhere else.
  #subscriptions: Map<number, Sending> = new Map();
  // Those of snapshots, which refer to them by number.
  readonly #remembered: ReadonlyMap<number, Sending>[] = [];
  // Lines of webhooks that are gone, which may still be sending.
  #ending: Line[] = [];
  // Identifiers of the notifications kept for each webhook, oldest first.
  readonly #kept = new Map<number, number[]>();
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
    const { to, events = ["*"], retryAfterMs = [] } = subscription;
    const url = typeof to === "function" ? RECEIVER_URL : String(to);
    const { webhooks } = this.#parts.store;
    const { id } = this.#parts.within(() => webhooks.insert({ url, active: true, events: [...events] }));
    const sending = { subscription: { ...subscription, retryAfterMs }, url };
    this.#subscriptions.set(id, sending);
    this.#lines.set(id, this.#line(id, sending.subscription, url));
    return () => {
      this.#lines.get(id)?.release();
      this.#end(id);
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
    const id = `delivery-${++this.#count}`;
    const { webhooks } = this.#parts.store;
    if (this.#lines.size > 0) this.#endDeleted();
    for (const webhook of webhooks.rows()) {
      if (!wants(webhook, event)) continue;
      const line = this.#lineOf(webhook.id);
      const body = { tenant_id: this.#tenantId, educator: "sandbox", event, event_data: line.dataOf(event, data) };
      const fault = this.#takeFault(event) ?? this.#usualFault();
      line.plan({ id, body, fault, notification: this.#notify(webhook.id, id, body), retries: 0 });
    }
  }

  /** Resolves when every queued delivery has ended. Retries that wait for their time are not waited for. */
  async settled(): Promise<void> {
    for (const line of [...this.#lines.values(), ...this.#ending.splice(0)]) await line.settled();
  }

  /** Forgets subscriptions, faults and deliveries; queued deliveries are not sent. @internal */
  reset(): void {
    for (const line of [...this.#lines.values(), ...this.#ending]) line.close();
    this.#lines.clear();
    this.#ending = [];
    this.#subscriptions = new Map();
    this.#kept.clear();
    this.#faults = [];
    this.#deliveries = [];
    this.#count = 0;
  }

  /** What a snapshot keeps: the subscriptions, by a number that only this sandbox knows, and how many events there were. @internal */
  state(): WebhookState {
    const state = { of: this.#parts.name, count: this.#count, ids: [...this.#subscriptions.keys()] };
    if (state.ids.length === 0) return { ...state, known: null };
    return { ...state, known: this.#remembered.push(new Map(this.#subscriptions)) - 1 };
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
    this.#subscriptions = new Map(subscriptions);
    for (const [id, { subscription, url }] of this.#subscriptions)
      this.#lines.set(id, this.#line(id, subscription, url));
  }

  #lineOf(id: number): Line {
    let line = this.#lines.get(id);
    if (!line) {
      const { fetch: _, keptNotifications: __, ...options } = this.#parts.options;
      line = this.#line(id, { retryAfterMs: RETRY_AFTER_MS, ...options, to: "" }, null);
      this.#lines.set(id, line);
    }
    return line;
  }

  #line(id: number, subscription: WebhookSubscription, shownUrl: string | null): Line {
    const { clock, store, options } = this.#parts;
    const isNamed = (url: string) => shownUrl !== null && new URL(shownUrl).href === url;
    return new Line({
      ...subscription,
      shownUrl,
      clock,
      now: this.#parts.now,
      older: this.#parts.manners.deliveryBody === "notification",
      webhook: () => store.webhooks.peek(id),
      fetch: (request) => (options.fetch ?? (isNearby(request.url) || isNamed(request.url) ? fetch : refuse))(request),
      ended: (delivery) => this.#record(delivery),
      noted: (planned, status, attempts) => this.#note(planned, status, attempts),
    });
  }

  #end(id: number): void {
    const line = this.#lines.get(id);
    if (line) this.#ending.push(line);
    this.#lines.delete(id);
    this.#subscriptions.delete(id);
    this.#kept.delete(id);
  }

  #endDeleted(): void {
    for (const id of this.#lines.keys()) if (!this.#parts.store.webhooks.peek(id)) this.#end(id);
  }

  // Adds the notification that records a delivery, and drops the webhook's oldest one beyond the number that is kept.
  #notify(webhookId: number, eventId: string, body: WebhookEvent): number {
    const { store, options, within } = this.#parts;
    const { webhookNotifications: notifications } = store;
    const kept =
      this.#kept.get(webhookId) ?? notifications.filter((row) => row.webhook_id === webhookId).map(({ id }) => id);
    const notification = {
      webhook_id: webhookId,
      event_id: eventId,
      data: { ...body },
      status: "pending" as const,
      send_attempts: [],
    };
    const { id } = within(() => notifications.insert(notification));
    kept.push(id);
    for (const old of kept.splice(0, kept.length - (options.keptNotifications ?? KEPT_NOTIFICATIONS)))
      notifications.delete(old);
    this.#kept.set(webhookId, kept);
    return id;
  }

  #note({ notification }: Planned, status: WebhookNotificationStatus, attempts: readonly WebhookSendAttempt[]): void {
    const { store, within } = this.#parts;
    const { webhookNotifications: notifications } = store;
    const earlier = notifications.peek(notification)?.send_attempts;
    const changes = { status, send_attempts: [...(earlier ?? []), ...attempts] };
    if (earlier) within(() => notifications.update(notification, changes));
  }

  #record(delivery: SandboxDelivery): void {
    this.#deliveries.push(delivery);
    try {
      this.#parts.onDelivery?.(delivery);
    } catch {
      // An observer's exception must not stop the deliveries.
    }
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

// Code under test may subscribe the address that it has in production. Hosts without a dot are those of containers.
function isNearby(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopback(hostname) || !/[.:]/.test(hostname);
}

function refuse(): never {
  throw new NotSent(
    "Not sent: webhooks made through the APIs reach other machines only with the option webhooks.fetch",
  );
}

function wants({ active, events }: Readonly<StoredWebhook>, event: string): boolean {
  return active && events.some((pattern) => matchesWebhookPattern(pattern, event));
}
