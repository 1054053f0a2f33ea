import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { MainClient, type OperationId, OrganizationClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createProxyHandler, toNodeHandler } from "../../src/proxy/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { json, serve } from "../support/server.js";
import { ALLOW, adminOf, chain, reachedOperations, read, serveHandler } from "./support.js";

describe("reads of a page", () => {
  test("a list of several pages is the same with and without the proxy", async () => {
    const { page, server, sandbox } = await chain({ allow: ALLOW });
    const direct = await server.catalogProducts.list({ per_page: 4 }).toArray();
    const before = sandbox.requests.length;
    const through = await page.catalogProducts.list({ per_page: 4 }).toArray();
    expect(through).toEqual(direct);
    expect(direct.length).toBeGreaterThan(8);
    expect(sandbox.requests.length - before).toBe(Math.ceil(direct.length / 4));
  });

  test("a join or lookup that needs a forbidden operation fails; no record counts as missing", async () => {
    const { page } = await chain({ allow: ["invoices.list", "accounts.list"] });
    const joined = Promise.resolve(page.invoices.list({ per_page: 1 }).with({ account: true }).first());
    await expect(joined).rejects.toMatchObject({ code: "api", status: 403, operation: "accounts.get" });
    await expect(Promise.resolve(page.accounts.getMany([1]))).rejects.toThrow("The proxy does not allow this request");
  });

  test("filters, sorting and the deprecated page mode reach the service, however arrays are written", async () => {
    const { server, url, sandbox } = await chain({ allow: ALLOW });
    const query = { published: "published", sort: ["position:desc", "id:asc"], per_page: 3 } as const;
    const direct = await server.catalogProducts.list({ ...query, sort: [...query.sort] }).toArray();
    for (const arrayFormat of ["repeat", "brackets", "comma"] as const) {
      const page = new MainClient({ baseUrl: url, apiKey: "page", arrayFormat });
      expect(await page.catalogProducts.list({ ...query, sort: [...query.sort] }).toArray()).toEqual(direct);
    }
    const page = new MainClient({ baseUrl: url, apiKey: "page" });
    const numbered = await page.catalogProducts.list({ page: 1, per_page: 4 }).toArray();
    expect(numbered).toEqual(await server.catalogProducts.list().toArray());
    expect(sandbox.requests.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test("numbers in a text filter stay text, identifiers become numbers, and lists of one value stay lists", async () => {
    const { page, sandbox } = await chain({ allow: ["catalogProducts.list", "invoices.list"] });
    await page.catalogProducts.list({ search: "7", category_id: 2 });
    await page.invoices.list({ status: ["open"], account_id: 1 });
    expect(sandbox.requests.map(({ query }) => Object.fromEntries(query))).toEqual([
      { search: "7", category_id: "2", per_page: "100" },
      { status: "open", account_id: "1", per_page: "100" },
    ]);
  });

  test("only true and false are read as booleans", async () => {
    const { page, sandbox, url } = await chain({ allow: ["enrollments.list"] });
    for (const with_canceled of [true, false]) await page.enrollments.list({ with_canceled });
    expect(sandbox.requests.map(({ query }) => Object.fromEntries(query).with_canceled)).toEqual(["true", "false"]);
    expect((await fetch(`${url}/api/v1/enrollments?with_canceled=yes`)).status).toBe(400);
  });

  test("a record arrives as the service sent it, with its unknown fields", async () => {
    const { page, server, sandbox } = await chain({ allow: ALLOW }, { server: { on: { drift: () => undefined } } });
    expect(await page.courses.get(7)).toEqual(await server.courses.get(7));
    sandbox.faults.next({ operation: "courses.get", drift: "extra" });
    const extra = await page.courses.get(8, { validation: "off" });
    expect(Object.keys(extra).length).toBe(Object.keys(await server.courses.get(8)).length + 1);
  });

  test("a HEAD request gets the headers of the GET and no body", async () => {
    const { url } = await chain({ allow: ALLOW });
    const { status, headers, text } = await read(fetch(`${url}/api/v1/courses?per_page=1`, { method: "HEAD" }));
    expect([status, headers.get("content-type"), text]).toEqual([200, "application/json; charset=utf-8", ""]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("link")).toContain("cursor=");
  });

  test("the page's client works even if the server strips the handler's path", async () => {
    const { handler, server } = await chain({ allow: ALLOW });
    const serve = toNodeHandler(handler);
    const mounted = createServer((request, response) => {
      request.url = request.url?.replace("/some/mount", "") ?? "/";
      void serve(request, response);
    });
    await new Promise<void>((resolve) => mounted.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void mounted.close());
    const { port } = mounted.address() as AddressInfo;
    const page = new MainClient({ baseUrl: `http://127.0.0.1:${port}/some/mount`, apiKey: "page" });
    const through = await page.catalogProducts.list({ per_page: 3 }).toArray();
    expect(through).toEqual(await server.catalogProducts.list().toArray());
    mounted.closeAllConnections();
  });

  test("every reading operation of every API can be allowed, and returns the same as a direct read", async () => {
    const sandbox = createSandbox({ size: "small", rateLimit: false });
    const options = { ...sandbox, rateLimit: false, on: { drift: () => undefined } } as const;
    const main = new MainClient(options);
    for (const client of [main, adminOf(sandbox), new OrganizationClient(options)]) {
      const api = client === main ? "main" : client instanceof OrganizationClient ? "organization" : "admin";
      const rows = allOperations.filter(({ method, apis }) => method === "GET" && apis.includes(api));
      const handler = createProxyHandler(client, { allow: rows.map(({ id }) => id as OperationId), share: 1 });
      for (const { id, path, apis } of rows) {
        const address = `api/${apis.includes("organization") ? "organization" : "v1"}/${path
          .replace("{object_slug}", "equipment")
          .replace("{object_type}", "accounts")
          .replace("{field_slug}", "sector")
          .replace(/\{\w+\}/g, "1")}`;
        const headers = { authorization: `Bearer ${sandbox.apiKey}` };
        const direct = await sandbox.fetch(`${sandbox.baseUrl}/${address}?per_page=100`, { headers });
        const again = direct.ok ? direct : await sandbox.fetch(`${sandbox.baseUrl}/${address}`, { headers });
        const through = await handler(new Request(`https://my-site.example/school/${address}`));
        expect([id, through.status, await through.text()]).toEqual([id, again.status, await again.text()]);
      }
    }
  });

  test("a path that belongs to two operations is read only when both are allowed", async () => {
    const sandbox = createSandbox({ size: "small" });
    const ask = async (allow: OperationId[]) => {
      const handler = createProxyHandler(new MainClient(sandbox.main), { allow });
      return (await handler(new Request("https://my-site.example/api/v1/custom/objects/associations"))).status;
    };
    expect(await ask(["customObjects.get"])).toBe(403);
    expect(sandbox.requests).toEqual([]);
    await ask(["customObjects.get", "customAssociations.list"]);
    expect(reachedOperations(sandbox)).toEqual(["customAssociations.list"]);
  });
});

describe("what the proxy does not pass on", () => {
  test("no header of a visitor reaches the service, and no header or error text of the service reaches the page", async () => {
    const key = "canary-key-4711";
    const service = await serve((seen, response) => {
      const echo = seen.headers.authorization ?? "";
      const headers = { "set-cookie": `s=${echo}`, "x-internal": echo, "x-request-id": echo, "cache-control": echo };
      const status = Number(seen.query.get("search") ?? 200);
      const link = `<${service.url}/internal/api/v1/catalog/products?cursor=next&key=${key}>; rel="next"`;
      if (status === 200) return json(response, 200, [], { ...headers, link });
      return json(response, status, { errors: { key: [echo] }, code: status, message: `Bad token ${echo}` }, headers);
    });
    const server = new MainClient({ baseUrl: service.url, apiKey: key });
    const url = await serveHandler(createProxyHandler(server, { allow: ALLOW }));
    const headers = { authorization: "Bearer visitor", cookie: "session=1", "x-forwarded-for": "10.0.0.1", "x-a": "b" };
    for (const status of [
      "",
      "?search=400",
      "?search=401",
      "?search=403",
      "?search=404",
      "?search=422",
      "?search=500",
    ]) {
      const answer = await read(fetch(`${url}/api/v1/catalog/products${status}`, { headers }));
      const shown = JSON.stringify([[...answer.headers], answer.text]);
      expect(shown).not.toContain("canary");
      expect(shown).not.toContain("internal");
      expect(shown).not.toMatch(/key|token|scope/i);
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
    for (const { headers: sent } of service.requests) {
      expect(sent.authorization).toBe(`Bearer ${key}`);
      expect(JSON.stringify(sent)).not.toMatch(/visitor|session|10\.0\.0\.1|x-a/);
    }
    expect(service.requests).toHaveLength(7);
  });

  test("the Link header leads back to the requested address, with the visitor's filters", async () => {
    const { url } = await chain({ allow: ALLOW });
    const first = await fetch(`${url}/api/v1/catalog/products?sort=id:desc&per_page=2`);
    const target = /^<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const next = new URL(target, first.url);
    expect(next.origin + next.pathname).toBe(`${url}/api/v1/catalog/products`);
    expect([next.searchParams.get("sort"), next.searchParams.get("per_page")]).toEqual(["id:desc", "2"]);
    const ids = async (answer: Response) => ((await answer.json()) as { id: number }[]).map(({ id }) => id);
    expect((await ids(await fetch(next))).concat(await ids(first)).sort((a, b) => b - a)).toHaveLength(4);
  });
});

test("a visitor who leaves aborts the read at the service, even through node:http", async () => {
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  const client = new MainClient({
    baseUrl: "https://school.example",
    apiKey: "key",
    fetch: (input, init) => {
      const { signal } = new Request(input, init);
      signal.addEventListener("abort", () => ended.resolve(signal.reason));
      asked.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  const url = await serveHandler(createProxyHandler(client, { allow: ALLOW, totalTimeout: 3_600_000 }));
  const left = new AbortController();
  const answer = fetch(`${url}/api/v1/courses/7`, { signal: left.signal });
  await asked.promise;
  left.abort();
  await expect(answer).rejects.toThrow();
  await ended.promise;
});
