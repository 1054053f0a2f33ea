import { createServer, request as rawRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MainClient, NotFoundError, OrganizationClient, RateLimitError } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createProxyHandler, toNodeHandler } from "../../src/proxy/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { failure, ManualClock, until } from "../support/manual-clock.js";
import { json, serve } from "../support/server.js";
import { adminOf, chain, reached, read, refusal, serveHandler } from "./support.js";

const ALLOW = ["catalogProducts.list", "courses.list", "courses.get"] as const;

describe("what a page reads", () => {
  test("a list of several pages is the same through the proxy as direct", async () => {
    const { page, server, sandbox } = await chain({ allow: ALLOW });
    const direct = await server.catalogProducts.list({ per_page: 4 }).toArray();
    const before = sandbox.requests.length;
    const through = await page.catalogProducts.list({ per_page: 4 }).toArray();
    expect(through).toEqual(direct);
    expect(direct.length).toBeGreaterThan(8);
    expect(sandbox.requests.length - before).toBe(Math.ceil(direct.length / 4));
  });

  test("filters, sorting and the deprecated page mode pass, in every way of writing arrays", async () => {
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
    expect(sandbox.requests.every(({ status }) => status === 200)).toBe(true);
  });

  test("numbers in a text filter stay text, identifiers become numbers, lists of one stay lists", async () => {
    const { page, sandbox } = await chain({ allow: ["catalogProducts.list", "invoices.list"] });
    await page.catalogProducts.list({ search: "7", category_id: 2 });
    await page.invoices.list({ status: ["open"], account_id: 1 });
    expect(sandbox.requests.map(({ query }) => Object.fromEntries(query))).toEqual([
      { search: "7", category_id: "2", per_page: "100" },
      { status: "open", account_id: "1", per_page: "100" },
    ]);
  });

  test("a record is read as the service sent it, unknown fields included", async () => {
    const { page, server, sandbox } = await chain({ allow: ALLOW }, { server: { on: { drift: () => undefined } } });
    expect(await page.courses.get(7)).toEqual(await server.courses.get(7));
    sandbox.faults.next({ operation: "courses.get", drift: "extra" });
    const extra = await page.courses.get(7, { validation: "off" });
    expect(Object.keys(extra).length).toBe(Object.keys(await server.courses.get(7)).length + 1);
  });

  test("a HEAD request is answered with the headers of the GET and no body", async () => {
    const { url } = await chain({ allow: ALLOW });
    const { status, headers, text } = await read(fetch(`${url}/api/v1/courses?per_page=1`, { method: "HEAD" }));
    expect([status, headers.get("content-type"), text]).toEqual([200, "application/json; charset=utf-8", ""]);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("link")).toContain("cursor=");
  });

  test("a server that strips the path it mounts the handler at changes nothing for the page's client", async () => {
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

  test("every reading operation of every API can be allowed and answers as a direct read does", async () => {
    const sandbox = createSandbox({ size: "small", rateLimit: false });
    const options = { ...sandbox, rateLimit: false, on: { drift: () => undefined } } as const;
    const main = new MainClient(options);
    for (const client of [main, adminOf(sandbox), new OrganizationClient(options)]) {
      const api = client === main ? "main" : client instanceof OrganizationClient ? "organization" : "admin";
      const rows = allOperations.filter(({ method, apis }) => method === "GET" && apis.includes(api));
      const handler = createProxyHandler(client, { allow: rows.map(({ id }) => id), share: 1 });
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
    const ask = async (allow: string[]) => {
      const handler = createProxyHandler(new MainClient(sandbox.main), { allow });
      return (await handler(new Request("https://my-site.example/api/v1/custom/objects/associations"))).status;
    };
    expect(await ask(["customObjects.get"])).toBe(404);
    expect(sandbox.requests).toEqual([]);
    await ask(["customObjects.get", "customAssociations.list"]);
    expect(reached(sandbox)).toEqual(["customAssociations.list"]);
  });
});

describe("what is refused without asking the service", () => {
  const CASES: [what: string, method: string, path: string, status: number][] = [
    ["another operation", "GET", "/school/api/v1/accounts", 404],
    ["another record of an allowed list", "GET", "/school/api/v1/catalog/products/1", 404],
    ["the Organization API", "GET", "/school/api/organization/courses", 404],
    ["no API at all", "GET", "/school/courses", 404],
    ["a double slash", "GET", "/school/api/v1//courses", 404],
    ["a trailing slash", "GET", "/school/api/v1/courses/", 404],
    ["a way out by dots", "GET", "/school/api/v1/courses/../accounts", 404],
    ["a way out by encoded dots", "GET", "/school/api/v1/courses/%2e%2e/accounts", 404],
    ["an encoded slash", "GET", "/school/api/v1/courses/1%2Fedit", 404],
    ["an encoded backslash", "GET", "/school/api/v1/courses/1%5Cedit", 404],
    ["a slash encoded twice", "GET", "/school/api/v1/courses/1%252Fedit", 404],
    ["a broken encoding", "GET", "/school/api/v1/courses/%E0%A4", 404],
    ["an identifier that is none", "GET", "/school/api/v1/courses/abc", 400],
    ["a query inside the path", "GET", "/school/api/v1/courses/1%3Fa=1", 400],
    ["an unknown filter", "GET", "/school/api/v1/courses?account_id=1", 400],
    ["a filter named as a prototype", "GET", "/school/api/v1/courses?__proto__=1", 400],
    ["a parameter of a single read", "GET", "/school/api/v1/courses/1?per_page=1", 400],
    ["a value that is not on the list", "GET", "/school/api/v1/catalog/products?published=maybe", 400],
    ["too large a page", "GET", "/school/api/v1/courses?per_page=101", 400],
    ["a page size given twice", "GET", "/school/api/v1/courses?per_page=1&per_page=100", 400],
    ["a write", "POST", "/school/api/v1/courses", 405],
    ["a deletion", "DELETE", "/school/api/v1/courses/1", 405],
    ["a method nobody knows", "PURGE", "/school/api/v1/courses", 405],
  ];

  test.each(CASES)("%s: %s %s", async (_, method, path, status) => {
    const { sandbox, url } = await chain({ allow: ALLOW });
    // Not by fetch, which tidies paths up.
    const answer = await send(new URL(url).port, method, path);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ errors: expect.any(Object), code: status, message: expect.any(String) });
    expect(sandbox.requests).toEqual([]);
  });

  test("each wrong parameter is named, without its value", async () => {
    const { url } = await chain({ allow: ALLOW });
    const answer = await refusal(fetch(`${url}/api/v1/catalog/products?category_id=secret&per_page=0`));
    expect(answer).toEqual({
      status: 400,
      body: {
        errors: { category_id: ["must be an identifier: a whole number from 1"], per_page: ["must be at least 1"] },
        code: 400,
        message: "A parameter or filter is not allowed",
      },
    });
    const unknown = await refusal(fetch(`${url}/api/v1/courses?api_key=x&published=published`));
    expect(unknown.body).toMatchObject({ errors: { api_key: ["is not a known filter"] } });
  });

  test("with basePath, only paths right below it", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, basePath: "/school/" });
    const { origin } = new URL(url);
    expect((await fetch(`${origin}/school/api/v1/courses/1`)).status).toBe(200);
    expect((await fetch(`${origin}/other/api/v1/courses/1`)).status).toBe(404);
    expect((await fetch(`${origin}/school/more/api/v1/courses/1`)).status).toBe(404);
    expect(reached(sandbox)).toEqual(["courses.get"]);
  });
});

describe("what never passes", () => {
  test("no header of a visitor reaches the service, no header or error text of the service the page", async () => {
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
      expect(answer.headers.has("set-cookie")).toBe(false);
    }
    for (const { headers: sent } of service.requests) {
      expect(sent.authorization).toBe(`Bearer ${key}`);
      expect(JSON.stringify(sent)).not.toMatch(/visitor|session|10\.0\.0\.1|x-a/);
    }
    expect(service.requests).toHaveLength(7);
  });

  test("the Link header leads back to the address that was asked for, with the visitor's filters", async () => {
    const { url } = await chain({ allow: ALLOW });
    const first = await fetch(`${url}/api/v1/catalog/products?sort=id:desc&per_page=2`);
    const target = /^<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const next = new URL(target, first.url);
    expect(next.href.startsWith(`${url}/api/v1/catalog/products?`)).toBe(true);
    expect([next.searchParams.get("sort"), next.searchParams.get("per_page")]).toEqual(["id:desc", "2"]);
    const ids = async (answer: Response) => ((await answer.json()) as { id: number }[]).map(({ id }) => id);
    expect((await ids(await fetch(next))).concat(await ids(first)).sort((a, b) => b - a)).toHaveLength(4);
  });
});

const OPERATIONS: Record<string, string> = {
  courses: "courses.list",
  "courses/1": "courses.get",
  "catalog/products": "catalogProducts.list",
};

describe("errors", () => {
  test.each([
    { service: 404, path: "courses/1", page: 404 },
    { service: 403, path: "courses/1", page: 404 },
    { service: 403, path: "courses", page: 502 },
    { service: 401, path: "courses/1", page: 502 },
    { service: 400, path: "courses", page: 400 },
    { service: 422, path: "courses", page: 422 },
    { service: 500, path: "courses", page: 502 },
    { service: 200, path: "catalog/products", page: 502 },
  ])("$service of the service for $path becomes $page, and the server's owner learns why", async (row) => {
    const onError = vi.fn();
    const { url, sandbox } = await chain({ allow: ALLOW, onError });
    sandbox.faults.next({ status: row.service, count: 2 });
    const { status, body } = await refusal(fetch(`${url}/api/v1/${row.path}`));
    expect(status).toBe(row.page);
    expect(body).toEqual({ errors: {}, code: row.page, message: expect.any(String) });
    expect(onError).toHaveBeenCalledOnce();
    expect(onError.mock.calls[0]?.[0]).toMatchObject({
      operation: OPERATIONS[row.path],
    });
  });

  test("a success that hides an error body gets the status the body names", async () => {
    const service = await serve((_, response) => json(response, 200, { errors: {}, code: 404, message: "Not here" }));
    const server = new MainClient({ baseUrl: service.url, apiKey: "key-of-hidden-error" });
    const handler = createProxyHandler(server, { allow: ["catalogProducts.get"] });
    const answer = await refusal(handler(new Request("https://my-site.example/api/v1/catalog/products/1")));
    expect(answer).toEqual({ status: 404, body: { errors: {}, code: 404, message: "Not Found" } });
  });

  test("a visitor who leaves ends the request, and nothing is reported", async () => {
    const onError = vi.fn();
    const { handler, sandbox, server } = await chain(
      { allow: ALLOW, onError, totalTimeout: 60_000 },
      { server: { rateLimit: { concurrency: 1 } } },
    );
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    const visitor = new AbortController();
    const { signal } = visitor;
    const answer = handler(new Request("https://my-site.example/api/v1/courses/1", { signal }));
    await until(() => sandbox.requests.length === 1);
    visitor.abort();
    await answer;
    expect(onError).not.toHaveBeenCalled();
    // Its place among the requests at once is free again.
    expect((await server.courses.get(1)).id).toBe(1);
  });

  test("the page's client throws the error of the status", async () => {
    const { page } = await chain({ allow: ALLOW });
    await expect(page.courses.get(999_999)).rejects.toThrow(NotFoundError);
  });

  test("a service that cannot be reached, sends HTML or a cut body is 502; an observer that throws changes nothing", async () => {
    const onError = vi.fn(() => {
      throw new Error("log is full");
    });
    const { url, sandbox } = await chain({ allow: ALLOW, onError });
    sandbox.faults.next({ html: true });
    sandbox.faults.next({ cut: true });
    sandbox.faults.next({ reset: true });
    for (let time = 0; time < 3; time++) expect((await fetch(`${url}/api/v1/courses`)).status).toBe(502);
    expect(onError).toHaveBeenCalledTimes(3);
    expect(sandbox.requests).toHaveLength(3);
  });

  test("429 of the service is passed on at once, with its Retry-After", async () => {
    const { page, url, sandbox } = await chain({ allow: ALLOW });
    sandbox.faults.next({ retryAfter: 120 });
    const answer = await fetch(`${url}/api/v1/courses`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "120"]);
    const error = await failure<RateLimitError>(page.courses.get(1));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterMs).toBeGreaterThan(100_000);
    expect(sandbox.requests).toHaveLength(1);
  });

  test("a service that does not answer is 504 after totalTimeout", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, totalTimeout: 50 });
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    expect(await refusal(fetch(`${url}/api/v1/courses`))).toEqual({
      status: 504,
      body: { errors: {}, code: 504, message: "The service did not answer in time" },
    });
  });

  test("a full queue, and a turn that does not come within totalTimeout, are 503 with Retry-After", async () => {
    const limits = { rateLimit: { concurrency: 1, queueLimit: 1 } };
    const { url, server, sandbox } = await chain({ allow: ALLOW, totalTimeout: 50 }, { server: limits });
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    const integration = new AbortController();
    const own = failure(server.courses.get(1, { signal: integration.signal }));
    await until(() => sandbox.requests.length === 1);
    const answers = await Promise.all([1, 2].map((id) => fetch(`${url}/api/v1/courses/${id}`)));
    expect(answers.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([
      [503, "5"],
      [503, "5"],
    ]);
    integration.abort();
    await own;
    expect(sandbox.requests).toHaveLength(1);
  });
});

describe("the share of the request budget", () => {
  test("visitors use up their share, the integration goes on, and places come back a window later", async () => {
    const clock = new ManualClock();
    const server = { rateLimit: { requests: 10, reserve: 0 } };
    const { url, sandbox, server: own } = await chain({ allow: ALLOW, share: 0.3, clock }, { server });
    const ask = async () => (await fetch(`${url}/api/v1/courses/1`)).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
    await clock.advance(100_000);
    const refused = await fetch(`${url}/api/v1/courses/1`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "200"]);
    for (let time = 0; time < 7; time++) await own.courses.get(1);
    expect(sandbox.requests).toHaveLength(10);
    await clock.advance(200_000);
    // The share is free again; the client's own window, on the machine's clock, is not.
    expect(await ask()).toBe(429);
    expect(sandbox.requests).toHaveLength(10);
  });

  test("requests at once never pass the share, and what was not sent does not count", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, share: 0.01 });
    for (let time = 0; time < 9; time++) await fetch(`${url}/api/v1/courses?published=maybe`);
    const answers = await Promise.all(Array.from({ length: 12 }, () => fetch(`${url}/api/v1/courses/1`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(sandbox.requests).toHaveLength(5);
  });

  test("a request that is sent twice because the key was renewed counts twice", async () => {
    const keys = ["expired", "renewed"];
    const service = await serve((seen, response) => {
      if (seen.headers.authorization === "Bearer renewed") return json(response, 200, []);
      return json(response, 401, { errors: {}, code: 401, message: "Expired" });
    });
    const server = new MainClient({ baseUrl: service.url, apiKey: () => keys.shift() ?? "renewed" });
    const handler = createProxyHandler(server, { allow: ALLOW, share: 0.006 });
    const ask = async () => (await handler(new Request("https://my-site.example/api/v1/courses"))).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    expect(service.requests).toHaveLength(3);
  });

  test("visitors go last when the window is nearly used up", async () => {
    const { url, server, sandbox } = await chain(
      { allow: ALLOW, share: 1 },
      { server: { rateLimit: { requests: 4, reserve: 0.5 } } },
    );
    const ask = async () => (await fetch(`${url}/api/v1/courses/1`)).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    await server.courses.get(1);
    expect(sandbox.requests).toHaveLength(3);
  });
});

// Sends a path as it is written; fetch and URL would tidy it up.
function send(port: string, method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    rawRequest({ host: "127.0.0.1", port, method, path }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += String(chunk);
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end();
  });
}
