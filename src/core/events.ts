import type { Method } from "./operation.js";

/** What every event tells. No event holds a token, a query or body value, or a record's data. */
export interface OperationEvent {
  /** Operation id, `invoices.open`. */
  readonly operation: string;
  readonly method: Method;
  /** Path template, `invoices/{id}/open`. */
  readonly path: string;
}

/** A request is about to be sent. */
export interface RequestEvent extends OperationEvent {
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** An attempt was answered. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number;
  readonly requestId: string | null;
  /** Milliseconds from sending to the last byte of the body. */
  readonly durationMs: number;
}

/** An attempt failed and will be repeated. */
export interface RetryEvent extends RequestEvent {
  /** What went wrong: a status, or the name of the failure. */
  readonly reason: string;
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
}

/** A call waits for its turn. */
export interface WaitEvent extends OperationEvent {
  /** Why: the window is used up, too many requests are under way, or the service answered 429. */
  readonly reason: "window" | "concurrency" | "rate_limited";
  /** Milliseconds the wait took. */
  readonly waitedMs: number;
}

/** A page of a list arrived. */
export interface PageEvent extends OperationEvent {
  /** 1 for the first page of this iteration. */
  readonly page: number;
  readonly records: number;
  readonly hasNext: boolean;
  /** Goes on after this page; see `ListOptions.resume`. */
  readonly checkpoint: string;
}

/** How an answer can differ from its schema. */
export type DriftKind = "unknown_field" | "unknown_value" | "missing_field" | "unexpected_null" | "wrong_type";

/** An answer differs from its schema. Told once per operation, field and kind. */
export interface DriftEvent extends OperationEvent {
  /** Where in a record, `invoice_items[].units`. */
  readonly field: string;
  readonly kind: DriftKind;
}

/** Observers of what a client does. One that throws changes nothing. */
export interface Observers {
  /** An attempt is about to be sent. */
  request?: ((event: RequestEvent) => void) | undefined;
  /** An attempt was answered, its body read to the end. */
  response?: ((event: ResponseEvent) => void) | undefined;
  /** An attempt failed and will be repeated. */
  retry?: ((event: RetryEvent) => void) | undefined;
  /** A call has waited for its turn. */
  wait?: ((event: WaitEvent) => void) | undefined;
  /** A page of a list arrived. */
  page?: ((event: PageEvent) => void) | undefined;
  /** An answer differs from its schema; once per operation, field and kind. */
  drift?: ((event: DriftEvent) => void) | undefined;
}

/** Calls an observer, if there is one; what it throws is dropped. */
export function notify<Name extends keyof Observers>(
  observers: Observers,
  name: Name,
  event: Parameters<NonNullable<Observers[Name]>>[0],
): void {
  const observer = observers[name] as ((event: unknown) => unknown) | undefined;
  if (!observer) return;
  try {
    const returned = observer(event);
    // An async observer that rejects must not become an unhandled rejection.
    if (returned instanceof Promise) returned.catch(() => undefined);
  } catch {
    // Observers look on; the call goes on.
  }
}
