import type { Open } from "../core/schema/model.js";
import { WEBHOOK_EVENT_NAMES as NAMES } from "../models/webhook-event-names.js";

/** An event name known from public sources. The service documents no list, so there may be others. */
export type WebhookEventName = (typeof NAMES)[number];

/** The 93 event names known from public sources, in `values`. Other names are accepted, too. */
export const WebhookEventName: {
  /** The known names, in alphabetical order. */
  readonly values: typeof NAMES;
  /** False, because the service documents no list of events. */
  readonly complete: false;
  /** True if the value is a known name. */
  is(value: unknown): value is WebhookEventName;
} = {
  values: NAMES,
  complete: false,
  is: (value): value is WebhookEventName => (NAMES as readonly unknown[]).includes(value),
};

/** The first part of an event name: `invoice` in `invoice.updated`. */
export type WebhookEventPrefix = {
  [Name in WebhookEventName]: Name extends `${infer Prefix}.${string}` ? Prefix : never;
}[WebhookEventName];

/** The last part of an event name: `updated` in `invoice.updated`. */
export type WebhookEventAction = {
  [Name in WebhookEventName]: Name extends `${string}.${infer Action}` ? Action : never;
}[WebhookEventName];

/**
 * Selects the events that a listener receives: a single name, every event of one kind of record (`invoice.*`), one
 * action on every kind (`*.deleted`), or every event (`*`).
 */
export type WebhookPattern = WebhookEventName | `${WebhookEventPrefix}.*` | `*.${WebhookEventAction}` | "*";

/**
 * `event_data` of a delivery. The service does not document this field: it may hold the whole record or only `id` and
 * `type`, but it is always an object. The fields below are those that the service is known to send. The library does
 * not check their values, so check the fields that you use.
 */
export interface WebhookEventData {
  /** The identifier of the event's record; absent if the service gives none, for example if `event_data` is null. */
  readonly id?: number | string;
  /** The kind of the record. */
  readonly type?: string;
  /** When the record was last changed; absent if the delivery does not contain that time. */
  readonly updated_at?: string;
  readonly [field: string]: unknown;
}

/** The body of a delivery, including fields that are not listed here. */
export interface WebhookEvent<Name extends string = Open<WebhookEventName>> {
  /** UUID of the tenant in which the event happened; empty if the delivery has none. */
  readonly tenant_id: string;
  /** The school's subdomain; empty if the delivery has none. */
  readonly educator: string;
  /** The name of the event, such as `invoice.updated`. */
  readonly event: Name;
  /** The record of the event; may contain only an identifier and a type. */
  readonly event_data: WebhookEventData;
}

/** The events that match a pattern. */
export type WebhookEventOf<Pattern extends string> = Pattern extends "*"
  ? WebhookEvent
  : Pattern extends `${infer Prefix}.*`
    ? WebhookEvent<Extract<WebhookEventName, `${Prefix}.${string}`> | (`${Prefix}.${string}` & {})>
    : Pattern extends `*.${infer Action}`
      ? WebhookEvent<Extract<WebhookEventName, `${string}.${Action}`> | (`${string}.${Action}` & {})>
      : WebhookEvent<Pattern>;
