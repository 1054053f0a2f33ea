import type { Credentials } from "../credentials.js";
import type { RateLimiters } from "../limits/rate-limiters.js";
import type { Settings } from "../settings.js";
import type { CallRequest } from "./request.js";
import type { RetryQuota } from "./retry.js";

/** State shared by all calls of a client. */
export interface CallContext {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly limiters: RateLimiters;
  readonly quota: RetryQuota;
  /** Redacts a text from the response; null if the code for it cannot be loaded. */
  readonly clean: (text: string, request: CallRequest, token: string | null) => Promise<string | null>;
}
