import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ClientOptions, EducationAdminError, type MainClient, type Observers } from "../../src/index.js";
import { drawCases } from "../support/amount.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { errorBody, type Handler, json, serve } from "../support/server.js";

// These values are planted in every part of a call; the tests then search for them in everything that the library
// outputs.
const TOKEN = "canary-token-0123456789";
const MAIL = "canary.person+1@example.com";
const NAME = 'Canary "Zoë" O\'Brien & sons';
const HEADER = "canary-header-value";
const SLUG = "canary-slug";
const CANARY = /canary|zo(ë|\\u00eb|%c3%ab)/i;

/** Every way to print a value. */
function printouts(value: unknown): Record<string, string> {
  const all: Record<string, string> = {
    inspect: inspect(value, { depth: 20, showHidden: true, getters: false, maxStringLength: null }),
    "inspect as the console does": inspect(value),
    string: String(value),
    json: asJson(value),
  };
  if (value instanceof Error) {
    all.stack = String(value.stack);
    all.clone = inspect(structuredClone(value), { depth: 20, showHidden: true });
    all.entries = inspect(Object.entries(value), { depth: 20 });
    for (let cause = value.cause, depth = 1; cause instanceof Error && depth < 20; cause = cause.cause, depth++) {
      all[`stack of cause ${depth}`] = String(cause.stack);
    }
  }
  return all;
}

// Calls and lists throw when they are serialized.
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch (error) {
    return String(error);
  }
}

function expectClean(value: unknown): void {
  for (const [how, text] of Object.entries(printouts(value))) expect(text, how).not.toMatch(CANARY);
}

const calls: Record<string, (client: MainClient) => PromiseLike<unknown>> = {
  "a query": (client) => client.accounts.list({ search: MAIL }),
  "a body": (client) =>
    client.accounts.create({
      name: NAME,
      email: MAIL,
      custom: { secret: [MAIL, NAME] },
      address_attributes: { address: NAME, postal_code: "1000 AA", city: NAME, country: "NL" },
    }),
  "a path": (client) => client.customObjects.get(SLUG),
  "a header": (client) => client.accounts.get(7, { headers: { "x-tenant": HEADER } }),
  "a hand-made request": (client) =>
    client.request({ method: "PUT", path: "api/v1/custom/objects/vehicles", query: { q: MAIL }, body: { name: NAME } }),
};

function watchClient(options: ClientOptions) {
  const events: object[] = [];
  const names = ["request", "response", "retry", "wait", "page", "drift"] as const;
  const on = Object.fromEntries(names.map((name) => [name, (event: object) => events.push(event)])) as Observers;
  const client = mainClient({
    apiKey: TOKEN,
    headers: { "x-client": HEADER },
    retry: { limit: 1, backoffLimit: 1 },
    on,
    ...options,
  });
  return { client, events };
}

afterEach(() => vi.restoreAllMocks());

describe("a failed call with secrets in it reveals none of them", () => {
  const watchLogs = () => {
    const logs = (["log", "info", "warn", "error", "debug"] as const).map((level) =>
      vi.spyOn(console, level).mockReturnValue(undefined),
    );
    return () => logs.flatMap(({ mock }) => mock.calls);
  };

  // Echoes everything that the server received into every possible part of a response.
  const everything = ({ headers, target, body }: { headers: object; target: string; body: string }) =>
    `${JSON.stringify(headers)} ${target} ${decodeURIComponent(target)} ${body}`;
  const echoes: Record<string, Handler> = {
    "an error body": (request, response) =>
      json(response, 422, { errors: { all: everything(request) }, code: 422, message: everything(request) }),
    "an error body that names fields after it": ({ headers, target }, response) => {
      const sent = [headers.authorization?.slice("Bearer ".length), headers["x-tenant"], target.split("/").at(-1)];
      const errors = Object.fromEntries(sent.map((name) => [String(name), { [String(name)]: ["is unknown"] }]));
      json(response, 401, { errors, code: 401, message: "Unauthorized" });
    },
    "an error in a success": (request, response) => json(response, 200, errorBody(422, everything(request))),
    "an HTML page": (request, response) =>
      response.writeHead(502, { "content-type": "text/html" }).end(`<html>${everything(request)}</html>`),
    "a success of HTML": (request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(everything(request)),
    "a page whose cut goes through the secret": (request, response) =>
      response
        .writeHead(200, { "content-type": "text/html" })
        .end(`${"x".repeat(190)}${request.headers.authorization} ${"x".repeat(150)}${request.target}`),
    "JSON that breaks off": (request, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(`{"a":${JSON.stringify(request.body)},"b":"${TOKEN}`),
    "a content type and a request id": (request, response) =>
      response
        .writeHead(200, {
          "content-type": `text/${request.headers.authorization?.slice("Bearer ".length)}`,
          "x-request-id": String(request.headers["x-client"]),
        })
        .end("<html>"),
    "an error with such a request id": (request, response) =>
      json(response, 404, errorBody(404), { "x-request-id": String(request.headers.authorization) }),
    "a redirect elsewhere": (request, response) =>
      response
        .writeHead(302, { location: `https://elsewhere.example${request.target}?k=${TOKEN}` })
        .end(everything(request)),
    "a connection that ends": (_, response) => response.destroy(),
    silence: () => undefined,
  };

  for (const [what, echo] of Object.entries(echoes)) {
    for (const [where, call] of Object.entries(calls)) {
      it(`in ${where}, after ${what}`, async () => {
        const printed = watchLogs();
        const server = await serve(echo);
        const { client, events } = watchClient({ baseUrl: server.url, timeout: what === "silence" ? 50 : 5_000 });
        const error = await failure(call(client));
        expect(error).toBeInstanceOf(EducationAdminError);
        expectClean(error);
        expectClean(EducationAdminError.fromJSON(JSON.parse(JSON.stringify(error))));
        expectClean(events);
        expectClean(printed());
        expect(events.length).toBeGreaterThan(0);
      });
    }
  }

  it("but code can still read the service's message", async () => {
    const server = await serve((_, response) => json(response, 422, errorBody(422, `${MAIL} is taken`)));
    const error = await failure(
      watchClient({ baseUrl: server.url }).client.accounts.create({ name: NAME, email: MAIL }),
    );
    expect(error).toMatchObject({ apiMessage: `${MAIL} is taken` });
    expect(error.message).toContain("[redacted] is taken");
  });
});

describe("the rejection of a caller's fetch", () => {
  const deep = (levels: number, last: unknown): unknown =>
    levels === 0 ? last : new Error(`level ${levels}`, { cause: deep(levels - 1, last) });
  const withProperty = (value: object) => Object.assign(new Error("request failed"), value);
  const faults: Record<string, (url: string, init: RequestInit) => unknown> = {
    "an error with everything in its message": (url, init) => new Error(`${url} ${JSON.stringify(init)}`),
    "an error with the request as property": (url, init) => withProperty({ config: { url, ...init } }),
    "an error with a Request": (url, { signal: _, ...init }) => withProperty({ request: new Request(url, init) }),
    "an error with Headers": (_, { headers }) => withProperty({ response: { headers: new Headers(headers) } }),
    "an error with a URL": (url) => withProperty({ url: new URL(url) }),
    "an error with a Map and a Set": (url, init) =>
      withProperty({ map: new Map([[url, init]]), set: new Set([init.body]) }),
    "an error with a symbol": (url, init) => withProperty({ [Symbol("request")]: { url, init } }),
    "an error with the secret as key": () => withProperty({ headers: { [TOKEN]: 1, [MAIL]: 2 } }),
    "an error with a buffer": (_, init) => withProperty({ raw: Buffer.from(String(init.body) + TOKEN) }),
    "an error with a function that has a name": () => withProperty({ [MAIL]: () => TOKEN }),
    "a chain of causes": (url, init) => deep(12, new Error(`${url} ${JSON.stringify(init)}`)),
    "an aggregate": (url, init) => new AggregateError([new Error(JSON.stringify(init)), new Error(url)], "all failed"),
    "an error with its code": () => Object.assign(new Error("x"), { code: TOKEN }),
    "an error with its name": () => Object.assign(new Error("x"), { name: TOKEN }),
    "an error of a class of its own": (url, init) =>
      new (class CustomError extends Error {
        readonly #init = init;
        get url(): string {
          return url + String(this.#init);
        }
      })("x"),
    "an error that goes round in circles": (url) => {
      const error = withProperty({ url });
      return Object.assign(error, { self: error, cause: error });
    },
    "an error with a getter that throws": (url) =>
      Object.defineProperty(withProperty({ url }), "bad", {
        enumerable: true,
        get: () => {
          throw new Error(url);
        },
      }),
    text: (url, init) => `${url} ${JSON.stringify(init)}`,
    "an object": (url, init) => ({ url, init }),
    undefined: () => undefined,
  };

  const cases = Object.entries(faults).flatMap(([what, fault]) =>
    Object.entries(calls).map(([where, call]) => ({ what, fault, where, call })),
  );
  it.each(drawCases(cases, 34))("$what, with secrets in $where", async ({ fault, call }) => {
    const { client, events } = watchClient({ fetch: (url, init) => Promise.reject(fault(url, init)) });
    const error = await failure(call(client));
    expect(error).toBeInstanceOf(EducationAdminError);
    expectClean(error);
    expectClean(events);
  });

  it("is not searched, however large", async () => {
    let looked = 0;
    const huge: Record<string, unknown> = {};
    const item = () => ({
      get huge() {
        looked++;
        return huge;
      },
    });
    for (let key = 0; key < 3; key++) huge[`key${key}`] = { huge, list: Array.from({ length: 1_000 }, item) };
    const { client } = watchClient({
      fetch: () => Promise.reject(Object.assign(new Error("x"), { huge })),
      retry: false,
    });
    await failure(client.accounts.create({ name: NAME }));
    expect(looked).toBe(0);
  });
});

describe("odd values", () => {
  it("do not turn a failure into another one: half surrogate pairs, regular expressions, numbers", async () => {
    for (const name of ["\ud800abc", "$& $1 .* [a-z]", "%E0%A4%A", "[redacted]", "aaaa"]) {
      const { fetch } = recordingFetch(({ body }) => jsonResponse(errorBody(422, String(body)), 422));
      const error = await failure(watchClient({ fetch }).client.accounts.create({ name, custom: { n: 12345678 } }));
      expect(error).toMatchObject({ status: 422 });
      if (name !== "[redacted]") expect(error.message).not.toContain(name);
    }
  });
});

describe("clients, calls and lists", () => {
  it("print no token and no values, nor do the objects in them", async () => {
    const { fetch } = recordingFetch(() => jsonResponse([{ id: 1 }]));
    const { client } = watchClient({ fetch, validation: "off" });
    const list = client.accounts.list({ search: MAIL });
    const call = client.accounts.list({ search: MAIL }).toArray();
    const single = client.request({ method: "GET", path: "api/v1/x", query: { q: MAIL } });
    for (const value of [client, client.accounts, client.organization, list, list.take(3), single, await list])
      expectClean(value);
    await Promise.all([call, single]);
    expectClean(client);
    expectClean(structuredClone(client));
  });
});
