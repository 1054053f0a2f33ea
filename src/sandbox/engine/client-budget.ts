import {
  MemoryRateLimitStore,
  type RateLimitStore,
  type Reservation,
  type ReserveRequest,
} from "../../core/limits/rate-limit-store.js";

/**
 * The request budget of the clients made from a sandbox. Unlike the budget of the process it can be emptied, so that one test
 * does not use up the requests of the next.
 * @internal
 */
export class ClientBudget implements RateLimitStore {
  #windows = new MemoryRateLimitStore();
  #round = 0;

  reserve(request: ReserveRequest): Reservation {
    const reservation = this.#windows.reserve(request);
    return reservation.granted ? { granted: true, slot: `${this.#round}:${reservation.slot}` } : reservation;
  }

  settle(settlement: Parameters<RateLimitStore["settle"]>[0]): void {
    const [round, slot] = settlement.slot.split(":") as [string, string];
    // A request from before the reset must not free or take a place after it.
    if (Number(round) === this.#round) this.#windows.settle({ ...settlement, slot });
  }

  block(block: Parameters<RateLimitStore["block"]>[0]): void {
    this.#windows.block(block);
  }

  usage(request: { readonly key: string; readonly now: number }): { used: number; resetAt: number | null } {
    return this.#windows.usage(request);
  }

  /** Forgets every request and every block. */
  reset(): void {
    this.#windows = new MemoryRateLimitStore();
    this.#round++;
  }
}
