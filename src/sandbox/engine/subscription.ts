import {
  acceptAny,
  callable,
  checkOptions,
  didYouMean,
  type Fail,
  must,
  type OptionTable,
  oneOf,
} from "../../core/option-checks.js";
import type { Open } from "../../core/schema/model.js";
import { type WebhookEvent, WebhookEventName, type WebhookPattern } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import { isHeaderName } from "../../webhooks/receive/signature-header.js";
import { SECRET_RULE, toSecrets } from "../../webhooks/receive/verify.js";

/** The target of deliveries: a URL, or the receiver itself, such as the result of `createWebhookHandler`. */
export type WebhookTarget = string | URL | ((request: Request) => Response | Promise<Response>);

/** Settings for the deliveries of webhooks. */
export interface WebhookDeliveryOptions {
  /** The signing secret, or the primary and secondary secrets during a rotation. Default: deliveries are unsigned. */
  readonly secrets?: string | readonly string[] | undefined;
  /** Name of the header with the signatures. Default `education-admin-signature-v1`. */
  readonly header?: string | undefined;
  /** The content of `event_data`: `thin` for only `id` and `type`, `record` for the whole record. Default `thin`. */
  readonly data?: "thin" | "record" | undefined;
  /**
   * Milliseconds of the sandbox's time before each further attempt at a delivery without a 2xx response. The service
   * does not describe its schedule. Default: `[10_000, 60_000]` for webhooks made through the APIs, none for
   * `subscribe`.
   */
  readonly retryAfterMs?: readonly number[] | undefined;
}

/** Settings for webhooks made through the APIs: the `webhooks` option of `createSandbox`. */
export interface SandboxWebhookOptions extends WebhookDeliveryOptions {
  /**
   * Sends the deliveries to a URL. Default: the platform's `fetch`, with which webhooks made through the APIs can call
   * only this machine and hosts without a dot in their name; deliveries to any other host fail.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Number of newest notifications kept per webhook. Default 1,000; the service does not document its number. */
  readonly keptNotifications?: number | undefined;
}

/** A subscription to the sandbox's events. */
export interface WebhookSubscription extends WebhookDeliveryOptions {
  readonly to: WebhookTarget;
  /**
   * Events to send: known names, `invoice.*`, `*.deleted` or `*`. Default: all, including unknown names passed to
   * `send`.
   */
  readonly events?: readonly Open<WebhookPattern>[] | undefined;
}

/** A delivery that has ended. */
export interface SandboxDelivery {
  /** The identifier, the same for every copy of a delivery. */
  readonly id: string;
  readonly event: string;
  readonly body: WebhookEvent;
  /**
   * The result. `timeout`: the receiver took more than 10 seconds. A further attempt is a separate entry with the same
   * id.
   */
  readonly outcome: "answered" | "dropped" | "failed" | "timeout";
  /** Status of the receiver's response; null without a response. */
  readonly status: number | null;
}

const DELIVERY: OptionTable<WebhookDeliveryOptions> = {
  secrets: [
    must(
      (value) => toSecrets(value as string) !== null,
      `must be one secret or a list of secrets, each ${SECRET_RULE}`,
    ),
  ],
  header: [must((value) => isHeaderName(value as string), "must be a valid header name")],
  data: [oneOf("thin", "record")],
  retryAfterMs: [
    must((value) => Array.isArray(value) && value.every((ms) => ms >= 0), "must be a list of numbers of milliseconds"),
  ],
};
const OPTIONS: OptionTable<SandboxWebhookOptions> = {
  ...DELIVERY,
  fetch: [callable],
  keptNotifications: [must((value) => (value as number) >= 1, "must be a number of at least 1")],
};
const SUBSCRIPTION: OptionTable<WebhookSubscription> = {
  ...DELIVERY,
  to: [acceptAny],
  events: [
    (_, events) => {
      for (const event of events) checkEvent(event);
    },
  ],
};

const subscribeFail: Fail = (option, rule) => new RangeError(`${option} ${rule}`);

/** @internal */
export function checkWebhookOptions(options: SandboxWebhookOptions, fail: Fail): void {
  checkOptions(options, OPTIONS, fail, "webhooks.");
}

/**
 * @throws RangeError for a subscription that would receive nothing, or whose deliveries would be unsigned by mistake.
 * @internal
 */
export function checkSubscription(subscription: WebhookSubscription): void {
  checkOptions(subscription, SUBSCRIPTION, subscribeFail, "subscribe.");
}

function checkEvent(pattern: string): void {
  const { values } = WebhookEventName;
  if (typeof pattern === "string" && values.some((name) => matchesWebhookPattern(pattern, name))) return;
  const [prefix, action] = String(pattern).split(".");
  const candidates = values.map((name) => {
    const [kind = "", happened = ""] = name.split(".");
    return `${prefix === "*" ? "*" : kind}.${action === "*" ? "*" : happened}`;
  });
  const problem = `subscribe.events: "${String(pattern)}" matches no known event`;
  throw new RangeError(`${problem}${didYouMean(String(pattern), candidates)}`);
}
