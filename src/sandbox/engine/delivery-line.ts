import { raceAbort } from "../../core/abort.js";
import { isLoopback } from "../../core/service.js";
import type { WebhookNotificationStatus, WebhookSendAttempt } from "../../resources/settings/webhooks.js";
import type { WebhookEvent } from "../../webhooks/events.js";
import { signWebhook } from "../../webhooks/receive/sign.js";
import type { SandboxManners } from "../data/manners.js";
import type { Store, StoredWebhook } from "../data/store.js";
import type { SandboxClock } from "./clock.js";
import type { WebhookFault } from "./fault.js";
import type { SandboxDelivery, SandboxWebhookOptions, WebhookSubscription } from "./subscription.js";

export interface WebhookParts {
  readonly writeInternally: <R>(write: () => R) => R;
  readonly clock: SandboxClock;
  readonly now: () => number;
  readonly manners: SandboxManners;
  /** A string that is unique to this sandbox. */
  readonly name: string;
  readonly seed: number;
  readonly store: Pick<Store, "webhooks" | "webhookNotifications">;
  readonly options: SandboxWebhookOptions;
  readonly onDelivery: ((delivery: SandboxDelivery) => void) | undefined;
}

export interface Sending extends Omit<WebhookSubscription, "events"> {
  /** The URL that the APIs show for a subscription, whose deliveries go to `to`; null for other webhooks. */
  readonly shownUrl: string | null;
}

interface Planned {
  readonly id: string;
  readonly body: WebhookEvent;
  readonly fault: WebhookFault | null;
  /** Identifier of the notification that records the delivery. */
  readonly notification: number;
  readonly retries: number;
}

// The service waits 10 seconds for a response (service description, Limits).
const TIMEOUT_MS = 10_000;
const KEPT_RESPONSE = 1_000;
const KEPT_NOTIFICATIONS = 1_000;

class NotSent extends Error {}

/** The queue of one webhook, which sends one delivery at a time. */
export class Line {
  readonly sending: Sending;
  readonly #id: number;
  readonly #parts: WebhookParts;
  readonly #ended: (delivery: SandboxDelivery) => void;
  readonly #queue: Planned[] = [];
  // Identifiers of the kept notifications, oldest first.
  #kept: number[] | undefined;
  #running: Promise<void> | null = null;
  #closed = false;
  // The webhook before its deletion: deliveries already queued are still sent to its URL.
  #released: Readonly<StoredWebhook> | undefined;

  /** @param ended called when a delivery, or a copy of a delivery, has ended. */
  constructor(id: number, sending: Sending, parts: WebhookParts, ended: (delivery: SandboxDelivery) => void) {
    this.#id = id;
    this.sending = sending;
    this.#parts = parts;
    this.#ended = ended;
  }

  /** Keeps sending queued deliveries after the webhook is deleted. */
  release(): void {
    this.#released ??= this.#parts.store.webhooks.peek(this.#id);
  }

  /** Stops the queue: nothing more is sent, and a delivery in progress is not recorded. */
  close(): void {
    this.#closed = true;
    this.#queue.length = 0;
  }

  async waitUntilSettled(): Promise<void> {
    await this.#running;
  }

  /** Queues the delivery of an event about a record, and adds a notification that records the delivery. */
  send(
    id: string,
    event: Omit<WebhookEvent, "event_data">,
    record: Readonly<Record<string, unknown>>,
    fault: WebhookFault | null,
  ): void {
    const thin = { id: record.id, type: kindOf(event) };
    const body = { ...event, event_data: this.sending.data === "record" ? { ...record } : thin } as WebhookEvent;
    this.#plan({ id, body, fault, notification: this.#notify(id, body), retries: 0 });
  }

  #notify(event_id: string, body: WebhookEvent): number {
    const { store, options, writeInternally } = this.#parts;
    const { webhookNotifications: notifications } = store;
    const webhook_id = this.#id;
    this.#kept ??= notifications.filter((row) => row.webhook_id === webhook_id).map(({ id }) => id);
    const { id } = writeInternally(() =>
      notifications.insert({ webhook_id, event_id, data: { ...body }, status: "pending", send_attempts: [] }),
    );
    const most = options.keptNotifications ?? KEPT_NOTIFICATIONS;
    for (const old of this.#kept.splice(0, this.#kept.push(id) - most)) notifications.delete(old);
    return id;
  }

  #plan(delivery: Planned): void {
    if (this.#closed) return;
    this.#queue.push(delivery);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Starts after the write that caused the event has finished.
    await Promise.resolve();
    const late: Planned[] = [];
    for (let planned = this.#queue.shift(); planned; planned = this.#queue.shift()) {
      if (planned.fault?.reorder === true && this.#queue.length > 0) late.push(planned);
      else for (const each of [planned, ...late.splice(0)]) await this.#deliver(each);
    }
    this.#running = null;
  }

  async #deliver(planned: Planned): Promise<void> {
    const { id, body, fault, retries } = planned;
    const { clock, store } = this.#parts;
    const tell = (ending: Pick<SandboxDelivery, "outcome" | "status">) => {
      if (!this.#closed) this.#ended({ id, event: body.event, body, ...ending });
    };
    const { drop = false, delayMs, duplicate = 0 } = fault ?? {};
    if (drop) tell({ outcome: "dropped", status: null });
    else if (delayMs !== undefined) await new Promise<void>((resolve) => clock.setTimeout(resolve, delayMs));
    const attempts: WebhookSendAttempt[] = [];
    for (let copies = drop ? 0 : 1 + Number(duplicate); copies > 0; copies--) {
      // Read the webhook again, because it may have been changed, deactivated or deleted since the event.
      const webhook = this.#released ?? store.webhooks.peek(this.#id);
      if (!webhook?.active || this.#closed) break;
      const created_at = new Date(clock.now()).toISOString();
      const { response, ...ending } = await this.#post(webhook.url, body);
      // rule: an attempt that was not answered has the status 0, and `data` of a notification is the body of the
      // delivery.
      attempts.push({ response, status_code: ending.status ?? 0, created_at });
      tell(ending);
    }
    if (this.#closed) return;
    const wait = this.sending.retryAfterMs?.[retries];
    const status = statusAfter(attempts, wait !== undefined);
    this.#note(planned.notification, status, attempts);
    if (status === "retry")
      clock.setTimeout(() => this.#plan({ ...planned, fault: null, retries: retries + 1 }), wait ?? 0);
  }

  #note(id: number, status: WebhookNotificationStatus, attempts: readonly WebhookSendAttempt[]): void {
    const { store, writeInternally } = this.#parts;
    const earlier = store.webhookNotifications.peek(id)?.send_attempts;
    if (!earlier) return;
    writeInternally(() => store.webhookNotifications.update(id, { status, send_attempts: [...earlier, ...attempts] }));
  }

  async #post(
    url: string,
    content: WebhookEvent,
  ): Promise<Pick<SandboxDelivery, "outcome" | "status"> & { response: string }> {
    const { clock, manners, now, options } = this.#parts;
    const { secrets, header, shownUrl, to } = this.sending;
    const body = JSON.stringify(manners.deliveryBody === "notification" ? olderBody(content) : content);
    const timestamp = Math.floor(now() / 1_000);
    const signature = secrets === undefined ? {} : await signWebhook({ body, secrets, header, timestamp });
    const late = new AbortController();
    const timer = clock.setTimeout(() => late.abort(), TIMEOUT_MS);
    const work = clock.begin();
    try {
      const headers = { ...signature, "content-type": "application/json" };
      const request = new Request(url, { method: "POST", body, headers, signal: late.signal });
      const isNamed = shownUrl !== null && new URL(shownUrl).href === request.url;
      const usual = options.fetch ?? (isNamed || isNearby(request.url) ? fetch : refuse);
      const receive = typeof to === "function" && shownUrl === url ? to : usual;
      const answered = await raceAbort(Promise.resolve(receive(request)), late.signal);
      const response = await raceAbort(answered.text(), late.signal).catch(() => "");
      return { outcome: "answered", status: answered.status, response: response.slice(0, KEPT_RESPONSE) };
    } catch (error) {
      if (late.signal.aborted) return { outcome: "timeout", status: null, response: "No answer in time" };
      return { outcome: "failed", status: null, response: error instanceof NotSent ? error.message : "No connection" };
    } finally {
      work.pause();
      clock.clearTimeout(timer);
    }
  }
}

function kindOf({ event }: Pick<WebhookEvent, "event">): string {
  return event.slice(0, event.indexOf("."));
}

function olderBody({ tenant_id, educator, event, event_data }: WebhookEvent): object {
  const entity_type = kindOf({ event }).replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  return { notification: { event, educator, entity_id: event_data.id, tenant_id, entity_type } };
}

// One accepted copy is a success. A delivery has no attempts if it was dropped or its webhook is inactive or deleted.
function statusAfter(attempts: readonly WebhookSendAttempt[], again: boolean): WebhookNotificationStatus {
  if (attempts.length === 0) return "failed";
  if (attempts.some(({ status_code: status }) => status >= 200 && status < 300)) return "succeeded";
  return again ? "retry" : "failed";
}

// Code under test may register its production URL, so by default only nearby hosts are called. A host name without a
// dot is assumed to be that of a container.
function isNearby(url: string): boolean {
  const { hostname } = new URL(url);
  return isLoopback(hostname) || !/[.:]/.test(hostname);
}

function refuse(): never {
  throw new NotSent(
    "Not sent: webhooks made through the APIs reach other machines only with the option webhooks.fetch",
  );
}
