import type { BulkJournal } from "../../../../src/bulk/node.js";
import { MainClient } from "../../../../src/index.js";
import { SkippingClock } from "./skipping-clock.js";

/** A journal in memory. Anyone may claim it at any time, because its previous holder is always dead. */
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
  /** Returns a `fetch` that sends requests on the given clock's time. */
  readonly send: (clock: SkippingClock) => typeof fetch;
}

/**
 * A program that plans and applies against an odd service and a journal. From step `killAt` on, nothing reaches the
 * program.
 */
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
      // Observes drift, because the client would otherwise warn about odd records.
      on: { drift: () => undefined },
      fetch: (...request) => this.#betweenSteps(() => send(...request)),
    });
  }

  /** Wraps a journal so that the program can be killed before and after each append. */
  wrapJournal(journal: BulkJournal): BulkJournal {
    return { ...journal, append: (added) => this.#betweenSteps(() => journal.append(added)) };
  }

  // The program may be killed before and after everything that happens outside it.
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
