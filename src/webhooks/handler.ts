import { type Clock, systemClock } from "../core/clock.js";
import { atLeast } from "./at-least.js";
import { WebhookPayloadError, WebhookVerificationError } from "./errors.js";
import { memoryStore } from "./memory-store.js";
import { DEFAULT_MAX_DEPTH, parseWebhook } from "./payload.js";
import { readBody } from "./read-body.js";
import { versionOf } from "./record-order.js";
import { safeReporter, type WebhookRefusal, type WebhookReporter } from "./reports.js";
import type { WebhookOn } from "./router.js";
import { createVerifier, deliveryIdentity, type Verifier, type WebhookSignature } from "./signature.js";
import type { WebhookDelivery, WebhookInbox } from "./store.js";
import { createWebhookWorker, type WebhookWorker, type WebhookWorkerOptions } from "./worker.js";

/** How deliveries are received and handed to listeners. */
export interface WebhookHandlerOptions extends WebhookWorkerOptions {
  /**
   * How to know that a delivery comes from the service. Left out, anybody may post and a warning says so once;
   * `false` says that this is meant.
   */
  readonly signature?: WebhookSignature | undefined;
  /**
   * Milliseconds after which the answer goes out whatever the store does: 503, so that the service may try again. The
   * service itself gives up after 10 000. Default 2 500.
   */
  readonly timeoutMs?: number | undefined;
  /** Largest body accepted, in bytes. Default 1 048 576. */
  readonly maxBodyBytes?: number | undefined;
  /** Deepest nesting of objects and arrays accepted. Default 64. */
  readonly maxDepth?: number | undefined;
}

/**
 * Receives deliveries: takes a fetch `Request` and resolves to the `Response`. In a runtime that stops after the answer
 * unless told otherwise, give what has its `waitUntil` as the second argument.
 */
export interface WebhookHandler extends Omit<WebhookWorker, "on"> {
  (request: Request, context?: unknown): Promise<Response>;
  /** Adds a listener, for a known pattern or for an event this version does not know. Add all before the first delivery. */
  readonly on: WebhookOn<WebhookHandler>;
}

/**
 * Makes a receiver of the service's webhooks: it verifies a delivery, keeps it in the store, answers, and hands it to
 * the listeners afterwards, again until they succeed. Answers 200 once a delivery is kept or known; 400 for a body that
 * is no event, 401 unverified, 405 for other methods than POST, 408 and 413 for slow and large bodies, 415 for other
 * types than JSON, 503 when the store fails. It never rejects because of what was sent.
 * @throws ConfigurationError when an option makes no sense.
 * @example
 * export const POST = createWebhookHandler({
 *   signature: { secrets: process.env.WEBHOOK_SECRET ?? "", scheme: { header: "x-signature" } },
 *   on: { "invoice.*": async (event) => console.log(event.event, event.event_data.id) },
 * });
 */
export function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const receiver = new Receiver(options);
  const handler: WebhookHandler = Object.assign(
    (request: Request, context?: unknown): Promise<Response> => receiver.receive(request, context),
    {
      on: ((pattern, listener) => {
        receiver.worker.on(pattern, listener);
        return handler;
      }) as WebhookOn<WebhookHandler>,
      process: (delivery: WebhookDelivery, attempt?: number) => receiver.worker.process(delivery, attempt),
      wake: () => receiver.worker.wake(),
      drain: () => receiver.worker.drain(),
      close: (close?: { readonly graceMs?: number }) => receiver.close(close),
    },
  );
  return handler;
}

/** Ends the way of a delivery with an answer other than 200. */
class Refusal {
  readonly status: number;
  readonly reason: WebhookRefusal;
  constructor(status: number, reason: WebhookRefusal) {
    this.status = status;
    this.reason = reason;
  }
}

const ANSWERS: Readonly<Record<number, string>> = {
  400: "The body is not an event\n",
  401: "The delivery could not be verified\n",
  405: "Deliveries are sent with POST\n",
  408: "The body took too long\n",
  413: "The body is too large\n",
  415: "Deliveries are JSON, not compressed\n",
  503: "The delivery could not be kept, try again\n",
};

class Receiver {
  readonly worker: WebhookWorker;
  readonly #store: WebhookInbox;
  readonly #clock: Clock;
  readonly #report: WebhookReporter;
  readonly #signature: WebhookSignature | undefined;
  readonly #verify: Verifier;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #maxDepth: number;
  #closed = false;

  constructor(options: WebhookHandlerOptions) {
    this.#store = options.store ?? memoryStore();
    this.#clock = options.clock ?? systemClock;
    this.#report = safeReporter(options.report);
    this.#signature = options.signature;
    this.#verify = createVerifier(options.signature, () => this.#clock.now());
    this.#timeoutMs = atLeast(1, "timeoutMs", options.timeoutMs ?? 2_500);
    this.#maxBodyBytes = atLeast(1, "maxBodyBytes", options.maxBodyBytes ?? 1_048_576);
    this.#maxDepth = atLeast(1, "maxDepth", options.maxDepth ?? DEFAULT_MAX_DEPTH);
    this.worker = createWebhookWorker({ ...options, store: this.#store });
    if (options.signature === undefined) {
      console.warn(
        "Webhooks are accepted from anybody: give createWebhookHandler a signature, or false if this is meant",
      );
    }
  }

  async receive(request: Request, context: unknown): Promise<Response> {
    checkRequest(request);
    let timer: unknown;
    const timeUp = new Promise<"time_up">((resolve) => {
      timer = this.#clock.setTimeout(() => resolve("time_up"), this.#timeoutMs);
    });
    try {
      const delivery = await this.#read(request, timeUp);
      await this.#keep(delivery, timeUp, context);
      return new Response(null, { status: 200 });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, reason } = error;
      this.#report({ kind: "refused", status, reason });
      const headers = { "content-type": "text/plain; charset=utf-8", ...(status === 405 ? { allow: "POST" } : {}) };
      return new Response(request.method === "HEAD" ? null : ANSWERS[status], { status, headers });
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  async close(options?: { readonly graceMs?: number }): Promise<void> {
    this.#closed = true;
    await this.worker.close(options);
  }

  async #read(request: Request, timeUp: Promise<unknown>): Promise<WebhookDelivery> {
    if (request.method !== "POST") throw new Refusal(405, "method");
    if (this.#closed) throw new Refusal(503, "closed");
    if (!isPlainJson(request.headers)) throw new Refusal(415, "content_type");
    const body = await readBody(request, this.#maxBodyBytes, timeUp);
    if ("failed" in body) {
      throw new Refusal({ too_large: 413, too_slow: 408, incomplete: 400 }[body.failed], body.failed);
    }
    const timestamp = await this.#verify(request, body.bytes).catch(refuse(401));
    const { event, payload, hasVersion } = this.#parse(body.bytes);
    const identity = { headers: request.headers, body: body.bytes, timestamp, hasVersion };
    return {
      id: await deliveryIdentity(this.#signature, identity),
      event,
      payload,
      receivedAt: this.#clock.now(),
      sentAt: timestamp === null ? null : timestamp * 1_000,
    };
  }

  #parse(bytes: Uint8Array): { event: string; payload: string; hasVersion: boolean } {
    try {
      const event = parseWebhook(bytes, { maxDepth: this.#maxDepth });
      return { event: event.event, payload: new TextDecoder().decode(bytes), hasVersion: versionOf(event) !== null };
    } catch (error) {
      return refuse(400)(error);
    }
  }

  async #keep(delivery: WebhookDelivery, timeUp: Promise<"time_up">, context: unknown): Promise<void> {
    const put = (async () => this.#store.put(delivery))();
    const { id: deliveryId, event } = delivery;
    // Also when the answer did not wait for it: what is kept is handled, and the service's second try is a duplicate.
    const kept = put.then((result) => {
      this.#report({ kind: result, deliveryId, event });
      if (result === "duplicate") return;
      this.worker.wake();
      waitUntil(context, () => this.worker.drain());
    });
    kept.catch((error: unknown) => this.#report({ kind: "failed", what: "put", error }));
    const result = await Promise.race([kept, timeUp]).catch(() => {
      throw new Refusal(503, "store");
    });
    if (result === "time_up") throw new Refusal(503, "store");
  }
}

function checkRequest(request: Request): void {
  if (typeof request?.headers?.get !== "function") {
    throw new TypeError(
      "A webhook handler takes a fetch Request; for node:http, Express and Fastify wrap it: toNodeHandler(handler)",
    );
  }
  if (request.bodyUsed) {
    throw new WebhookVerificationError(
      "parsed_body",
      "The body of the webhook was read before its handler saw it: hand over the request untouched, before any body parser",
    );
  }
}

function isPlainJson(headers: Headers): boolean {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  const encoding = headers.get("content-encoding") ?? "identity";
  return /^application\/(?:[\w.+-]+\+)?json$/i.test(type.trim()) && encoding.toLowerCase() === "identity";
}

function refuse(status: 400 | 401): (error: unknown) => never {
  return (error) => {
    if (error instanceof WebhookVerificationError || error instanceof WebhookPayloadError) {
      throw new Refusal(status, error.reason);
    }
    throw error;
  };
}

function waitUntil(context: unknown, work: () => Promise<unknown>): void {
  if (typeof context !== "object" || context === null || !("waitUntil" in context)) return;
  if (typeof context.waitUntil === "function") context.waitUntil(work());
}
