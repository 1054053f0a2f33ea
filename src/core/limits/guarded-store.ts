import type { Clock } from "../clock.js";
import { later, type Moment, momentOf, raceTimeout } from "../time.js";
import {
  type Claim,
  type LimitStore,
  MemoryRateLimitStore,
  type RateLimitStore,
  type Reservation,
  type Settlement,
  type SlotRequest,
} from "./rate-limit-store.js";

const STORE_TIMEOUT_MS = 5_000;

const TRIES_PER_WINDOW = 10;

// The smallest share of the limit that a process may use while the store is down.
const LEAST_SHARE = 0.01;

// Prefix of the slots that the local fallback grants.
const LOCAL = "local ";

const NO_LIMIT = { requests: Infinity, batchRequests: Infinity };

/**
 * Wraps a shared store so that it never fails: while the store throws, hangs or gives an invalid reply, this process
 * counts its requests itself and warns once.
 */
export class GuardedStore implements LimitStore {
  readonly isShared = true;
  readonly #clock: Clock;
  readonly #shared: RateLimitStore;
  /**
   * Also counts the slots that the shared store grants to this process, so that the fallback does not start with an
   * empty window.
   */
  readonly #memory = new MemoryRateLimitStore();
  /** For each unsettled slot of the shared store, its copy in memory. */
  readonly #copies = new Map<string, string>();
  /** When a failed shared store is tried again; null while it works. */
  #askAgainAt: Moment | null = null;
  #windowMs = 0;
  #failure = "";
  /** The share of all taken slots that this process held when the share was last computed. */
  #share: number;
  /** The number of taken slots when the share was computed; before `until`, fewer do not change it. */
  #fullest = { used: 0, until: 0 as Moment };
  /** Until this moment, the store's count lacks requests that were sent during its outage. */
  #unknownUntil = 0 as Moment;

  constructor(clock: Clock, shared: RateLimitStore) {
    this.#clock = clock;
    this.#shared = shared;
    const { processes = 1 } = shared;
    this.#share = processes >= 1 ? 1 / processes : 1;
  }

  reserve(request: SlotRequest): Claim | Promise<Claim> {
    this.#windowMs = request.windowMs;
    if (this.#askAgainAt === null) return this.#reserveShared(request);
    if (momentOf(this.#clock) >= this.#askAgainAt) void this.#askAgain(request);
    return this.#reserveLocal(request);
  }

  settle(settlement: Omit<Settlement, "now">): void | Promise<void> {
    const { slot } = settlement;
    const now = momentOf(this.#clock);
    if (slot.startsWith(LOCAL)) return this.#memory.settle({ ...settlement, now, slot: slot.slice(LOCAL.length) });
    const copy = this.#copies.get(slot);
    this.#copies.delete(slot);
    if (copy !== undefined) this.#memory.settle({ ...settlement, now, slot: copy });
    // A store that is down is not called: the slot becomes free there when its lease ends.
    if (this.#askAgainAt !== null) return;
    return this.#tell(() => this.#shared.settle({ ...settlement, now: this.#clock.now() }));
  }

  block(key: string, ms: number): void | Promise<void> {
    this.#memory.block({ key, until: later(momentOf(this.#clock), ms) });
    if (this.#askAgainAt !== null) return;
    const now = this.#clock.now();
    return this.#tell(() => this.#shared.block({ key, now, until: now + ms }));
  }

  usage(key: string): ReturnType<LimitStore["usage"]> {
    const now = this.#clock.now();
    const moment = momentOf(this.#clock);
    try {
      const usage = this.#askAgainAt === null ? this.#shared.usage?.({ key, now }) : undefined;
      if (usage && Number.isFinite(usage.used)) {
        const { used, resetAt } = usage;
        return { used, resetAt: resetAt === null ? null : later(moment, resetAt - now) };
      }
    } catch {
      // Reading the state must not fail because a store is down.
    }
    return this.#memory.usage({ key, now: moment }) as ReturnType<LimitStore["usage"]>;
  }

  #reserveLocal(request: SlotRequest): Claim {
    const claim = this.#remember(this.#limitToShare(request));
    return claim.granted ? { granted: true, slot: LOCAL + claim.slot } : claim;
  }

  #remember(request: SlotRequest): Claim {
    return this.#memory.reserve({ ...request, now: momentOf(this.#clock) }) as Claim;
  }

  // The other processes have lost the store too: as long as each process keeps to its share, the limit is kept.
  #limitToShare(request: SlotRequest): SlotRequest {
    const part = (most: number) => Math.max(1, Math.floor(most * Math.max(LEAST_SHARE, this.#share)));
    return { ...request, requests: part(request.requests), batchRequests: part(request.batchRequests) };
  }

  async #reserveShared(request: SlotRequest): Promise<Claim> {
    const { key, windowMs } = request;
    const started = momentOf(this.#clock);
    const now = this.#clock.now();
    // Normally the store decides. After an outage its count lacks some requests, so this process also keeps to its
    // share.
    const limits = started < this.#unknownUntil ? this.#limitToShare(request) : NO_LIMIT;
    const copy = this.#remember({ ...request, ...limits });
    if (!copy.granted && limits !== NO_LIMIT) return copy;
    const reservation = await this.#ask(() => this.#shared.reserve({ ...request, now }), isReservation);
    if (copy.granted) {
      if (reservation?.granted) this.#copies.set(reservation.slot, copy.slot);
      else this.#memory.settle({ key, slot: copy.slot, now: momentOf(this.#clock), windowMs, sent: false });
    }
    if (!reservation) {
      this.#fail();
      return this.#reserveLocal(request);
    }
    // Until the store knows of every request again, its count is too low to compute a share from.
    if (limits === NO_LIMIT) this.#noteShare(request, reservation);
    if (reservation.granted) return reservation;
    const ms = (reservation.retryAt ?? now) - now;
    return { ...reservation, retryAt: ms > 0 ? later(started, ms) : null };
  }

  // Computes the share when the window is fullest; earlier, the first process to send would seem to use all of it.
  #noteShare({ key, priority, requests, batchRequests, windowMs }: SlotRequest, answer: Reservation): void {
    const full = priority === "batch" ? batchRequests : requests;
    const used = (answer.granted ? answer.used : answer.reason === "window" && full) || 0;
    const now = momentOf(this.#clock);
    if (!(used > 0) || (used < this.#fullest.used && now < this.#fullest.until)) return;
    this.#fullest = { used, until: later(now, 2 * windowMs) };
    this.#share = Math.min(1, this.#memory.usage({ key, now }).used / used);
  }

  async #tell(telling: () => void | PromiseLike<void>): Promise<void> {
    const hasEnded = await this.#ask(async () => {
      await telling();
      return true;
    });
    if (!hasEnded) this.#fail();
  }

  // Runs in the background, so that a store that hangs does not delay any request.
  async #askAgain(request: SlotRequest): Promise<void> {
    const { key, windowMs } = request;
    this.#askAgainAt = later(momentOf(this.#clock), windowMs);
    const works = await this.#ask(async () => {
      const reservation = await this.#shared.reserve({ ...request, now: this.#clock.now() });
      if (!isReservation(reservation)) return false;
      // Calls `settle` even after a refusal, with a slot that does not exist, to find out whether it works.
      const slot = reservation.granted ? reservation.slot : "none";
      await this.#shared.settle({ key, slot, now: this.#clock.now(), windowMs, sent: false });
      return true;
    });
    const then = momentOf(this.#clock);
    this.#askAgainAt = works ? null : later(then, windowMs / TRIES_PER_WINDOW);
    // Allows for other processes, which notice the recovery only at their next try, and for a try that hangs.
    if (works) this.#unknownUntil = later(then, windowMs + windowMs / TRIES_PER_WINDOW + STORE_TIMEOUT_MS);
  }

  /** The store's reply; null if the store throws, takes too long or gives an invalid reply. */
  async #ask<T>(
    question: () => T | PromiseLike<T>,
    isValid: (answer: unknown) => boolean = Boolean,
  ): Promise<T | null> {
    try {
      // Promise.resolve, because a store may return a thenable from another library or realm.
      const asked = Promise.resolve<T | null>(question());
      let isLate = false;
      const answer = await raceTimeout(this.#clock, STORE_TIMEOUT_MS, asked, () => {
        isLate = true;
        return null;
      });
      if (isValid(answer)) return answer;
      this.#failure = isLate ? `no reply within ${STORE_TIMEOUT_MS} ms` : "invalid reply";
      return null;
    } catch (error) {
      this.#failure = codeOf(error);
      return null;
    }
  }

  #fail(): void {
    if (this.#askAgainAt !== null) return;
    this.#askAgainAt = later(momentOf(this.#clock), this.#windowMs / TRIES_PER_WINDOW);
    console.warn(
      `education-admin-sdk: the rate-limit store failed (${this.#failure}); falling back to a per-process limit.`,
    );
  }
}

// Error codes of database drivers and of Node: 42P01, SQLITE_BUSY, ECONNREFUSED. Messages are not used, because they
// may contain an address with its password.
const CODE = /^[A-Z\d_]{2,40}$/;

function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as Partial<Record<"code" | "name", unknown>>;
  if (typeof code === "string" && CODE.test(code)) return code;
  return typeof name === "string" && /^[A-Za-z]{1,40}$/.test(name) ? name : "unknown error";
}

/** Hashes a token for the key of a shared store, which leaves the process. Null if the platform lacks SHA-256. */
export async function sha256(text: string): Promise<string | null> {
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", new TextEncoder().encode(text));
  if (!digest) return null;
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function isReservation(answer: unknown): answer is Reservation {
  const { granted, slot, retryAt, reason } = (answer ?? {}) as Partial<
    Record<"granted" | "slot" | "retryAt" | "reason", unknown>
  >;
  if (granted === true) return typeof slot === "string";
  if (granted !== false || (reason !== "window" && reason !== "rate_limited")) return false;
  return retryAt === null || Number.isFinite(retryAt);
}
