import { type Clock, systemClock } from "../core/clock.js";
import { atLeast } from "./at-least.js";
import { rememberAtMost } from "./bounded-map.js";
import type { WebhookEvent } from "./events.js";
import { recordOf } from "./record-order.js";

// Which resource of a client reads the record an event is about. Events about other kinds have no `get` that an
// identifier is enough for.
const RESOURCES = {
  account: "accounts",
  catalog_variant: "catalogVariants",
  category: "categories",
  certificate: "certificates",
  course: "courses",
  course_location: "courseLocations",
  course_variant: "courseVariants",
  educator: "educators",
  enrollment: "enrollments",
  invoice: "invoices",
  meeting_location: "meetingLocations",
  product: "catalogProducts",
} as const;

/** Which resource the record of an event is read from, by the first part of the event's name. */
export type RefetchResources = typeof RESOURCES;

/** What is needed of a client: the resources it has of those that read one record by its identifier. */
export type RefetchClient = {
  readonly [Resource in Exclude<RefetchResources[keyof RefetchResources], "educators">]?: {
    /** Reads one record. */
    get(id: number): PromiseLike<unknown>;
  };
} & {
  /** A client is of one provider, so its `get` takes no identifier. */
  readonly educators?: {
    /** Reads the provider. */
    get(): PromiseLike<unknown>;
  };
};

/** Options of {@link refetch}. */
export interface RefetchOptions {
  /**
   * Milliseconds after an event was received in which further events about its record join its request. The request
   * goes out when they are over, and never shows a state older than any of its events. Default 1 000.
   */
  readonly windowMs?: number | undefined;
  /** Most records kept for events that were received before they were read. Default 1 000. */
  readonly maxRecords?: number | undefined;
  /** Time, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** The record an event is about, as a client reads it; `unknown` where the event's name tells no kind it can read. */
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

/** Reads the record an event is about. */
export type Refetch<Client> = <Name extends string>(
  event: WebhookEvent<Name>,
  context?: { readonly receivedAt: number },
) => Promise<RefetchedRecord<Client, Name> | null>;

interface Reading {
  readonly record: Promise<unknown>;
  /** When the request went out; until then every event may join. */
  sentAt: number;
}

/**
 * Turns thin events into fresh records: many events about one record inside a short time become one request. Resolves
 * to null for `*.deleted`, for kinds the client cannot read by an identifier, and for events without one. Rejects with
 * the client's error, for every event of the request; a record that is gone by now is a `NotFoundError`.
 * @example
 * const fresh = refetch(client);
 * const handler = createWebhookHandler({ signature: false });
 * handler.on("invoice.*", async (event, context) => console.log(await fresh(event, context)));
 */
export function refetch<Client extends RefetchClient>(client: Client, options: RefetchOptions = {}): Refetch<Client> {
  const windowMs = atLeast(0, "windowMs", options.windowMs ?? 1_000);
  const maxRecords = atLeast(1, "maxRecords", options.maxRecords ?? 1_000);
  const clock = options.clock ?? systemClock;
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
    const send = sender(client, event);
    const key = recordOf(event);
    if (send === null || key === null) return null;
    const receivedAt = context?.receivedAt ?? clock.now();
    let reading = readings.get(key);
    // A request that went out after the event came shows what the event tells of.
    if (!reading || reading.sentAt < receivedAt) reading = start(key, receivedAt + windowMs, send);
    return reading.record;
  }

  return read as Refetch<Client>;
}

/** The request that reads the record of an event; null when there is none to read. */
function sender(client: RefetchClient, event: WebhookEvent<string>): (() => PromiseLike<unknown>) | null {
  const [prefix = "", action] = event.event.split(".");
  if (action === "deleted" || !Object.hasOwn(RESOURCES, prefix)) return null;
  const name = RESOURCES[prefix as keyof RefetchResources];
  if (name === "educators") return client.educators ? () => client.educators!.get() : null;
  const resource = client[name];
  const id = Number(event.event_data.id);
  return resource && Number.isSafeInteger(id) ? () => resource.get(id) : null;
}
