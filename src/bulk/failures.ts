import { pauseAfter } from "../work/schedule.js";
import { BulkError } from "./errors.js";
import type { PlannedRow } from "./lines.js";
import type { RunParts } from "./run-parts.js";
import type { Failure } from "./service.js";

const PAUSES = { firstMs: 1_000, mostMs: 60_000 };

/** Counts consecutive equal failures of a run, and pauses all rows after a failure that would affect all of them. */
export class Failures {
  readonly #parts: Pick<RunParts, "clock" | "name" | "service" | "stopAfter">;
  /** The error with which the run ends; null while it continues. */
  stopped: BulkError | null = null;
  #last = { like: "", count: 0 };
  #blockedUntil = 0;

  constructor(parts: Pick<RunParts, "clock" | "name" | "service" | "stopAfter">) {
    this.#parts = parts;
  }

  get isBlocked(): boolean {
    return this.#parts.clock.now() < this.#blockedUntil;
  }

  async pause(): Promise<void> {
    const ms = this.#blockedUntil - this.#parts.clock.now();
    if (ms > 0) await this.#parts.service.pause(ms, "retry");
  }

  /** Blocks requests for a while. @param retryAfterMs the wait from `Retry-After`; null if there is none. */
  block(retryAfterMs: number | null, isLimited: boolean): void {
    const ms = retryAfterMs ?? (isLimited ? PAUSES.mostMs : pauseAfter(this.#last.count + 1, PAUSES));
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#parts.clock.now() + ms);
  }

  /** Restarts the count after a success. */
  end(): void {
    this.#last.count = 0;
  }

  count({ like, cause }: Failure): void {
    const { stopAfter, name } = this.#parts;
    this.#last = { like, count: like === this.#last.like ? this.#last.count + 1 : 1 };
    if (this.#last.count < stopAfter) return;
    const message = `${name}: stopped after ${stopAfter} identical failures in a row. Rows that were not sent stay planned. Last failure: ${cause.message}`;
    this.stopped ??= new BulkError("stopped", message, cause);
  }

  stop(why: string): void {
    const message = `${this.#parts.name}: stopped, because ${why}. Rows that were not sent stay planned.`;
    this.stopped ??= new BulkError("stopped", message);
  }
}

export const SLOW_DISK: Failure = {
  like: "slow disk",
  cause: new Error("Writing the plan took so long that its records may be out of date. Use a faster disk."),
};

export function unreadFailure({ row, id }: PlannedRow, status: number): Failure {
  return { like: `unread ${status}`, cause: new Error(`record ${id} of row ${row} cannot be read (status ${status})`) };
}
