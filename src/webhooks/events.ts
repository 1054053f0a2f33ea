import type { Open } from "../core/model.js";

const NAMES = [
  "account.created",
  "account.deleted",
  "account.updated",
  "catalog_variant.created",
  "catalog_variant.deleted",
  "catalog_variant.updated",
  "category.created",
  "category.deleted",
  "category.updated",
  "certificate.awarded",
  "certificate.deleted",
  "course.created",
  "course.deleted",
  "course.updated",
  "course_location.created",
  "course_location.deleted",
  "course_location.updated",
  "course_variant.created",
  "course_variant.deleted",
  "course_variant.updated",
  "custom_field_option.created",
  "custom_field_option.deleted",
  "custom_field_option.updated",
  "custom_record.created",
  "custom_record.deleted",
  "custom_record.updated",
  "educator.created",
  "educator.deleted",
  "educator.updated",
  "enrollment.created",
  "enrollment.deleted",
  "enrollment.updated",
  "invoice.created",
  "invoice.deleted",
  "invoice.updated",
  "invoice_vat.created",
  "invoice_vat.deleted",
  "invoice_vat.updated",
  "label.created",
  "label.deleted",
  "label.updated",
  "lead.created",
  "lead.deleted",
  "lead.updated",
  "meeting.created",
  "meeting.deleted",
  "meeting.teacher_attendees_changed",
  "meeting.updated",
  "meeting_location.created",
  "meeting_location.deleted",
  "meeting_location.updated",
  "order.approved",
  "order.canceled",
  "order.created",
  "order.deleted",
  "order.denied",
  "order.updated",
  "payment.created",
  "payment.deleted",
  "payment.updated",
  "planned_course.canceled",
  "planned_course.created",
  "planned_course.deleted",
  "planned_course.teacher_attendees_changed",
  "planned_course.updated",
  "planning_event.created",
  "planning_event.deleted",
  "planning_event.teacher_attendees_changed",
  "planning_event.updated",
  "product.created",
  "product.deleted",
  "product.updated",
  "program.created",
  "program.deleted",
  "program.updated",
  "program_edition.created",
  "program_edition.deleted",
  "program_edition.updated",
  "program_enrollment.cancel",
  "program_enrollment.created",
  "program_enrollment.graduation_revoked",
  "program_enrollment.pass",
  "program_enrollment.updated",
  "teacher.created",
  "teacher.deleted",
  "teacher.updated",
  "teacher_role.created",
  "teacher_role.deleted",
  "teacher_role.updated",
  "user.created",
  "user.deleted",
  "user.merged",
  "user.updated",
] as const;

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
 * `type`, so nothing but its being an object is certain.
 */
export interface WebhookEventData {
  /** Identifier of the record the event is about. */
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
  /** The provider's subdomain; empty when the delivery has none. */
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
