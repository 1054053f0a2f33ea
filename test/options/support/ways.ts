import { DatabaseSync } from "node:sqlite";
import { Writable } from "node:stream";
import { assistantTools } from "../../../src/assistant/index.js";
import { apply, plan, readCsv, readSheet, undo } from "../../../src/bulk/node.js";
import { doctor } from "../../../src/doctor/index.js";
import { erase } from "../../../src/erase/node.js";
import { exportTo } from "../../../src/export/node.js";
import { type ClientOptions, MainClient } from "../../../src/index.js";
import { mirror, sqlite } from "../../../src/mirror/index.js";
import { instrument } from "../../../src/opentelemetry/index.js";
import { createProxyHandler } from "../../../src/proxy/index.js";
import { accountSchema } from "../../../src/schemas.js";
import { createSchools } from "../../../src/schools/index.js";
import { takeTwin } from "../../../src/twin/index.js";
import {
  createWebhookHandler,
  createWebhookWorker,
  ensureWebhook,
  memoryStore,
  recoverWebhooks,
  refetch,
  verifyWebhook,
} from "../../../src/webhooks/index.js";
import { mainClient } from "../../support/clients.js";
import { type FetchCall, jsonResponse, recordingFetch } from "../../support/fetch.js";
import { ManualClock } from "../../support/manual-clock.js";
import { accountRecord, courseRecord, invoiceRecord } from "../../support/records.js";

/** One way to send requests. */
export interface Way {
  /** The number of requests that the way sends; the service below has three accounts on two pages. */
  readonly requests: number;
  /** Uses the client and passes these options where the way accepts them. */
  readonly use: (client: MainClient, options?: object) => PromiseLike<unknown>;
}

const sink = () => new Writable({ write: (_chunk, _encoding, done) => done() });
const list = (client: MainClient, options?: object) => client.accounts.list({}, options);
const byHand = { method: "GET", path: "api/v1/accounts/1", response: accountSchema } as const;
const prepareRawList = { path: "api/v1/accounts", response: accountSchema } as const;
const joinAccounts = (client: MainClient, options?: object, references?: object) =>
  client.invoices.list({}, options).with({ account: true }, references as never);

async function all(records: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of records);
}

async function syncMirror(client: MainClient, options?: object, ofMirror: object = {}): Promise<void> {
  const copy = mirror(client, sqlite(new DatabaseSync(":memory:")), { resources: ["accounts"], share: 1, ...ofMirror });
  const { lists } = await copy.sync(options);
  for (const { error } of lists) if (error) throw error;
}

/** All ways, by the names of the table's columns. */
export const WAYS = {
  get: { requests: 1, use: (client, options) => client.accounts.get(1, options) },
  update: { requests: 1, use: (client, options) => client.accounts.update(1, { name: "A" }, options) },
  first: { requests: 1, use: (client, options) => list(client, options).first() },
  next: { requests: 2, use: async (client, options) => (await list(client, options)).nextPage() },
  rest: { requests: 2, use: async (client, options) => all((await list(client, options)).rest()) },
  each: { requests: 2, use: (client, options) => all(list(client, options)) },
  byPage: { requests: 2, use: (client, options) => all(list(client, options).byPage()) },
  take: { requests: 2, use: async (client, options) => all(list(client, options).take(3)) },
  toArray: { requests: 2, use: (client, options) => list(client, options).toArray() },
  count: { requests: 1, use: (client, options) => list(client, options).count() },
  // Three invoices of three accounts: one page of invoices and two pages of accounts.
  with: { requests: 3, use: (client, options) => joinAccounts(client, options).toArray() },
  // One invoice: its page and its account.
  withOne: {
    requests: 2,
    use: (client, options) =>
      client.invoices
        .list({ status: ["open"] }, options)
        .with({ account: true })
        .toArray(),
  },
  // Two courses: the list's filter for identifiers reads both at once.
  filter: { requests: 1, use: (client, options) => client.courses.getMany([1, 2], options) },
  one: { requests: 1, use: (client, options) => client.accounts.getMany([1], options) },
  many: { requests: 2, use: (client, options) => client.accounts.getMany([1, 2, 3], options) },
  lookup: { requests: 2, use: (client, options) => client.accounts.lookup("name").get("Account 3", options) },
  request: { requests: 1, use: (client, options) => client.request(byHand, options) },
  pages: { requests: 2, use: (client, options) => client.requestPages(prepareRawList, options).toArray() },
  export: { requests: 2, use: (client, options) => exportTo(sink(), list(client, options), { format: "ndjson" }) },
  sync: { requests: 2, use: syncMirror },
} as const satisfies Record<string, Way>;

/** Arguments that accept options unrelated to requests. */
export const OTHER_PLACES: Readonly<Record<string, Way["use"]>> = {
  "the second argument of with": (client, options) => joinAccounts(client, {}, options).first(),
  "the second argument of lookup": (client, options) => client.accounts.lookup("name", options).get("x"),
  "the argument of toArray": (client, options) => list(client).toArray(options),
  "the options of exportTo": (client, options) => exportTo(sink(), list(client), { format: "ndjson", ...options }),
  "the options of mirror": (client, options) => syncMirror(client, {}, options),
};

/** Functions whose last argument is their options. */
export const FUNCTIONS: Readonly<Record<string, (client: MainClient, options: never) => unknown>> = {
  MainClient: (_, options) => new MainClient(options),
  doctor,
  takeTwin,
  exportTo: (client, options) => exportTo(sink(), list(client), options),
  plan: (client, options) => plan(client.leads, [], options),
  apply: (client, options) => apply(client, "missing.plan", options),
  undo: (_, options) => undo("missing.plan", options),
  readCsv: (_, options) => readCsv("missing.csv", options),
  readSheet: (_, options) => readSheet("missing.xlsx", options),
  instrument: (_, options) => instrument(options),
  erase: (_, options) => erase({ user: 1 }, options),
  mirror: (client, options) => mirror(client, sqlite(new DatabaseSync(":memory:")), options),
  sqlite: (_, options) => sqlite(new DatabaseSync(":memory:"), options),
  createWebhookHandler: (_, options) => createWebhookHandler(options),
  createWebhookWorker: (_, options) => createWebhookWorker(options),
  memoryStore: (_, options) => memoryStore(options),
  refetch: (client, options) => refetch(client as never, options),
  createProxyHandler: (client, options) => createProxyHandler(client, options),
  assistantTools: (client, options) => assistantTools(client, options),
  createSchools: (_, options) => createSchools(options),
  ensureWebhook: (client, options) => ensureWebhook(client as never, options),
  recoverWebhooks: (client, options) => recoverWebhooks(client as never, options),
  verifyWebhook: (_, options) => verifyWebhook(options),
};

/** A client that uses the test's clock, and a record of its actions. */
export interface World {
  readonly clock: ManualClock;
  readonly client: MainClient;
  readonly calls: readonly FetchCall[];
  /** The time at which each request was sent. */
  readonly times: readonly number[];
  /** Names of the events that observers received. */
  readonly events: string[];
  /** How long the client waited for the hanging request; null while it waits, or if no request hangs. */
  readonly hungFor: number | null;
}

/** The fault of one request, by its number from 0. */
export interface Fault {
  readonly at: number;
  /**
   * `hang`: no response. `fail`: always 503. `invalid`: the names of its records are numbers. `large`: its headers
   * announce a million bytes.
   */
  readonly kind: "hang" | "fail" | "invalid" | "large";
}

/** Creates a world, optionally with a fault in one request. */
export function world(options: ClientOptions = {}, fault: Fault | null = null): World {
  const clock = new ManualClock();
  const times: number[] = [];
  const events: string[] = [];
  let hungFor: number | null = null;
  let failing: string | null = null;
  const { fetch, calls } = recordingFetch((call) => {
    times.push(clock.now());
    const isIts = call.index === fault?.at;
    if (isIts && fault?.kind === "hang") {
      const begun = clock.now();
      return new Promise((_, reject) =>
        call.init.signal?.addEventListener("abort", () => {
          hungFor = clock.now() - begun;
          reject(call.init.signal?.reason);
        }),
      );
    }
    if (isIts && fault?.kind === "fail") failing = call.url.href;
    if (call.url.href === failing) return jsonResponse({ message: "away" }, 503);
    const response = answer(call, isIts && fault?.kind === "invalid");
    if (isIts && fault?.kind === "large") response.headers.set("content-length", "1000000");
    return response;
  });
  const on = Object.fromEntries(
    ["request", "response", "drift", "wait", "retry"].map((name) => [name, () => void events.push(name)]),
  );
  const client = mainClient({ fetch, clock, on, ...options });
  return {
    clock,
    client,
    calls,
    times,
    events,
    get hungFor() {
      return hungFor;
    },
  };
}

// The service: three accounts on two pages, by cursor or by number; three invoices, one of them open; two courses.
function answer({ url }: FetchCall, isInvalid: boolean): Response {
  const fields = isInvalid ? { name: 7 as never, account_name: 7 as never } : {};
  const [, resource = "", id] = /(accounts|invoices|courses)(?:\/(\d+))?$/.exec(url.pathname) ?? [];
  if (id !== undefined) return jsonResponse(accountRecord(Number(id), fields));
  const { searchParams } = url;
  if (resource === "invoices") {
    const ids = url.search.includes("status") ? [1] : [1, 2, 3];
    return jsonResponse(ids.map((each) => ({ ...invoiceRecord(each, fields), account_id: each })));
  }
  if (resource === "courses") return jsonResponse([1, 2].map((each) => courseRecord(each, fields)));
  if (searchParams.get("cursor") === "two" || searchParams.get("page") === "2") {
    return jsonResponse([accountRecord(3, fields)]);
  }
  const next = searchParams.has("page") ? "page=2" : "cursor=two";
  const link = [`<${url.origin}/?${next}>; rel="next"`];
  if (searchParams.has("page")) link.push(`<${url.origin}/?page=2>; rel="last"`);
  return jsonResponse([accountRecord(1, fields), accountRecord(2, fields)], 200, { link: link.join(", ") });
}
