import type { Clock } from "../../core/clock.js";
import { WebhookListenerTimeoutError } from "../errors.js";

interface Call {
  readonly abort: AbortController;
  /** Rejects the call, even if its listener is still running. */
  readonly giveUp: (error: Error) => void;
}

/** Calls listeners with a time limit, and tracks the running calls. */
export class ListenerCalls {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #running = new Set<Call>();
  #waiters: (() => void)[] = [];

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Calls a listener. After the time limit, aborts its signal and rejects, even if the listener is still running.
   * @throws WebhookListenerTimeoutError after the time limit.
   */
  run(listener: (signal: AbortSignal) => unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = new AbortController();
      const end = (settle: () => void) => {
        if (!this.#running.delete(call)) return;
        this.#clock.clearTimeout(timer);
        settle();
        if (this.#running.size === 0) for (const waiter of this.#waiters.splice(0)) waiter();
      };
      const giveUp = (error: Error) => {
        abort.abort(error);
        end(() => reject(error));
      };
      const call: Call = { abort, giveUp };
      this.#running.add(call);
      const timer = this.#clock.setTimeout(
        () => giveUp(new WebhookListenerTimeoutError(this.#timeoutMs)),
        this.#timeoutMs,
      );
      (async () => listener(abort.signal))().then(
        () => end(resolve),
        (error: unknown) => end(() => reject(error)),
      );
    });
  }

  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  abort(reason: Error): void {
    for (const { abort } of this.#running) abort.abort(reason);
  }

  giveUp(reason: Error): void {
    for (const { giveUp } of [...this.#running]) giveUp(reason);
  }
}
