import type { Clock } from "../clock.js";
import type { Operation } from "../operation.js";

/** An operation whose last call the service refused. */
export interface RefusedOperation {
  /** The operation's id, such as `invoices.list`. */
  readonly operation: string;
  /** The status of the last refusal: 401, 403, or 404 for an operation whose path names no record. */
  readonly status: number;
  /** When the first refusal since the operation's last success arrived. */
  readonly since: Date;
}

/** Remembers which operations the service refuses to a client, and since when. */
export class Refusals {
  readonly #clock: Clock;
  readonly #refused = new Map<string, RefusedOperation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  list(): RefusedOperation[] {
    return [...this.#refused.values()];
  }

  /** Records how a call ended. @param status 0 if no response arrived; the operation's entry is then kept. */
  note({ id, path }: Operation, status: number): void {
    // A 404 for a path with an identifier may only mean that this record does not exist.
    const isRefusal = status === 401 || status === 403 || (status === 404 && !path.includes("{"));
    if (isRefusal) {
      const since = this.#refused.get(id)?.since ?? new Date(this.#clock.now());
      this.#refused.set(id, { operation: id, status, since });
    } else if (status > 0 && status < 400) this.#refused.delete(id);
  }
}
