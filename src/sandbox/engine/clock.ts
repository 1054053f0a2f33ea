import { type Clock, steadyTime, systemClock } from "../../core/clock.js";

interface Timer {
  /** When the timer fires, as a value of `steady()`. */
  readonly dueAt: number;
  readonly callback: () => void;
  real: unknown;
}

/** @internal */
export interface ClockState {
  readonly standing: number | null;
  readonly offset: number;
}

/** Work on a request or a delivery. Call `pause` when it waits or ends, and `resume` after a wait. @internal */
export interface Work {
  pause(): void;
  resume(): void;
}

// The platform fires longer timers immediately, so longer delays are split.
const LONGEST_REAL_MS = 2_147_483_647;
// A program is considered idle after this many milliseconds without activity.
const IDLE_MS = 10;
// Under fake timers, which stop the platform's time, a program is considered idle after this many event loop turns.
const IDLE_TURNS = 30;

/**
 * The sandbox's clock. Clients made from a sandbox use it, so a test can skip a `Retry-After` of minutes in an instant.
 * Without the `now` option, the clock follows the machine's time. With `now`, it stands still at that time, unless
 * `freeze` is false; a clock that stands still moves only by `advance`, or when a timer has run for its real duration.
 */
export class SandboxClock implements Clock {
  #start: number | undefined;
  readonly #stands: boolean;
  readonly #skipWaits: boolean;
  readonly #timers = new Set<Timer>();
  // Null until first use: a Worker has no date while modules load.
  #state: ClockState | null = null;
  // Total milliseconds advanced; `reset` keeps this total.
  #moved = 0;
  #busy = 0;
  // Increases with every reset; work begun before the reset is ignored.
  #round = 0;
  #stirred = 0;
  #watching = false;

  constructor(
    options: { now?: number | undefined; freeze?: boolean | undefined; skipWaits?: boolean | undefined } = {},
  ) {
    const { now, freeze = now !== undefined } = options;
    this.#stands = freeze;
    this.#start = now;
    this.#skipWaits = options.skipWaits ?? false;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    const { standing, offset } = this.state();
    return standing ?? Date.now() + offset;
  }

  /**
   * Milliseconds since an arbitrary start, for measuring intervals: resets and corrections of the machine's time do not
   * affect it.
   */
  steady(): number {
    return this.#stands ? this.#moved : Math.floor(steadyTime()) + this.#moved;
  }

  /** Calls the function after this many milliseconds of the sandbox's time. */
  setTimeout(callback: () => void, ms: number): unknown {
    const timer: Timer = { dueAt: this.steady() + Math.max(0, ms), callback, real: undefined };
    this.#timers.add(timer);
    this.#arm(timer);
    this.#stir();
    return timer;
  }

  /** Cancels a timer set by `setTimeout`. */
  clearTimeout(handle: unknown): void {
    const timer = handle as Timer | undefined;
    if (!timer || !this.#timers.delete(timer)) return;
    systemClock.clearTimeout(timer.real);
    this.#stir();
  }

  /** The number of pending timers, and the milliseconds until the first timer; null without timers. */
  get pending(): { readonly count: number; readonly nextInMs: number | null } {
    const first = this.#first();
    return { count: this.#timers.size, nextInMs: first ? Math.max(0, first.dueAt - this.steady()) : null };
  }

  /**
   * Advances the time without waiting. Runs every timer due by then in order, including timers set during the advance,
   * and resolves once all have run. Under a test runner's fake timers, it also runs the runner's timers of 0 ms.
   * @param ms milliseconds, at least 0.
   * @throws RangeError for a negative number or Infinity.
   */
  async advance(ms: number): Promise<void> {
    if (!(Number.isFinite(ms) && ms >= 0))
      throw new RangeError("advance needs a finite, non-negative number of milliseconds");
    for (let left = ms; ; ) {
      await (fakeTimers() ? quietMoment() : nextTurn());
      const timer = this.#first();
      const isDue = timer !== undefined && timer.dueAt - this.steady() <= left;
      left -= this.#move(isDue ? timer.dueAt - this.steady() : left);
      if (!isDue) break;
      this.#fire(timer);
    }
    for (const timer of this.#timers) this.#arm(timer);
  }

  /**
   * The clock's state for a snapshot: the time at which it stands still, or its offset from the machine's time.
   * @internal
   */
  state(): ClockState {
    if (this.#state) return this.#state;
    if (this.#stands) this.#start ??= Date.now();
    const start = this.#start ?? null;
    const offset = this.#stands || start === null ? 0 : start - Date.now();
    this.#state = { standing: this.#stands ? start : null, offset };
    return this.#state;
  }

  /** Restores a time and drops pending timers. @internal */
  restore(state: ClockState): void {
    this.reset();
    this.#state = state;
  }

  /** Restores the initial time and drops pending timers: code that waits for them never continues. @internal */
  reset(): void {
    for (const timer of this.#timers) systemClock.clearTimeout(timer.real);
    this.#timers.clear();
    this.#busy = 0;
    this.#round++;
    this.#state = null;
  }

  /**
   * Runs work that takes real time, such as a database query, and skips no waits until the work ends. Otherwise
   * `skipWaits` would treat a program that waits for the network or a disk as idle, and let its timeouts expire.
   * @example
   * const text = await sandbox.clock.during(() => new Promise((resolve) => setTimeout(resolve, 5, "read")));
   * console.log(text);
   */
  async during<T>(realWork: () => T | Promise<T>): Promise<T> {
    const work = this.begin();
    try {
      return await realWork();
    } finally {
      work.pause();
    }
  }

  /** Begins work during which waits are not skipped. @internal */
  begin(): Work {
    const round = this.#round;
    let working = false;
    const work: Work = {
      resume: () => {
        if (working || round !== this.#round) return;
        working = true;
        this.#busy++;
      },
      pause: () => {
        if (!working || round !== this.#round) return;
        working = false;
        this.#busy--;
        this.#stir();
      },
    };
    work.resume();
    return work;
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      // Timers due at the same time run in the order they were set, which the Set keeps.
      if (!first || timer.dueAt < first.dueAt) first = timer;
    }
    return first;
  }

  #move(ms: number): number {
    if (ms <= 0) return 0;
    const { standing, offset } = this.state();
    this.#state = standing === null ? { standing, offset: offset + ms } : { standing: standing + ms, offset };
    this.#moved += ms;
    return ms;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    systemClock.clearTimeout(timer.real);
    if (this.#stands) this.#move(timer.dueAt - this.steady());
    timer.callback();
  }

  #arm(timer: Timer, left: number = timer.dueAt - this.steady()): void {
    systemClock.clearTimeout(timer.real);
    if (left === Number.POSITIVE_INFINITY) return;
    if (left <= 0) {
      // A timer of 0 ms bypasses the platform's timers, which a test runner may have replaced.
      void nextTurn().then(() => this.#timers.has(timer) && this.#fire(timer));
      return;
    }
    const step = Math.min(left, LONGEST_REAL_MS);
    timer.real = systemClock.setTimeout(() => {
      // Checks the remaining time, because platforms may fire timers slightly early, and the clock may have been
      // advanced.
      const rest = Math.min(left - step, timer.dueAt - this.steady());
      if (rest > 0) this.#arm(timer, rest);
      else this.#fire(timer);
    }, step);
  }

  #stir(): void {
    this.#stirred++;
    if (!this.#skipWaits || this.#watching || (this.#timers.size === 0 && !fakeTimers())) return;
    this.#watching = true;
    this.#watch(this.#stirred);
  }

  // Waits until the program is idle, then advances the clock to the first timer.
  #watch(seen: number): void {
    void quietMoment().then(() => {
      if (this.#stirred !== seen) return this.#watch(this.#stirred);
      this.#watching = false;
      const timer = this.#first();
      if (!timer || this.#busy > 0 || timer.dueAt === Number.POSITIVE_INFINITY) return;
      this.#move(timer.dueAt - this.steady());
      this.#fire(timer);
      this.#stir();
    });
  }
}

/**
 * Waits until everything that is ready to run has run. Uses messages, because timers that a test runner has replaced
 * would never fire here.
 * @internal
 */
export async function nextTurn(): Promise<void> {
  if (typeof MessageChannel !== "function") return new Promise((resolve) => setTimeout(resolve, 0));
  await new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
  // Before each retry, ky waits 0 ms on the platform's timer. If a test runner has replaced that timer, it never fires
  // by itself, so fire it here.
  fakeTimers()?.tick(0);
}

async function quietMoment(): Promise<void> {
  if (!fakeTimers()) return new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  for (let turn = 0; turn < IDLE_TURNS; turn++) await nextTurn();
}

// vitest and Jest attach their clock to the fake timers that they install.
function fakeTimers(): { tick(ms: number): void } | undefined {
  return (setTimeout as { readonly clock?: { tick(ms: number): void } }).clock;
}
