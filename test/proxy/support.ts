import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { AdminClient, type ClientOptions, MainClient } from "../../src/index.js";
import { createProxyHandler, type ProxyHandler, type ProxyOptions, toNodeHandler } from "../../src/proxy/index.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

/** The operations that most tests allow. */
export const ALLOW = ["catalogProducts.list", "courses.list", "courses.get"] as const;

/** A page's connection to the service: its client, the proxy and the sandbox, both over HTTP. */
export interface Chain {
  readonly sandbox: Sandbox;
  /** The server's own client, with the real key. */
  readonly server: MainClient;
  readonly handler: ProxyHandler;
  /** The address of the proxy. */
  readonly url: string;
  /** The page's client, with the proxy's address and a meaningless key. */
  readonly page: MainClient;
}

/** Starts the connection, which closes when the test ends. */
export async function chain(
  proxy: ProxyOptions,
  { sandbox: made = {}, server: more = {} }: { sandbox?: SandboxOptions; server?: ClientOptions } = {},
): Promise<Chain> {
  const sandbox = createSandbox({ size: "small", ...made });
  const service = await listen(sandbox);
  onTestFinished(() => service.close());
  const server = new MainClient({ baseUrl: service.url, apiKey: sandbox.apiKey, ...more });
  const handler = createProxyHandler(server, proxy);
  const url = `${await serveHandler(handler)}/school`;
  return { sandbox, server, handler, url, page: new MainClient({ baseUrl: url, apiKey: "page", retry: false }) };
}

/** An Admin client on the given sandbox, without a network. */
export function adminOf(sandbox: Sandbox): AdminClient {
  return new AdminClient(sandbox);
}

/** Serves a handler over HTTP. */
export async function serveHandler(handler: ProxyHandler): Promise<string> {
  const server = createServer(toNodeHandler(handler));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The operations that reached the sandbox. */
export const reachedOperations = (sandbox: Sandbox): (string | null)[] =>
  sandbox.requests.map(({ operation }) => operation);

/** The status and error body of a response. */
export async function refusal(answer: Response | Promise<Response>): Promise<{ status: number; body: unknown }> {
  const { status, text } = await read(answer);
  return { status, body: JSON.parse(text) };
}

/** A response with its body as text. */
export async function read(
  answer: Response | Promise<Response>,
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await answer;
  return { status: response.status, headers: response.headers, text: await response.text() };
}
