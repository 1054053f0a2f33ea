import { type Clock, wait } from "../core/clock.js";
import type { Transport } from "../core/transport.js";
import type { HoldAbove } from "../work/hold.js";
import type { Budget, Pace } from "../work/pace.js";
import { disown, type Owner } from "./owner.js";
import type { ListPlan } from "./plan.js";
import type { MeteredPage } from "./progress.js";
import type { Tables } from "./schema.js";
import type { SweepState } from "./state.js";
import type { Ticks } from "./ticks.js";

export interface Context {
  readonly transport: Transport;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ticks: Ticks;
  readonly pace: Pace;
  readonly budget: Budget;
  readonly key: string;
  readonly history: boolean;
  readonly holdAbove: HoldAbove;
  readonly claims: Claims;
}

/**
 * The lists that a mirror has claimed. If a failure of the database keeps the mirror from giving a list back, the
 * mirror can later recognize the claim as its own.
 */
export class Claims {
  readonly #session: string;
  readonly #working: ListPlan[] = [];

  /** @param session identifies the mirror among all processes. */
  constructor(session: string) {
    this.#session = `${session}/`;
  }

  newName(): string {
    return `${this.#session}${crypto.randomUUID()}`;
  }

  /** Prefix of the names under which this mirror may have left a claim; null while it works on the list. */
  sessionPrefixOf(plan: ListPlan): string | null {
    return this.#working.includes(plan) ? null : this.#session;
  }

  /** Marks exclusive work on a list as under way until the returned function is called. */
  begin(plan: ListPlan): () => void {
    this.#working.push(plan);
    return () => void this.#working.splice(this.#working.indexOf(plan), 1);
  }
}

export interface Tally {
  requests: number;
  read: number;
  added: number;
  changed: number;
  /** Number of records that differ only in added or removed fields, by field. */
  readonly reshaped: Map<string, number>;
}

export interface Work extends Context {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  readonly tally: Tally;
  /** Called when the work begins to wait for its share of the request budget. */
  readonly onWait?: ((until: Date) => void) | undefined;
  /** Called after a page of a sweep has been stored. */
  readonly onPage?: ((page: MeteredPage, sweep: SweepState) => void) | undefined;
}

// How long a claim on a list lasts: longer than a process waits for the rate limit between two pages.
const OWNED_MS = 900_000;
/** Milliseconds to wait for each reply of the database once the work has ended. */
const ANSWER_MS = 5_000;
/**
 * Pauses before further attempts to give a list back. If all fail, the claim lasts until it expires or this mirror
 * works on the list again.
 */
const GIVE_BACK_AFTER_MS = [1_000, 2_000];

export function newTally(): Tally {
  return { requests: 0, read: 0, added: 0, changed: 0, reshaped: new Map() };
}

/** Begins a piece of work. @param tally the counts so far, if this continues paused work. */
export function workOf(context: Context, signal: AbortSignal | undefined, tally: Tally = newTally()): Work {
  return { ...context, name: context.claims.newName(), signal, tally, tables: context.tables.until(signal) };
}

export function ownerNow({ name, clock }: Work): Owner {
  return { name, until: clock.now() + OWNED_MS };
}

/** Gives a list back. Retries, because the database may be unavailable. */
export async function giveBack({ tables, clock, name, signal }: Work, plan: ListPlan): Promise<void> {
  for (const pause of [...GIVE_BACK_AFTER_MS, null]) {
    try {
      return await tables.until(AbortSignal.timeout(ANSWER_MS)).write([plan], (sql) => disown(sql, plan, name));
    } catch {
      if (pause === null || signal?.aborted) return;
      await wait(clock, pause, signal).catch(() => undefined);
    }
  }
}
