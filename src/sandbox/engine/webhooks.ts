import { raceAbort } from "../../core/abort.js";
import type { Open } from "../../core/model.js";
import type { WebhookEvent, WebhookEventName, WebhookPattern } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import type { WebhookScheme } from "../../webhooks/scheme.js";
import { signWebhook } from "../../webhooks/sign.js";
import { checkWebhookFault } from "./check-fault.js";
import type { SandboxClock } from "./clock.js";

/** Where deliveries go: a URL, or the receiver itself, such as the result of `createWebhookHandler`. */
export type WebhookTarget = string | URL | ((request: Request) => Response | Promise<Response>);

/** A subscription to the sandbox's events. */
export interface WebhookSubscription {
  readonly to: WebhookTarget;
  /** The secret that signs every delivery, or several during a rotation. Default: deliveries are not signed. */
  readonly secrets?: string | readonly string[] | undefined;
  /** How deliveries are signed. */
  readonly scheme?: WebhookScheme | undefined;
  /** Events to send: names, `invoice.*`, `*.deleted` or `*`. Default: all. */
  readonly events?: readonly Open<WebhookPattern>[] | undefined;
  /** The content of `event_data`: `thin` for `id` and `type` only, `record` for the whole record. Default `thin`. */
  readonly data?: "thin" | "record" | undefined;
}

/** A fault of webhook deliveries, and the deliveries that it applies to. */
export interface WebhookFault {
  /** Only deliveries of events that match this pattern. Default: all. */
  readonly event?: Open<WebhookPattern> | undefined;
  /** How many deliveries it applies to. Default 1; `Infinity` for all. */
  readonly times?: number | undefined;
  /** The same as `times`. */
  readonly count?: number | undefined;
  /** Milliseconds of the sandbox's time before the delivery is sent. */
  readonly delayMs?: number | undefined;
  /** How many more times the delivery is sent, with the same id; true for once. */
  readonly duplicate?: boolean | number | undefined;
  /** The delivery is sent after the one that follows it. */
  readonly reorder?: boolean | undefined;
  /** The delivery is never sent. */
  readonly drop?: boolean | undefined;
}

/** A delivery that has ended. */
export interface SandboxDelivery {
  /** The same for every copy of a delivery. Sent in the `deliveryIdHeader` of the scheme, if it names one. */
  readonly id: string;
  readonly event: string;
  readonly body: WebhookEvent;
  /** `timeout` when the receiver took more than 10 seconds. Failed deliveries are not repeated: the schedule is not described. */
  readonly outcome: "answered" | "dropped" | "failed" | "timeout";
  /** Status of the receiver's response; null when there was none. */
  readonly status: number | null;
}

// The service waits 10 seconds for a response (service description, Limits).
const TIMEOUT_MS = 10_000;

interface Planned {
  readonly id: string;
  readonly body: WebhookEvent;
  readonly fault: WebhookFault | null;
}

/** Sends webhooks, signed if asked, for every write through the APIs or in the store. */
export class SandboxWebhooks {
  readonly #clock: SandboxClock;
  readonly #tenantId: string;
  #lines: Line[] = [];
  #faults: { readonly fault: WebhookFault; left: number }[] = [];
  #deliveries: SandboxDelivery[] = [];
  #count = 0;

  readonly #onDelivery: ((delivery: SandboxDelivery) => void) | undefined;

  constructor(clock: SandboxClock, seed: number, onDelivery?: (delivery: SandboxDelivery) => void) {
    this.#onDelivery = onDelivery;
    this.#clock = clock;
    this.#tenantId = `00000000-0000-4000-8000-${(seed >>> 0).toString(16).padStart(12, "0")}`;
  }

  /** Every delivery so far, in the order in which they ended; copies are separate entries. */
  get deliveries(): readonly SandboxDelivery[] {
    return this.#deliveries;
  }

  /**
   * Sends events from now on. Each subscription receives its deliveries one at a time, in the order of the events.
   * @returns a function that ends the subscription; deliveries already queued are still sent.
   * @example
   * sandbox.webhooks.subscribe({ to: handler, secrets: "s3cret", events: ["invoice.*"] });
   */
  subscribe(subscription: WebhookSubscription): () => void {
    const line = new Line(subscription, this.#clock, (delivery) => this.#record(delivery));
    this.#lines.push(line);
    return () => {
      this.#lines = this.#lines.filter((other) => other !== line);
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
    for (const line of this.#lines) {
      if (!line.wants(event)) continue;
      const body = { tenant_id: this.#tenantId, educator: "sandbox", event, event_data: line.dataOf(event, data) };
      line.plan({ id, body, fault: this.#takeFault(event) });
    }
  }

  /** Resolves when every queued delivery has ended. */
  async settled(): Promise<void> {
    for (const line of this.#lines) await line.settled();
  }

  /** Forgets subscriptions, faults and deliveries; queued deliveries are not sent. @internal */
  reset(): void {
    for (const line of this.#lines) line.close();
    this.#lines = [];
    this.#faults = [];
    this.#deliveries = [];
    this.#count = 0;
  }

  #record(delivery: SandboxDelivery): void {
    this.#deliveries.push(delivery);
    try {
      this.#onDelivery?.(delivery);
    } catch {
      // An observer's exception must not stop the deliveries.
    }
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

// The queue of one subscription, which sends one delivery at a time.
class Line {
  readonly #subscription: WebhookSubscription;
  readonly #clock: SandboxClock;
  readonly #ended: (delivery: SandboxDelivery) => void;
  readonly #queue: Planned[] = [];
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(subscription: WebhookSubscription, clock: SandboxClock, ended: (delivery: SandboxDelivery) => void) {
    this.#subscription = subscription;
    this.#clock = clock;
    this.#ended = (delivery) => {
      if (!this.#closed) ended(delivery);
    };
  }

  wants(event: string): boolean {
    return (this.#subscription.events ?? ["*"]).some((pattern) => matchesWebhookPattern(pattern, event));
  }

  dataOf(event: string, record: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (this.#subscription.data === "record") return { ...record };
    return { id: record.id, type: event.slice(0, event.indexOf(".")) };
  }

  /** Ends the subscription: nothing more is sent, and a delivery in progress is not recorded. */
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

  async #deliver({ id, body, fault }: Planned): Promise<void> {
    const delivery = { id, event: body.event, body };
    if (fault?.drop) return this.#ended({ ...delivery, outcome: "dropped", status: null });
    if (fault?.delayMs !== undefined) {
      const { delayMs } = fault;
      await new Promise<void>((resolve) => this.#clock.setTimeout(resolve, delayMs));
    }
    for (let sent = 0; sent <= Number(fault?.duplicate ?? 0); sent++) {
      this.#ended({ ...delivery, ...(await this.#send(id, JSON.stringify(body))) });
    }
  }

  async #send(id: string, body: string): Promise<Pick<SandboxDelivery, "outcome" | "status">> {
    const { to, secrets, scheme } = this.#subscription;
    const timestamp = Math.floor(this.#clock.now() / 1_000);
    const signature =
      secrets === undefined ? {} : await signWebhook({ body, secrets, scheme, timestamp, deliveryId: id });
    const url = typeof to === "function" ? "https://receiver.example/webhooks" : to;
    const late = new AbortController();
    const timer = this.#clock.setTimeout(() => late.abort(), TIMEOUT_MS);
    const work = this.#clock.begin();
    try {
      const idHeader = scheme?.deliveryIdHeader;
      const headers = { ...signature, ...(idHeader && { [idHeader]: id }), "content-type": "application/json" };
      const request = new Request(url, { method: "POST", body, headers, signal: late.signal });
      const answer = Promise.resolve(typeof to === "function" ? to(request) : fetch(request));
      const response = await raceAbort(answer, late.signal);
      await response.body?.cancel();
      return { outcome: "answered", status: response.status };
    } catch {
      return { outcome: late.signal.aborted ? "timeout" : "failed", status: null };
    } finally {
      work.pause();
      this.#clock.clearTimeout(timer);
    }
  }
}
