import type { BulkJournal } from "../../../../src/bulk/node.js";
import { MainClient } from "../../../../src/index.js";
import { SkippingClock } from "./skipping-clock.js";

/** A journal in memory. Its previous holder is dead. */
export function journalOf(lines: string[]): BulkJournal {
  return {
    append: async (added) => void lines.push(...added),
    async *lines() {
      yield* [...lines];
    },
    claim: async () => true,
  };
}

/** A service as a program reaches it. */
export interface Reached {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sends requests in the time of the given clock. */
  readonly send: (clock: SkippingClock) => typeof fetch;
}

/** A program that plans and applies against an odd service and a journal. From one step on nothing comes back to it. */
export class Program {
  readonly clock: SkippingClock;
  readonly client: MainClient;
  /** Resolves when the program is killed. */
  readonly killed: Promise<null>;
  readonly #killAt: number;
  #steps = 0;
  #die: (nothing: null) => void = () => {};

  constructor({ baseUrl, apiKey, send: sendIn }: Reached, now: number, killAt = Number.POSITIVE_INFINITY) {
    this.#killAt = killAt;
    this.clock = new SkippingClock(now);
    this.killed = new Promise((resolve) => {
      this.#die = resolve;
    });
    const send = sendIn(this.clock);
    this.client = new MainClient({
      baseUrl,
      apiKey,
      rateLimit: false,
      retry: { limit: 2 },
      clock: this.clock,
      // An observer, because the client would otherwise warn of odd records.
      on: { drift: () => undefined },
      fetch: (...request) => this.#betweenSteps(() => send(...request)),
    });
  }

  /** Wraps a journal as this program sees it. */
  wrapJournal(journal: BulkJournal): BulkJournal {
    return { ...journal, append: (added) => this.#betweenSteps(() => journal.append(added)) };
  }

  // A program may be killed before and after every event outside it.
  async #betweenSteps<T>(work: () => Promise<T>): Promise<T> {
    await this.#step();
    const result = await work();
    await this.#step();
    return result;
  }

  #step(): Promise<never> | undefined {
    if (++this.#steps < this.#killAt) return;
    this.clock.stop();
    this.#die(null);
    return new Promise(() => {});
  }
}
