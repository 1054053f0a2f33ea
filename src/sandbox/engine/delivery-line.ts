import { raceAbort } from "../../core/abort.js";
import type { WebhookNotificationStatus, WebhookSendAttempt } from "../../resources/settings/webhooks.js";
import type { WebhookEvent } from "../../webhooks/events.js";
import { signWebhook } from "../../webhooks/receive/sign.js";
import type { StoredWebhook } from "../data/store.js";
import type { SandboxClock } from "./clock.js";
import type { WebhookFault } from "./fault.js";
import type { SandboxDelivery, WebhookSubscription } from "./subscription.js";

/** A request that the sandbox does not make. @internal */
export class NotSent extends Error {}

/** One delivery that is to be sent. @internal */
export interface Planned {
  readonly id: string;
  readonly body: WebhookEvent;
  readonly fault: WebhookFault | null;
  /** Identifier of the notification that records the delivery. */
  readonly notification: number;
  /** How often it was sent again. */
  readonly retries: number;
}

/** How a line sends. @internal */
export interface LineOptions extends Omit<WebhookSubscription, "events"> {
  /** The address that the webhook shows while its deliveries go to `to`; null for one that has no other target. */
  readonly shownUrl: string | null;
  readonly clock: SandboxClock;
  /** The service's time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether deliveries have the older body. */
  readonly older: boolean;
  /** The webhook as it is now; undefined once it is deleted. */
  readonly webhook: () => Readonly<StoredWebhook> | undefined;
  readonly fetch: (request: Request) => Promise<Response>;
  /** A delivery, or one copy of it, has ended. */
  ended(delivery: SandboxDelivery): void;
  /** What the attempts to send a delivery led to. */
  noted(planned: Planned, status: WebhookNotificationStatus, attempts: readonly WebhookSendAttempt[]): void;
}

// The service waits 10 seconds for a response (service description, Limits).
const TIMEOUT_MS = 10_000;
const KEPT_RESPONSE = 1_000;

/** The queue of one webhook, which sends one delivery at a time. @internal */
export class Line {
  readonly #options: LineOptions;
  readonly #queue: Planned[] = [];
  #running: Promise<void> | null = null;
  #closed = false;
  // Set for a subscription that was taken back: what is queued is still sent.
  #released: Readonly<StoredWebhook> | undefined;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  dataOf(event: string, record: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (this.#options.data === "record") return { ...record };
    return { id: record.id, type: event.slice(0, event.indexOf(".")) };
  }

  /** Goes on sending what is queued although the webhook is about to be deleted. */
  release(): void {
    this.#released = this.#options.webhook();
  }

  /** Ends the line: nothing more is sent, and a delivery in progress is not recorded. */
  close(): void {
    this.#closed = true;
    this.#queue.length = 0;
  }

  plan(delivery: Planned): void {
    if (this.#closed) return;
    this.#queue.push(delivery);
    this.#running ??= this.#run();
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // Starts after the write that caused the event has finished.
    await Promise.resolve();
    const late: Planned[] = [];
    for (let planned = this.#queue.shift(); planned; planned = this.#queue.shift()) {
      const reorders = planned.fault?.reorder === true && this.#queue.length > 0;
      if (reorders) {
        late.push(planned);
        continue;
      }
      await this.#deliver(planned);
      for (const held of late.splice(0)) await this.#deliver(held);
      if (this.#closed) break;
    }
    this.#running = null;
  }

  async #deliver(planned: Planned): Promise<void> {
    const { id, body, fault } = planned;
    const delivery = { id, event: body.event, body };
    if (fault?.drop) {
      this.#ended({ ...delivery, outcome: "dropped", status: null });
      return this.#noted(planned, "failed", []);
    }
    if (fault?.delayMs !== undefined) {
      const { delayMs } = fault;
      await new Promise<void>((resolve) => this.#options.clock.setTimeout(resolve, delayMs));
    }
    const attempts: WebhookSendAttempt[] = [];
    for (let sent = 0; sent <= Number(fault?.duplicate ?? 0); sent++) {
      // Looked up for each, because the webhook may have been changed, stopped or deleted since the event.
      const webhook = this.#released ?? this.#options.webhook();
      if (!webhook?.active || this.#closed) break;
      const created_at = new Date(this.#options.clock.now()).toISOString();
      const { outcome, status, response } = await this.#send(webhook, this.#text(body));
      // rule: an attempt that was not answered has the status 0, and `data` of a notification is the body of the delivery.
      attempts.push({ response, status_code: status ?? 0, created_at });
      this.#ended({ ...delivery, outcome, status });
    }
    this.#conclude(planned, attempts);
  }

  #text(body: WebhookEvent): string {
    if (!this.#options.older) return JSON.stringify(body);
    const { tenant_id, educator, event, event_data } = body;
    const kind = event.slice(0, event.indexOf("."));
    const entity_type = kind.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
    return JSON.stringify({ notification: { event, educator, entity_id: event_data.id, tenant_id, entity_type } });
  }

  #conclude(planned: Planned, attempts: readonly WebhookSendAttempt[]): void {
    const wait = this.#options.retryAfterMs?.[planned.retries];
    const status = statusAfter(attempts, wait !== undefined);
    this.#noted(planned, status, attempts);
    if (status !== "retry" || wait === undefined) return;
    this.#options.clock.setTimeout(() => this.plan({ ...planned, fault: null, retries: planned.retries + 1 }), wait);
  }

  #ended(delivery: SandboxDelivery): void {
    if (!this.#closed) this.#options.ended(delivery);
  }

  #noted(planned: Planned, status: WebhookNotificationStatus, attempts: readonly WebhookSendAttempt[]): void {
    if (!this.#closed) this.#options.noted(planned, status, attempts);
  }

  async #send(
    { url }: Readonly<StoredWebhook>,
    body: string,
  ): Promise<Pick<SandboxDelivery, "outcome" | "status"> & { response: string }> {
    const { secrets, header, shownUrl } = this.#options;
    const to = shownUrl === url ? this.#options.to : url;
    const timestamp = Math.floor(this.#options.now() / 1_000);
    const signature = secrets === undefined ? {} : await signWebhook({ body, secrets, header, timestamp });
    const late = new AbortController();
    const timer = this.#options.clock.setTimeout(() => late.abort(), TIMEOUT_MS);
    const work = this.#options.clock.begin();
    try {
      const headers = { ...signature, "content-type": "application/json" };
      const request = new Request(url, { method: "POST", body, headers, signal: late.signal });
      const answer = Promise.resolve(typeof to === "function" ? to(request) : this.#options.fetch(request));
      const answered = await raceAbort(answer, late.signal);
      const response = await raceAbort(answered.text(), late.signal).catch(() => "");
      return { outcome: "answered", status: answered.status, response: response.slice(0, KEPT_RESPONSE) };
    } catch (error) {
      if (late.signal.aborted) return { outcome: "timeout", status: null, response: "No answer in time" };
      return { outcome: "failed", status: null, response: error instanceof NotSent ? error.message : "No connection" };
    } finally {
      work.pause();
      this.#options.clock.clearTimeout(timer);
    }
  }
}

// One copy that was accepted is enough. Without an attempt the webhook was stopped before it was sent.
function statusAfter(attempts: readonly WebhookSendAttempt[], again: boolean): WebhookNotificationStatus {
  if (attempts.length === 0) return "failed";
  if (attempts.some(({ status_code: status }) => status >= 200 && status < 300)) return "succeeded";
  return again ? "retry" : "failed";
}
