/** Registers a test: `test` of Vitest, Jest, Bun or `node:test`. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/** Fails the test unless something holds. */
export function check(holds: boolean, what: string, found?: unknown): asserts holds {
  if (!holds) throw new Error(found === undefined ? what : `${what}; found ${JSON.stringify(found)}`);
}

/** The time of a test: the machine's, or one that moves only when the test says so. */
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

  /** How much more time has passed than the test let pass. */
  lost(): number {
    return this.now() - this.#start - this.#moved;
  }

  /** Lets a time pass. */
  async pass(ms: number): Promise<void> {
    this.#moved += ms;
    if (this.#advance) await this.#advance(ms);
    else await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Lets pass what is missing until a time, and a moment more, because timers may be early. */
  async until(at: number): Promise<void> {
    await this.pass(Math.max(0, at - this.now()) + 5);
  }
}

/** Less than any time within which a test expects a response. */
const MOST_LOST = 100;

/** Runs a test; again if it failed on a machine that stood still so long that a lease may have ended, which proves nothing. */
export async function inTime(advance: ((ms: number) => unknown) | undefined, run: (time: TestTime) => Promise<void>) {
  for (let left = 20; ; left--) {
    const time = new TestTime(advance);
    try {
      return await run(time);
    } catch (error) {
      if (time.lost() <= MOST_LOST || left === 0) throw error;
    }
  }
}
