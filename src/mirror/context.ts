import type { Clock } from "../core/clock.js";
import type { Pace } from "../core/pace.js";
import type { Transport } from "../core/transport.js";
import type { HoldAbove } from "./decide.js";
import type { Owner } from "./owner.js";
import type { Tables } from "./schema.js";
import type { Ticks } from "./ticks.js";

/** What all parts of a mirror share. */
export interface Context {
  readonly transport: Transport;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ticks: Ticks;
  readonly pace: Pace;
  /** The client's key, as `keyOf` writes it. */
  readonly key: string;
  readonly history: boolean;
  readonly holdAbove: HoldAbove;
}

/** What a piece of work has done so far. */
export interface Tally {
  requests: number;
  read: number;
  added: number;
  changed: number;
}

/** One piece of work: a sweep, the reading of a tail, a repair or an event. */
export interface Work extends Context {
  /** What it is known by as the owner of a list. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  readonly tally: Tally;
  /** Called when it begins to wait for its share of the request budget. */
  readonly onWait?: ((until: Date) => void) | undefined;
}

// Longer than a process waits for its share of the budget between two pages.
const OWNED_MS = 900_000;
/** How long work that has ended waits for the database to give its list up. */
const GIVE_UP_MS = 5_000;

/** A count that begins. */
export function newTally(): Tally {
  return { requests: 0, read: 0, added: 0, changed: 0 };
}

/** Begins a piece of work. @param tally of work that goes on after a pause. */
export function workOf(context: Context, signal: AbortSignal | undefined, tally: Tally = newTally()): Work {
  return { ...context, name: crypto.randomUUID(), signal, tally, tables: context.tables.until(signal) };
}

/** Makes this work the owner of a list for a while. */
export function ownerNow({ name, clock }: Work): Owner {
  return { name, until: clock.now() + OWNED_MS };
}

/** The tables for what is left to do after work was aborted, which waits for the database only briefly. */
export function tablesAfter({ tables }: Context): Tables {
  return tables.until(AbortSignal.timeout(GIVE_UP_MS));
}
