import type { Open } from "../../core/schema/model.js";
import type { OperationId } from "../../generated/operation-id.js";
import type { WebhookPattern } from "../../webhooks/events.js";
import type { SandboxInput } from "./calls.js";

/** A fault or a scripted response, and the requests that it applies to. Fields can be combined. */
export interface Fault<Id extends OperationId = OperationId> {
  /** Only this operation, by id: `invoices.list`. Default: every request. */
  readonly operation?: Id | undefined;
  /**
   * Only requests whose input it accepts: `when: ({ body }) => body.email === "a@school.example"`. The input has the types of
   * `operation`. Not asked for requests that belong to no operation: a fault with `when` never applies to those.
   */
  when?(input: SandboxInput<Id>): boolean;
  /** How many requests it applies to. Default 1; `Infinity` for all. */
  readonly times?: number | undefined;
  /** The same as `times`. */
  readonly count?: number | undefined;
  /** The probability that it applies to a matching request, 0 to 1. Default 1. The sandbox's `seed` decides which ones. */
  readonly probability?: number | undefined;
  /**
   * Responds with this status and the error body instead of carrying the request out. 200 puts the error body into a
   * success, as the service sometimes does; its `code` is then 422.
   */
  readonly status?: number | undefined;
  /** `errors` of the error body, by field: `{ email: ["is taken"] }`. Without `status`, the status is 422. */
  readonly errors?: Readonly<Record<string, readonly string[]>> | undefined;
  /** `message` of the error body. Default: the name of the status. Without `status`, the status is 422. */
  readonly message?: string | undefined;
  /** The whole body, sent as JSON, instead of the error body. Without `status`, the status is 200. */
  readonly body?: unknown;
  /** `Retry-After` of the response: seconds, a date, or any text. Without `status`, the status is 429. */
  readonly retryAfter?: number | string | Date | undefined;
  /** Response headers to add or to replace; null leaves one out: `{ total: null }` for a list that does not say how long it is. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /**
   * Milliseconds of the sandbox's time before the response begins. With `Infinity` there is no response. A caller that gives up
   * before has sent a request that is not carried out, unless `applied` or `appliedAfterMs` is set.
   */
  readonly delayMs?: number | undefined;
  /** Breaks the connection after this share of the response body: 0 to below 1; true for a half. */
  readonly cut?: boolean | number | undefined;
  /** Breaks the connection before the response. */
  readonly reset?: boolean | undefined;
  /** Responds with an HTML page, as a proxy does. Without `status`, the status is 502. */
  readonly html?: boolean | undefined;
  /**
   * Changes the records of the response as a new version of the service might: adds a field (`extra`, also for true),
   * removes one (`missing`), or sets one to null (`null`), to another type (`type`) or to an unknown value (`value`).
   */
  readonly drift?: boolean | DriftFault | undefined;
  /**
   * Carries the request out when it arrives, although the response reports a failure or, with `delayMs`, comes too late: a
   * write that the caller does not learn of. Default false: a fault with a response of its own does not carry the request out, and
   * one with `delayMs` does so after the delay, if the caller still waits. Without effect on `cut` and `drift` alone.
   */
  readonly applied?: boolean | undefined;
  /**
   * Carries the request out this many milliseconds of the sandbox's time after it arrived, although the caller has given up or
   * received a failure by then: a write that the service finishes late. Without a response of the fault's own, the response comes
   * no earlier. `reset()` forgets such a write. 0 means the same as `applied`; give only one.
   */
  readonly appliedAfterMs?: number | undefined;
}

/** Ways in which a response can differ from its schema. */
export type DriftFault = "extra" | "missing" | "null" | "type" | "value";

/** A fault of webhook deliveries, and the deliveries that it applies to. */
export interface WebhookFault {
  /** Only deliveries of events that match this pattern. Default: all. */
  readonly event?: Open<WebhookPattern> | undefined;
  /** How many deliveries it applies to. Default 1; `Infinity` for all. */
  readonly times?: number | undefined;
  /** The same as `times`. */
  readonly count?: number | undefined;
  /** Milliseconds of the sandbox's time before the delivery is sent. */
  readonly delayMs?: number | undefined;
  /** How many more times the delivery is sent, with the same id; true for once. */
  readonly duplicate?: boolean | number | undefined;
  /** The delivery is sent after the one that follows it. */
  readonly reorder?: boolean | undefined;
  /** The delivery is never sent. */
  readonly drop?: boolean | undefined;
}
