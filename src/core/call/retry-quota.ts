const CAPACITY = 500;
const COST = 5;

/**
 * How many repetitions a client may spend: each one costs, each success earns something back, the more so when it took
 * a repetition. In an outage the quota runs dry and calls fail after their first attempt, so that the service is not
 * asked a multiple of what it cannot do.
 */
export class RetryQuota {
  #left = CAPACITY;

  /** Takes what one repetition costs; false when there is not enough left. */
  spend(): boolean {
    if (this.#left < COST) return false;
    this.#left -= COST;
    return true;
  }

  /** A call has succeeded. */
  earn(repeated: boolean): void {
    this.#left = Math.min(CAPACITY, this.#left + (repeated ? COST : 1));
  }
}
