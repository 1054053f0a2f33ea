import { type Clock, systemClock } from "../../core/clock.js";
import { copyOf } from "../../core/copy.js";
import { EducationAdminError } from "../../core/errors.js";
import { isPlainObject } from "../../core/json.js";
import { failuresOf, methods, type OptionTable, optionsOf } from "../../core/option-checks.js";
import { rememberAtMost } from "../bounded-map.js";
import { atLeast } from "../checks.js";
import type { WebhookEvent } from "../events.js";
import { recordOf, timeIn } from "../record-version.js";

/** For each kind of record, the client's resource that reads it; kinds without a `get` are omitted. */
export const RESOURCES = {
  account: "accounts",
  catalog_variant: "catalogVariants",
  category: "categories",
  certificate: "certificates",
  course: "courses",
  course_location: "courseLocations",
  course_variant: "courseVariants",
  custom_field_option: "customFieldOptions",
  custom_record: "customRecords",
  educator: "educators",
  enrollment: "enrollments",
  invoice: "invoices",
  label: "labels",
  lead: "leads",
  meeting: "meetings",
  meeting_location: "meetingLocations",
  order: "orders",
  payment: "payments",
  planned_course: "plannedCourses",
  planning_event: "planningEvents",
  product: "catalogProducts",
  program: "programs",
  program_edition: "programEditions",
  program_enrollment: "programEnrollments",
  teacher: "teachers",
  teacher_role: "teacherRoles",
  user: "users",
} as const;

// Resources whose path needs more than an identifier: `id` is the path parameter of the identifier; `rest` names the
// other parameters, which are fields of the event.
const PATHS = {
  customFieldOptions: { id: "option_id", rest: ["object_type", "field_slug"] },
  customRecords: { id: "record_id", rest: ["object_slug"] },
} as const;

type Paths = typeof PATHS;

/** The resources that read the records of events, keyed by the first part of an event's name. */
export type RefetchResources = typeof RESOURCES;

/** The part of a client that `refetch` uses: the resources that read one record. */
export type RefetchClient = {
  readonly [Resource in Exclude<RefetchResources[keyof RefetchResources], "educators" | keyof Paths>]?: {
    /** Reads a record. */
    get(id: number): PromiseLike<unknown>;
  };
} & {
  readonly [Resource in keyof Paths]?: {
    /** Reads a record by all parameters of its path. */
    get(
      path: { [Name in Paths[Resource]["id"]]: number } & { [Name in Paths[Resource]["rest"][number]]: string },
    ): PromiseLike<unknown>;
  };
} & {
  /** A client belongs to one school, so this `get` takes no identifier. */
  readonly educators?: {
    /** Reads the school. */
    get(): PromiseLike<unknown>;
  };
};

/** Options for `refetch`. */
export interface RefetchOptions {
  /**
   * Milliseconds from receiving an event to reading its record. Further events of the record in that time share the
   * request. Default 1,000.
   */
  readonly windowMs?: number | undefined;
  /**
   * Maximum number of records whose latest request is remembered, so that events received before the request was sent
   * share its response. Default 1,000.
   */
  readonly maxRecords?: number | undefined;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** The record of an event as the client returns it; `unknown` if the client cannot read the event's kind of record. */
export type RefetchedRecord<
  Client,
  Name extends string,
> = Name extends `${infer Prefix extends keyof RefetchResources}.${string}`
  ? Client extends {
      readonly [Resource in RefetchResources[Prefix]]: { get(...input: never[]): PromiseLike<infer Fresh> };
    }
    ? Fresh
    : unknown
  : unknown;

/** Reads the record of an event: null if it was deleted, undefined if it cannot be read. */
export type Refetch<Client> = <Name extends string>(
  event: WebhookEvent<Name>,
  context?: { readonly receivedAt: number },
) => Promise<RefetchedRecord<Client, Name> | null | undefined>;

const OPTIONS = {
  windowMs: [/* @__PURE__ */ atLeast(0), 1_000],
  maxRecords: [/* @__PURE__ */ atLeast(1), 1_000],
  clock: [/* @__PURE__ */ methods<Clock>("now", "setTimeout"), systemClock],
} satisfies OptionTable<RefetchOptions>;

interface Reading {
  readonly record: Promise<unknown>;
  /** When the request was sent; infinite until then, so that every event of the record may share it. */
  sentAt: number;
}

/**
 * Reads the records of thin events, which only name their record. Several events of one record within a short time
 * share one request, and each gets its own copy of the record.
 *
 * The function resolves to null for `*.deleted`, and to undefined if the record cannot be read: the client cannot read
 * this kind, or the event lacks the identifier or another part of the path (`object_type` and `field_slug` for a custom
 * field option, `object_slug` for a custom record). Every event that shares a failed request gets the client's error;
 * for a record that no longer exists, that is a `NotFoundError`. The function also rejects if the response contains
 * another record, or a record whose `updated_at` is earlier than the event's, because the service's reads may lag
 * behind its events; the delivery is then retried. Events without `updated_at` cannot be checked.
 * @throws ConfigurationError if the client has no resource that reads a record, or if an option is unknown or not a number
 * in its range.
 * @example
 * const fresh = refetch(client);
 * const handler = createWebhookHandler({ signature: false });
 * handler.on("invoice.*", async (event, context) => console.log(await fresh(event, context)));
 */
export function refetch<Client extends RefetchClient>(client: Client, options: RefetchOptions = {}): Refetch<Client> {
  const { windowMs, maxRecords, clock } = optionsOf("refetch", options, OPTIONS);
  const resources: RefetchClient | undefined = client;
  if (!Object.values(RESOURCES).some((name) => resources?.[name]))
    throw failuresOf("refetch")("client", "has no resource that reads a record");
  const readings = new Map<string, Reading>();

  function start(key: string, sendAt: number, send: () => PromiseLike<unknown>): Reading {
    const record = new Promise<void>((resolve) => {
      clock.setTimeout(resolve, sendAt - clock.now());
    }).then(() => {
      reading.sentAt = clock.now();
      return send();
    });
    const reading: Reading = { record, sentAt: Number.POSITIVE_INFINITY };
    rememberAtMost(readings, maxRecords, key, reading);
    record.catch(() => {
      if (readings.get(key) === reading) readings.delete(key);
    });
    return reading;
  }

  async function read(event: WebhookEvent<string>, context?: { readonly receivedAt: number }): Promise<unknown> {
    if (isDeletion(event)) return null;
    const input = inputOf(event);
    const send = input && sender(client, event, input);
    const record = recordOf(event);
    if (!send || record === null) return undefined;
    const key = JSON.stringify([record, ...input]);
    const receivedAt = context?.receivedAt ?? clock.now();
    let reading = readings.get(key);
    // Only a request sent after the event was received is certain to return the change. Within one millisecond the
    // order is unknown, so another request is sent.
    if (!reading || reading.sentAt <= receivedAt) reading = start(key, receivedAt + windowMs, send);
    const fresh = await reading.record;
    const [id] = input;
    const isOther = isPlainObject(fresh) && typeof id === "number" && fresh.id !== id;
    if (isOther || (isPlainObject(fresh) && timeIn(fresh.updated_at) < timeIn(event.event_data.updated_at))) {
      readings.delete(key);
      const what = isOther ? "the response contains another record" : "the record is older than its event";
      throw new EducationAdminError("webhook", `${event.event}: ${what}`);
    }
    // A copy, so that one listener's changes do not reach the next one.
    return copyOf(fresh);
  }

  return read as Refetch<Client>;
}

function isDeletion(event: WebhookEvent<string>): boolean {
  return event.event.split(".").at(-1) === "deleted";
}

function resourceOf(event: WebhookEvent<string>): RefetchResources[keyof RefetchResources] | null {
  const [prefix = ""] = event.event.split(".");
  return Object.hasOwn(RESOURCES, prefix) ? RESOURCES[prefix as keyof RefetchResources] : null;
}

function inputOf(event: WebhookEvent<string>): readonly unknown[] | null {
  const { event_data: data } = event;
  const resource = resourceOf(event);
  if (resource === "educators") return [];
  const id = Number(data.id);
  if (resource === null || !Number.isSafeInteger(id)) return null;
  if (resource !== "customFieldOptions" && resource !== "customRecords") return [id];
  const { id: name, rest } = PATHS[resource];
  const path: Record<string, unknown> = { [name]: id };
  for (const part of rest) {
    if (typeof data[part] !== "string") return null;
    path[part] = data[part];
  }
  return [path];
}

function sender(
  client: RefetchClient,
  event: WebhookEvent<string>,
  input: readonly unknown[],
): (() => PromiseLike<unknown>) | null {
  const name = resourceOf(event);
  const resource = name && (client[name] as { get(...input: readonly unknown[]): PromiseLike<unknown> } | undefined);
  return resource ? () => resource.get(...input) : null;
}
