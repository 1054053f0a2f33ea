import { acceptAny, callable, type OptionTable, oneOf } from "../../core/option-checks.js";
import { atLeast } from "../checks.js";
import { DEFAULT_MAX_DEPTH } from "../payload.js";
import { type WebhookWorkerOptions, WORKER_OPTIONS } from "../work/worker-options.js";
import type { WebhookSignature } from "./signature.js";

/** When a receiver responds: before or after its listeners have handled the event. */
export type HandlerMode = "answer-then-handle" | "handle-then-answer";

/** Keeps a runtime alive until the work is done. */
export type WaitUntil = (work: Promise<unknown>) => unknown;

/** Options for receiving deliveries and passing them to listeners. */
export interface WebhookHandlerOptions extends WebhookWorkerOptions {
  /** How to verify that a delivery comes from the service; `false` accepts deliveries from anyone. */
  readonly signature: WebhookSignature;
  /**
   * `answer-then-handle`, the default, responds after the delivery is stored. `handle-then-answer` calls the listeners
   * first and responds with 503 if one fails or takes too long; use it on hosts that stop after the response. This mode
   * takes no `store`: the service itself retries, on an undocumented schedule.
   */
  readonly mode?: HandlerMode | undefined;
  /**
   * Milliseconds after which the receiver responds with 503, so that the service can try again; the service itself
   * stops waiting after 10,000. The library's own work, such as verification, does not count and restarts the time.
   * Default 2,500; 8,000 with `handle-then-answer`, where it is also the default of `listenerTimeoutMs`.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Called with the promise of the work that continues after the response, for runtimes that would otherwise stop: pass
   * Vercel's `waitUntil` or Next's `after`. Default: the `waitUntil` method of the handler's second argument, if it has
   * one.
   */
  readonly waitUntil?: WaitUntil | undefined;
  /** The largest body accepted, in bytes. Default 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /** The deepest nesting of objects and arrays accepted. Default 64. */
  readonly maxDepth?: number | undefined;
}

export const HANDLER_OPTIONS = {
  ...WORKER_OPTIONS,
  signature: [acceptAny<WebhookSignature>],
  mode: [/* @__PURE__ */ oneOf<HandlerMode>("answer-then-handle", "handle-then-answer"), "answer-then-handle"],
  timeoutMs: [/* @__PURE__ */ atLeast(1)],
  waitUntil: [callable<WaitUntil>],
  maxBodyBytes: [/* @__PURE__ */ atLeast(1), 1_048_576],
  maxDepth: [/* @__PURE__ */ atLeast(1), DEFAULT_MAX_DEPTH],
} satisfies OptionTable<WebhookHandlerOptions>;
