import type { AttemptResult } from "./attempt-result.js";
import type { CallRequest } from "./request.js";
import type { GaveUp } from "./retry.js";

/** A call whose last attempt has ended. */
export interface EndedCall {
  readonly request: CallRequest;
  readonly url: string;
  /** Whether that is another address than the call's. */
  readonly redirected: boolean;
  readonly result: AttemptResult;
  readonly attempts: number;
  /** Milliseconds spent waiting for the rate limiter and between attempts. */
  readonly waitedMs: number;
  /** True when an attempt may have changed something without proof of it. */
  readonly maybeApplied: boolean;
  /** True when an attempt got a response: the service received the request. */
  readonly responded: boolean;
  /** Why there was no further attempt, where that deserves a sentence. */
  readonly gaveUp: GaveUp | null;
  /** The token of the last attempt, which errors must not show; null without a key. */
  readonly token: string | null;
  /** After a 401 or 403: when the token last succeeded, after a 403 in this operation; null when it never did. */
  readonly workedAt: number | null;
}
