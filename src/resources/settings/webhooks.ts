import * as z from "zod/mini";
import { BOTH, type NotesOf, type OperationTable, operationTable, type PagedQuery, type PageQuery, type TableNotes } from "../../core/operation.js";
import { dictionary, enumeration, model, partial } from "../../core/schema/model.js";
import { dateTime, dateTimeInput, timeText } from "../../models/dates.js";
import { urlInput } from "../../models/formats.js";
import { slug } from "../../models/ids.js";
import { listInput } from "../../models/lists.js";
import type { OnlyInput } from "../../models/only-input.js";
import { WEBHOOK_EVENT_NAMES } from "../../models/webhook-event-names.js";
import { type Call, call, type ListOptions, type Pages, pages, type RequestOptions, Resource } from "../methods.js";

/** Names of the events for which a webhook can be sent; the two APIs list different names, so other names may occur. */
export const WebhookEvent = /* @__PURE__ */ enumeration(WEBHOOK_EVENT_NAMES, { complete: false });
/**
 * The name of an event for which a webhook can be sent, such as `invoice.updated`. The type of the event itself is
 * `WebhookEvent` of `education-admin-sdk/webhooks`.
 */
export type WebhookEvent = (typeof WebhookEvent.values)[number];

/** States of a notification: not yet sent, to be sent again, accepted by the receiver, or abandoned. */
export const WebhookNotificationStatus = /* @__PURE__ */ enumeration(["pending", "retry", "succeeded", "failed"]);
export type WebhookNotificationStatus = (typeof WebhookNotificationStatus.values)[number];

/** The only state of a failed notification. */
export const WebhookNotificationFailedStatus = /* @__PURE__ */ enumeration(["failed"]);
export type WebhookNotificationFailedStatus = (typeof WebhookNotificationFailedStatus.values)[number];

export const webhookSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the webhook; text, unlike the identifiers of other records. */
  id: z.string(), // identifier
  /** When the webhook was created. */
  created_at: timeText(), // plain
  /** When the webhook was last changed. */
  updated_at: timeText(), // plain
  /** The URL to which deliveries are sent. */
  url: z.optional(z.string()), // document
  /** Whether deliveries are sent. */
  active: z.optional(z.boolean()),
  /** Names of the events that are sent. */
  events: z.optional(z.array(WebhookEvent.open)),
}));

/** A subscription: a URL and the events that the service sends to it. Only public documents show its fields. */
export interface Webhook extends z.infer<typeof webhookSchema> {}

export const webhookSendAttemptSchema = /* @__PURE__ */ model(() => ({
  /** The receiver's response. */
  response: z.string(), // document
  /** HTTP status of the receiver's response. */
  status_code: z.int(), // plain
  /** When the attempt was made. */
  created_at: timeText(), // plain
}));

/** One attempt to send a notification. */
export interface WebhookSendAttempt extends z.infer<typeof webhookSendAttemptSchema> {}

export const webhookNotificationSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the notification, as text. */
  id: z.string(), // identifier
  /** Identifier of the event, as text: the same for every webhook that the event is sent to. */
  event_id: z.string(), // identifier
  /** The data that was sent; no document describes its content. */
  data: dictionary<Record<string, unknown>>(z.unknown()), // document
  /** Whether the receiver has accepted the notification. */
  status: WebhookNotificationStatus.open,
  /** Attempts to send the notification, with the receiver's responses. */
  send_attempts: z.array(webhookSendAttemptSchema),
}));

/** A notification that a webhook has sent or will send about one event. Only public documents show its fields. */
export interface WebhookNotification extends z.infer<typeof webhookNotificationSchema> {}

export const webhookNotificationFailedSchema = /* @__PURE__ */ model(() => ({
  /** Identifier of the notification, as text. */
  id: z.string(), // identifier
  /** Identifier of the event, as text. */
  event_id: z.string(), // identifier
  /** Identifier of the webhook, as text. */
  webhook_id: z.string(), // identifier
  /** The data that should have been sent; no document describes its content. */
  data: dictionary<Record<string, unknown>>(z.unknown()), // document
  /** Always `failed`. */
  status: WebhookNotificationFailedStatus.open,
  /** When the notification was created. */
  created_at: dateTime(),
}));

/** A notification that the service could not deliver and no longer sends. Only public documents show its fields. */
export interface WebhookNotificationFailed extends z.infer<typeof webhookNotificationFailedSchema> {}

const webhookFields = () => ({
  /** The URL to which deliveries are sent: a complete `https` URL. */
  url: urlInput(),
  /** Whether deliveries are sent. */
  active: z.optional(z.boolean()),
  /** Names of the events to send. */
  events: z.optional(listInput(WebhookEvent.schema)),
});

export const webhookCreateSchema = /* @__PURE__ */ model(webhookFields);

/** Fields of a new webhook. */
export interface WebhookCreate extends z.input<typeof webhookCreateSchema> {}

export const webhookUpdateSchema = /* @__PURE__ */ model(() => partial(webhookFields()));

/** Changes to a webhook. */
export interface WebhookUpdate extends z.input<typeof webhookUpdateSchema> {}

export const webhookNotificationFailedQuerySchema = /* @__PURE__ */ model(() => ({
  /** Only notifications created after this time. */
  start: z.optional(dateTimeInput()),
  /** Only notifications created before this time. */
  end: z.optional(dateTimeInput()),
}));

/** Filters of the list of failed notifications. */
export interface WebhookNotificationFailedQuery extends PageQuery, z.input<typeof webhookNotificationFailedQuerySchema> {}

const byId = /* @__PURE__ */ model(() => ({ id: slug() }));
const byWebhookId = /* @__PURE__ */ model(() => ({ webhook_id: slug() }));

const operations = /* @__PURE__ */ operationTable(
  "webhooks",
  { apis: BOTH, scopes: "settings" },
  {
    list: { method: "GET", path: "webhooks", response: webhookSchema, paged: "cursor+page" },
    create: { method: "POST", path: "webhooks", body: webhookCreateSchema, response: webhookSchema, status: 201 },
    get: { method: "GET", path: "webhooks/{id}", params: byId, response: webhookSchema },
    update: { method: "PUT", path: "webhooks/{id}", params: byId, body: webhookUpdateSchema, response: webhookSchema },
    delete: { method: "DELETE", path: "webhooks/{id}", params: byId, response: webhookSchema, scopes: ["settings:modify"] },
    listNotifications: { method: "GET", path: "webhooks/{webhook_id}/notifications", params: byWebhookId, response: webhookNotificationSchema, paged: "none" },
    listFailedNotifications: {
      method: "GET",
      path: "webhooks/{webhook_id}/notifications/failed",
      params: byWebhookId,
      query: webhookNotificationFailedQuerySchema,
      response: webhookNotificationFailedSchema,
      paged: "cursor",
      beta: ["main"],
    },
  },
);
export const webhookOperations: OperationTable = operations;
export const webhookNotes: TableNotes = {
  "*": { publicOnly: true },
  delete: { note: "returns the deleted webhook" },
  listNotifications: { note: "not paginated" },
} satisfies NotesOf<typeof operations>;

/** Subscriptions to events, and the notifications sent for them (Main and Admin API). */
export class Webhooks extends Resource {
  /** @internal */
  static readonly operations = webhookOperations;

  /**
   * Lists webhooks.
   * @example
   * for await (const webhook of client.webhooks.list()) console.log(webhook.url, webhook.events);
   */
  list(query: PagedQuery = {}, options?: ListOptions): Pages<Webhook> {
    return pages(this, operations.list, { query }, options);
  }

  /**
   * Creates a webhook: from then on the service sends the events to its URL.
   * @example
   * const webhook = await client.webhooks.create({ url: "https://hooks.school.example/events", events: ["invoice.updated"] });
   * console.log(webhook.id);
   */
  create(body: WebhookCreate, options?: RequestOptions): Call<Webhook> {
    return call(this, operations.create, { body }, options);
  }

  /**
   * Reads one webhook.
   * @param id a non-empty string.
   * @example
   * const [first] = (await client.webhooks.list()).records;
   * if (first) console.log((await client.webhooks.get(first.id)).active);
   */
  get(id: string, options?: RequestOptions): Call<Webhook> {
    return call(this, operations.get, { params: { id } }, options);
  }

  /**
   * Changes a webhook; fields left out keep their value.
   * @param id a non-empty string.
   * @example
   * const [first] = (await client.webhooks.list()).records;
   * if (first) await client.webhooks.update(first.id, { active: false });
   */
  update<Name extends PropertyKey>(id: string, body: OnlyInput<WebhookUpdate, Webhook, Name>, options?: RequestOptions): Call<Webhook> {
    return call(this, operations.update, { params: { id }, body }, options);
  }

  /**
   * Deletes a webhook and returns it. Needs the scope `settings:modify`.
   * @param id a non-empty string.
   * @example
   * const [first] = (await client.webhooks.list()).records;
   * if (first) console.log((await client.webhooks.delete(first.id)).url);
   */
  delete(id: string, options?: RequestOptions): Call<Webhook> {
    return call(this, operations.delete, { params: { id } }, options);
  }

  /**
   * Lists the notifications that one webhook has sent or will send, in one response.
   * @param webhookId a non-empty string.
   * @example
   * const [webhook] = (await client.webhooks.list()).records;
   * if (webhook) for await (const { status } of client.webhooks.listNotifications(webhook.id)) console.log(status);
   */
  listNotifications(webhookId: string, options?: ListOptions): Pages<WebhookNotification> {
    return pages(this, operations.listNotifications, { params: { webhook_id: webhookId } }, options);
  }

  /**
   * Lists one webhook's failed notifications, which the service no longer sends. Beta in the Main API.
   * @param webhookId a non-empty string.
   * @example
   * const [webhook] = (await client.webhooks.list()).records;
   * const since = { start: new Date("2030-01-01") };
   * if (webhook) for await (const { data } of client.webhooks.listFailedNotifications(webhook.id, since)) console.log(data);
   */
  listFailedNotifications(webhookId: string, query: WebhookNotificationFailedQuery = {}, options?: ListOptions): Pages<WebhookNotificationFailed> {
    return pages(this, operations.listFailedNotifications, { params: { webhook_id: webhookId }, query }, options);
  }
}
