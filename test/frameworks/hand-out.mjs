// Passes a page, a page within an object, a list, a call and a client to the serializers of frameworks and prints each
// result. Needs `npm ci` in this folder, and --conditions=react-server for React.
import "reflect-metadata";
import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import { os } from "@orpc/server";
import { RPCHandler } from "@orpc/server/fetch";
import { createTRPCClient, httpBatchStreamLink } from "@trpc/client";
import { initTRPC } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import * as devalue from "devalue";
import fastify from "fastify";
import { H3 } from "h3";
import * as flight from "react-server-dom-webpack/server";
import { fromJSON, toJSONAsync } from "seroval";
import superjson from "superjson";
import { MainClient } from "../../dist/node/index.js";
import { createSandbox } from "../../dist/node/sandbox/index.js";

const WAYS = {
  JSON: async (value) => JSON.parse(JSON.stringify(await value())),
  "JSON of what is not awaited": async (value) => JSON.parse(JSON.stringify({ held: value() })),
  structuredClone: async (value) => structuredClone({ held: value() }),
  async postMessage(value) {
    const { port1, port2 } = new MessageChannel();
    try {
      const got = new Promise((resolve) => port2.once("message", resolve));
      port1.postMessage({ held: value() });
      return await got;
    } finally {
      port1.close();
    }
  },
  "React Flight": async (value) => {
    let problem;
    const onError = (error) => {
      problem = error;
    };
    const stream = flight.renderToReadableStream({ held: value() }, {}, { onError });
    const text = await new Response(stream).text();
    if (problem) throw problem;
    return text;
  },
  devalue: async (value) => devalue.parse(devalue.stringify(await value())),
  seroval: async (value) => await fromJSON(await toJSONAsync({ held: value() })).held,
  superjson: async (value) => superjson.parse(superjson.stringify(await value())),
  async "tRPC stream link"(value) {
    const { procedure, router } = initTRPC.create();
    const routes = router({ held: procedure.query(() => ({ held: value() })) });
    const fetch = (url, init) =>
      fetchRequestHandler({ endpoint: "/", req: new Request(url, init), router: routes, createContext: () => ({}) });
    const client = createTRPCClient({ links: [httpBatchStreamLink({ url: "http://localhost/", fetch })] });
    return await (await client.held.query()).held;
  },
  async oRPC(value) {
    const handler = new RPCHandler({ top: os.handler(() => value()) });
    const fetch = async (request) => (await handler.handle(request, { prefix: "/", context: {} })).response;
    return await createORPCClient(new RPCLink({ url: "http://localhost/", fetch })).top();
  },
  h3: async (value) => (await new H3().get("/", () => value()).request("/")).json(),
  fastify: async (value) =>
    (
      await fastify()
        .get("/", () => value())
        .inject("/")
    ).json(),
  async Nest(value) {
    class School {
      get() {
        return value();
      }
    }
    Get()(School.prototype, "get", Object.getOwnPropertyDescriptor(School.prototype, "get"));
    Controller()(School);
    class Application {}
    Module({ controllers: [School] })(Application);
    const server = await NestFactory.create(Application, { logger: false });
    await server.listen(0, "127.0.0.1");
    try {
      return await (await fetch(await server.getUrl())).json();
    } finally {
      await server.close();
    }
  },
};

const sandbox = createSandbox();
let requests = 0;
let begun;
const client = new MainClient({ ...sandbox, on: { request: () => requests++ } });
const page = await client.users.list({ per_page: 10 });
const VALUES = {
  page: () => page,
  "a page within": () => ({ nested: [page] }),
  list: () => client.users.list({ per_page: 10 }),
  client: () => client,
  call: () => {
    begun = client.users.get(1);
    return begun;
  },
};

// In development, React warns about properties that are not enumerable.
console.error = () => undefined;
for (const [way, write] of Object.entries(WAYS)) {
  for (const [what, value] of Object.entries(VALUES)) {
    requests = 0;
    const late = new Promise((_, reject) => setTimeout(reject, 30_000, new Error("endless")).unref());
    const said = { way, what, users: 0, key: false, refused: null };
    try {
      const text = JSON.stringify(await Promise.race([write(value), late]));
      said.users = new Set(text.match(/\\?"email\\?":\\?"[^"]+/g)).size;
      said.key = text.includes(sandbox.apiKey);
    } catch (error) {
      said.refused = String(error?.message ?? error).slice(0, 200);
    }
    // A call that a serializer refuses is sent anyway; its request must not count for the next value.
    await begun;
    console.log(JSON.stringify({ ...said, requests }));
  }
}
process.exit(0);
