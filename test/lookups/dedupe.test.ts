import { describe, expect, it } from "vitest";
import { isEducationAdminError, type MainClient, NotFoundError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, json, type Seen, serve } from "../support/server.js";

const idOf = ({ path }: Seen) => Number(/accounts\/(\d+)/.exec(path)?.[1]);

// A server that keeps requests until they are let go.
async function held() {
  const answers: (() => void)[] = [];
  const server = await serve((request, response) => {
    const id = idOf(request);
    answers.push(() =>
      id > 1_000 ? json(response, 404, errorBody(404, "Not Found")) : json(response, 200, accountRecord(id)),
    );
  });
  const letGo = () => {
    for (const answer of answers.splice(0)) answer();
  };
  return { server, letGo };
}

const clientOf = (url: string, options = {}): MainClient => mainClient({ baseUrl: url, dedupe: true, ...options });

describe("dedupe", () => {
  it("sends 10,000 gets of 100 accounts as 100 requests", async () => {
    const server = await serve((request, response) => json(response, 200, accountRecord(idOf(request))));
    const client = clientOf(server.url);
    const accounts = await Promise.all(Array.from({ length: 10_000 }, (_, at) => client.accounts.get((at % 100) + 1)));
    expect(server.requests).toHaveLength(100);
    expect(accounts.map(({ id }) => id)).toEqual(Array.from({ length: 10_000 }, (_, at) => (at % 100) + 1));
    expect(new Set(accounts).size, "values of their own").toBe(10_000);
  });

  it("gives each caller a value that no other caller's changes reach", async () => {
    const { server, letGo } = await held();
    const client = clientOf(server.url);
    const calls = [client.accounts.get(7), client.accounts.get(7)] as const;
    await until(() => server.requests.length === 1);
    letGo();
    const [first, second] = await Promise.all(calls);
    first.label_ids.push(99);
    expect(second).toEqual(accountRecord(7));
  });

  it("asks again after a write of the client, as the read in flight may not show it", async () => {
    const held: (() => void)[] = [];
    const names = ["before"];
    const { fetch, calls } = recordingFetch(async ({ init, body }) => {
      if (init.method === "PUT") names.push(JSON.parse(String(body)).name);
      const name = names.at(-1);
      if (calls.length === 1) await new Promise<void>((resolve) => held.push(resolve));
      return jsonResponse({ ...accountRecord(7), name });
    });
    const client = mainClient({ fetch, dedupe: true });
    const early = client.accounts.get(7);
    await until(() => calls.length === 1);
    const meanwhile = client.accounts.get(7);
    await client.accounts.update(7, { name: "after" });
    expect((await client.accounts.get(7)).name).toBe("after");
    for (const letGo of held) letGo();
    expect([(await early).name, (await meanwhile).name]).toEqual(["before", "before"]);
    expect(calls).toHaveLength(3);
  });

  it("asks again once the answer has come", async () => {
    const server = await serve((request, response) => json(response, 200, accountRecord(idOf(request))));
    const client = clientOf(server.url);
    await client.accounts.get(7);
    await client.accounts.get(7);
    expect(server.requests).toHaveLength(2);
  });

  it("ends one caller's call with its abort, and no other's", async () => {
    const { server, letGo } = await held();
    const client = clientOf(server.url);
    const controller = new AbortController();
    const aborted = client.accounts.get(7, { signal: controller.signal });
    const other = client.accounts.get(7);
    await until(() => server.requests.length === 1);
    controller.abort(new Error("no longer needed"));
    expect(await failure(aborted)).toBe(controller.signal.reason);
    letGo();
    expect((await other).id).toBe(7);
  });

  it("ends the request when every caller has aborted; the next call sends its own", async () => {
    const { server, letGo } = await held();
    const client = clientOf(server.url);
    const controller = new AbortController();
    const { signal } = controller;
    const calls = [client.accounts.get(7, { signal }), client.accounts.get(7, { signal })];
    await until(() => server.requests.length === 1);
    controller.abort(new Error("no longer needed"));
    for (const call of calls) expect(await failure(call)).toBe(signal.reason);
    const next = client.accounts.get(7);
    await until(() => server.requests.length === 2);
    letGo();
    expect((await next).id).toBe(7);
  });

  it("gives each caller an error of its own", async () => {
    const { server, letGo } = await held();
    const client = clientOf(server.url);
    const calls = [client.accounts.get(1_001), client.accounts.get(1_001)];
    await until(() => server.requests.length === 1);
    letGo();
    const errors = await Promise.all(calls.map((call) => failure(call)));
    expect(errors.every((error) => error instanceof NotFoundError && isEducationAdminError(error))).toBe(true);
    expect(errors[0]).not.toBe(errors[1]);
  });

  it("shares the pages of lists, and validates them as each caller says", async () => {
    const broken = { ...accountRecord(7), name: null };
    const server = await serve((_, response) => setTimeout(() => json(response, 200, [broken]), 20));
    const client = clientOf(server.url);
    const [loose, strict] = await Promise.all([
      client.accounts.list().toArray(),
      failure(client.accounts.list({}, { validation: "strict" }).toArray()),
    ]);
    expect(loose).toEqual([broken]);
    expect(isEducationAdminError(strict, "response_validation")).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  it("sends by itself what is not equal: another query, header, timeout, priority, a total time, a write", async () => {
    const server = await serve((request, response) => {
      const one = accountRecord(7);
      setTimeout(() => json(response, 200, /accounts$/.test(request.path) ? [one] : one), 20);
    });
    const client = clientOf(server.url);
    await Promise.all([
      client.accounts.list().first(),
      client.accounts.list({ search: "x" }).first(),
      client.accounts.get(7),
      client.accounts.get(7, { headers: { "x-trace": "1" } }),
      client.accounts.get(7, { timeout: 9_000 }),
      client.accounts.get(7, { retry: false }),
      client.accounts.get(7, { priority: "batch" }),
      client.accounts.get(7, { totalTimeout: 9_000 }),
      client.accounts.get(7, { totalTimeout: 9_000 }),
      client.accounts.update(7, { name: "Example Ltd" }),
      client.accounts.update(7, { name: "Example Ltd" }),
    ]);
    expect(server.requests).toHaveLength(11);
  });

  it("is off unless it is asked for", async () => {
    const server = await serve((request, response) => json(response, 200, accountRecord(idOf(request))));
    const client = mainClient({ baseUrl: server.url });
    await Promise.all([client.accounts.get(7), client.accounts.get(7)]);
    expect(server.requests).toHaveLength(2);
  });
});
