import { type IncomingMessage, request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { listen, type SandboxServer } from "../../src/sandbox/node.js";

let server: SandboxServer | undefined;
afterEach(() => server?.close());

describe("a sandbox served over HTTP", () => {
  test("closes at the end of an `await using` block", async () => {
    const sandbox = createSandbox({ size: 1 });
    const get = (url: string) => new MainClient({ ...sandbox, fetch, baseUrl: url, retry: false }).accounts.get(1);
    let url: string;
    {
      await using server = await listen(sandbox);
      url = server.url;
      expect(await get(url)).toMatchObject({ id: 1 });
    }
    await expect(get(url)).rejects.toMatchObject({ code: "connection" });
  });

  test("a client reads all its accounts, page by page", async () => {
    const sandbox = createSandbox({ size: 230 });
    server = await listen(sandbox);
    const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey, validation: "strict" });
    const ids: number[] = [];
    for await (const account of client.accounts.list()) ids.push(account.id);
    expect(ids).toEqual(Array.from({ length: 230 }, (_, index) => index + 1));
    expect(sandbox.requests.map(({ operation, status }) => [operation, status])).toEqual([
      ["accounts.list", 200],
      ["accounts.list", 200],
      ["accounts.list", 200],
    ]);
  });

  test.each([
    [51, 413],
    [10, 403],
  ])("it responds to a body of %i MB with %i", async (megabytes, status) => {
    server = await listen(createSandbox({ size: "small" }));
    const body = new Uint8Array(megabytes * 1_000_000);
    const response = await fetch(`${server.url}/api/v1/accounts`, { method: "POST", body });
    expect(response.status).toBe(status);
    await response.arrayBuffer();
  });

  test("a reset gives clients of the same process their whole budget", async () => {
    const sandbox = createSandbox({ size: 5, rateLimit: false });
    server = await listen(sandbox);
    const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey, rateLimit: { requests: 5 } });
    for (let sent = 0; sent < 5; sent++) await client.accounts.get(1);
    expect(client.rateLimit.used).toBe(5);
    sandbox.reset();
    expect(client.rateLimit).toMatchObject({ used: 0, resetAt: null });
    expect((await client.accounts.get(1, { totalTimeout: 60_000 })).id).toBe(1);
  });

  test.each([
    ["0.0.0.0", /^http:\/\/127\.0\.0\.1:\d+$/],
    ["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/],
    ["localhost", /^http:\/\/localhost:\d+$/],
  ])("on %s it reports an address that a client accepts", async (host, url) => {
    const sandbox = createSandbox({ size: 5 });
    server = await listen(sandbox, { host });
    expect(server.url).toMatch(url);
    expect((await new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey }).accounts.get(1)).id).toBe(1);
  });

  test("it responds 404 below any path prefix except that of its own base URL", async () => {
    const sandbox = createSandbox({ size: 5, baseUrl: "https://school.example/office" });
    server = await listen(sandbox);
    const at = (path: string) => new MainClient({ baseUrl: `${server?.url}${path}`, apiKey: sandbox.apiKey });
    expect((await at("").accounts.get(1)).id).toBe(1);
    expect((await at("/office").accounts.get(1)).id).toBe(1);
    await expect(at("/wrong").accounts.get(1)).rejects.toMatchObject({
      status: 404,
      apiMessage: "Not Found: the paths of this sandbox begin with /office/api/ or /api/",
    });
  });

  test("a cut response and a broken connection reach the client as such, and a read survives both", async () => {
    const sandbox = createSandbox({ size: 5 });
    server = await listen(sandbox);
    const client = new MainClient({
      baseUrl: server.url,
      apiKey: sandbox.apiKey,
      retry: { limit: 2, backoffLimit: 1 },
    });
    sandbox.faults.next({ cut: true });
    sandbox.faults.next({ reset: true });
    const { data, response } = await client.accounts.get(5).withResponse();
    expect(data.id).toBe(5);
    expect(response.attempts).toBe(3);
  });

  test("it lets web pages of other origins in only if an option allows them", async () => {
    const sandbox = createSandbox({ size: 40 });
    server = await listen(sandbox, { cors: true });
    const preflight = await fetch(`${server.url}/api/v1/accounts`, {
      method: "OPTIONS",
      headers: { origin: "https://page.example", "access-control-request-method": "GET" },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([
      204,
      "authorization, content-type",
    ]);
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, origin: "https://page.example" };
    const answer = await fetch(`${server.url}/api/v1/accounts`, { headers });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-expose-headers")).toBe("link, retry-after, total, x-request-id");
    expect(await answer.json()).toHaveLength(25);
    await server.close();
    server = await listen(sandbox);
    const closed = await fetch(`${server.url}/api/v1/accounts`, { headers });
    expect(closed.headers.get("access-control-allow-origin")).toBeNull();
  });

  test.each([
    ["GET", "a body", 200],
    ["HEAD", null, 200],
    ["HEAD", "a body", 200],
    ["TRACE", null, 405],
    ["OPTIONS", null, 404],
  ])("it responds to %s with the body %j", async (method, body, status) => {
    const sandbox = createSandbox({ size: 5 });
    server = await listen(sandbox);
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, ...(body && { "content-length": body.length }) };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(`${server?.url}/api/v1/accounts`, { method, headers }, resolve);
      sent.on("error", reject);
      sent.end(body ?? undefined);
    });
    answer.resume();
    expect(answer.statusCode).toBe(status);
  });

  test("HEAD returns the headers of a GET without its body, in memory too", async () => {
    const sandbox = createSandbox({ size: 5 });
    server = await listen(sandbox);
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    const ask = (method: string, path: string) =>
      [fetch, sandbox.fetch].map((one) => one(`${server?.url}/api/v1/${path}`, { method, headers }));
    const [got, inMemory] = await Promise.all(ask("GET", "accounts"));
    for (const head of await Promise.all(ask("HEAD", "accounts"))) {
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect(head.headers.get("content-type")).toBe(got?.headers.get("content-type"));
      expect(head.headers.get("total")).toBe(inMemory?.headers.get("total"));
    }
    for (const gone of await Promise.all(ask("HEAD", "accounts/999"))) expect(gone.status).toBe(404);
  });

  test("close ends connections that wait for a response", async () => {
    const sandbox = createSandbox();
    const closing = await listen(sandbox);
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    const waiting = fetch(`${closing.url}/api/v1/accounts`, { headers: { authorization: `Bearer ${sandbox.apiKey}` } });
    await expect.poll(() => sandbox.requests.length).toBe(1);
    await closing.close();
    await expect(waiting).rejects.toThrow();
  });
});
