import { onAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import { later, type Moment, momentOf } from "../core/time.js";

const KEEP_MS = 2_000;
// Pages of a hundred records: some megabytes.
const MOST_KEPT = 50;

interface Kept<T> {
  readonly work: Promise<T>;
  readonly controller: AbortController;
  /** Visitors who wait for it. */
  waiting: number;
  /** Null while it is read. */
  until: Moment | null;
}

/**
 * Reads once what several visitors ask for within seconds. All of them see the service with the one key of the client, so none is
 * given what another may not see. A failure is told to those who wait for it and is not kept.
 */
export class SharedReads<T> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * @param key what is asked for.
   * @param signal of the visitor; the read itself is aborted once nobody waits for it.
   * @param send begins the read; what it throws at once is for this visitor alone.
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
