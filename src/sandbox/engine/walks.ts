import type { Identified } from "../data/collection.js";
import type { Listing, Order } from "./listing.js";

interface Walk {
  /** The sort keys that every record had when the walk first saw it, by slot. */
  readonly keys: Map<number, readonly unknown[]>;
  /** The order that the walk began with. */
  readonly first: readonly number[];
  order: Order;
  version: number;
}

const MOST_WALKS = 100;
const MOST_KEYS = 500_000;

/**
 * Walks through sorted lists. A record whose sort key changes between two pages keeps its place in the walks that have begun, so that
 * no walk returns it twice or skips it. The oldest walks are forgotten; their cursors then lead through the list as it is. @internal
 */
export class Walks {
  readonly #walks = new Map<number, Walk>();
  #keys = 0;
  #last = 0;

  /** Begins a walk through a list as it is now, and returns its number. */
  begin({ records }: Pick<Listing<Identified>, "records">, order: Order): number {
    const newest = this.#walks.get(this.#last);
    if (newest?.first === order.slots && newest.version === records.version) return this.#last;
    const keys = new Map(order.slots.map((slot) => [slot, order.keysOf(slot)]));
    const kept = { ...order, keysOf: (slot: number) => keys.get(slot) ?? [] };
    this.#walks.set(++this.#last, { keys, first: order.slots, order: kept, version: records.version });
    this.#keys += keys.size;
    for (const [oldest, walk] of this.#walks) {
      if (this.#walks.size <= MOST_WALKS && this.#keys <= MOST_KEYS) break;
      if (oldest === this.#last) break;
      this.#walks.delete(oldest);
      this.#keys -= walk.keys.size;
    }
    return this.#last;
  }

  /** The order of a walk, with the records that were added since and without those that are gone; `now` when it is forgotten. */
  resume(id: number | null, { records }: Pick<Listing<Identified>, "records">, now: Order): Order {
    const walk = id === null ? undefined : this.#walks.get(id);
    if (!walk) return now;
    if (walk.version !== records.version) {
      const { keys } = walk;
      const before = keys.size;
      for (const slot of now.slots) if (!keys.has(slot)) keys.set(slot, now.keysOf(slot));
      this.#keys += keys.size - before;
      const marks = now.slots.map((slot) => [keys.get(slot) ?? [], slot] as const);
      const slots = marks.sort(now.compare).map(([, slot]) => slot);
      walk.order = { slots, keysOf: (slot) => keys.get(slot) ?? [], compare: now.compare };
      walk.version = records.version;
    }
    return walk.order;
  }

  /** Forgets all walks. Their numbers are not used again. */
  clear(): void {
    this.#walks.clear();
    this.#keys = 0;
  }
}
