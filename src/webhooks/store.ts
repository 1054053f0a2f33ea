/** A delivery that can be handled. Every field is text or a number: a table row, a JSON job, a queue message. */
export interface WebhookDelivery {
  /** Identifies the delivery; at most 200 letters, digits, `.`, `_` and `-`. */
  readonly id: string;
  /** Name of the event, `invoice.updated`. */
  readonly event: string;
  /** The raw body, JSON. May hold personal data: store it accordingly. */
  readonly payload: string;
  /** When it was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /**
   * When it was signed, in milliseconds since the epoch; null if the scheme has no time. Of one that `recoverWebhooks`
   * found: when the service made the notification, null if it does not show that.
   */
  readonly sentAt: number | null;
}

/** A delivery as the receiver hands it to a store. */
export interface ReceivedDelivery extends WebhookDelivery {
  /** Names the record the event is about, over all tenants; null when the event names none. */
  readonly record: string | null;
  /**
   * What the event says, as one text: equal for copies, and for a change that returns its record to what it was. Null when the
   * event does not say enough to recognise copies.
   */
  readonly foldKey: string | null;
}

/** Milliseconds for which the service repeats a delivery: an equal one that is sent later tells of another change. */
export const COPY_MS = 3_600_000;

/** What a store keeps of a delivery to recognise its copies. */
export type Known = Pick<ReceivedDelivery, "foldKey" | "sentAt" | "receivedAt">;

/** Tells whether a delivery is a copy of one that is known, and the last one of its record or not. */
export function isCopy(delivery: Known, known: Known | undefined, isLast: boolean): boolean {
  if (!known || delivery.foldKey === null || delivery.foldKey !== known.foldKey) return false;
  const later = (delivery.sentAt ?? delivery.receivedAt) - (known.sentAt ?? known.receivedAt);
  return later < (isLast ? COPY_MS : 0);
}

/** A delivery handed out to be handled. */
export interface TakenDelivery extends WebhookDelivery {
  /** How many times it was handed out, this time included: 1 for the first. */
  readonly attempt: number;
}

/** Which state of which record was handled. */
export interface RecordVersion {
  /** Names the record over all tenants: tenant, kind, identifier. */
  readonly record: string;
  /** `updated_at` of the event, in milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** What a receiver needs before it answers: enough for a queue that has its own workers. */
export interface WebhookInbox {
  /**
   * Stores a delivery. Resolves only once it is safe: the service is answered right after and does not send it again.
   * Resolves to `duplicate`, and stores nothing, when a delivery with this `id` was stored before (handled ones included), or one
   * with this `foldKey` that either was sent later, or is the last one stored of its record and was sent less than an hour
   * before (`sentAt`, where it is null `receivedAt`). A rejection is answered with 503, so that the service may try again.
   */
  put(delivery: ReceivedDelivery): Promise<"stored" | "duplicate">;
  /** What several processes that call `process` share to handle the events of one record in order. */
  readonly records?: WebhookRecords | undefined;
}

/** Locks and versions of records, shared by every process that calls `process`. */
export interface WebhookRecords {
  /**
   * Locks a record for a holder, or moves the end of a lock it has. Resolves to false when another holder has the
   * record and its lock has not ended. `until` is in milliseconds since the epoch. `delivery` is what the record is locked for,
   * absent when a lock is renewed: records that know the order of their deliveries also resolve to false before its turn.
   */
  lock(record: string, holder: string, until: number, delivery?: WebhookDelivery): Promise<boolean>;
  /** Ends the lock of this holder; does nothing when another holder has the record. */
  unlock(record: string, holder: string, delivery?: WebhookDelivery): Promise<void>;
  /** `updatedAt` of the newest version handled of a record; null when none is known. */
  newest(record: string): Promise<number | null>;
  /** Remembers a version as handled, unless a newer one is remembered. */
  handled(version: RecordVersion): Promise<void>;
}

/** What a worker asks a store for. */
export interface TakeRequest {
  /** Most deliveries to hand out. */
  readonly limit: number;
  /** The time, in milliseconds since the epoch. */
  readonly now: number;
  /** When the lease of what is handed out ends, in milliseconds since the epoch. */
  readonly leaseUntil: number;
  /**
   * True: hand out at most one delivery of a record at a time, the oldest first, and none of a record of which any
   * process has a delivery under a running lease. A delivery that waits for another attempt does not hold up its record.
   * One whose lease has ended goes before an older one: its listener may have succeeded before its process ended.
   */
  readonly onePerRecord: boolean;
}

/** An inbox whose deliveries the library hands to listeners itself. */
export interface WebhookStore extends WebhookInbox {
  /**
   * Milliseconds between two calls of `take` that look for deliveries of other processes; 0 when only this process
   * puts. Default 1 000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Hands out at most `limit` deliveries whose time has come, the oldest first, counts the attempt, and hides them from
   * every taker until `leaseUntil`. A delivery whose lease has ended is handed out again: its process ended. A call that
   * takes longer than 10 seconds counts as failed.
   */
  take(request: TakeRequest): Promise<readonly TakenDelivery[]>;
  /**
   * Moves the end of a lease, because a listener is still working. Here and in `retry` and `dead`, `attempt` is that of the
   * delivery that was taken: do nothing when it was handed out again since then, because its lease had ended.
   */
  extend(id: string, leaseUntil: number, attempt: number): Promise<void>;
  /**
   * Marks a delivery as handled. Remember its id for as long as the service may send it again. With `version`, store it
   * for `newest` in the same transaction, unless a newer one is stored.
   */
  done(id: string, version: RecordVersion | null): Promise<void>;
  /** Ends the lease and makes a delivery available again at a time, in milliseconds since the epoch. */
  retry(id: string, at: number, attempt: number): Promise<void>;
  /** Sets aside a delivery that keeps failing. */
  dead(id: string, attempt: number): Promise<void>;
  /**
   * `updatedAt` of the newest version handled of a record; null when none is known. Without this method a worker knows
   * only what its own process handled.
   */
  newest?(record: string): Promise<number | null>;
}

/** Distinguishes a store the library takes from, from an inbox that a queue takes from. */
export function canTake(store: WebhookInbox): store is WebhookStore {
  return typeof (store as Partial<WebhookStore>).take === "function";
}
