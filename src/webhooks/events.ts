import type { Open } from "../core/schema/model.js";
import { WEBHOOK_EVENT_NAMES as NAMES } from "../models/webhook-event-names.js";

/** An event name known from public sources. The service describes no list, so there may be others. */
export type WebhookEventName = (typeof NAMES)[number];

/** The 93 event names known from public sources: `WebhookEventName.values`. The list is open: other names pass. */
export const WebhookEventName: {
  /** The known names, in alphabetical order. */
  readonly values: typeof NAMES;
  /** False: the service describes no list, so there may be other names. */
  readonly complete: false;
  /** Tells whether a name is one of the known ones. */
  is(value: unknown): value is WebhookEventName;
} = {
  values: NAMES,
  complete: false,
  is: (value): value is WebhookEventName => (NAMES as readonly unknown[]).includes(value),
};

/** What an event name starts with: `invoice` of `invoice.updated`. */
export type WebhookEventPrefix = {
  [Name in WebhookEventName]: Name extends `${infer Prefix}.${string}` ? Prefix : never;
}[WebhookEventName];

/** What an event name ends with: `updated` of `invoice.updated`. */
export type WebhookEventAction = {
  [Name in WebhookEventName]: Name extends `${string}.${infer Action}` ? Action : never;
}[WebhookEventName];

/**
 * Which events a listener wants: a name, every event about one kind of record (`invoice.*`), one action on every kind
 * (`*.deleted`), or all (`*`).
 */
export type WebhookPattern = WebhookEventName | `${WebhookEventPrefix}.*` | `*.${WebhookEventAction}` | "*";

/**
 * `event_data` of a delivery. The service does not describe it; it may hold the whole record or no more than `id` and
 * `type`, so nothing but its being an object is certain. The types below are what the service is known to send: no delivery is
 * refused because of them, so check what you build on.
 */
export interface WebhookEventData {
  /** Identifier of the record the event is about; absent where the service names none, as with an `event_data` of null. */
  readonly id?: number | string;
  /** Kind of the record. */
  readonly type?: string;
  /** When the record was last changed, if the delivery has it. */
  readonly updated_at?: string;
  readonly [field: string]: unknown;
}

/** The body of a delivery; fields that are not listed here stay in it. */
export interface WebhookEvent<Name extends string = Open<WebhookEventName>> {
  /** UUID of the tenant the event happened in; empty when the delivery has none. */
  readonly tenant_id: string;
  /** The school's subdomain; empty when the delivery has none. */
  readonly educator: string;
  /** What happened: `invoice.updated`. */
  readonly event: Name;
  /** What it happened to; may be as thin as an identifier and a type. */
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
