import type { Moment } from "./time.js";

/** After this a call that was called upon and has not responded counts as ended. */
export const GONE_AFTER_MS = 1_000;

/**
 * The code of one call, which other calls may call upon. Platforms such as Workers never again run the code of a request that
 * has ended: its promises do not go on, its timers do not fire. So whoever waits for another call asks whether it still runs.
 */
export class Responder {
  #calledAt: Moment | null = null;
  #isReached = false;
  #respond: () => void = () => undefined;

  /** Made by the call itself, as only then its platform runs what responds as a part of it. */
  constructor() {
    this.#listen();
  }

  call(now: Moment): void {
    if (this.#calledAt !== null) return;
    this.#calledAt = now;
    this.#isReached = false;
    this.#respond();
    // What a call resolves that ends in the same turn may never arrive; then this does not run either.
    void Promise.resolve().then(() => {
      this.#isReached = true;
    });
  }

  /** It was called and has not responded: it has ended, or so has the call that called. */
  isSilent(now: Moment): boolean {
    return this.#calledAt !== null && now - this.#calledAt >= GONE_AFTER_MS;
  }

  /** It has ended. */
  isGone(now: Moment): boolean {
    return this.#isReached && this.isSilent(now);
  }

  #listen(): void {
    const called = new Promise<void>((resolve) => {
      this.#respond = resolve;
    });
    void called.then(() => {
      this.#calledAt = null;
      this.#listen();
    });
  }
}
