const CAPACITY = 500;
const COST = 5;

/**
 * How many retries a client may make: each one costs, each success earns a little back, more after a retry. In an outage
 * the quota runs dry and calls fail after their first attempt, so that the service does not receive a multiple of the
 * requests it cannot answer.
 */
export class RetryQuota {
  #left = CAPACITY;

  /** Whether another retry is allowed. */
  get left(): boolean {
    return this.#left >= COST;
  }

  /** Pays for a retry. */
  spend(): void {
    this.#left -= COST;
  }

  /** A call has succeeded. */
  earn(retried: boolean): void {
    this.#left = Math.min(CAPACITY, this.#left + (retried ? COST : 1));
  }
}
