import { parsedBody, WebhookVerificationError } from "../errors.js";
import { type Bytes, toBytes } from "./crypto.js";

/**
 * The parts of a request that the adapter uses. Requests from node:http and Express have them, as does Fastify's
 * `request.raw`.
 */
export interface NodeWebhookRequest extends AsyncIterable<Uint8Array | string> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** True if the body was read to its end. */
  readonly readableEnded?: boolean;
  /** True if any part of the body was read. */
  readonly readableDidRead?: boolean;
  /** The raw body, if the platform keeps it alongside the parsed one, as serverless platforms and Nest do. */
  readonly rawBody?: unknown;
  /** The result of a body parser; used if it is bytes or text. */
  readonly body?: unknown;
  /** Closes the connection; called if a body is refused before all of it was read. */
  destroy?(): unknown;
}

/**
 * The parts of a response that the adapter uses. Responses from node:http and Express have them, as does Fastify's
 * `reply.raw`.
 */
export interface NodeWebhookResponse {
  /** Writes status and headers. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Writes the body, if there is one, and ends the response. */
  end(body?: Uint8Array): unknown;
  /** Calls the listener when the connection is closed, so that work for a disconnected client is aborted. */
  once?(event: "close", listener: () => void): unknown;
}

/** A request listener for node:http, and a route handler for Express. */
export type NodeWebhookHandler = (
  request: NodeWebhookRequest,
  response: NodeWebhookResponse,
  next?: (error: unknown) => void,
) => Promise<void>;

/**
 * Adapts a fetch-style handler to node:http, Express, Koa and Fastify. The body must not be parsed first: put the route
 * before any body parser, use `express.raw`, or keep the raw bytes in `rawBody`. If the body was already read, a
 * `WebhookVerificationError` with the reason `parsed_body` is passed to `next`; without `next`, it is logged and the
 * response is a 500. If the handler is a webhook receiver, it is started and handles the deliveries in its store.
 * @example
 * import { createServer } from "node:http";
 *
 * const handler = createWebhookHandler({ signature: false, onEvent: (event) => console.log(event.event) });
 * createServer(toNodeHandler(handler)).listen(3000);
 */
export function toNodeHandler(
  handler: ((request: Request) => Promise<Response>) & { readonly start?: () => void },
): NodeWebhookHandler {
  handler.start?.();
  return async (request, response, next) => {
    const left = new AbortController();
    // `close` is also emitted after a complete response; aborting has no effect then.
    response.once?.("close", () => left.abort());
    try {
      const answer = await handler(toFetchRequest(request, left.signal));
      const body = new Uint8Array(await answer.arrayBuffer());
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        "content-length": String(body.length),
      });
      response.end(request.method === "HEAD" ? undefined : body);
    } catch (error) {
      if (next) {
        next(error);
        return;
      }
      // A rejection here would end the process, so the response is a 500. The message contains no part of the delivery.
      if (error instanceof WebhookVerificationError) console.error(error.message);
      response.writeHead(500, {});
      response.end();
    }
  };
}

// A fetch Request cannot have these methods, so they are replaced by one that handlers refuse.
const FORBIDDEN_METHODS = /^(?:connect|trace|track)$/i;

function toFetchRequest(request: NodeWebhookRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // Skips the pseudo-headers of HTTP/2.
    if (value === undefined || name.startsWith(":")) continue;
    // A platform may pass on a folded header unchanged, which `Headers` refuses.
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one.replace(/[\r\n]+/g, " "));
  }
  const { method = "GET" } = request;
  const url = new URL(`http://localhost/${(request.url ?? "").replace(/^\/+/, "")}`);
  if (method !== "POST")
    return new Request(url, { method: FORBIDDEN_METHODS.test(method) ? "UNSUPPORTED" : method, headers, signal });
  // No signal is passed: a delivery is kept even if its sender disconnects.
  return new Request(url, { method, headers, body: bodyOf(request), duplex: "half" } as RequestInit);
}

function bodyOf(request: NodeWebhookRequest): ReadableStream<Uint8Array> | Bytes {
  for (const kept of [request.rawBody, request.body]) {
    const bytes = toBytes(kept);
    if (bytes) return bytes;
  }
  if (request.readableEnded || request.readableDidRead) {
    throw parsedBody();
  }
  return streamOf(request);
}

// How much of a refused body is read and discarded, so that the sender can read the response.
const MAX_DISCARDED_BYTES = 16 * 1_048_576;

function streamOf(request: NodeWebhookRequest): ReadableStream<Uint8Array> {
  const chunks = request[Symbol.asyncIterator]();
  const utf8 = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? utf8.encode(value) : value);
      },
      // Reads and discards the rest: ending the iterator would close the connection before the response is sent.
      async cancel() {
        let left = MAX_DISCARDED_BYTES;
        try {
          for (let next = await chunks.next(); !next.done && left > 0; next = await chunks.next())
            left -= next.value.length;
        } catch {
          return;
        }
        if (left <= 0) request.destroy?.();
      },
    },
    { highWaterMark: 0 },
  );
}
