import type { Clock } from "../clock.js";
import { systemClock } from "../clock.js";
import type { Priority } from "../options.js";
import {
  MemoryRateLimitStore,
  type RateLimitStore,
  type Reservation,
  type ReserveRequest,
} from "./rate-limit-store.js";

/** The budget of one client, filled in. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly reserve: number;
  readonly concurrency: number;
  readonly queueLimit: number;
}

/** Why a request has to wait. */
export type WaitReason = "window" | "concurrency" | "rate_limited";

/** Thrown by `admit` when waiting is pointless: the turn would come after the deadline, or the queue is full. */
export class AdmissionRefused extends Error {
  readonly reason: "deadline" | "queue_full";
  readonly retryAt: number | null;
  constructor(reason: "deadline" | "queue_full", retryAt: number | null) {
    super(reason);
    this.reason = reason;
    this.retryAt = retryAt;
  }
}

/** Leave to send one request. */
export interface Permit {
  /** Milliseconds waited for it. */
  readonly waitedMs: number;
  /** What it waited for; null when it did not. */
  readonly reason: WaitReason | null;
  /** Gives the place back: `windowMs` after now, or at once when nothing was sent. Only the first call counts. */
  settle(sent: boolean): void;
}

/** What a request tells when it asks for leave. */
export interface Admission {
  readonly limit: RateLimit;
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Point in time after which the caller has no more use for leave. */
  readonly deadline: number | null;
  /** Longest a request may be under way, for stores other processes share. */
  readonly leaseMs: number;
}

interface Waiter extends Admission {
  readonly since: number;
  reason: WaitReason | null;
  resolve(permit: Permit): void;
  reject(reason: unknown): void;
}

// How long to wait before asking a store again when only other processes' answers can free a place.
const POLL_MS = 1_000;

/**
 * Lets requests of one token to one host out: at most `requests` in any window, at most `concurrency` at once,
 * interactive calls before batch, nobody while the service's Retry-After runs.
 */
export class Governor {
  readonly #key: string;
  readonly #clock: Clock;
  #store: RateLimitStore;
  readonly #interactive = new Set<Waiter>();
  readonly #batch = new Set<Waiter>();
  // Why the queue stands, or last stood, still.
  #held: WaitReason | null = null;
  // Waiters with a deadline nobody has held against the next free place yet.
  #newcomers: Waiter[] = [];
  #lookedUntil = 0;
  #underWay = 0;
  #timer: unknown;
  #pumping = false;
  #pumpAgain = false;

  constructor(key: string, clock: Clock, store: RateLimitStore = new MemoryRateLimitStore()) {
    this.#key = key;
    this.#clock = clock;
    this.#store = store;
  }

  /** Calls waiting for leave. */
  get queued(): number {
    return this.#interactive.size + this.#batch.size;
  }

  /** Places taken and when the next one frees up; null where the store does not tell. */
  get usage(): { used: number; resetAt: number | null } {
    try {
      const usage = this.#store.usage?.({ key: this.#key, now: this.#clock.now() });
      if (usage) return usage;
    } catch {
      // A store that is down tells nothing; reading the state must not fail for that.
    }
    return { used: this.#underWay, resetAt: null };
  }

  /** True when nothing is under way, waiting or remembered: the governor can be forgotten. */
  get idle(): boolean {
    const { used, resetAt } = this.usage;
    return this.queued === 0 && this.#underWay === 0 && used === 0 && resetAt === null;
  }

  /**
   * Waits for leave to send a request.
   * @throws AdmissionRefused when it would come after the deadline or the queue is full; the signal's reason when
   * that aborts.
   */
  admit(admission: Admission): Permit | Promise<Permit> {
    const { signal, priority, limit } = admission;
    if (signal.aborted) return Promise.reject(signal.reason);
    const permit = this.#admitAtOnce(admission);
    if (permit) return permit;
    if (this.queued >= limit.queueLimit) return Promise.reject(new AdmissionRefused("queue_full", null));
    return new Promise<Permit>((resolve, reject) => {
      const lane = priority === "interactive" ? this.#interactive : this.#batch;
      const leave = () => {
        lane.delete(waiter);
        signal.removeEventListener("abort", onAbort);
        // A timer nobody waits for would keep the process alive until the window is free.
        if (this.queued === 0) this.#clock.clearTimeout(this.#timer);
      };
      const onAbort = () => {
        leave();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        ...admission,
        since: this.#clock.now(),
        reason: null,
        resolve: (permit) => {
          leave();
          resolve(permit);
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      lane.add(waiter);
      if (waiter.deadline !== null) this.#newcomers.push(waiter);
      signal.addEventListener("abort", onAbort, { once: true });
      void this.#pump();
    });
  }

  // With nobody waiting and the count in this process, leave costs neither a promise nor a listener.
  #admitAtOnce(admission: Admission): Permit | null {
    const store = this.#store;
    const { limit } = admission;
    if (this.queued > 0 || this.#pumping || this.#underWay >= limit.concurrency) return null;
    if (!(store instanceof MemoryRateLimitStore)) return null;
    const reservation = store.reserve(this.#reserveRequest(admission));
    return reservation.granted ? this.#permit(limit.windowMs, reservation.slot, 0, null) : null;
  }

  #reserveRequest({ limit, priority, leaseMs }: Admission): ReserveRequest {
    // A batch call may not touch the reserve, but at least one place must stay for it.
    const kept = priority === "batch" ? Math.min(Math.floor(limit.requests * limit.reserve), limit.requests - 1) : 0;
    const { requests, windowMs } = limit;
    return { key: this.#key, now: this.#clock.now(), requests: requests - kept, windowMs, leaseMs };
  }

  /** Stops everybody until a point in time: the service answered 429. */
  async block(until: number): Promise<void> {
    await this.#ask((store) => store.block({ key: this.#key, until }));
    void this.#pump();
  }

  // One pump at a time, so that a store is asked in the order of the queue.
  async #pump(): Promise<void> {
    if (this.#pumping) {
      this.#pumpAgain = true;
      return;
    }
    this.#pumping = true;
    try {
      do {
        this.#pumpAgain = false;
        await this.#letOut();
      } while (this.#pumpAgain);
    } finally {
      this.#pumping = false;
    }
  }

  async #letOut(): Promise<void> {
    for (;;) {
      const waiter: Waiter | undefined = first(this.#interactive) ?? first(this.#batch);
      if (!waiter) return;
      const { limit } = waiter;
      if (this.#underWay >= limit.concurrency) {
        waiter.reason ??= "concurrency";
        this.#held = "concurrency";
        return;
      }
      const request = this.#reserveRequest(waiter);
      const asked = this.#ask((store) => store.reserve(request));
      const reservation = asked instanceof Promise ? await asked : asked;
      if (!reservation.granted) {
        this.#waitFor(waiter, reservation);
        return;
      }
      this.#grant(waiter, reservation.slot);
    }
  }

  #grant(waiter: Waiter, slot: string): void {
    const waitedMs = this.#clock.now() - waiter.since;
    // Who never came to the head of the queue waited for what its head waited for.
    const permit = this.#permit(waiter.limit.windowMs, slot, waitedMs, waiter.reason ?? this.#held);
    // It may have given up while the store was asked.
    if (waiter.signal.aborted) permit.settle(false);
    else waiter.resolve(permit);
  }

  #permit(windowMs: number, slot: string, waitedMs: number, reason: WaitReason | null): Permit {
    this.#underWay++;
    let settled = false;
    return {
      waitedMs,
      reason,
      settle: (sent) => {
        if (settled) return;
        settled = true;
        this.#underWay--;
        const settlement = { key: this.#key, slot, now: this.#clock.now(), windowMs, sent };
        const done = this.#ask((store) => store.settle(settlement));
        if (done instanceof Promise) void done.then(() => this.#pump());
        else if (this.queued > 0) void this.#pump();
      },
    };
  }

  #waitFor(head: Waiter, { reason, retryAt }: Reservation & { granted: false }): void {
    head.reason = reason;
    this.#held = reason;
    if (retryAt !== null) this.#refuseLate(retryAt);
    if (this.queued === 0) return;
    const now = this.#clock.now();
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => void this.#pump(), Math.max(1, (retryAt ?? now + POLL_MS) - now));
  }

  // Whoever must be done before the next place frees up is told at once instead of at the end of a useless wait.
  #refuseLate(retryAt: number): void {
    // Those who were looked at before need no second look until the place moves further away: a long queue would
    // otherwise be walked through for everyone who joins it.
    const waiters = retryAt > this.#lookedUntil ? [...this.#interactive, ...this.#batch] : this.#newcomers;
    this.#newcomers = [];
    this.#lookedUntil = Math.max(this.#lookedUntil, retryAt);
    for (const waiter of waiters) {
      if (waiter.deadline !== null && waiter.deadline < retryAt) {
        waiter.reject(new AdmissionRefused("deadline", retryAt));
      }
    }
  }

  // A shared store that fails must not stop the work: from then on this process keeps its own count.
  #ask<T>(question: (store: RateLimitStore) => T | Promise<T>): T | Promise<T> {
    const fallBack = (): T | Promise<T> => {
      if (!(this.#store instanceof MemoryRateLimitStore)) {
        this.#store = new MemoryRateLimitStore();
        console.warn("education-admin-sdk: the rate limit store failed; this process keeps its own count from now on.");
      }
      return question(this.#store);
    };
    try {
      const answer = question(this.#store);
      return answer instanceof Promise ? answer.catch(fallBack) : answer;
    } catch {
      return fallBack();
    }
  }
}

function first(lane: ReadonlySet<Waiter>): Waiter | undefined {
  for (const waiter of lane) return waiter;
  return undefined;
}

const REGISTRY = Symbol.for("education-admin-sdk.governors.v1");
// Weakly held once idle: a client that still has it must find itself sharing with those that come later.
type Registry = WeakMap<object, Map<string, Governor | WeakRef<Governor>>>;

/**
 * Finds the governor of a token and host. Clients of one process share it, whichever copy of the library they come
 * from; those with a store or a clock of their own share it with whoever has the same one.
 */
export function governorFor(key: string, clock: Clock, store: RateLimitStore | undefined): Governor {
  const shared = globalThis as { [REGISTRY]?: Registry };
  shared[REGISTRY] ??= new WeakMap();
  const registry = shared[REGISTRY];
  const anchor = store ?? (clock === systemClock ? registry : clock);
  let governors = registry.get(anchor);
  if (!governors) {
    governors = new Map();
    registry.set(anchor, governors);
  }
  let governor = alive(governors.get(key));
  if (!governor) {
    // Tokens that rotate would otherwise leave a governor each.
    for (const [other, held] of governors) {
      const candidate = alive(held);
      if (!candidate) governors.delete(other);
      else governors.set(other, candidate.idle ? new WeakRef(candidate) : candidate);
    }
    governor = new Governor(key, clock, store);
  }
  governors.set(key, governor);
  return governor;
}

function alive(held: Governor | WeakRef<Governor> | undefined): Governor | undefined {
  return held instanceof WeakRef ? held.deref() : held;
}
