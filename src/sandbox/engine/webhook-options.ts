import { didYouMean, type Fail, group, type Names, oneOf } from "../../core/option-checks.js";
import { WebhookEventName } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import { isHeaderName } from "../../webhooks/receive/signature-header.js";
import { SECRET_RULE, toSecrets } from "../../webhooks/receive/verify.js";
import type { SandboxWebhookOptions, WebhookDeliveryOptions, WebhookSubscription } from "./subscription.js";

const DELIVERY: Names<WebhookDeliveryOptions> = { secrets: 1, header: 1, data: 1, retryAfterMs: 1 };
const OPTIONS: Names<SandboxWebhookOptions> = { ...DELIVERY, fetch: 1, keptNotifications: 1 };
const SUBSCRIPTION: Names<WebhookSubscription> = { ...DELIVERY, to: 1, events: 1 };

const subscribeFail: Fail = (option, rule) => new RangeError(`${option} ${rule}`);

/** Checks the option `webhooks` of a sandbox. @internal */
export function checkWebhookOptions(options: SandboxWebhookOptions, fail: Fail): void {
  group("webhooks", options, OPTIONS, fail);
  checkDelivery("webhooks.", options, fail);
  const { fetch } = options;
  if (fetch !== undefined && typeof fetch !== "function") throw fail("webhooks.fetch", "must be a function");
}

/** @throws RangeError for a subscription that would be sent nothing, or be sent unsigned by a mistake. @internal */
export function checkSubscription(subscription: WebhookSubscription): void {
  group("subscribe", subscription, SUBSCRIPTION, subscribeFail);
  checkDelivery("subscribe.", subscription, subscribeFail);
  for (const event of subscription.events ?? []) checkEvent(event);
}

function checkDelivery(prefix: string, options: WebhookDeliveryOptions, fail: Fail): void {
  const { secrets, header, data, retryAfterMs } = options;
  if (secrets !== undefined && !toSecrets(secrets)) {
    throw fail(`${prefix}secrets`, `must be ${SECRET_RULE}, or a list of such texts`);
  }
  if (header !== undefined && !isHeaderName(header)) throw fail(`${prefix}header`, "must be a valid name of a header");
  if (data !== undefined) oneOf("thin", "record")(`${prefix}data`, data, fail);
  if (retryAfterMs !== undefined && !Array.isArray(retryAfterMs)) {
    throw fail(`${prefix}retryAfterMs`, "must be a list of numbers of milliseconds");
  }
}

function checkEvent(pattern: string): void {
  const { values } = WebhookEventName;
  if (typeof pattern === "string" && values.some((name) => matchesWebhookPattern(pattern, name))) return;
  const [prefix, action] = String(pattern).split(".");
  const candidates = [
    ...(action === "*" ? values.map((name) => `${name.split(".")[0]}.*`) : []),
    ...(prefix === "*" ? values.map((name) => `*.${name.split(".")[1]}`) : []),
    ...values,
  ];
  const problem = `subscribe.events: "${String(pattern)}" matches no known event`;
  throw new RangeError(`${problem}${didYouMean(String(pattern), candidates)}`);
}
