import { BodyTooLarge, readBytes } from "../../core/bounded-body.js";
import type { Clock } from "../../core/clock.js";
import { ConfigurationError } from "../../core/errors.js";
import type { Filled } from "../../core/option-checks.js";
import { later, type Moment, momentOf } from "../../core/time.js";
import { momentNow } from "../../work/schedule.js";
import { rememberAtMost } from "../bounded-map.js";
import { timeOf } from "../checks.js";
import { parsedBody, WebhookPayloadError, WebhookVerificationError } from "../errors.js";
import type { WebhookEvent } from "../events.js";
import { parseWebhook } from "../payload.js";
import { isCopy, type ReceivedDelivery, type WebhookInbox } from "../store.js";
import { Failures } from "../work/failures.js";
import { memoryStore } from "../work/memory-store.js";
import { safeReporter, type WebhookRefusal, type WebhookReporter } from "../work/reports.js";
import { type GraceOptions, type WebhookWorker, Worker } from "../work/worker.js";
import { AnswerLimit } from "./answer-limit.js";
import type { Bytes } from "./crypto.js";
import type { HANDLER_OPTIONS, HandlerMode, WaitUntil } from "./handler-options.js";
import { identify } from "./identity.js";
import { createVerifier, type Verifier } from "./signature.js";
import { signatureNames } from "./signature-header.js";

/** Thrown to refuse a delivery. */
class Refusal {
  readonly status: number;
  readonly reason: WebhookRefusal;
  constructor(status: number, reason: WebhookRefusal) {
    this.status = status;
    this.reason = reason;
  }
}

const ANSWERS: Readonly<Record<number, string>> = {
  400: "Not a valid event\n",
  401: "Invalid signature\n",
  405: "Use POST\n",
  408: "Too slow\n",
  413: "Too large\n",
  415: "Use uncompressed JSON\n",
  503: "Temporarily unavailable\n",
};

// Maximum size of `#handled` and of `#alike`.
const MAX_HANDLED = 10_000;

// A body with more characters than this is assumed to contain more than its record's identifiers.
const MAX_THIN = 1_000;

// Must exceed one second, because the time in a signature is in whole seconds.
const SIGNED_WITHIN_MS = 2_000;

/** Deliveries with the same content that were signed in the same second. */
interface Alike {
  readonly since: Moment;
  /**
   * True once one of these deliveries has arrived 2 seconds or more after the first. By then, its listener could read
   * every change signed in that second, so further deliveries are replays.
   */
  isSeen: boolean;
}

interface Handled {
  readonly delivery: ReceivedDelivery;
  readonly work: Promise<void>;
  done: boolean;
  /** The time after which unfinished work counts as stopped by the runtime. */
  readonly until: Moment;
}

export class Receiver {
  readonly worker: WebhookWorker;
  readonly #store: WebhookInbox;
  readonly #clock: Clock;
  readonly #report: WebhookReporter;
  readonly #failures: Failures;
  readonly #verifier: Verifier | null;
  readonly #mode: HandlerMode;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #maxDepth: number;
  readonly #waitUntil: WaitUntil | undefined;
  readonly #listenerTimeoutMs: number;
  /**
   * The last delivery of each record, whether handled or in progress, so that a copy is not handled again. Only for
   * `handle-then-answer`.
   */
  readonly #handled = new Map<string, Handled>();
  readonly #alike = new Map<string, Alike>();
  #closed = false;

  constructor(options: Filled<typeof HANDLER_OPTIONS>) {
    const { signature, mode, waitUntil, maxBodyBytes, maxDepth, clock, store = memoryStore() } = options;
    this.#mode = mode;
    const handlesFirst = mode === "handle-then-answer";
    if (handlesFirst && options.store !== undefined) {
      throw new ConfigurationError('Webhooks: mode "handle-then-answer" stores nothing: leave out the `store` option');
    }
    this.#waitUntil = waitUntil;
    this.#timeoutMs = options.timeoutMs ?? (handlesFirst ? 8_000 : 2_500);
    this.#maxBodyBytes = maxBodyBytes;
    this.#maxDepth = maxDepth;
    this.#clock = clock;
    this.#failures = new Failures(clock);
    this.#verifier = createVerifier(signature, () => timeOf("clock.now", () => clock.now()));
    this.#store = handlesFirst ? { put: async () => "stored" } : store;
    const listenerTimeoutMs = options.listenerTimeoutMs ?? (handlesFirst ? this.#timeoutMs : undefined);
    this.#report = this.#failures.watch(safeReporter(options.report, clock));
    // The receiver and its worker share a reporter, so that an outage of the store is logged only once.
    this.worker = new Worker(
      { ...options, store: this.#store, listenerTimeoutMs, report: this.#report },
      this.#failures,
    );
    this.#listenerTimeoutMs = Math.max(this.#timeoutMs, listenerTimeoutMs ?? 0);
  }

  async receive(request: Request, context: unknown): Promise<Response> {
    this.#checkRequest(request);
    this.worker.start();
    const limit = new AnswerLimit(this.#clock, this.#timeoutMs);
    const { timeUp } = limit;
    try {
      const delivery = await this.#read(request, limit);
      if (this.#isReplay(delivery)) return new Response(null, { status: 200 });
      await (this.#mode === "handle-then-answer"
        ? this.#handle(delivery, timeUp)
        : this.#keep(delivery, timeUp, context));
      this.#remember(delivery);
      return new Response(null, { status: 200 });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { status, reason } = error;
      const signatures = status === 401 ? { signatureHeaders: signatureNames(request.headers) } : {};
      this.#report({ kind: "refused", status, reason, ...signatures });
      if (!request.bodyUsed) request.body?.cancel().catch(() => undefined);
      const headers = { "content-type": "text/plain; charset=utf-8", ...(status === 405 ? { allow: "POST" } : {}) };
      return new Response(request.method === "HEAD" ? null : ANSWERS[status], { status, headers });
    } finally {
      limit.end();
    }
  }

  async close(options?: GraceOptions): Promise<void> {
    this.#closed = true;
    await this.worker.close(options);
  }

  #isReplay(delivery: ReceivedDelivery): boolean {
    const { id: deliveryId, event } = delivery;
    const isReplay = this.#alike.get(signedAs(delivery) ?? "")?.isSeen === true;
    if (isReplay) this.#report({ kind: "duplicate", deliveryId, event });
    return isReplay;
  }

  #remember(delivery: ReceivedDelivery): void {
    const key = signedAs(delivery);
    if (key === null) return;
    const now = momentOf(this.#clock);
    const known = this.#alike.get(key);
    if (!known) rememberAtMost(this.#alike, MAX_HANDLED, key, { since: now, isSeen: false });
    else if (now - known.since >= SIGNED_WITHIN_MS) known.isSeen = true;
  }

  #checkRequest(request: Request): void {
    if (typeof request?.headers?.get !== "function") {
      throw new TypeError(
        "A webhook handler takes a fetch Request; for node:http, Express and Fastify wrap it: toNodeHandler(handler)",
      );
    }
    if (!request.bodyUsed) return;
    this.#report({ kind: "refused", status: 500, reason: "parsed_body" });
    throw parsedBody();
  }

  async #read(request: Request, limit: AnswerLimit): Promise<ReceivedDelivery> {
    if (request.method !== "POST") throw new Refusal(405, "method");
    if (this.#closed) throw new Refusal(503, "closed");
    if (!isPlainJson(request.headers)) throw new Refusal(415, "content_type");
    // Checked before the body is read, so that a stranger's large body takes up no memory.
    if (Number(request.headers.get("content-length")) > this.#maxBodyBytes) throw new Refusal(413, "too_large");
    try {
      this.#verifier?.checkHeaders(request.headers);
    } catch (error) {
      this.#refuse("verification", error);
    }
    const body = await readBody(request, this.#maxBodyBytes, limit.timeUp);
    if ("failed" in body) {
      throw new Refusal({ too_large: 413, too_slow: 408, incomplete: 400 }[body.failed], body.failed);
    }
    const timestamp = this.#verifier && (await this.#verify(this.#verifier, request.headers, body.bytes, limit));
    const { event, payload } = this.#parse(body.bytes);
    return {
      ...(await limit.untimed(identify({ event, givenId: null }))),
      event: event.event,
      payload,
      receivedAt: this.#clock.now(),
      sentAt: timestamp === null ? null : timestamp * 1_000,
    };
  }

  async #verify(verifier: Verifier, headers: Headers, bytes: Bytes, limit: AnswerLimit): Promise<number> {
    const given = Promise.race([verifier.secrets(bytes), limit.timeUp]);
    const secrets = await given.catch((error: unknown) => this.#refuse("secrets", error));
    if (secrets === "time_up") throw new Refusal(503, "secrets");
    this.#failures.passed("secrets");
    const verified = limit.untimed(verifier.verify(headers, bytes, secrets));
    const timestamp = await verified.catch((error: unknown) => this.#refuse("verification", error));
    this.#failures.passed("verification");
    return timestamp;
  }

  #refuse(what: "secrets" | "verification", error: unknown): never {
    if (error instanceof WebhookVerificationError) throw new Refusal(401, error.reason);
    this.#report({ kind: "failed", what, error });
    throw new Refusal(503, what);
  }

  #parse(bytes: Bytes): { event: WebhookEvent; payload: string } {
    try {
      return {
        event: parseWebhook(bytes, { maxDepth: this.#maxDepth }),
        payload: new TextDecoder().decode(bytes),
      };
    } catch (error) {
      if (error instanceof WebhookPayloadError) throw new Refusal(400, error.reason);
      throw error;
    }
  }

  async #keep(delivery: ReceivedDelivery, timeUp: Promise<"time_up">, context: unknown): Promise<void> {
    const put = (async () => this.#store.put(delivery))();
    const { id: deliveryId, event } = delivery;
    // Also runs after a 503: a delivery that is stored too late is still handled; if sent again, it is a duplicate.
    const stored = put.then((result) => {
      this.#report({ kind: result, deliveryId, event });
      this.worker.wake();
      if (result === "stored") this.#extendLife(context);
    });
    stored.catch((error: unknown) => this.#report({ kind: "failed", what: "put", error }));
    const result = await Promise.race([stored, timeUp]).catch(() => {
      throw new Refusal(503, "store");
    });
    if (result === "time_up") throw new Refusal(503, "store");
  }

  async #handle(delivery: ReceivedDelivery, timeUp: Promise<"time_up">): Promise<void> {
    const { id: deliveryId, event } = delivery;
    const known = this.#handled.get(delivery.record ?? "");
    const isGoing = known !== undefined && (known.done || known.until > momentNow(this.#clock));
    const first = isGoing && isCopy(delivery, known.delivery, true) ? known : null;
    if (first) this.#report({ kind: "duplicate", deliveryId, event });
    if (first?.done) return;
    const handled = first?.work ?? this.#process(delivery);
    const result = await Promise.race([handled, timeUp]).catch(() => "failed" as const);
    if (result !== undefined) throw new Refusal(503, "listener");
  }

  #process(delivery: ReceivedDelivery): Promise<void> {
    const work = this.worker.process(delivery);
    const until = later(momentNow(this.#clock), this.#listenerTimeoutMs);
    const handled: Handled = { delivery, work, done: false, until };
    const key = delivery.record ?? "";
    rememberAtMost(this.#handled, MAX_HANDLED, key, handled);
    work.then(
      () => {
        handled.done = true;
      },
      (error: unknown) => {
        if (this.#handled.get(key) === handled) this.#handled.delete(key);
        this.#report({ kind: "failed", what: "listener", error });
      },
    );
    return work;
  }

  /** Keeps the runtime alive after the response until the listeners have finished. */
  #extendLife(context: unknown): void {
    try {
      if (this.#waitUntil) this.#waitUntil(this.worker.drain());
      else if (hasWaitUntil(context)) context.waitUntil(this.worker.drain());
    } catch (error) {
      this.#report({ kind: "failed", what: "waitUntil", error });
    }
  }
}

// Identifies a delivery by its content and the second in which it was signed; null if that time is unknown. Without a
// `foldKey`, a short body serves as the content, because it only names its record; a longer body gives null.
function signedAs({ sentAt, foldKey, payload }: ReceivedDelivery): string | null {
  const content = foldKey ?? (payload.length <= MAX_THIN ? payload : null);
  return sentAt === null || content === null ? null : `${sentAt}.${content}`;
}

function isPlainJson(headers: Headers): boolean {
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  const encoding = headers.get("content-encoding") ?? "identity";
  return /^application\/(?:[\w.+-]+\+)?json$/i.test(type.trim()) && encoding.toLowerCase() === "identity";
}

function hasWaitUntil(context: unknown): context is { waitUntil: WaitUntil } {
  return typeof (context as Partial<{ waitUntil: WaitUntil }> | null | undefined)?.waitUntil === "function";
}

type ReadBody = { readonly bytes: Bytes } | { readonly failed: "too_large" | "too_slow" | "incomplete" };

async function readBody(request: Request, maxBytes: number, timeUp: Promise<unknown>): Promise<ReadBody> {
  const late = timeUp.then(() => null);
  try {
    const bytes = await Promise.race([readBytes(request, maxBytes, late), late]);
    // A copy, because the buffer may be longer than the body.
    return bytes === null ? { failed: "too_slow" } : { bytes: bytes.slice() };
  } catch (error) {
    return { failed: error instanceof BodyTooLarge ? "too_large" : "incomplete" };
  }
}
