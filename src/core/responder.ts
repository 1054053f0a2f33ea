import type { Moment } from "./time.js";

/** Milliseconds without a response after which a pinged call counts as ended. */
export const GONE_AFTER_MS = 1_000;

/**
 * Lets other calls check whether the code of a call is still running. Once a request has ended, platforms such as
 * Workers never run its code again: its promises do not settle and its timers do not fire.
 */
export class Responder {
  #calledAt: Moment | null = null;
  #isReached = false;
  #respond: () => void = () => undefined;

  /** Must be created by the call itself: only then does the platform run the response as part of that call. */
  constructor() {
    this.#listen();
  }

  call(now: Moment): void {
    if (this.#calledAt !== null) return;
    this.#calledAt = now;
    this.#isReached = false;
    this.#respond();
    // If the pinging call ends in the same turn, a promise it resolved may never settle. This callback does not run
    // then either, so that `isGone` stays false.
    void Promise.resolve().then(() => {
      this.#isReached = true;
    });
  }

  /** True if the call was pinged and has not responded: it or the pinging call has ended. */
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
