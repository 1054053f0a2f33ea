import { ConfigurationError } from "../../core/errors.js";
import type { WebhookEvent, WebhookEventOf, WebhookPattern } from "../events.js";
import { checkPattern, checkSpelling, matchesWebhookPattern } from "../pattern.js";

/** Information about the delivery of an event, passed to the listener. */
export interface WebhookContext {
  /** The identifier of the delivery. */
  readonly deliveryId: string;
  /** When the delivery was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** When the delivery was signed, in milliseconds since the epoch; null if the signature has no time. */
  readonly sentAt: number | null;
  /** 1 for the first attempt; higher after a listener failed or its process ended. */
  readonly attempt: number;
  /** True with `outOfOrder: "mark"` if a newer version of the record was already handled. */
  readonly outOfOrder: boolean;
  /**
   * Aborted when the listener exceeds `listenerTimeoutMs`, or when the receiver closes and its grace period is over.
   */
  readonly signal: AbortSignal;
}

/** Called for an event. The delivery is handled if the promise resolves, and is handed out again if it rejects. */
export type WebhookListener<Event extends WebhookEvent<string> = WebhookEvent> = (
  event: Event,
  context: WebhookContext,
) => unknown;

/** Listeners by pattern: `{ "invoice.*": (event) => … }`. */
export type WebhookListeners = {
  readonly [Pattern in WebhookPattern]?: WebhookListener<WebhookEventOf<Pattern>> | undefined;
};

/** Adds a listener for a known pattern, or for a name that this version does not know. */
export type WebhookOn<Self> = <const Pattern extends WebhookPattern | (string & {})>(
  pattern: Pattern,
  listener: WebhookListener<WebhookEventOf<Pattern>>,
) => Self;

export interface Route {
  readonly pattern: string;
  readonly listener: (event: WebhookEvent, context: WebhookContext) => unknown;
}

export class Router {
  readonly #routes: Route[] = [];

  add(pattern: unknown, listener: unknown): void {
    checkPattern(pattern);
    checkSpelling(pattern);
    if (typeof listener !== "function") {
      throw new ConfigurationError(`The webhook listener for "${pattern}" must be a function`);
    }
    this.#routes.push({ pattern, listener: listener as Route["listener"] });
  }

  get isEmpty(): boolean {
    return this.#routes.length === 0;
  }

  matching(event: string): Route[] {
    return this.#routes.filter(({ pattern }) => matchesWebhookPattern(pattern, event));
  }
}
