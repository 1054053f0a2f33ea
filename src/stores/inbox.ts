import type { WebhookStore } from "../webhooks/store.js";

/** A delivery that was set aside. */
export interface DeadDelivery {
  readonly id: string;
  readonly event: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** How many times it was handed out. */
  readonly attempt: number;
}

/** What an operator needs of an inbox. */
export interface InboxOperations {
  /** How many deliveries are in which state. */
  count(): Promise<Record<"waiting" | "done" | "dead", number>>;
  /** The deliveries that were set aside, the oldest first; at most `limit`, default 100. */
  listDead(limit?: number): Promise<readonly DeadDelivery[]>;
  /** Makes a delivery that was set aside start again; false when there is none with this id. */
  revive(id: string): Promise<boolean>;
}

/** A webhook store in a database, and what an operator needs. */
export interface DurableInbox extends WebhookStore, InboxOperations {}

/** How often a process removes what `keepMs` has passed for, in milliseconds. */
export const TIDY_EVERY_MS = 3_600_000;

/** Counts of states, from rows of a state and its number. */
export function countsOf(
  rows: readonly { readonly state: string; readonly many: number }[],
): Record<"waiting" | "done" | "dead", number> {
  return { waiting: 0, done: 0, dead: 0, ...Object.fromEntries(rows.map(({ state, many }) => [state, Number(many)])) };
}
