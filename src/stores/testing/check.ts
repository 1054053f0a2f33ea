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

  /** Lets a time pass. */
  async pass(ms: number): Promise<void> {
    if (!this.#advance) return new Promise((resolve) => setTimeout(resolve, ms));
    this.#moved += ms;
    await this.#advance(ms);
  }

  /** Lets pass what is missing until a time, and a moment more, because timers may be early. */
  async until(at: number): Promise<void> {
    await this.pass(Math.max(0, at - this.now()) + 5);
  }
}
