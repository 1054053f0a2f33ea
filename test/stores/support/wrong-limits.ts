import {
  MemoryRateLimitStore,
  type RateLimitStore,
  type Reservation,
  type ReserveRequest,
} from "../../../src/index.js";
import { rateLimitStoreTests } from "../suite/index.ts";
import { resultsOf } from "./suite-results.ts";

/** Replaces one behavior of a store. `right` is a correct store. */
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

/** The results of the store tests for a store with one behavior replaced. */
export const resultsWith = (wrong: Wrong) =>
  resultsOf((test) => rateLimitStoreTests({ test, create: async () => storeWith(wrong), advance: () => undefined }));

/** Changes the request before the store receives it. */
export const asks =
  (change: (request: ReserveRequest) => Partial<ReserveRequest>): Wrong =>
  (right) => ({ reserve: (request) => right.reserve({ ...request, ...change(request) }) });

/** Changes the response when the store grants no slot. */
export const refuses =
  (change: (answer: Extract<Reservation, { granted: false }>) => object): Wrong =>
  (right) => ({
    reserve(request) {
      const answer = right.reserve(request);
      return answer.granted ? answer : { ...answer, ...change(answer) };
    },
  });
