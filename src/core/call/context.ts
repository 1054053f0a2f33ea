import type { Line } from "../line/line.js";
import type { Settings } from "../settings.js";
import type { CallRequest } from "./request.js";
import type { RetryQuota } from "./retry.js";

/** State shared by all calls of a client. */
export interface CallContext {
  readonly settings: Settings;
  readonly line: Line;
  readonly quota: RetryQuota;
  /** Redacts sent values in text from the response; null if the code that redacts cannot be loaded. */
  readonly clean: (text: string, request: CallRequest, token: string | null) => Promise<string | null>;
}
