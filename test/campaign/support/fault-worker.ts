import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { CARRIED_OUT, FAULTS, type Fault, recordsOf, type ServerReport } from "./fault-kinds.ts";
import { createRandom, type Random, seedOf } from "./random.ts";

// This server runs in its own thread, so that its memory and sockets do not count as the client's.
const { seed } = workerData as { seed: number };

const TIME = "2026-01-01T00:00:00.000Z";
const WEIGHTS = {
  ...(Object.fromEntries(Object.entries(FAULTS).map(([name, { weight }]) => [name, weight])) as Record<Fault, number>),
  none: 800,
};

const accepted = new Map<number, number>();
const faults = new Map<string, Fault[]>();
const asked = new Map<string, number>();
let requests = 0;
let astray = 0;
let open = 0;

const abroad = createServer((_, response) => {
  astray++;
  response.end("[]");
});

// Connections without a request: it was aborted before it was sent. The platform may reuse them, so they are not leaks.
const unused = new Set<Socket>();

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  requests++;
  unused.delete(request.socket);
  open++;
  response.on("close", () => open--);
  request.on("error", () => undefined);
  void answer(request, response);
});

server.on("connection", (socket) => {
  unused.add(socket);
  socket.on("close", () => unused.delete(socket));
});

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly body: Record<string, unknown>;
  readonly random: Random;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const operation = String(request.headers["x-operation"]);
  const moved = request.url?.startsWith("/moved/") ?? false;
  if (moved && request.method !== "GET") astray++;
  const path = (request.url ?? "").replace(/^\/moved/, "");
  // The fault depends on the request and on how often it was sent before, so that a seed gives the same faults, however
  // requests are timed.
  const times = asked.get(`${operation} ${path}`) ?? 0;
  asked.set(`${operation} ${path}`, times + 1);
  const random = createRandom(seedOf(seed, operation, path, times));
  const fault = moved ? "none" : random.weighted(WEIGHTS);
  if (fault !== "none") faults.set(operation, [...(faults.get(operation) ?? []), fault]);
  if (fault === "reset_before_body") {
    request.socket.resetAndDestroy();
    return;
  }
  const text = await textOf(request);
  if (text === null) return;
  const body = text === "" ? {} : JSON.parse(text);
  const target = { method: request.method ?? "GET", url: new URL(path, "http://server"), body, random };
  const carriedOut =
    fault === "none" || CARRIED_OUT[fault] === "yes" || (CARRIED_OUT[fault] === "perhaps" && random.chance(0.5));
  const right = carriedOut ? carryOut(target) : { status: 200, value: {}, link: null };
  spoil(fault, request, response, target, right);
}

interface Right {
  readonly status: number;
  readonly value: unknown;
  readonly link: string | null;
}

function spoil(
  fault: Fault | "none",
  request: IncomingMessage,
  response: ServerResponse,
  target: Asked,
  right: Right,
): void {
  const { status, value, link } = right;
  const text = value === undefined ? "" : JSON.stringify(value);
  const json = { "content-type": "application/json; charset=utf-8", ...(link === null ? {} : { link }) };
  const error = (code: number) => JSON.stringify({ errors: {}, code, message: "scripted" });
  const failing = (code: number, headers: Record<string, string> = {}) => {
    response.writeHead(code, { ...json, ...headers }).end(error(code));
  };
  const html = "<!doctype html><title>Sign in</title><p>Please sign in.</p>";
  const length = (of: string) => ({ "content-length": String(Buffer.byteLength(of)) });
  switch (fault) {
    case "none":
      response.writeHead(status, text === "" ? {} : { ...json, ...length(text) }).end(text);
      return;
    case "too_many":
      failing(429);
      return;
    case "too_many_wait_0":
      failing(429, { "retry-after": "0" });
      return;
    case "too_many_wait_1":
      failing(429, { "retry-after": "1" });
      return;
    case "status_500":
      failing(500);
      return;
    case "status_502_html":
      response.writeHead(502, { "content-type": "text/html" }).end(html);
      return;
    case "status_503":
      failing(503);
      return;
    case "status_503_wait_1":
      failing(503, { "retry-after": "1" });
      return;
    case "status_504":
      failing(504);
      return;
    case "reset_before_body":
    case "reset_after_body":
      request.socket.resetAndDestroy();
      return;
    case "stall_in_headers":
      return;
    case "stall_in_body":
      response.writeHead(status, { ...json, ...length(`${text} `) }).write(text.slice(0, text.length / 2) || " ");
      return;
    case "cut_body":
      response.writeHead(200, { ...json, ...length(`${text} `) });
      response.write(text.slice(0, text.length / 2) || " ", () => request.socket.destroy());
      return;
    case "cut_chunked_body":
      response.writeHead(200, json);
      response.write(text.slice(0, text.length / 2) || " ", () => request.socket.destroy());
      return;
    case "cut_json":
      response.writeHead(200, json).end(text === "" ? '{"id":' : text.slice(0, text.length - 1));
      return;
    case "html":
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html);
      return;
    case "text":
      response.writeHead(200, { "content-type": "text/plain" }).end("It works!");
      return;
    case "wrong_json":
      response
        .writeHead(200, json)
        .end(target.random.pick(Array.isArray(value) ? ["{}", "7", "null"] : ["[]", "7", '"yes"', "null"]));
      return;
    case "empty_success":
      response.writeHead(200, { ...json, "content-length": "0" }).end();
      return;
    case "hidden_error_422":
      response.writeHead(200, json).end(error(422));
      return;
    case "hidden_error_500":
      response.writeHead(200, json).end(error(500));
      return;
    case "redirect_within":
      response
        .writeHead(target.random.pick([302, 307]), { location: `/moved${target.url.pathname}${target.url.search}` })
        .end();
      return;
    case "redirect_loop":
      response.writeHead(302, { location: `${target.url.pathname}${target.url.search}` }).end();
      return;
    case "redirect_abroad":
      response
        .writeHead(target.random.pick([301, 302, 303, 307, 308]), { location: `${originOf(abroad)}/steal` })
        .end();
      return;
  }
}

// Carries out the request. Returns the response of a service without faults.
function carryOut({ method, url, body, random }: Asked): Right {
  const path = url.pathname.replace("/api/v1/", "");
  const id = Number(path.split("/")[1]);
  const accept = (key: unknown) => accepted.set(Number(key), (accepted.get(Number(key)) ?? 0) + 1);
  if (method === "POST" && path === "affiliations") {
    accept(body.user_id);
    return { status: 201, value: affiliation(Number(body.user_id), Number(body.account_id)), link: null };
  }
  if (method === "POST") {
    accept(body.meeting_id);
    const value = { id: 1, state: "attended", comment: null, updated_at: TIME, created_at: TIME, ...body };
    return { status: 200, value, link: null };
  }
  if (method === "PUT") {
    accept(body.user_id);
    return { status: 200, value: { ...affiliation(id, 1), ...body }, link: null };
  }
  if (method === "DELETE") {
    if (accepted.has(id)) return { status: 404, value: { errors: {}, code: 404, message: "gone" }, link: null };
    accept(id);
    return { status: 204, value: undefined, link: null };
  }
  if (path.startsWith("course_variants/")) {
    return { status: 200, value: { id, name: `Variant ${id}`, updated_at: TIME, created_at: TIME }, link: null };
  }
  return listOf(url, random);
}

function listOf(url: URL, random: Random): Right {
  const account = Number(url.searchParams.get("account_id"));
  const size = Number(url.searchParams.get("per_page"));
  const [offset = 0, turn = 0] = (url.searchParams.get("cursor") ?? "0.0").split(".").map(Number);
  const ids = recordsOf(account);
  // Sometimes a page in the middle is empty, as if the service filtered after paging.
  const empty = createRandom(seedOf(seed, account, offset, turn)).chance(0.04);
  const end = empty ? offset : Math.min(offset + size, ids.length);
  const value = ids.slice(offset, end).map((id) => affiliation(id, account));
  if (end >= ids.length) return { status: 200, value, link: random.pick([null, '<x?cursor=0.0>; rel="prev"']) };
  // The address as a server behind a proxy would write it. Only the query matters, and the filters may be missing from
  // it.
  const address = random.pick([
    `http://inside:3000/other/affiliations?account_id=${account}&cursor=${end}.${turn + 1}&per_page=${size}`,
    `/api/v1/affiliations?cursor=${end}.${turn + 1}`,
  ]);
  const link = random.pick([
    `<${address}>; rel="next"`,
    `<x?cursor=a,b>; rel="prev", <${address}>; title="a, b"; rel=next`,
  ]);
  return { status: 200, value, link };
}

function affiliation(id: number, account: number): Record<string, unknown> {
  return { id, account_id: account, user_id: id, key_contact: false, updated_at: TIME, created_at: TIME };
}

// @returns null if the client disconnected before its body was read.
async function textOf(request: IncomingMessage): Promise<string | null> {
  try {
    let text = "";
    for await (const chunk of request) text += chunk;
    return text;
  } catch {
    return null;
  }
}

function originOf(of: Server): string {
  return `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
}

async function report(): Promise<ServerReport> {
  server.closeIdleConnections();
  for (const socket of unused) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const sockets = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { requests, accepted: [...accepted], faults: [...faults], astray, open, sockets };
}

parentPort?.on("message", (message: "report" | "close") => {
  if (message === "report") {
    void report().then((found) => parentPort?.postMessage(found));
  } else {
    server.closeAllConnections();
    server.close();
    abroad.close();
    parentPort?.close();
  }
});

abroad.listen(0, "127.0.0.1", () => {
  server.listen(0, "127.0.0.1", () => parentPort?.postMessage(originOf(server)));
});
