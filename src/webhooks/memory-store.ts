import { atLeast } from "./at-least.js";
import { rememberAtMost } from "./bounded-map.js";
import type { TakenDelivery, WebhookDelivery, WebhookStore } from "./store.js";

/** Limits of a memory store. */
export interface MemoryStoreOptions {
  /** Most deliveries waiting or being handled; further ones are refused with 503. Default 10 000. */
  readonly maxPending?: number | undefined;
  /** Most identifiers of handled deliveries remembered, to recognise duplicates. Default 10 000. */
  readonly maxRemembered?: number | undefined;
}

interface Waiting {
  readonly delivery: WebhookDelivery;
  attempt: number;
  dueAt: number;
}

/**
 * Keeps deliveries in memory: **what is not handled yet is lost with the process**, though the service was told that
 * it arrived. Enough for tests and for events that may be missed; for the rest give a durable {@link WebhookStore}.
 */
export function memoryStore(options: MemoryStoreOptions = {}): WebhookStore {
  const maxPending = atLeast(1, "maxPending", options.maxPending ?? 10_000);
  const maxRemembered = atLeast(1, "maxRemembered", options.maxRemembered ?? 10_000);
  const ready = new Map<string, Waiting>();
  const delayed = new Map<string, Waiting>();
  const taken = new Map<string, Waiting>();
  const finished = new Map<string, true>();

  const isKnown = (id: string) => ready.has(id) || delayed.has(id) || taken.has(id) || finished.has(id);
  const finish = async (id: string) => {
    taken.delete(id);
    rememberAtMost(finished, maxRemembered, id, true);
  };

  return {
    pollMs: 0,
    async put(delivery) {
      if (isKnown(delivery.id)) return "duplicate";
      if (ready.size + delayed.size + taken.size >= maxPending) {
        throw new Error(`The memory store is full: ${maxPending} deliveries are waiting or being handled`);
      }
      ready.set(delivery.id, { delivery, attempt: 0, dueAt: 0 });
      return "stored";
    },
    async take({ limit, now }) {
      for (const [id, waiting] of delayed) {
        if (waiting.dueAt > now) continue;
        delayed.delete(id);
        ready.set(id, waiting);
      }
      const handedOut: TakenDelivery[] = [];
      for (const [id, waiting] of ready) {
        if (handedOut.length >= limit) break;
        ready.delete(id);
        waiting.attempt++;
        taken.set(id, waiting);
        handedOut.push({ ...waiting.delivery, attempt: waiting.attempt });
      }
      return handedOut;
    },
    // A lease outlives its holder only in another process, and no other process sees this memory.
    async extend() {},
    async done(id) {
      await finish(id);
    },
    async retry(id, at) {
      const waiting = taken.get(id);
      if (!waiting) return;
      taken.delete(id);
      waiting.dueAt = at;
      delayed.set(id, waiting);
    },
    async dead(id) {
      await finish(id);
    },
  };
}
