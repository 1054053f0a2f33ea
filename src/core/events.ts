import type { OperationId } from "../generated/operation-id.js";
import type { Outcome } from "./error-details.js";
import type { Method } from "./method.js";

/** Properties of every event. No event contains a token, a query or body value, or a record's data. */
export interface OperationEvent {
  /** Operation id, such as `invoices.open`; for a raw request, its method and path: `GET api/v1/rooms`. */
  readonly operation: OperationId | (string & {});
  readonly method: Method;
  /** Path template, such as `invoices/{id}/open`. */
  readonly path: string;
}

/** A request is about to be sent. */
export interface RequestEvent extends OperationEvent {
  /** 1 for the first request of the call. */
  readonly attempt: number;
}

/** A response arrived and its body was read to the end. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  /** The service's `x-request-id`, with sent values redacted; null when there is none. */
  readonly requestId: string | null;
  /** Milliseconds from sending to the last byte of the body. */
  readonly durationMs: number;
  /** Milliseconds this request waited for the rate limiter before it was sent. */
  readonly waitedMs: number;
}

/** An attempt ended without a usable response. */
export interface FailureEvent extends RequestEvent {
  /**
   * Why there was no usable response: the connection failed, the attempt took longer than `timeout`, the body of a
   * successful response is truncated or too large, the response is a redirect that is not followed, or the call was
   * aborted while the request was in flight.
   */
  readonly reason: "connection" | "timeout" | "truncated" | "too_large" | "redirect" | "aborted";
  /** The connection's error code, such as `ECONNRESET`; null if there is none. */
  readonly code: string | null;
  /** `not_sent` if the request certainly did not reach the service, otherwise `unknown`. */
  readonly outcome: Exclude<Outcome, "done">;
  /** Whether another attempt follows. */
  readonly retried: boolean;
  /** Milliseconds from sending to the failure. */
  readonly durationMs: number;
}

/** An attempt failed and another one follows. */
export interface RetryEvent extends RequestEvent {
  /** The HTTP status, or the reason given in the `failure` event. */
  readonly reason: string;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** A call begins to wait for the rate limiter. */
export interface WaitEvent extends OperationEvent {
  /** Why the call waits: the rate limit is used up, too many requests are in flight, or the service responded 429. */
  readonly reason: "window" | "concurrency" | "rate_limited";
  /** The earliest time at which the wait can end; null if it depends on requests in flight. */
  readonly expectedAt: Date | null;
}

/** A page of a list arrived. */
export interface PageEvent extends OperationEvent {
  /** 1 for the first page of this iteration. */
  readonly page: number;
  readonly records: number;
  /** True if the list continues; false if `maxPages` ends it here. */
  readonly hasNext: boolean;
  /** Resumes the list after this page; see `ListOptions.resume`. */
  readonly checkpoint: string;
}

/**
 * How a response can differ from its schema. `filter`: a record contradicts a filter of the request, which the service
 * seems to ignore; `other_record`: a request for one record returned a different one, for example from a cache that
 * mixes up responses.
 */
export type DriftKind =
  | "unknown_field"
  | "unknown_value"
  | "missing_field"
  | "other_record"
  | "unexpected_null"
  | "wrong_type"
  | "filter";

/** A response differs from its schema. Reported once per operation, field and kind. */
export interface DriftEvent extends OperationEvent {
  /** Path in a record, such as `invoice_items[].units`. */
  readonly field: string;
  readonly kind: DriftKind;
}

/** The service marks an operation as deprecated in a `Deprecation` or `Sunset` header. Reported once per operation. */
export interface DeprecatedEvent extends OperationEvent {
  /** When the operation becomes or became deprecated; null if the header has no date. */
  readonly since: Date | null;
  /** When the operation stops working; null if the service gives no date. */
  readonly sunset: Date | null;
  /** The address where the service explains the deprecation, from the `Link` header; null if there is none. */
  readonly link: string | null;
}

/** Functions that observe a client. Exceptions in observers are ignored. */
export interface Observers {
  /** A request is about to be sent. */
  request?: ((event: RequestEvent) => void) | undefined;
  /** A response arrived and its body was read to the end. */
  response?: ((event: ResponseEvent) => void) | undefined;
  /** An attempt ended without a usable response. */
  failure?: ((event: FailureEvent) => void) | undefined;
  /** An attempt failed and another one follows. */
  retry?: ((event: RetryEvent) => void) | undefined;
  /** A call begins to wait for the rate limiter. */
  wait?: ((event: WaitEvent) => void) | undefined;
  /** A page of a list arrived. */
  page?: ((event: PageEvent) => void) | undefined;
  /** A response differs from its schema; called once per operation, field and kind. */
  drift?: ((event: DriftEvent) => void) | undefined;
  /**
   * The service marks an operation as deprecated; called once per operation. Without this observer, the client prints
   * one warning.
   */
  deprecated?: ((event: DeprecatedEvent) => void) | undefined;
}

export function notify<Name extends keyof Observers>(
  observers: Observers,
  name: Name,
  event: Parameters<NonNullable<Observers[Name]>>[0],
): void {
  callObserver(observers[name] as ((event: unknown) => unknown) | undefined, event);
}

export function eventOf({ id, method, path }: { id: string; method: Method; path: string }): OperationEvent {
  return { operation: id, method, path };
}

/** Calls an observer and ignores its exceptions and rejections. */
export function callObserver<Value>(observer: ((value: Value) => unknown) | undefined, value: Value): void {
  if (!observer) return;
  try {
    const returned = observer(value);
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {}
}
