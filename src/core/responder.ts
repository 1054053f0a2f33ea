import type { Moment } from "./time.js";

/** Milliseconds after which a call that was called upon, and has not responded, counts as ended. */
export const GONE_AFTER_MS = 1_000;

/**
 * Shows other calls whether the code of one call still runs. Platforms such as Workers never again run the code of a
 * request that has ended: its promises do not settle and its timers do not fire. So a call that waits for another one
 * checks that it still runs.
 */
export class Responder {
  #calledAt: Moment | null = null;
  #isReached = false;
  #respond: () => void = () => undefined;

  /** Must be created by the call itself: only then does its platform run the response as a part of it. */
  constructor() {
    this.#listen();
  }

  call(now: Moment): void {
    if (this.#calledAt !== null) return;
    this.#calledAt = now;
    this.#isReached = false;
    this.#respond();
    // A promise resolved by a call that ends in the same turn may never settle; then this does not run either.
    void Promise.resolve().then(() => {
      this.#isReached = true;
    });
  }

  /** True if the call was called upon and has not responded: it has ended, or the caller has. */
  isSilent(now: Moment): boolean {
    return this.#calledAt !== null && now - this.#calledAt >= GONE_AFTER_MS;
  }

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
