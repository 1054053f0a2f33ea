import {
  callable,
  checkOptions,
  didYouMean,
  type Fail,
  must,
  type OptionTable,
  oneOf,
  record,
  unchecked,
} from "../../core/option-checks.js";
import { WebhookEventName } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import { isHeaderName } from "../../webhooks/receive/signature-header.js";
import { SECRET_RULE, toSecrets } from "../../webhooks/receive/verify.js";
import type { SandboxWebhookOptions, WebhookDeliveryOptions, WebhookSubscription } from "./subscription.js";

const DELIVERY: OptionTable<WebhookDeliveryOptions> = {
  secrets: [must((value) => toSecrets(value as string) !== null, `must be ${SECRET_RULE}, or a list of such texts`)],
  header: [must((value) => isHeaderName(value as string), "must be a valid name of a header")],
  data: [oneOf("thin", "record")],
  retryAfterMs: [
    must((value) => Array.isArray(value) && value.every((ms) => ms >= 0), "must be a list of numbers of milliseconds"),
  ],
};
const OPTIONS: OptionTable<SandboxWebhookOptions> = {
  ...DELIVERY,
  fetch: [callable],
  keptNotifications: [must((value) => (value as number) >= 1, "must be a number from 1")],
};
const SUBSCRIPTION: OptionTable<WebhookSubscription> = {
  ...DELIVERY,
  to: [unchecked],
  events: [
    (_, events) => {
      for (const event of events) checkEvent(event);
    },
  ],
};

const subscribeFail: Fail = (option, rule) => new RangeError(`${option} ${rule}`);

/** Checks the option `webhooks` of a sandbox. @internal */
export function checkWebhookOptions(options: SandboxWebhookOptions, fail: Fail): void {
  checkOptions(record("webhooks", options, fail), OPTIONS, fail, "webhooks.");
}

/** @throws RangeError for a subscription that would be sent nothing, or be sent unsigned by a mistake. @internal */
export function checkSubscription(subscription: WebhookSubscription): void {
  checkOptions(record("subscribe", subscription, subscribeFail), SUBSCRIPTION, subscribeFail, "subscribe.");
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
