/**
 * A delivery to handle. Every field is text, a number or null, so that a delivery fits a table row, a JSON job or a
 * queue message.
 */
export interface WebhookDelivery {
  /** Identifies the delivery: at most 200 letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** The name of the event, such as `invoice.updated`. */
  readonly event: string;
  /** The raw JSON body. It may contain personal data, so store it accordingly. */
  readonly payload: string;
  /** When the delivery was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /**
   * When the delivery was signed, in milliseconds since the epoch; null if the signature has no time. For a delivery
   * found by `recoverWebhooks`: when the service created the notification, null if the service does not give that time.
   */
  readonly sentAt: number | null;
}

/** A delivery as the receiver passes it to a store. */
export interface ReceivedDelivery extends WebhookDelivery {
  /** Identifies the record of the event across all tenants; null if the event has no record. */
  readonly record: string | null;
  /**
   * Identifies the content of the event: equal for copies, but also for a later change that returns the record to an
   * earlier state. Null if the event contains too little to recognize copies.
   */
  readonly foldKey: string | null;
}

/** For this many milliseconds, a delivery with the same content as its record's latest one counts as a copy. */
export const COPY_MS = 3_600_000;

/** The properties by which a store recognizes copies of a delivery. */
export type Known = Pick<ReceivedDelivery, "foldKey" | "sentAt" | "receivedAt">;

/**
 * True if a delivery is a copy of a known one. @param isLast true if the known delivery is the latest of its record.
 */
export function isCopy(delivery: Known, known: Known | undefined, isLast: boolean): boolean {
  if (!known || delivery.foldKey === null || delivery.foldKey !== known.foldKey) return false;
  const later = (delivery.sentAt ?? delivery.receivedAt) - (known.sentAt ?? known.receivedAt);
  return later < (isLast ? COPY_MS : 0);
}

/** A delivery that a store handed out to a worker. */
export interface TakenDelivery extends WebhookDelivery {
  /** How many times the delivery was handed out, including this time: 1 for the first. */
  readonly attempt: number;
}

/** The version of a record that an event describes. */
export interface RecordVersion {
  /** Identifies the record across all tenants: tenant, kind, identifier. */
  readonly record: string;
  /** `updated_at` of the event, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** The part of a store that a receiver needs; enough for a queue with its own workers. */
export interface WebhookInbox {
  /**
   * Stores a delivery. Resolve only after it is safely stored: the service then receives its response and does not send
   * the delivery again. Store nothing and resolve to `duplicate` if a delivery with this `id` was stored before, even
   * if it has been handled, or if a stored delivery with this `foldKey` was sent later, or is the latest of its record
   * and was sent less than an hour earlier (by `sentAt`, or by `receivedAt` if `sentAt` is null). If the promise
   * rejects, the receiver responds with 503, so that the service can try again.
   */
  put(delivery: ReceivedDelivery): Promise<"stored" | "duplicate">;
  /** Keeps the events of each record in order when several processes call a worker's `process`. */
  readonly records?: WebhookRecords | undefined;
}

/** Locks and versions of records, shared by all processes that call a worker's `process`. */
export interface WebhookRecords {
  /**
   * Locks a record for a holder, or extends the holder's lock. Resolves to false if another holder has a lock that has
   * not expired. `until` is in milliseconds since the epoch. `delivery` is the delivery to be handled; it is undefined
   * when a lock is renewed. An implementation that knows the order of a record's deliveries also resolves to false
   * until `delivery` is the next one.
   */
  lock(record: string, holder: string, until: number, delivery?: WebhookDelivery): Promise<boolean>;
  /** Releases this holder's lock; does nothing if another holder has locked the record. */
  unlock(record: string, holder: string, delivery?: WebhookDelivery): Promise<void>;
  /** `updatedAt` of the newest handled version of a record; null if none is known. */
  newest(record: string): Promise<number | null>;
  /** Stores a version as handled, unless a newer one is stored. */
  handled(version: RecordVersion): Promise<void>;
}

/** A worker's request to a store for deliveries. */
export interface TakeRequest {
  /** Maximum number of deliveries to hand out. */
  readonly limit: number;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
  /** When the leases of these deliveries end, in milliseconds since the epoch. */
  readonly leaseUntil: number;
  /**
   * The longest pause or lease that the worker sets, in milliseconds. A delivery that would have to wait longer counts
   * as due, because a wrong clock set its time.
   */
  readonly longestWaitMs?: number | undefined;
  /**
   * True to hand out at most one delivery of a record at a time, oldest first, and none while any process has a lease
   * on a delivery of the same record. A delivery that waits for another attempt does not block its record. A delivery
   * whose lease has expired goes before an older one: its listener may have succeeded before its process ended.
   */
  readonly onePerRecord: boolean;
}

/** An inbox from which the library itself takes deliveries for listeners. */
export interface WebhookStore extends WebhookInbox {
  /**
   * Milliseconds between two calls of `take` that look for deliveries stored by other processes; 0 if only this process
   * stores deliveries. Default 1,000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Hands out at most `limit` due deliveries, oldest first, counts the attempt, and hides them from all takers until
   * `leaseUntil`. A delivery whose lease has expired is handed out again, because its process ended. A call that takes
   * longer than 10 seconds counts as failed.
   */
  take(request: TakeRequest): Promise<readonly TakenDelivery[]>;
  /**
   * Extends a lease, because a listener is still working. Here and in `retry` and `dead`, `attempt` is the delivery's
   * `attempt` when it was taken: do nothing if the delivery has been handed out again since then.
   */
  extend(id: string, leaseUntil: number, attempt: number): Promise<void>;
  /**
   * Marks a delivery as handled. Remember its id for as long as the service may send it again. With `version`, store
   * the version for `newest` in the same transaction, unless a newer one is stored.
   */
  done(id: string, version: RecordVersion | null): Promise<void>;
  /** Ends the lease and makes the delivery available again at the time `at`, in milliseconds since the epoch. */
  retry(id: string, at: number, attempt: number): Promise<void>;
  /** Sets aside a delivery that keeps failing. */
  dead(id: string, attempt: number): Promise<void>;
  /**
   * `updatedAt` of the newest handled version of a record; null if none is known. Without this method, a worker knows
   * only the versions that its own process handled.
   */
  newest?(record: string): Promise<number | null>;
}

/** True for a store from which the library takes deliveries; false for an inbox whose queue has its own workers. */
export function canTake(store: WebhookInbox): store is WebhookStore {
  return typeof (store as Partial<WebhookStore>).take === "function";
}
