import { ConfigurationError } from "../core/errors.js";
import type { WebhookEvent, WebhookEventOf, WebhookPattern } from "./events.js";

/** What a listener is told beside the event. */
export interface WebhookContext {
  /** Identifier of the delivery. */
  readonly deliveryId: string;
  /** When it was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When it was signed, in milliseconds since the epoch; null where the scheme has no time. */
  readonly sentAt: number | null;
  /** 1 the first time; higher when a listener threw or the process ended before. */
  readonly attempt: number;
  /** True with `outOfOrder: "mark"` when a newer version of the record was handled already. */
  readonly outOfOrder: boolean;
  /** Aborted when the receiver is closed and its grace period is over. */
  readonly signal: AbortSignal;
}

/** Called for an event; the delivery counts as handled when the promise resolves, and comes again when it rejects. */
export type WebhookListener<Event extends WebhookEvent<string> = WebhookEvent> = (
  event: Event,
  context: WebhookContext,
) => unknown;

/** Listeners by pattern: `{ "invoice.*": (event) => … }`. */
export type WebhookListeners = {
  readonly [Pattern in WebhookPattern]?: WebhookListener<WebhookEventOf<Pattern>> | undefined;
};

/** Registers a listener, for a known pattern or for a name this version does not know. */
export type WebhookOn<Self> = <const Pattern extends WebhookPattern | (string & {})>(
  pattern: Pattern,
  listener: WebhookListener<WebhookEventOf<Pattern>>,
) => Self;

type AnyListener = (event: WebhookEvent, context: WebhookContext) => unknown;

/** Which listeners want which events, in the order in which they were registered. */
export class Router {
  readonly #routes: { readonly pattern: string; readonly listener: AnyListener }[] = [];

  add(pattern: string, listener: unknown): void {
    const [prefix = "", ...rest] = pattern.split(".");
    const misplaced =
      pattern !== "*" && [prefix, ...rest].some((part) => part === "" || (part.length > 1 && part.includes("*")));
    if (misplaced) {
      throw new ConfigurationError(`"${pattern}" is no webhook pattern: use a name, "invoice.*", "*.deleted" or "*"`);
    }
    if (typeof listener !== "function")
      throw new ConfigurationError(`The webhook listener for "${pattern}" is no function`);
    this.#routes.push({ pattern, listener: listener as AnyListener });
  }

  matching(event: string): AnyListener[] {
    return this.#routes.filter(({ pattern }) => matches(pattern, event)).map(({ listener }) => listener);
  }
}

function matches(pattern: string, event: string): boolean {
  if (pattern === "*" || pattern === event) return true;
  if (!pattern.includes("*")) return false;
  const wanted = pattern.split(".");
  const given = event.split(".");
  const longEnough = wanted.at(-1) === "*" ? given.length >= wanted.length : given.length === wanted.length;
  return longEnough && wanted.every((part, at) => part === "*" || part === given[at]);
}
