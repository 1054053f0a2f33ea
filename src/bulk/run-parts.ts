import type { Clock } from "../core/clock.js";
import type { Fact, PlannedRow } from "./lines.js";
import { AT_ONCE, type Pause } from "./service.js";
import type { Look } from "./sight.js";
import type { Read, StepSettings } from "./step.js";
import type { RowProblem } from "./types.js";

/** How a write ended. */
export type Written =
  | ({
      readonly kind: "done";
      /** The response of a create names a record that was there when the plan was made. */
      readonly wasThere?: true;
    } & Pick<Fact, "id" | "version" | "differs" | "side">)
  /** The service may have carried it out. `answered`: it said so, but not which record it made. */
  | { readonly kind: "lost"; readonly error: Failure; readonly answered?: true }
  /** Nothing was carried out, and the row may be sent again: a 429, or no connection. */
  | {
      readonly kind: "none";
      readonly error: Failure;
      readonly retryAfterMs: number | null;
      /** The rate limit holds all requests. */
      readonly isLimited: boolean;
    }
  | { readonly kind: "refused"; readonly error: Failure; readonly status: number; readonly why: readonly RowProblem[] }
  /** 404 to a change: there is no such record. */
  | { readonly kind: "gone"; readonly error: Failure };

/** What is known of a failed request: failures that are `like` each other count as equal. */
export interface Failure {
  readonly like: string;
  readonly cause: Error;
}

/** The requests of a run. Reads that fail are repeated; in the end they throw. */
export interface RunService {
  /** How many changes are read and written at a time. */
  readonly atOnce: number;
  /** Whether one record can be read by its identifier. */
  readonly gets: boolean;
  /** Names the list in which a create is looked for. */
  listOf(row: PlannedRow): string;
  look(rows: readonly PlannedRow[], whole: boolean): Promise<Look>;
  /** Waits until the rows can be sent, and the records of changes read before, without a further wait. */
  room(rows: readonly PlannedRow[]): Promise<void>;
  /** Gives back the room that was not used. */
  leave(): void;
  read(rows: readonly PlannedRow[]): Promise<ReadonlyMap<number, Read>>;
  /** Reads the records of changes once more after they were written, many at a time, and hands each on. */
  check(rows: readonly PlannedRow[], on: (row: number, read: Read) => void): Promise<void>;
  write(row: PlannedRow, read: Read | null): Promise<Written>;
  /** Waits, which the run's progress tells. */
  pause(ms: number, what: Pause): Promise<void>;
}

/** What a run works with; an explorer has its own. */
export interface RunParts {
  /** Resolves once the line is durable. */
  append(fact: Fact): Promise<void>;
  readonly clock: Pick<Clock, "now">;
  readonly service: RunService;
  readonly settings: StepSettings;
  /** Fields that may move although they are not sent. */
  readonly sideEffects: ReadonlySet<string>;
  /** Milliseconds after which a line's time no longer tells when its request left. */
  readonly timeoutMs: number;
  readonly stopAfter: number;
  /** Where the plan is, for messages. */
  readonly name: string;
  readonly onNote?: (fact: Fact) => void;
}

/** Works on several items at a time, until one fails. @throws the first failure, once all work that was begun has ended. */
export async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | null = null;
  const worker = async () => {
    for (let next = left.next(); !next.done && !failure; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
  if (failure) throw (failure as { readonly error: unknown }).error;
}
