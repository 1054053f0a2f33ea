import { type Filled, type OptionTable, optionsOf } from "../../core/option-checks.js";
import { rememberAtMost } from "../bounded-map.js";
import { atLeast } from "../checks.js";
import { isCopy, type ReceivedDelivery, type TakenDelivery, type WebhookStore } from "../store.js";

/** Limits of a memory store. */
export interface MemoryStoreOptions {
  /** Maximum number of deliveries waiting or being handled; more are refused with 503. Default 10,000. */
  readonly maxPending?: number | undefined;
  /**
   * Maximum number of bytes, at two per character, in the bodies of deliveries waiting or being handled; more are
   * refused with 503. Default 67,108,864.
   */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum number of handled deliveries, and of records, to remember in order to recognize duplicates. Default 10,000.
   */
  readonly maxRemembered?: number | undefined;
}

interface Pending {
  readonly delivery: ReceivedDelivery;
  attempt: number;
  /** When the delivery may be handed out again: the end of its pause or of its lease. */
  at: number;
}

/**
 * Keeps deliveries in memory: **unhandled deliveries are lost when the process ends**, even if their response was 200.
 * It suits tests and events that may be missed; otherwise use a durable {@link WebhookStore}.
 * @throws ConfigurationError if a limit is not a number of at least 1, or an option is unknown.
 */
export function memoryStore(options: MemoryStoreOptions = {}): WebhookStore {
  return new MemoryStore(optionsOf("memoryStore", options, LIMITS));
}

const LIMITS = {
  maxPending: [/* @__PURE__ */ atLeast(1), 10_000],
  maxBytes: [/* @__PURE__ */ atLeast(1), 67_108_864],
  maxRemembered: [/* @__PURE__ */ atLeast(1), 10_000],
} satisfies OptionTable<MemoryStoreOptions>;

class MemoryStore implements WebhookStore {
  readonly pollMs = 0;
  readonly #limits: Filled<typeof LIMITS>;
  readonly #pending = new Map<string, Pending>();
  readonly #ready = new Map<string, Pending>();
  readonly #delayed = new Map<string, Pending>();
  readonly #taken = new Map<string, Pending>();
  readonly #finished = new Map<string, true>();
  /** The newest delivery for each `foldKey`; `#last` has the id of each record's latest delivery. */
  readonly #equal = new Map<string, ReceivedDelivery>();
  readonly #last = new Map<string, string>();
  /** For each record, the id of the delivery that is being handled. */
  readonly #busy = new Map<string, string>();
  /** Deliveries waiting for another one of the same record, kept apart so that `take` need not skip them. */
  readonly #behind = new Map<string, Pending[]>();
  #bytes = 0;

  constructor(limits: Filled<typeof LIMITS>) {
    this.#limits = limits;
  }

  put = async (delivery: ReceivedDelivery): Promise<"stored" | "duplicate"> => {
    const { id, record = null, foldKey = null } = delivery;
    const equal = this.#equal.get(foldKey ?? "");
    const isKnown = this.#pending.has(id) || this.#finished.has(id);
    if (isKnown || isCopy(delivery, equal, this.#last.get(record ?? "") === equal?.id)) return "duplicate";
    const { maxPending, maxBytes, maxRemembered } = this.#limits;
    const bytes = bytesOf(delivery);
    if (this.#pending.size >= maxPending || this.#bytes + bytes > maxBytes) {
      throw new Error(
        `The memory store is full: its deliveries take up ${this.#bytes} of ${maxBytes} bytes and ${this.#pending.size} of ${maxPending} places`,
      );
    }
    const pending: Pending = { delivery, attempt: 0, at: 0 };
    this.#bytes += bytes;
    this.#pending.set(id, pending);
    if (foldKey !== null) rememberAtMost(this.#equal, maxRemembered, foldKey, { ...delivery, payload: "" });
    if (record !== null) rememberAtMost(this.#last, maxRemembered, record, id);
    const queue = this.#behind.get(delivery.record ?? "");
    if (queue) queue.push(pending);
    else this.#ready.set(id, pending);
    return "stored";
  };

  take: WebhookStore["take"] = async ({ limit, now, leaseUntil, onePerRecord }) => {
    this.#makeReady(this.#delayed, now);
    this.#makeReady(this.#taken, now);
    const handedOut: TakenDelivery[] = [];
    for (const [id, pending] of this.#ready) {
      if (handedOut.length >= limit) break;
      const { delivery } = pending;
      const { record = null, foldKey: _, ...kept } = delivery;
      this.#ready.delete(id);
      if (record !== null && onePerRecord) {
        if (this.#busy.has(record)) {
          const queue = this.#behind.get(record);
          if (queue) queue.push(pending);
          else this.#behind.set(record, [pending]);
          continue;
        }
        this.#busy.set(record, id);
      }
      pending.attempt++;
      pending.at = leaseUntil;
      this.#taken.set(id, pending);
      handedOut.push({ ...kept, attempt: pending.attempt });
    }
    return handedOut;
  };

  extend = async (id: string, leaseUntil: number, attempt?: number): Promise<void> => {
    const pending = this.#taken.get(id);
    if (pending && this.#isCurrent(id, attempt)) pending.at = leaseUntil;
  };

  done = async (id: string): Promise<void> => this.#finish(id);

  dead = async (id: string, attempt?: number): Promise<void> => {
    if (this.#isCurrent(id, attempt)) this.#finish(id);
  };

  retry = async (id: string, at: number, attempt?: number): Promise<void> => {
    const pending = this.#taken.get(id);
    if (!pending || !this.#isCurrent(id, attempt)) return;
    this.#release(pending);
    pending.at = at;
    this.#delayed.set(id, pending);
  };

  /** True if the delivery has not been handed out again since this attempt. */
  #isCurrent(id: string, attempt: number | undefined): boolean {
    return attempt === undefined || this.#pending.get(id)?.attempt === attempt;
  }

  #makeReady(from: Map<string, Pending>, now: number): void {
    for (const [id, pending] of from) {
      if (pending.at > now) continue;
      from.delete(id);
      // Queued before the release, which queues the next delivery of the same record behind it.
      this.#ready.set(id, pending);
      this.#release(pending);
    }
  }

  #finish(id: string): void {
    const pending = this.#pending.get(id);
    if (pending) {
      this.#bytes -= bytesOf(pending.delivery);
      this.#pending.delete(id);
      // If the lease has expired, the delivery may be waiting again when its listener succeeds.
      this.#ready.delete(id);
      this.#delayed.delete(id);
      this.#release(pending);
    }
    rememberAtMost(this.#finished, this.#limits.maxRemembered, id, true);
  }

  /** Ends a delivery's lease, and frees its record for the next delivery. */
  #release({ delivery: { id, record } }: Pending): void {
    this.#taken.delete(id);
    if (!record || this.#busy.get(record) !== id) return;
    this.#busy.delete(record);
    const queue = this.#behind.get(record) ?? [];
    let next = queue.shift();
    // Skips deliveries that have been handled: their listeners succeeded after the lease had expired.
    while (next && !this.#pending.has(next.delivery.id)) next = queue.shift();
    if (next) this.#ready.set(next.delivery.id, next);
    if (queue.length === 0) this.#behind.delete(record);
  }
}

function bytesOf({ payload }: ReceivedDelivery): number {
  return 2 * payload.length;
}
