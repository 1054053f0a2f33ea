import type { AttemptResult } from "./attempt-result.js";
import type { CallRequest } from "./request.js";
import type { GaveUp } from "./retry.js";

export interface EndedCall {
  readonly request: CallRequest;
  readonly url: string;
  readonly redirected: boolean;
  readonly result: AttemptResult;
  readonly attempts: number;
  /** Milliseconds spent waiting for the rate limiter and between attempts. */
  readonly waitedMs: number;
  /** True when an attempt may have changed something, although no response proves it. */
  readonly maybeApplied: boolean;
  /** True when an attempt got a response: the service received the request. */
  readonly responded: boolean;
  /** Why there was no further attempt; null if the error need not mention it. */
  readonly gaveUp: GaveUp | null;
  /** The token of the last attempt, which errors must not reveal; null without a key. */
  readonly token: string | null;
  /**
   * After a 401, the time of the token's last success; after a 403 or 404, the time of its last success in this
   * operation. Null if there was none.
   */
  readonly workedAt: number | null;
}
