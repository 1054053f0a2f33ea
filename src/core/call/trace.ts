import {
  type DriftEvent,
  type FailureEvent,
  notify,
  type Observers,
  type RetryEvent,
  type WaitEvent,
} from "../events.js";
import type { RateLimitState } from "../limits/rate-limiters.js";
import type { Method } from "../method.js";
import { API_PREFIX, type Operation } from "../operation.js";

/** Something that happened during a call: the event that observers receive, with its name and its time. */
export type TraceEvent = { readonly at: Date } & (
  | ({ readonly name: "wait" } & WaitEvent)
  | ({ readonly name: "retry" } & RetryEvent)
  | ({ readonly name: "drift" } & DriftEvent)
);

/**
 * What subscribers of the diagnostics channel `education-admin-sdk:call` receive, the same object from `start` to
 * `asyncEnd`. A call is one use of a method, or one page of a list. It holds no token and no value that was sent.
 */
export interface CallMessage {
  /** Operation id, `invoices.open`; null for a request by hand, whose path may hold an identifier. */
  readonly operation: string | null;
  readonly method: Method;
  /** Path template below the base URL, `api/v1/invoices/{id}/open`; null for a request by hand. */
  readonly template: string | null;
  /** Which client makes the call: its address and the state of its rate limit. */
  readonly client: { readonly baseUrl: string; readonly rateLimit: RateLimitState };
  /** Waits, retries and drift, in their order. */
  readonly events: TraceEvent[];
  /** HTTP status of the last response; absent while there is none. */
  status?: number | undefined;
  /** Requests sent so far. */
  attempts: number;
  /** What the call threw. */
  error?: unknown;
}

/** What subscribers of the diagnostics channel `education-admin-sdk:request` receive. A call sends one or more requests. */
export interface RequestMessage {
  readonly call: CallMessage;
  /** 1 for the first request of the call. */
  readonly attempt: number;
  /** HTTP status of the response; absent until there is one. */
  status?: number | undefined;
  /** Why there is no usable response, as in the `failure` event; absent when there is one. */
  failure?: FailureEvent["reason"] | undefined;
  /** The connection's error code, `ECONNRESET`. */
  code?: string | null | undefined;
  /** A subscriber of `start` may set it: `fetch` is called within it, so that it sees the subscriber's context. */
  within?: (<T>(work: () => T) => T) | undefined;
}

/** The part of Node's `TracingChannel` that is used here. */
export interface Channel<Message extends object> {
  readonly hasSubscribers: boolean;
  tracePromise(work: () => Promise<void>, message: Message): Promise<void>;
  subscribe(subscribers: Partial<Record<"start" | "asyncEnd", (message: Message) => void>>): void;
  unsubscribe(subscribers: Partial<Record<"start" | "asyncEnd", (message: Message) => void>>): void;
}

/** The two channels. */
export interface Channels {
  readonly call: Channel<CallMessage>;
  readonly request: Channel<RequestMessage>;
}

interface DiagnosticsChannel {
  tracingChannel(name: string): Channel<never>;
}

let found: Channels | null | undefined;

/** The diagnostics channels; null on platforms that have none, such as browsers. */
export function channels(): Channels | null {
  if (found !== undefined) return found;
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  // Not an import: browsers and Workers come through here too.
  const module = process?.getBuiltinModule?.("node:diagnostics_channel") as Partial<DiagnosticsChannel> | undefined;
  const channel = (name: string) => module?.tracingChannel?.(`education-admin-sdk:${name}`);
  const [call, request] = [channel("call"), channel("request")];
  found = call && request ? ({ call, request } as Channels) : null;
  return found;
}

/** Whether somebody listens to the channels. */
export function isTraced(): boolean {
  const all = channels();
  return all !== null && (all.call.hasSubscribers || all.request.hasSubscribers);
}

/** Makes a call and tells the subscribers of its channel. Only when {@link isTraced}. */
export function traceCall<T>(
  { method, path, id, apis }: Operation,
  client: CallMessage["client"],
  work: (message: CallMessage) => Promise<T>,
): Promise<T> {
  const [api] = apis;
  const message: CallMessage = {
    operation: api ? id : null,
    method,
    template: api ? `${API_PREFIX[api]}/${path}` : null,
    client,
    attempts: 0,
    events: [],
  };
  return traced((channels() as Channels).call, message, () => work(message));
}

/** Sends a request and tells the subscribers of its channel, if the call is traced. */
export function traceRequest<T>(
  call: CallMessage | undefined,
  attempt: number,
  work: (message: RequestMessage | null) => Promise<T>,
): Promise<T> {
  if (!call) return work(null);
  const message: RequestMessage = { call, attempt };
  call.attempts = attempt;
  return traced((channels() as Channels).request, message, () => work(message));
}

/** Calls an observer and adds the event to the call's trace. */
export function tell<Name extends "wait" | "retry" | "drift">(
  observers: Observers,
  call: CallMessage | undefined,
  name: Name,
  event: Parameters<NonNullable<Observers[Name]>>[0],
): void {
  notify(observers, name, event);
  call?.events.push({ at: new Date(), name, ...event } as TraceEvent);
}

// The channel must not see what a promise resolves to: records hold personal data.
async function traced<T, Message extends object>(
  channel: Channel<Message>,
  message: Message,
  work: () => Promise<T>,
): Promise<T> {
  let value: T | undefined;
  await channel.tracePromise(async () => {
    value = await work();
  }, message);
  return value as T;
}
