import { type WebhookWorkerOptions, WORKER_OPTIONS } from "../work/worker-options.js";
import type { WebhookSignature } from "./signature.js";

/** When a receiver answers. */
export type HandlerMode = "answer-then-handle" | "handle-then-answer";

/** Keeps a runtime from stopping before the work is done. */
export type WaitUntil = (work: Promise<unknown>) => unknown;

/** How deliveries are received and handed to listeners. */
export interface WebhookHandlerOptions extends WebhookWorkerOptions {
  /** How to verify that a delivery comes from the service; `false` accepts deliveries from anybody. */
  readonly signature: WebhookSignature;
  /**
   * When the response goes out. `answer-then-handle`, the default, answers once the delivery is in the store.
   * `handle-then-answer` calls the listeners first and answers 503 when one fails or takes too long: for hosts that stop
   * after the response. It takes no `store`, and trying again is up to the service, which describes no schedule for it.
   */
  readonly mode?: HandlerMode | undefined;
  /**
   * Milliseconds after which the response goes out in any case: 503, so that the service may try again. The service itself
   * gives up after 10 000. Default 2 500; 8 000 with `handle-then-answer`, where it also limits `listenerTimeoutMs`. With a
   * `clock` of a test, the library's own verification is limited by the machine's clock, so that advancing time is no 503.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called with the work that goes on after the response, for runtimes that stop then: `waitUntil` of Vercel, `after` of
   * Next. Where the handler's second argument has a method `waitUntil`, that is the default.
   */
  readonly waitUntil?: WaitUntil | undefined;
  /** Largest body accepted, in bytes. Default 1 048 576. */
  readonly maxBodyBytes?: number | undefined;
  /** Deepest nesting of objects and arrays accepted. Default 64. */
  readonly maxDepth?: number | undefined;
}

/** The names of a handler's options. */
export const HANDLER_OPTIONS = [
  ...WORKER_OPTIONS,
  "signature",
  "mode",
  "timeoutMs",
  "waitUntil",
  "maxBodyBytes",
  "maxDepth",
] as const;
