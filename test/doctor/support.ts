import { onTestFinished } from "vitest";
import { type DoctorOptions, type DoctorReport, doctor } from "../../src/doctor/index.js";
import { AdminClient, type ClientOptions, MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { listen } from "../../src/sandbox/node.js";

/** Changes that make a service differ from the sandbox. */
export interface Otherwise {
  /** Changes the address before the sandbox receives it. */
  ask?(url: URL): void;
  /** Changes a response, or replaces it. */
  answer?(response: Response, request: Request, url: URL): Response | undefined | Promise<Response | undefined>;
}

/** A sandbox and the requests it received. */
export interface Served {
  readonly sandbox: Sandbox;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly baseUrl: string;
  /** Method and target of each request, as the server received it. */
  readonly requests: string[];
}

const NOW = "2030-06-01T12:00:00.000Z";
let shared: Sandbox | null = null;
// Every school gets its own address, because clients with the same address and key share a rate limit.
let schools = 0;

/** Serves a sandbox with some differences. Without options all tests share one, because creating records takes time. */
export async function serveSchool({ ask, answer }: Otherwise = {}, options?: SandboxOptions): Promise<Served> {
  shared ??= createSandbox({ now: NOW, rateLimit: false });
  const sandbox = options ? createSandbox({ now: NOW, ...options }) : shared;
  const requests: string[] = [];
  const fetch = async (request: Request) => {
    const url = new URL(request.url);
    requests.push(`${request.method} ${url.pathname}${url.search}`);
    const asked = new URL(url);
    ask?.(asked);
    const now = { date: new Date().toUTCString() };
    // The client uses this machine's clock, not the sandbox's, so the response gets this machine's date.
    const response = withHeaders(await sandbox.fetch(new Request(asked, request)), now);
    const given = (await answer?.(response.clone(), request, url)) ?? response;
    return given.headers.has("date") ? given : withHeaders(given, now);
  };
  return { sandbox, fetch, baseUrl: `https://school-${++schools}.example`, requests };
}

/** Serves a sandbox over HTTP, for code that accepts only an address. */
export async function overHttp(service: Promise<Served>): Promise<Served> {
  const inner = await service;
  const server = await listen({ fetch: inner.fetch } as Pick<Sandbox, "fetch">);
  onTestFinished(() => server.close());
  return { ...inner, baseUrl: server.url };
}

/** Runs the doctor on a served sandbox. */
export function runDoctor(
  { sandbox, baseUrl, fetch }: Served,
  { api = "main", ...more }: Omit<ClientOptions, "baseUrl"> & { api?: "main" | "admin" } = {},
  options?: DoctorOptions,
): Promise<DoctorReport> {
  const own = { fetch: (url: string, init: object) => fetch(new Request(url, init)) };
  const settings = { baseUrl, apiKey: sandbox[api].apiKey, ...own, ...more };
  return doctor(api === "main" ? new MainClient(settings) : new AdminClient(settings), options);
}

/** The observations of the checks with this status, by check. */
export function withStatus({ findings }: DoctorReport, status: string): Record<string, string> {
  return Object.fromEntries(findings.flatMap((found) => (found.status === status ? [[found.check, found.seen]] : [])));
}

/** A response with other headers; null removes one. */
export function withHeaders(response: Response, changes: Readonly<Record<string, string | null>>): Response {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return new Response(response.body, { status: response.status, headers });
}

/** The response with its records changed, if it is a success. */
export async function withRecords(
  response: Response,
  change: (records: Record<string, unknown>[]) => unknown,
): Promise<Response> {
  if (response.status !== 200) return response;
  const body: unknown = await response.clone().json();
  const changed = Array.isArray(body)
    ? change(body)
    : ((change([body as Record<string, unknown>]) as unknown[])[0] ?? null);
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return Response.json(changed, { status: 200, headers });
}

/** An error response with a status. */
export function refusal(status: number, more: object = {}, headers: Record<string, string> = {}): Response {
  return Response.json({ errors: {}, code: status, message: "The service says no", ...more }, { status, headers });
}
