import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Local port of the client's connection: the same port means the same connection. */
  readonly port: number;
}

const ACCOUNTS = 250;

/**
 * The part of the service that the smoke suite needs, on a real HTTP server. The checker uses this service instead of
 * the package's sandbox, so that code from outside the package judges what the package sends.
 *
 * The path before `api/` determines how the service treats other origins: `/cors` allows the three headers that the
 * client sends and exposes none; `/exposed` also exposes Link, Retry-After and X-Request-Id; with any other path, the
 * service sends no CORS headers.
 */
export class Service {
  readonly apiKey = "smoke-key-0001";
  /** All received requests, in order. */
  readonly received: Received[] = [];
  readonly #created = new Map<number, unknown>();
  readonly #server = createServer((request, response) => void this.handle(request, response));

  private constructor() {}

  static async start(): Promise<Service> {
    const service = new Service();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", headers } = request;
    const url = new URL(request.url ?? "/", this.url);
    this.received.push({ method, url: url.href, headers, port: request.socket.remotePort ?? 0 });
    const body = await readAll(request);
    const path = url.pathname.replace(/^\/\w+\/api\//, "/api/");
    if (/^\/(cors|exposed)\//.test(url.pathname)) {
      response.setHeader("access-control-allow-origin", "*");
      if (url.pathname.startsWith("/exposed/")) {
        response.setHeader("access-control-expose-headers", "link, retry-after, x-request-id");
      }
      if (method === "OPTIONS") {
        response.setHeader("access-control-allow-headers", "authorization, accept, content-type");
        response.setHeader("access-control-allow-methods", "GET, POST, PUT, DELETE");
        response.writeHead(204).end();
        return;
      }
    }
    response.setHeader("x-request-id", "00000000-0000-4000-8000-000000000001");
    const send = (status: number, value: unknown) => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(value));
    };
    if (headers.authorization !== `Bearer ${this.apiKey}`) return send(403, failure(403, "Forbidden"));
    if (url.searchParams.get("search") === "slow") {
      // Longer than any suite waits; the caller is expected to disconnect first.
      const timer = setTimeout(() => send(200, []), 10_000);
      response.on("close", () => clearTimeout(timer));
      return;
    }
    if (url.searchParams.get("search") === "limited") {
      response.setHeader("retry-after", "1");
      return send(429, failure(429, "Too many requests"));
    }
    const [, id] = path.match(/^\/api\/v1\/accounts(?:\/(\d+))?$/) ?? [null, null];
    if (id === null) return send(404, failure(404, "Not found"));
    if (id === undefined && method === "POST") {
      const account = { ...accountOf(ACCOUNTS + this.#created.size + 1), ...(JSON.parse(body) as object) };
      this.#created.set(account.id, account);
      return send(201, account);
    }
    if (id === undefined) return this.#list(url, response, send);
    const account = this.#created.get(Number(id)) ?? (Number(id) <= ACCOUNTS ? accountOf(Number(id)) : undefined);
    if (!account) return send(404, failure(404, "Not found"));
    send(200, method === "PUT" ? { ...account, ...(JSON.parse(body) as object) } : account);
  }

  #list(url: URL, response: ServerResponse, send: (status: number, value: unknown) => void): void {
    const size = Number(url.searchParams.get("per_page") ?? 25);
    const from = Number(url.searchParams.get("cursor")?.slice(1) ?? 0);
    const records = Array.from({ length: Math.min(size, ACCOUNTS - from) }, (_, index) => accountOf(from + index + 1));
    if (from + size < ACCOUNTS) {
      const next = new URL(url);
      next.searchParams.set("cursor", `c${from + size}`);
      response.setHeader("link", `<${next.href}>; rel="next"`);
    }
    send(200, records);
  }
}

function accountOf(id: number): { id: number } {
  const account = {
    id,
    name: `Account ${id}`,
    email: `account${id}@example.com`,
    phone: null,
    account_type: id % 2 === 0 ? "business" : "personal",
    label_ids: [],
    personal_user_id: null,
    slug: `account-${id}`,
    users_count: 1,
    visible: true,
    updated_at: "2026-01-02T03:04:05.000+01:00",
    created_at: "2026-01-02T03:04:05.000+01:00",
    custom: {},
    address: null,
  };
  return account;
}

function failure(code: number, message: string): unknown {
  return { errors: {}, code, message };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
