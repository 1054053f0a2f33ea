import { isPlainObject } from "../core/json.js";
import { didYouMean } from "../core/option-checks.js";
import { statusText } from "../core/status-text.js";
import type { OperationId } from "../generated/operation-id.js";
import type { Collection, Identified } from "./data/collection.js";
import { unusual } from "./data/manners.js";
import type { Fault } from "./engine/fault.js";
import { errorBody, Refusal } from "./engine/refusal.js";
import { insertData } from "./insert-data.js";
import type { Sandbox } from "./sandbox.js";

export const CONTROL_PREFIX = "/__sandbox";

const MOST_RECORDS = 1_000;

interface Asked {
  readonly sandbox: Sandbox;
  readonly query: URLSearchParams;
  readonly name: string;
  readonly body: unknown;
}

interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  /** The path below `CONTROL_PREFIX`; `{name}` matches one segment. */
  readonly path: string;
  readonly status?: 201 | 204;
  readonly run: (asked: Asked) => unknown;
}

/** The operations of the control interface; openapi/sandbox-control.json describes them. */
export const CONTROL_ROUTES: readonly Route[] = [
  { method: "GET", path: "", run: ({ sandbox }) => stateOf(sandbox) },
  { method: "POST", path: "/reset", status: 204, run: ({ sandbox }) => sandbox.reset() },
  { method: "GET", path: "/faults", run: ({ sandbox }) => sandbox.faults.pending },
  { method: "POST", path: "/faults", status: 201, run: addFaults },
  { method: "DELETE", path: "/faults", status: 204, run: ({ sandbox }) => sandbox.faults.clear() },
  { method: "GET", path: "/clock", run: ({ sandbox }) => clockOf(sandbox) },
  { method: "POST", path: "/clock", run: advance },
  { method: "GET", path: "/data", run: ({ sandbox }) => countsOf(sandbox) },
  { method: "POST", path: "/data", status: 201, run: ({ sandbox, body }) => insertRecords(sandbox, body) },
  { method: "GET", path: "/data/{name}", run: recordsOf },
  { method: "POST", path: "/keys", status: 201, run: createKey },
  { method: "DELETE", path: "/keys/{name}", status: 204, run: revokeKey },
  { method: "GET", path: "/calls", run: callsOf },
  { method: "GET", path: "/deliveries", run: deliveriesOf },
];

/** @param cors true if web pages may control the sandbox. */
export async function control(sandbox: Sandbox, request: Request, cors: boolean): Promise<Response> {
  try {
    if (!cors && request.headers.has("origin")) {
      throw new Refusal(403, "Web pages may control the sandbox only when it is served with cors");
    }
    const url = new URL(request.url);
    const { route, name } = routeOf(request.method, url.pathname.slice(CONTROL_PREFIX.length).replace(/\/$/, ""));
    const body = await bodyOf(request);
    const result = await route.run({ sandbox, query: url.searchParams, name, body });
    return answer(route.status ?? 200, result);
  } catch (error) {
    if (error instanceof Refusal) return errorAnswer(error.status, error.message, error.headers);
    // A RangeError reports the caller's mistake, such as an unknown operation or a number out of range.
    if (error instanceof RangeError) return errorAnswer(422, error.message);
    return errorAnswer(500, error instanceof Error ? error.message : String(error));
  }
}

export function errorAnswer(status: number, message: string, headers?: Refusal["headers"]): Response {
  return answer(status, errorBody(status, message), headers);
}

function answer(status: number, value: unknown, more: Readonly<Record<string, string>> = {}): Response {
  const init = { status, statusText: statusText(status) };
  if (status === 204) return new Response(null, init);
  const headers = { ...more, "content-type": "application/json; charset=utf-8" };
  return new Response(JSON.stringify(value, infinityAsText), { ...init, headers });
}

// A placeholder matches only the last segment of a path.
function routeOf(method: string, path: string): { route: Route; name: string } {
  const [, parent = "", name = ""] = /^(.*\/)([^/]+)$/.exec(path) ?? [];
  const found = CONTROL_ROUTES.filter((route) => route.path === path || route.path === `${parent}{name}`);
  const match = found.find((route) => route.method === method);
  if (match) return { route: match, name };
  if (found.length > 0) {
    const allow = found.map((route) => route.method).join(", ");
    throw new Refusal(405, `${CONTROL_PREFIX}${path} accepts ${allow}`, { headers: { allow } });
  }
  const known = [...new Set(CONTROL_ROUTES.map((route) => CONTROL_PREFIX + route.path))];
  throw new Refusal(404, `There is no ${CONTROL_PREFIX}${path}. The paths are: ${known.join(", ")}`);
}

async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal(400, `The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function stateOf(sandbox: Sandbox): object {
  const { requests, faults, webhooks } = sandbox;
  return {
    ...clockOf(sandbox),
    requests: requests.length,
    faults: faults.pending.length,
    deliveries: webhooks.deliveries.length,
    manners: unusual(sandbox.manners),
  };
}

function addFaults({ sandbox: { faults }, body }: Asked): readonly unknown[] {
  const given: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (given.length === 0 || !given.every((fault) => isPlainObject(fault))) {
    throw new Refusal(422, "The body must be a fault, or a list of faults, which are applied in order");
  }
  faults.next(...given.map((fault) => faultOf(fault as Record<string, unknown>)));
  return faults.pending;
}

// JSON cannot express Infinity, so these fields contain it as text.
const UNLIMITED = ["times", "count", "delayMs"];

function infinityAsText(_: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? "Infinity" : value;
}

function faultOf(json: Readonly<Record<string, unknown>>): Fault {
  const entries = Object.entries(json).map(([name, value]) => {
    return [name, UNLIMITED.includes(name) && value === "Infinity" ? Number.POSITIVE_INFINITY : value];
  });
  return Object.fromEntries(entries) as Fault;
}

function clockOf({ clock }: Sandbox): { now: string; waiting: number; nextInMs: number | null } {
  const { count, nextInMs } = clock.pending;
  // A request that is never answered waits forever; report null, because JSON cannot express Infinity.
  const hasTime = nextInMs !== null && nextInMs < Number.POSITIVE_INFINITY;
  return { now: new Date(clock.now()).toISOString(), waiting: count, nextInMs: hasTime ? nextInMs : null };
}

// Limits an advance to a hundred years, so that JavaScript can still represent the clock's date.
const LONGEST_ADVANCE_MS = 100 * 366 * 24 * 3_600_000;

async function advance({ sandbox, body }: Asked): Promise<object> {
  const ms = isPlainObject(body) && Object.keys(body).length === 1 ? body.advanceMs : undefined;
  if (typeof ms !== "number" || ms < 0 || ms > LONGEST_ADVANCE_MS) {
    throw new Refusal(422, 'The body must be {"advanceMs": <milliseconds, from 0 to 100 years>}');
  }
  await sandbox.clock.advance(ms);
  return clockOf(sandbox);
}

function countsOf(sandbox: Sandbox): object {
  return Object.fromEntries(Object.entries(collectionsOf(sandbox)).map(([name, { count }]) => [name, count]));
}

function recordsOf({ sandbox, name, query }: Asked): readonly object[] {
  const collections = collectionsOf(sandbox);
  const records = Object.hasOwn(collections, name) ? collections[name] : undefined;
  if (!records) throw new Refusal(404, unknownName(name, collections));
  const from = wholeNumber("from", query.get("from") ?? "0");
  const to = Math.min(records.count, from + MOST_RECORDS);
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => records.at(from + at)).filter(
    (record) => record !== undefined,
  );
}

function createKey({ sandbox, body = {} }: Asked): object {
  if (!isPlainObject(body)) throw new Refusal(422, 'The body must be the options for the key: {"scopes": ["*:read"]}');
  return { apiKey: sandbox.createKey(body) };
}

function revokeKey({ sandbox, name }: Asked): void {
  if (!sandbox.revokeKey(name)) throw new Refusal(404, "There is no such key");
}

function callsOf({ sandbox, query }: Asked): readonly object[] {
  const operation = query.get("operation");
  return operation === null ? sandbox.calls() : sandbox.calls(operation as OperationId);
}

async function deliveriesOf({ sandbox, query }: Asked): Promise<readonly object[]> {
  const settled = query.get("settled") ?? "false";
  if (settled !== "true" && settled !== "false") throw new Refusal(400, "settled must be true or false");
  if (settled === "true") await sandbox.webhooks.settled();
  return sandbox.webhooks.deliveries;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, `${name} must be 0 or a positive whole number`);
  return Number(text);
}

type Collections = Readonly<Record<string, Collection<Identified>>>;

export function collectionsOf({ store: { organization: _, ...collections } }: Pick<Sandbox, "store">): Collections {
  return collections as unknown as Collections;
}

export function namedCollection(sandbox: Pick<Sandbox, "store">, name: string): Collection<Identified> {
  const collections = collectionsOf(sandbox);
  const found = Object.hasOwn(collections, name) ? collections[name] : undefined;
  if (found) return found;
  throw new RangeError(unknownName(name, collections));
}

function unknownName(name: string, collections: Collections): string {
  return `there is no collection "${name}"${didYouMean(name, Object.keys(collections))}`;
}

/**
 * Adds records, given as JSON by collection name: `{"accounts": [{"name": "Example Ltd"}]}`.
 * @throws RangeError naming the collection, record or field that is wrong.
 */
export function insertRecords(sandbox: Pick<Sandbox, "store">, data: unknown): Record<string, readonly unknown[]> {
  if (!isPlainObject(data))
    throw new RangeError('data must be records by collection name: {"accounts": [{"name": "Example Ltd"}]}');
  // Check all names before adding anything, so that a typo adds no records.
  const names = Object.keys(data);
  for (const name of names) namedCollection(sandbox, name);
  const added = insertData(data, sandbox.store);
  const recordsOf = (name: string) =>
    added.filter((one) => one.name === name).map(({ id }) => namedCollection(sandbox, name).get(id));
  return Object.fromEntries(names.map((name) => [name, recordsOf(name)]));
}
