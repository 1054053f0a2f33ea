import type { Clock } from "../clock.js";
import {
  MemoryRateLimitStore,
  type RateLimitStore,
  type RateLimitUsage,
  type Reservation,
  type ReserveRequest,
  type Settlement,
} from "./rate-limit-store.js";

// A store that takes longer counts as failed.
const STORE_TIMEOUT_MS = 5_000;

/**
 * A store that always answers. Without a shared store it is the memory of this process and answers at once; a shared
 * store that throws, hangs or answers something else is replaced by that memory, with one warning.
 */
export class GuardedStore {
  readonly #clock: Clock;
  readonly #memory = new MemoryRateLimitStore();
  #shared: RateLimitStore | null;

  constructor(clock: Clock, shared: RateLimitStore | null) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /** True while the budget is kept outside this process. */
  get isShared(): boolean {
    return this.#shared !== null;
  }

  /** Takes a place in the window. */
  reserve(request: ReserveRequest): Reservation | Promise<Reservation> {
    return this.#ask((store) => store.reserve(request), isReservation);
  }

  /** Notes that a request was answered or not sent. */
  settle(settlement: Settlement): void | Promise<void> {
    return this.#ask((store) => store.settle(settlement), anything);
  }

  /** Refuses every request until a point in time. */
  block(block: { readonly key: string; readonly until: number }): void | Promise<void> {
    return this.#ask((store) => store.block(block), anything);
  }

  /** Places taken and when the next one is free; null where a shared store cannot say. */
  usage(key: string): RateLimitUsage | null {
    try {
      const usage = (this.#shared ?? this.#memory).usage?.({ key, now: this.#clock.now() });
      return isUsage(usage) ? usage : null;
    } catch {
      // Reading the state must not fail because a store is down.
      return null;
    }
  }

  #ask<T>(
    question: (store: RateLimitStore) => T | PromiseLike<T>,
    isValid: (answer: unknown) => boolean,
  ): T | Promise<T> {
    return this.#shared ? this.#askShared(this.#shared, question, isValid) : (question(this.#memory) as T);
  }

  async #askShared<T>(
    store: RateLimitStore,
    question: (store: RateLimitStore) => T | PromiseLike<T>,
    isValid: (answer: unknown) => boolean,
  ): Promise<T> {
    let timer: unknown;
    const late = new Promise<never>((_, reject) => {
      timer = this.#clock.setTimeout(() => reject(new Error("timeout")), STORE_TIMEOUT_MS);
    });
    try {
      // Promise.resolve, because a store may return thenables of another library or realm.
      const answer = await Promise.race([Promise.resolve(question(store)), late]);
      if (isValid(answer)) return answer;
    } catch {
      // Falls back below.
    } finally {
      this.#clock.clearTimeout(timer);
    }
    if (this.#shared) {
      this.#shared = null;
      console.warn("education-admin-sdk: the rate-limit store failed; falling back to a per-process limit.");
    }
    return question(this.#memory);
  }
}

const anything = () => true;

function isReservation(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null) return false;
  const { granted, slot, retryAt, reason } = answer as Partial<
    Record<"granted" | "slot" | "retryAt" | "reason", unknown>
  >;
  if (granted === true) return typeof slot === "string";
  if (granted !== false || (reason !== "window" && reason !== "rate_limited")) return false;
  return retryAt === null || Number.isFinite(retryAt);
}

function isUsage(usage: RateLimitUsage | undefined): usage is RateLimitUsage {
  return Number.isFinite(usage?.used) && (usage?.resetAt === null || Number.isFinite(usage?.resetAt));
}
