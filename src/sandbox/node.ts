/** The `./sandbox/node` entry: serves a sandbox over HTTP. For Node. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SANDBOX } from "../core/settings.js";
import { statusText } from "../core/status-text.js";
import { CONTROL_PREFIX, control, errorAnswer } from "./control.js";
import { splitPath } from "./engine/router.js";
import { isLocalHost, isThisHost } from "./node-this-host.js";
import type { Sandbox } from "./sandbox.js";

/** Options for {@link listen}. */
export interface ListenOptions {
  /** The port to listen on. Default 0: any free port. */
  readonly port?: number | undefined;
  /** The address to listen on. Default 127.0.0.1, for this machine only; 0.0.0.0 and :: listen on all addresses. */
  readonly host?: string | undefined;
  /**
   * True to let pages of other origins call the sandbox and read `link`, `retry-after` and `x-request-id`. Default
   * false, because the service does not document its CORS headers.
   */
  readonly cors?: boolean | undefined;
  /**
   * True to let programs control the sandbox below `/__sandbox`: reset it, add faults and records, advance its clock,
   * read its calls and deliveries. Needs no key; web pages also need `cors`. Default false: those paths do not exist.
   */
  readonly control?: boolean | undefined;
}

/** A sandbox that is served over HTTP. */
export interface SandboxServer {
  /** The URL for a client's `baseUrl`. If the sandbox listens on all addresses, this is the local URL. */
  readonly url: string;
  /** Stops listening and ends every connection. Can be called more than once. */
  close(): Promise<void>;
  /** Closes at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a sandbox over HTTP, for clients in other processes and for tests of the network itself.
 * @throws the system's error when the port is in use.
 * @example
 * await using server = await listen(sandbox);
 * const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey });
 */
export async function listen(sandbox: Sandbox, options?: ListenOptions): Promise<SandboxServer>;
/** Serves any object with the `fetch` of a sandbox, such as a wrapper. `control` needs the whole sandbox. */
export async function listen(
  sandbox: Pick<Sandbox, "fetch">,
  options?: ListenOptions & { readonly control?: false | undefined },
): Promise<SandboxServer>;
export async function listen(sandbox: Pick<Sandbox, "fetch">, options: ListenOptions = {}): Promise<SandboxServer> {
  const { port = 0, host = "127.0.0.1", cors = false } = options;
  const answer = answering(sandbox, options);
  const server = createServer((incoming, outgoing) => {
    if (cors && answerPreflight(incoming, outgoing)) return;
    serve(answer, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await once(server.listen(port, host), "listening");
  const { port: taken } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      // Ignores an error, which can only mean that the server is already closed.
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${reachable(host)}:${taken}`, close, [Symbol.asyncDispose]: close };
}

// A client cannot connect to a wildcard address, so use the local address.
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** @internal */
export type Answer = (request: Request) => Promise<Response>;

/** Responds to requests to the control interface, and passes all other requests to the sandbox. @internal */
export function answering(
  sandbox: Pick<Sandbox, "fetch">,
  { control: controlled = false, cors = false, host = "127.0.0.1" }: ListenOptions,
): Answer {
  const whole = SANDBOX in sandbox ? (sandbox as Sandbox) : null;
  if (controlled && !whole) throw new TypeError("control needs the sandbox itself, not only its fetch");
  // An object that has only a `fetch` handles paths itself.
  if (!whole) return (request) => sandbox.fetch(request);
  const path = new URL(whole.baseUrl).pathname.replace(/\/$/, "");
  return async (request) => {
    const url = new URL(request.url);
    const { pathname } = url;
    if (controlled && (pathname === CONTROL_PREFIX || pathname.startsWith(`${CONTROL_PREFIX}/`))) {
      // A sandbox that listens on all addresses accepts any host name, because containers reach it by various names.
      // The service's own paths always accept any host name.
      if (isLocalHost(reachable(host)) && !isThisHost(url, host)) {
        return errorAnswer(
          403,
          `Forbidden: the control interface of this machine cannot be reached as ${url.hostname}`,
        );
      }
      return control(whole, request, cors);
    }
    const { before = "" } = splitPath(pathname) ?? {};
    if (before === "" || before === path) return sandbox.fetch(request);
    // Responds 404 to any other path: a client whose `baseUrl` has an extra path must not work here, because it fails
    // with the service.
    const prefix = path === "" ? "" : `${path}/api/ or `;
    return errorAnswer(404, `Not Found: the paths of this sandbox begin with ${prefix}/api/`);
  };
}

// Responds to a browser's preflight request; returns false for any other request.
function answerPreflight(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  outgoing.setHeader("access-control-allow-origin", "*");
  outgoing.setHeader("access-control-expose-headers", "link, retry-after, total, x-request-id");
  if (incoming.method !== "OPTIONS" || !incoming.headers["access-control-request-method"]) return false;
  outgoing.setHeader("access-control-allow-methods", "GET, POST, PUT, DELETE");
  outgoing.setHeader("access-control-allow-headers", "authorization, content-type");
  outgoing.writeHead(204).end();
  return true;
}

// More than any upload needs, but limited, because the whole body is kept in memory.
const LARGEST_BODY_BYTES = 50_000_000;

const REFUSED_METHODS: ReadonlySet<string> = new Set(["TRACE", "CONNECT"]);

async function serve(answer: Answer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size <= LARGEST_BODY_BYTES) chunks.push(chunk as Buffer);
    else chunks.length = 0;
  }
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const { method = "GET" } = incoming;
  const url = `http://${incoming.headers.host ?? "localhost"}${incoming.url ?? "/"}`;
  const refused = size > LARGEST_BODY_BYTES ? 413 : !URL.canParse(url) ? 400 : REFUSED_METHODS.has(method) ? 405 : null;
  // `Request` refuses a body with these methods, and the service ignores such a body.
  const bodiless = method === "GET" || method === "HEAD";
  const body = bodiless || chunks.length === 0 ? null : Buffer.concat(chunks);
  const response =
    refused === null
      ? await answer(new Request(url, { method, headers, body, signal: gone.signal }))
      : errorAnswer(refused, statusText(refused));
  outgoing.writeHead(response.status, response.statusText, [...response.headers].flat());
  // Throws if the sandbox cuts the body off; the caller then breaks the connection, as a real network does.
  for await (const part of (method === "HEAD" ? null : response.body) ?? []) {
    await new Promise<void>((resolve) => outgoing.write(part, () => resolve()));
  }
  outgoing.end();
}
