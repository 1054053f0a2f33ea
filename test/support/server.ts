import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One request that the server received, with its complete body. */
export interface Seen {
  readonly method: string;
  /** The path and the query as received over the wire. */
  readonly target: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Position among the requests of this server, from 0. */
  readonly index: number;
}

/** Responds to a request. */
export type Handler = (request: Seen, response: ServerResponse) => unknown;

/** A real HTTP server on a free port of the loopback interface, closed when the test ends. */
export interface TestServer {
  readonly url: string;
  readonly requests: Seen[];
  /**
   * Connections with an unfinished response. Idle connections do not count: the platform's fetch keeps them open for
   * seconds, and opens a spare one when it has closed one.
   */
  readonly sockets: number;
  close(): Promise<void>;
}

/** Starts a scripted server. */
export async function serve(handler: Handler): Promise<TestServer> {
  const requests: Seen[] = [];
  const busy = new Set<ServerResponse>();
  const server = createServer((message, response) => {
    busy.add(response);
    response.once("close", () => busy.delete(response));
    void read(message).then((body) => {
      const { pathname, searchParams } = new URL(message.url ?? "/", "http://server");
      const seen: Seen = {
        method: message.method ?? "",
        target: message.url ?? "",
        path: pathname,
        query: searchParams,
        headers: message.headers,
        body,
        index: requests.length,
      };
      requests.push(seen);
      return handler(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get sockets() {
      return busy.size;
    },
    close,
  };
}

/** Responds with JSON. */
export function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

/** The service's error body. */
export function errorBody(code: number, message = "The service says no"): Record<string, unknown> {
  return { errors: {}, code, message };
}

/** A handler that calls these handlers in turn; the last one handles all later requests. */
export function inTurn(...handlers: Handler[]): Handler {
  return (request, response) => handlers[Math.min(request.index, handlers.length - 1)]?.(request, response);
}

async function read(message: IncomingMessage): Promise<string> {
  let body = "";
  try {
    for await (const chunk of message) body += String(chunk);
  } catch {
    // The client closed the connection while sending.
  }
  return body;
}
