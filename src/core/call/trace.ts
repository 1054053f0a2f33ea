import {
  type DriftEvent,
  type FailureEvent,
  notify,
  type Observers,
  type OperationEvent,
  type RetryEvent,
  type WaitEvent,
} from "../events.js";
import type { RateLimitState } from "../limits/rate-limiters.js";
import type { Method } from "../method.js";

/**
 * An event that observers receive during a call, with its name and time, but without the operation, which the
 * {@link CallMessage} names.
 */
export type TraceEvent = { readonly at: Date } & (
  | ({ readonly name: "wait" } & Omit<WaitEvent, keyof OperationEvent>)
  | ({ readonly name: "retry" } & Omit<RetryEvent, keyof OperationEvent>)
  | ({ readonly name: "drift" } & Omit<DriftEvent, keyof OperationEvent>)
);

/**
 * The message to subscribers of the diagnostics channel `education-admin-sdk:call`, the same object from `start` to
 * `asyncEnd`. A call is one use of a method, or one page of a list. The message contains no token and no value that was
 * sent.
 */
export interface CallMessage {
  /** Operation id, such as `invoices.open`; null for a raw request, whose path may contain an identifier. */
  readonly operation: string | null;
  readonly method: Method;
  /** Path template below the base URL, such as `api/v1/invoices/{id}/open`; null for a raw request. */
  readonly template: string | null;
  /** Describes the calling client: the same object for all of its calls. It has no key and cannot send requests. */
  readonly client: { readonly baseUrl: string; readonly rateLimit: RateLimitState };
  /** Waits, retries and drift, in the order in which they happened. */
  readonly events: TraceEvent[];
  /** HTTP status of the last response; absent while there is none. */
  status?: number | undefined;
  /** Requests sent so far. */
  attempts: number;
  /** The error, or the signal's reason, with which the call failed. */
  error?: unknown;
}

/** The message to subscribers of the diagnostics channel `education-admin-sdk:request`. */
export interface RequestMessage {
  readonly call: CallMessage;
  /** 1 for the first request of the call. */
  readonly attempt: number;
  /** HTTP status of the response; absent until there is one. */
  status?: number | undefined;
  /** Why there is no usable response, as in the `failure` event; absent when there is one. */
  failure?: FailureEvent["reason"] | undefined;
  /** The connection's error code, such as `ECONNRESET`. */
  code?: string | null | undefined;
  /**
   * A subscriber of `start` may set this function: `fetch` is called inside it and so runs in the subscriber's context.
   */
  within?: (<T>(work: () => T) => T) | undefined;
}

/** The part of Node's `TracingChannel` that is used here. */
export interface Channel<Message extends object> {
  readonly hasSubscribers: boolean;
  tracePromise(work: () => Promise<void>, message: Message): Promise<void>;
  subscribe(subscribers: Partial<Record<"start" | "asyncEnd", (message: Message) => void>>): void;
  unsubscribe(subscribers: Partial<Record<"start" | "asyncEnd", (message: Message) => void>>): void;
}

export interface Channels {
  readonly call: Channel<CallMessage>;
  readonly request: Channel<RequestMessage>;
}

/** Calls an observer and adds the event to the call's trace. */
export function tell<Name extends "wait" | "retry" | "drift">(
  observers: Observers,
  call: CallMessage | undefined,
  name: Name,
  event: Parameters<NonNullable<Observers[Name]>>[0],
): void {
  notify(observers, name, event);
  // The path of a raw request may contain an identifier.
  const { operation: _, method: __, path: ___, ...facts } = event;
  call?.events.push({ at: new Date(), name, ...facts } as TraceEvent);
}
