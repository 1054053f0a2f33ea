/// <reference lib="esnext.disposable" preserve="true" />
import { optionsOf } from "../../core/option-checks.js";
import type { WebhookOn } from "../work/router.js";
import type { GraceOptions, WebhookWorker } from "../work/worker.js";
import { HANDLER_OPTIONS, type WebhookHandlerOptions } from "./handler-options.js";
import { Receiver } from "./receiver.js";

/**
 * Receives a delivery: takes a fetch `Request` and resolves to the `Response`. If the runtime stops after the response,
 * pass the runtime's object that has `waitUntil` as the second argument.
 */
export interface WebhookHandler extends Omit<WebhookWorker, "on"> {
  (request: Request, context?: unknown): Promise<Response>;
  /**
   * Adds a listener for a known pattern, or for an event that this version does not know. Add all listeners before the
   * first delivery.
   */
  readonly on: WebhookOn<WebhookHandler>;
}

/**
 * Creates a receiver for the service's webhooks. It verifies a delivery, stores it, responds, and then hands it to the
 * listeners until they succeed; after 12 failed attempts (`maxAttempts`) it sets the delivery aside. It responds with
 * 200 when a delivery is stored or recognized as a copy; 400 for a body that is not an event; 401 without a valid
 * signature; 405 for methods other than POST; 408 for slow and 413 for large bodies; 415 for types other than JSON; and
 * 503 if the store, the `secrets` function or the verification itself fails or is too slow, or the receiver is closed.
 * It rejects only if the request's body was already read, or if the argument is not a fetch `Request`.
 * @throws ConfigurationError if an option is invalid.
 * @example
 * export const POST = createWebhookHandler({
 *   signature: { secrets: () => process.env.WEBHOOK_SECRET },
 *   on: { "invoice.*": async (event) => console.log(event.event, event.event_data.id) },
 * });
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const receiver = new Receiver(optionsOf("createWebhookHandler", options, HANDLER_OPTIONS));
  const handler: WebhookHandler = Object.assign(
    (request: Request, context?: unknown): Promise<Response> => receiver.receive(request, context),
    {
      on: ((pattern, listener) => {
        receiver.worker.on(pattern, listener);
        return handler;
      }) as WebhookOn<WebhookHandler>,
      process: ((...given) => receiver.worker.process(...given)) as WebhookWorker["process"],
      health: () => receiver.worker.health(),
      start: () => receiver.worker.start(),
      wake: () => receiver.worker.wake(),
      drain: (drain?: GraceOptions) => receiver.worker.drain(drain),
      close: (close?: GraceOptions) => receiver.close(close),
      [Symbol.asyncDispose]: () => receiver.close(),
    },
  );
  return handler;
}
