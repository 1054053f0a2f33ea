import {
  MemoryRateLimitStore,
  type RateLimitStore,
  type Reservation,
  type ReserveRequest,
} from "../../../src/index.js";
import { rateLimitStoreTests } from "../suite/index.ts";
import { resultsOf } from "./suite-results.ts";

/** What one thing of a store does instead. `right` does all as it should. */
export type Wrong = (right: MemoryRateLimitStore) => Partial<RateLimitStore>;

function storeWith(wrong: Wrong): RateLimitStore {
  const right = new MemoryRateLimitStore();
  return {
    reserve: (request) => right.reserve(request),
    settle: (settlement) => right.settle(settlement),
    block: (block) => right.block(block),
    usage: (request) => right.usage(request),
    ...wrong(right),
  };
}

/** What the tests say of a store that does one thing wrong. */
export const resultsWith = (wrong: Wrong) =>
  resultsOf((test) => rateLimitStoreTests({ test, create: async () => storeWith(wrong), advance: () => undefined }));

/** Asks for something else than it was asked for. */
export const asks =
  (change: (request: ReserveRequest) => Partial<ReserveRequest>): Wrong =>
  (right) => ({ reserve: (request) => right.reserve({ ...request, ...change(request) }) });

/** Answers something else when it grants no place. */
export const refuses =
  (change: (answer: Extract<Reservation, { granted: false }>) => object): Wrong =>
  (right) => ({
    reserve(request) {
      const answer = right.reserve(request);
      return answer.granted ? answer : { ...answer, ...change(answer) };
    },
  });
