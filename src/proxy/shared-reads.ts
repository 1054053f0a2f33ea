import { onAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import { later, type Moment, momentOf } from "../core/time.js";

const KEEP_MS = 2_000;
// Limits memory: at a hundred records per page, this many responses take up several megabytes.
const MOST_KEPT = 50;

interface Kept<T> {
  readonly work: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
  /** The time until which the response is reused; null while the read is running. */
  until: Moment | null;
}

/**
 * Shares one read between visitors who make the same request within two seconds. They may share it, because all reads
 * use the same key. A failure goes to all visitors who are waiting, and is not kept.
 */
export class SharedReads<T> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param key identifies equal reads.
   * @param signal the visitor's signal; the read itself is aborted once no visitor waits for it.
   * @param send starts the read; if it throws synchronously, only this visitor gets the error.
   */
  read(key: string, signal: AbortSignal, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const now = momentOf(this.#clock);
    for (const [name, { until }] of this.#kept) if (until !== null && until <= now) this.#kept.delete(name);
    const kept = this.#kept.get(key) ?? this.#begin(key, send);
    kept.waiting++;
    return new Promise<T>((resolve, reject) => {
      const stop = onAbort(signal, () => {
        reject(signal.reason);
        if (--kept.waiting > 0 || kept.until !== null) return;
        this.#forget(key, kept);
        kept.controller.abort(signal.reason);
      });
      kept.work.then(resolve, reject).finally(stop);
    });
  }

  #begin(key: string, send: (signal: AbortSignal) => Promise<T>): Kept<T> {
    const controller = new AbortController();
    const kept: Kept<T> = { work: send(controller.signal), controller, waiting: 0, until: null };
    const oldest = this.#kept.size < MOST_KEPT ? undefined : this.#kept.keys().next().value;
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, kept);
    kept.work.then(
      () => {
        kept.until = later(momentOf(this.#clock), KEEP_MS);
      },
      () => this.#forget(key, kept),
    );
    return kept;
  }

  #forget(key: string, kept: Kept<T>): void {
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
  }
}
