/** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/** Throws an error unless the condition holds. */
export function check(holds: boolean, what: string, found?: unknown): asserts holds {
  if (!holds) throw new Error(found === undefined ? what : `${what}; found ${JSON.stringify(found)}`);
}

/** The time of a test: the machine's time, or a clock that only the test advances. */
export class TestTime {
  readonly #advance: ((ms: number) => unknown) | undefined;
  #moved = 0;
  readonly #start = Date.now();

  constructor(advance: ((ms: number) => unknown) | undefined) {
    this.#advance = advance;
  }

  now(): number {
    return this.#advance ? this.#start + this.#moved : Date.now();
  }

  /** How many milliseconds longer the test has taken than it intended to wait. */
  lostTime(): number {
    return this.now() - this.#start - this.#moved;
  }

  /** Lets this many milliseconds pass. */
  async pass(ms: number): Promise<void> {
    this.#moved += ms;
    if (this.#advance) await this.#advance(ms);
    else await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Waits until 5 ms after the given time, because timers may fire early. */
  async until(at: number): Promise<void> {
    await this.pass(Math.max(0, at - this.now()) + 5);
  }
}

/**
 * A failure counts if the test lost at most this many milliseconds. No test expects a response within so short a time.
 */
const MOST_LOST = 100;

/**
 * Runs a test up to 21 times. If the machine stalled for so long that a lease may have ended, a failure proves nothing,
 * so the test runs again.
 */
export async function inTime(advance: ((ms: number) => unknown) | undefined, run: (time: TestTime) => Promise<void>) {
  for (let left = 20; ; left--) {
    const time = new TestTime(advance);
    try {
      return await run(time);
    } catch (error) {
      if (time.lostTime() <= MOST_LOST || left === 0) throw error;
    }
  }
}
