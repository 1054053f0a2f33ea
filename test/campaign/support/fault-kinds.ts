import type { ErrorCode } from "education-admin-sdk";

/**
 * The faults of the scripted server, each with its frequency (in parts per thousand) and the error codes with which a
 * call may then end.
 */
export const FAULTS = {
  too_many: { weight: 12, codes: ["rate_limited"] },
  too_many_wait_0: { weight: 8, codes: ["rate_limited"] },
  too_many_wait_1: { weight: 6, codes: ["rate_limited"] },
  status_500: { weight: 10, codes: ["api"] },
  status_502_html: { weight: 8, codes: ["api"] },
  status_503: { weight: 8, codes: ["api"] },
  status_503_wait_1: { weight: 4, codes: ["api"] },
  status_504: { weight: 8, codes: ["api"] },
  reset_before_body: { weight: 14, codes: ["connection"] },
  reset_after_body: { weight: 14, codes: ["connection"] },
  stall_in_headers: { weight: 8, codes: ["timeout"] },
  stall_in_body: { weight: 8, codes: ["timeout"] },
  cut_body: { weight: 12, codes: ["connection", "response_format"] },
  cut_chunked_body: { weight: 8, codes: ["connection", "response_format"] },
  cut_json: { weight: 8, codes: ["response_format"] },
  html: { weight: 12, codes: ["response_format"] },
  text: { weight: 6, codes: ["response_format"] },
  wrong_json: { weight: 10, codes: ["response_format"] },
  empty_success: { weight: 6, codes: ["response_format"] },
  hidden_error_422: { weight: 8, codes: ["api"] },
  hidden_error_500: { weight: 6, codes: ["api"] },
  redirect_within: { weight: 8, codes: ["response_format"] },
  redirect_loop: { weight: 4, codes: ["response_format"] },
  redirect_abroad: { weight: 8, codes: ["response_format"] },
} as const satisfies Record<string, { weight: number; codes: readonly ErrorCode[] }>;

export type Fault = keyof typeof FAULTS;

/** Whether the server carries out a write that meets a fault. */
export const CARRIED_OUT: Readonly<Record<Fault, "yes" | "no" | "perhaps">> = {
  too_many: "no",
  too_many_wait_0: "no",
  too_many_wait_1: "no",
  status_500: "perhaps",
  status_502_html: "perhaps",
  status_503: "perhaps",
  status_503_wait_1: "perhaps",
  status_504: "perhaps",
  reset_before_body: "no",
  reset_after_body: "perhaps",
  stall_in_headers: "perhaps",
  stall_in_body: "yes",
  cut_body: "yes",
  cut_chunked_body: "yes",
  cut_json: "yes",
  html: "no",
  text: "no",
  wrong_json: "yes",
  empty_success: "yes",
  hidden_error_422: "no",
  hidden_error_500: "perhaps",
  redirect_within: "no",
  redirect_loop: "no",
  redirect_abroad: "no",
};

/** Numbers of records per account: none, one, just below, exactly and just above one page of 100, and several pages. */
const SIZES = [0, 1, 99, 100, 101, 250, 437, 730];

/** The identifiers of an account's records, in the server's order. */
export function recordsOf(account: number): number[] {
  const size = SIZES[account % SIZES.length] as number;
  return Array.from({ length: size }, (_, index) => account * 1000 + index + 1);
}

/** The observations of the server, read at the end of a campaign. */
export interface ServerReport {
  readonly requests: number;
  /** How often each write was carried out, by the key in its body. */
  readonly accepted: readonly (readonly [key: number, count: number])[];
  /** The faults that each operation met, in order. */
  readonly faults: readonly (readonly [operation: string, faults: readonly Fault[]])[];
  /**
   * The number of requests that can only come from a followed redirect: those to the other origin, and forwarded
   * writes.
   */
  readonly astray: number;
  /** The number of requests that are still being answered. */
  readonly open: number;
  /** The number of open connections, after the idle ones were closed. */
  readonly sockets: number;
}
