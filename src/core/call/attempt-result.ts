import type { ConfigurationError } from "../errors.js";
import type { FailureEvent } from "../events.js";
import type { Ticket } from "../limits/ticket.js";
import type { Body, WireResponse } from "./body.js";
import type { CallRequest } from "./request.js";

export interface Attempt {
  readonly request: CallRequest;
  readonly ticket: Ticket;
  readonly url: string;
  /** The body as JSON text; null if there is none. */
  readonly body: string | null;
}

export type AttemptResult =
  | {
      readonly kind: "response";
      readonly response: WireResponse;
      readonly body: Body;
      /** The response's status; for an error body sent with a success status, the status in that body. */
      readonly status: number;
      /** Milliseconds from `Retry-After`; after a 429 without that header, a pause that the library chooses. */
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: "connection";
      readonly cause: unknown;
      readonly code: string | null;
      /** Whether the service may have received the request. */
      readonly received: "no" | "maybe";
    }
  | { readonly kind: "timeout"; readonly scope: "attempt" | "total"; readonly received: "no" | "maybe" }
  /** Not sent: the wait for a permit would be too long, or the queue is full. */
  | { readonly kind: "rate_limited"; readonly reason: "queue_full" | "deadline"; readonly retryAt: number | null }
  /** A redirect that must not be followed. */
  | { readonly kind: "redirect"; readonly response: WireResponse; readonly problem: RedirectProblem }
  | { readonly kind: "too_large"; readonly response: WireResponse }
  /** The caller's `apiKey` or `fetch` function failed. */
  | { readonly kind: "misconfigured"; readonly error: ConfigurationError; readonly received: "no" | "maybe" }
  /** Ended by the caller's signal, or by an error (`reason`) that a framework such as Next threw. */
  | { readonly kind: "aborted"; readonly received: "no" | "maybe"; readonly reason?: Error };

export interface EndedAttempt {
  readonly result: AttemptResult;
  /** The platform's response; null if there was none. */
  readonly response: Response | null;
  /** The address of the last request. */
  readonly url: string;
  readonly redirected: boolean;
  /** The token that was sent, which errors must not reveal; null without a key. */
  readonly token: string | null;
  /** Milliseconds from sending to the end of the body. */
  readonly durationMs: number;
}

export type RedirectProblem = "write" | "other_origin" | "no_location" | "too_many" | "hidden";

/** The reason that events report for a result without a usable response. */
export function reasonOf(result: AttemptResult): FailureEvent["reason"] {
  switch (result.kind) {
    case "connection":
    case "timeout":
    case "redirect":
    case "too_large":
    case "aborted":
      return result.kind;
    default:
      return "truncated";
  }
}

/** True if there was a response whose body, if any, arrived in full. */
export function isComplete(result: AttemptResult): boolean {
  return result.kind === "response" && !(result.body.kind === "truncated" && result.body.cause !== undefined);
}
