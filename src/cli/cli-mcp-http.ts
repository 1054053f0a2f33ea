import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AssistantTool } from "../assistant/types.js";
import { isLocalHost } from "../sandbox/node-own-host.js";
import { createMcpHandler, isLegacyRequest, WebStandardStreamableHTTPServerTransport } from "./cli-mcp-protocol.js";
import { mcpServer } from "./cli-mcp-server.js";

const LOCAL_ORIGIN = /^https?:\/\/(127\.0\.0\.1|localhost)(:\d{1,5})?$/;
const MOST_SESSIONS = 50;

/** A server of the protocol over HTTP. */
export interface McpHttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves the protocol on 127.0.0.1. Every request needs the token, and is refused when it comes from a page of another host.
 * @param newTools makes the tools of a session, with a budget of its own.
 */
export async function serveHttp(
  port: number,
  token: string,
  newTools: () => readonly AssistantTool[],
): Promise<McpHttpServer> {
  const sessions = new Sessions(newTools);
  const server = createServer((incoming, outgoing) => {
    const refusal = refusalOf(incoming, token);
    if (refusal) {
      outgoing.writeHead(refusal.status, { "content-type": "application/json", ...refusal.headers });
      outgoing.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32000, message: refusal.message }, id: null }));
      return;
    }
    serve(sessions, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await listening(server, port);
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${chosen}/mcp`,
    async close() {
      await sessions.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The sessions of clients. The protocol of 2026 has none: there a session is known by the name of the program. */
class Sessions {
  readonly #newTools: () => readonly AssistantTool[];
  readonly #programs = new Map<string, readonly AssistantTool[]>();
  readonly #legacy = new Map<string, WebStandardStreamableHTTPServerTransport>();
  readonly #modern: ReturnType<typeof createMcpHandler>;

  constructor(newTools: () => readonly AssistantTool[]) {
    this.#newTools = newTools;
    this.#modern = createMcpHandler(() => mcpServer((client) => this.#of(client)), { legacy: "reject" });
  }

  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/mcp") return new Response(null, { status: 404 });
    const id = request.headers.get("mcp-session-id");
    if (id === null && !(await isLegacyRequest(request))) return this.#modern.fetch(request);
    const known = id === null ? await this.#begin() : this.#legacy.get(id);
    return known ? known.handleRequest(request) : notFound();
  }

  async close(): Promise<void> {
    for (const transport of this.#legacy.values()) await transport.close();
    await this.#modern.close();
  }

  #of(client: string): readonly AssistantTool[] {
    const tools = this.#programs.get(client) ?? this.#newTools();
    this.#programs.set(client, tools);
    // A program that takes a new name for every request gains no budget by it: the first ones stay.
    if (this.#programs.size > MOST_SESSIONS) {
      this.#programs.delete(client);
      return this.#programs.values().next().value ?? tools;
    }
    return tools;
  }

  async #begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    const tools = this.#newTools();
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) => this.#keep(id, transport),
      onsessionclosed: (id) => void this.#legacy.delete(id),
    });
    await mcpServer(() => tools).connect(transport);
    return transport;
  }

  async #keep(id: string, transport: WebStandardStreamableHTTPServerTransport): Promise<void> {
    this.#legacy.set(id, transport);
    const [oldest] = this.#legacy;
    if (this.#legacy.size <= MOST_SESSIONS || !oldest) return;
    this.#legacy.delete(oldest[0]);
    await oldest[1].close();
  }
}

function refusalOf(
  { headers }: IncomingMessage,
  token: string,
): { readonly status: number; readonly message: string; readonly headers?: Readonly<Record<string, string>> } | null {
  const { host = "", origin, authorization = "" } = headers;
  // Host names that others have pointed at this machine, and pages of other hosts.
  if (!isLocalHost(host)) return { status: 403, message: "the Host must be 127.0.0.1 or localhost" };
  if (origin !== undefined && !LOCAL_ORIGIN.test(origin)) return { status: 403, message: "this Origin is not allowed" };
  const given = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? "";
  if (timingSafeEqual(digest(given), digest(token))) return null;
  return { status: 401, message: "the bearer token is missing or wrong", headers: { "www-authenticate": "Bearer" } };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function notFound(): Response {
  const error = { code: -32001, message: "this session is over; begin a new one" };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status: 404 });
}

async function serve(sessions: Sessions, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const response = await sessions.fetch(requestOf(incoming, outgoing));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const { method = "GET", url = "/", headers, rawHeaders: _ } = incoming;
  const over = new AbortController();
  outgoing.once("close", () => over.abort());
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(`http://127.0.0.1${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal: over.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" }),
  } as RequestInit);
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
