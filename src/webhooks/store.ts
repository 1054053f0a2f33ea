/** A delivery as a store keeps it. Every field is text or a number: a table row, a JSON job, a queue message. */
export interface WebhookDelivery {
  /** Identifies the delivery; letters, digits, `.`, `_` and `-` only, at most 128. */
  readonly id: string;
  /** Name of the event, `invoice.updated`. */
  readonly event: string;
  /** The raw body, JSON. May hold personal data: store it accordingly. */
  readonly payload: string;
  /** When it was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When it was signed, in milliseconds since the epoch; null where the scheme has no time. */
  readonly sentAt: number | null;
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

/** What a receiver must be able to do with a delivery before it answers: enough for a queue that has its own workers. */
export interface WebhookInbox {
  /**
   * Keeps a delivery. Resolves only once it is safe: the service is answered right after and does not send it again.
   * `duplicate` when a delivery with this id was kept before, handled ones included; it is then not kept again.
   * A rejection is answered 503, so that the service may try again.
   */
  put(delivery: WebhookDelivery): Promise<"stored" | "duplicate">;
}

/** An inbox whose deliveries the library hands to your listeners itself. */
export interface WebhookStore extends WebhookInbox {
  /**
   * Milliseconds between two looks for deliveries that other processes put, or left behind when they ended; 0: only
   * this process puts. Default 1 000.
   */
  readonly pollMs?: number | undefined;
  /**
   * Hands out at most `limit` deliveries that are due at `now`, the oldest first, counts the attempt, and hides them
   * from every taker until `leaseUntil`. One whose lease has passed is due again: its process ended.
   */
  take(ask: {
    readonly limit: number;
    readonly now: number;
    readonly leaseUntil: number;
  }): Promise<readonly TakenDelivery[]>;
  /** Moves the end of a lease, because the listener still works. */
  extend(id: string, leaseUntil: number): Promise<void>;
  /**
   * Marks a delivery as handled. Remember its id for as long as the service may send it again. With `version`, keep it
   * for `newest` in the same transaction, unless a newer one is kept.
   */
  done(id: string, version: RecordVersion | null): Promise<void>;
  /** Makes a delivery due again at a time, in milliseconds since the epoch. */
  retry(id: string, at: number): Promise<void>;
  /** Sets a delivery aside that keeps failing. */
  dead(id: string): Promise<void>;
  /**
   * `updatedAt` of the newest version handled of a record; null when none is known. Without this method only what the
   * same process handled is known.
   */
  newest?(record: string): Promise<number | null>;
}

/** Tells a store the library takes from, from an inbox that something else takes from. */
export function canTake(store: WebhookInbox): store is WebhookStore {
  return typeof (store as Partial<WebhookStore>).take === "function";
}
