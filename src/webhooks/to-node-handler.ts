import { WebhookVerificationError } from "./errors.js";

/** What is needed of node:http's request, of Express' and of Fastify's `request.raw`. */
export interface NodeWebhookRequest extends AsyncIterable<Uint8Array | string> {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** True once somebody read the body. */
  readonly readableEnded?: boolean;
  /** What a body parser left, as bytes or text where it kept them. */
  readonly body?: unknown;
  /** Ends the connection; called when a body is refused half way. */
  destroy?(): unknown;
}

/** What is needed of node:http's response, of Express' and of Fastify's `reply.raw`. */
export interface NodeWebhookResponse {
  /** Writes status and headers. */
  writeHead(status: number, headers: Record<string, string>): unknown;
  /** Writes the body, if there is one, and ends the answer. */
  end(body?: Uint8Array): unknown;
}

/** A request listener for node:http, and a route handler for Express. */
export type NodeWebhookHandler = (
  request: NodeWebhookRequest,
  response: NodeWebhookResponse,
  next?: (error: unknown) => void,
) => Promise<void>;

/**
 * Lets a fetch-style handler answer the requests of node:http, Express and Fastify, raw body included. In Express, put
 * the route before any body parser, or use `express.raw`: `app.post("/webhooks", toNodeHandler(handler))`; in Fastify,
 * hand it `request.raw` and `reply.raw`.
 * @example
 * import { createServer } from "node:http";
 *
 * const handler = createWebhookHandler({ signature: false, onEvent: (event) => console.log(event.event) });
 * createServer(toNodeHandler(handler)).listen(3000);
 */
export function toNodeHandler(handler: (request: Request) => Promise<Response>): NodeWebhookHandler {
  return async (request, response, next) => {
    try {
      const answer = await handler(toFetchRequest(request));
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
      // A listener that rejects would end the process. The message holds nothing of the delivery.
      if (error instanceof WebhookVerificationError) console.error(error.message);
      response.writeHead(500, {});
      response.end();
    }
  };
}

// Methods a fetch Request cannot have.
const UNSPEAKABLE = /^(?:connect|trace|track)$/i;

function toFetchRequest(request: NodeWebhookRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has the method and path among the headers.
    if (value === undefined || name.startsWith(":")) continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  const { method = "GET" } = request;
  // Only path and query mean anything here; the host is whatever the proxy in front says.
  const url = new URL(`http://localhost/${(request.url ?? "").replace(/^\/+/, "")}`);
  if (method !== "POST") return new Request(url, { method: UNSPEAKABLE.test(method) ? "OPTIONS" : method, headers });
  return new Request(url, { method, headers, body: rawBody(request), duplex: "half" } as RequestInit);
}

function rawBody(request: NodeWebhookRequest): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string {
  const { body } = request;
  if (typeof body === "string") return body;
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  if (body !== undefined && request.readableEnded) {
    throw new WebhookVerificationError(
      "parsed_body",
      "A body parser took the raw body of the webhook: put the webhook's route before express.json(), or give the route " +
        "express.raw({ type: 'application/json' })",
    );
  }
  return streamOf(request);
}

// How much of a refused body is let through, so that the sender gets to read the answer.
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
      // Ending the iterator would close the connection under the answer.
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
