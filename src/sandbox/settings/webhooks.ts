import type { WebhookUpdate } from "../../resources/settings/webhooks.js";
import { WebhookEventName } from "../../webhooks/events.js";
import { matchesWebhookPattern } from "../../webhooks/pattern.js";
import { choicesOf } from "../custom/fields.js";
import { where } from "../data/domain.js";
import type { Store, StoredWebhook, StoredWebhookNotification } from "../data/store.js";
import type { Behavior, Behaviors, Inquiry, Listing } from "../engine/behavior.js";
import { notFound, unprocessable } from "../engine/refusal.js";

export function webhooks({ webhooks: records, webhookNotifications }: Store): Behavior<"webhooks"> {
  const webhookOf = (id: unknown): StoredWebhook => {
    const webhook = records.get(numberOf(String(id)));
    if (!webhook) throw notFound();
    return webhook;
  };
  const notificationsOf = (
    { params }: Inquiry,
    fits: (row: Readonly<StoredWebhookNotification>) => boolean,
    show: (row: StoredWebhookNotification) => object,
  ): Listing<StoredWebhookNotification> => {
    const { id } = webhookOf(params.webhook_id);
    return {
      records: webhookNotifications,
      fits: (row) => row.webhook_id === id && fits(row),
      order: null,
      show,
    };
  };
  return {
    idOf: numberOf,
    show: shownWebhook,
    // rule: a webhook without `events` receives no events.
    check: checkUrl,
    create: ({ active = true, events = [] }) => ({ active, events: [...events] }),
    operations: {
      delete: ({ params }) => {
        const webhook = webhookOf(params.id);
        records.delete(webhook.id);
        webhookNotifications.deleteAll(where({ webhook_id: webhook.id }));
        return shownWebhook(webhook);
      },
      listNotifications: (inquiry) => notificationsOf(inquiry, () => true, shownNotification),
      listFailedNotifications: (inquiry) => {
        const { start, end } = inquiry.query as { start?: string; end?: string };
        const hasFailed = ({ status, created_at: at }: Readonly<StoredWebhookNotification>) =>
          status === "failed" && (start === undefined || at > start) && (end === undefined || at < end);
        return notificationsOf(inquiry, hasFailed, shownFailure);
      },
    },
  };
}

/** The number in an identifier as the APIs show it; NaN, which matches no record, for any other text. */
function numberOf(text: string): number {
  return Number(/^webhook-([1-9]\d*)$/.exec(text)?.[1] ?? Number.NaN);
}

function shownWebhook({ id, events, ...webhook }: StoredWebhook): object {
  const named = WebhookEventName.values.filter((name) =>
    events.some((pattern) => pattern.includes("*") && matchesWebhookPattern(pattern, name)),
  );
  const others = events.filter((name) => !name.includes("*"));
  // rule: identifiers of webhooks and notifications look like `webhook-1` and `notification-1`.
  return { id: `webhook-${id}`, ...webhook, events: [...new Set([...others, ...named])] };
}

function shownNotification({ id, event_id, data, status, send_attempts }: StoredWebhookNotification): object {
  return { id: `notification-${id}`, event_id, data, status, send_attempts };
}

function shownFailure({ id, event_id, webhook_id, data, status, created_at }: StoredWebhookNotification): object {
  return { id: `notification-${id}`, event_id, webhook_id: `webhook-${webhook_id}`, data, status, created_at };
}

// Checks only the URL: the body's schema has already checked the names of events.
function checkUrl({ url }: WebhookUpdate): void {
  if (url !== undefined && !(URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) {
    throw unprocessable("url", "is not an http or https URL");
  }
}

export function settingsBehaviors(store: Store): Behaviors {
  const { educators } = store;
  return {
    educators: {
      operations: { get: () => educators.at(0) },
    },
    signupQuestions: {
      show: (question) => ({ ...question, choices: choicesOf(question, store, "enabled") }),
      filters: {
        for_user: () => (row) => row.for_type === "user",
        for_account: () => (row) => row.for_type === "account",
        visibility: (place: string) => (row) => row.visibility.includes(place),
      },
    },
    webhooks: webhooks(store),
  };
}
