import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { statusText } from "../core/status-text.js";
import { errorBody } from "./engine/refusal.js";
import type { Sandbox } from "./sandbox.js";

/** Where a sandbox listens. */
export interface ListenOptions {
  /** Port; 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** Address to listen at. Default 127.0.0.1, which only this machine reaches. */
  readonly host?: string | undefined;
  /**
   * True: pages of other origins may call the sandbox from a browser and see `link`, `retry-after` and `x-request-id`.
   * Default false, because what the service allows is not described.
   */
  readonly cors?: boolean | undefined;
}

/** A sandbox that is served over HTTP. */
export interface SandboxServer {
  /** The address for a client's `baseUrl`. */
  readonly url: string;
  /** Stops listening and ends every connection; closing twice does no harm. */
  close(): Promise<void>;
}

/**
 * Serves a sandbox over HTTP, for clients in other processes and for tests of the network itself.
 * @throws what the system says when the port is taken.
 * @example
 * const server = await listen(sandbox);
 * const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey });
 */
export async function listen(sandbox: Pick<Sandbox, "fetch">, options: ListenOptions = {}): Promise<SandboxServer> {
  const { port = 0, host = "127.0.0.1", cors = false } = options;
  const server = createServer((incoming, outgoing) => {
    if (cors && allowed(incoming, outgoing)) return;
    serve(sandbox, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        // The one error there is says that it is closed already.
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// Answers what browsers ask before a request to another origin; true when that was all.
function allowed(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  outgoing.setHeader("access-control-allow-origin", "*");
  outgoing.setHeader("access-control-expose-headers", "link, retry-after, x-request-id");
  if (incoming.method !== "OPTIONS" || !incoming.headers["access-control-request-method"]) return false;
  outgoing.setHeader("access-control-allow-methods", "GET, POST, PUT, DELETE");
  outgoing.setHeader("access-control-allow-headers", "authorization, content-type");
  outgoing.writeHead(204).end();
  return true;
}

// Methods that a Request of the platform cannot have.
const REFUSED_METHODS: ReadonlySet<string> = new Set(["TRACE", "CONNECT"]);

async function serve(
  sandbox: Pick<Sandbox, "fetch">,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const { method = "GET" } = incoming;
  const url = `http://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`;
  if (REFUSED_METHODS.has(method) || !URL.canParse(url)) {
    const status = URL.canParse(url) ? 405 : 400;
    outgoing.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    outgoing.end(JSON.stringify(errorBody(status, statusText(status))));
    return;
  }
  // A Request of the platform takes no body for these two; the service ignores it.
  const bodiless = method === "GET" || method === "HEAD";
  const body = bodiless || chunks.length === 0 ? null : Buffer.concat(chunks);
  const response = await sandbox.fetch(url, { method, headers, body, signal: gone.signal });
  outgoing.writeHead(response.status, response.statusText, [...response.headers].flat());
  if (!response.body || method === "HEAD") {
    outgoing.end();
    return;
  }
  // A body that breaks off breaks the connection: the caller sees what a real cut looks like.
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    await new Promise<void>((resolve) => outgoing.write(part.value as Uint8Array, () => resolve()));
  }
  outgoing.end();
}
