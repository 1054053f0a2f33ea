import type { Clock } from "education-admin-sdk";

/** The machine's clock, sped up by a factor: waiting for a second takes a fraction of a second. */
export class FastClock implements Clock {
  readonly #speed: number;
  readonly #started: number;
  readonly #timers = new Set<NodeJS.Timeout>();

  /**
   * @param started the moment at which this clock and the machine's show the same time; processes whose clocks must
   * agree pass the same one.
   */
  constructor(speed: number, started: number = Date.now()) {
    this.#speed = speed;
    this.#started = started;
  }

  /** Timers that have neither fired nor been cleared. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#started + (Date.now() - this.#started) * this.#speed;
  }

  setTimeout(callback: () => void, ms: number): NodeJS.Timeout {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        callback();
      },
      Math.max(1, Math.ceil(ms / this.#speed)),
    );
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    clearTimeout(handle as NodeJS.Timeout);
    this.#timers.delete(handle as NodeJS.Timeout);
  }
}
