import { describe, expect, test, vi } from "vitest";
import { MainClient, NotFoundError, RateLimitError } from "../../src/index.js";
import { createProxyHandler } from "../../src/proxy/index.js";
import { failure, until } from "../support/manual-clock.js";
import { json, serve } from "../support/server.js";
import { ALLOW, chain, refusal } from "./support.js";

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
    { service: 200, path: "catalog/products", page: 422 },
  ])("for $path the service's $service becomes $page, and the server's owner learns the reason", async (row) => {
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

  test("a 200 with an error body gets the status that the body names", async () => {
    const service = await serve((_, response) => json(response, 200, { errors: {}, code: 404, message: "Not here" }));
    const server = new MainClient({ baseUrl: service.url, apiKey: "key-of-hidden-error" });
    const handler = createProxyHandler(server, { allow: ["catalogProducts.get"] });
    const answer = await refusal(handler(new Request("https://my-site.example/api/v1/catalog/products/1")));
    expect(answer).toEqual({ status: 404, body: { errors: {}, code: 404, message: "Not Found" } });
  });

  test.each([
    [400, 400],
    [422, 422],
    [500, 502],
  ])(
    "%d keeps its status if the body names another: a page would take a 404 for a deleted record",
    async (status, expected) => {
      const service = await serve((_, response) =>
        json(response, status, { errors: {}, code: 404, message: "Not here" }),
      );
      const server = new MainClient({ baseUrl: service.url, apiKey: `key-of-${status}`, retry: false });
      const handler = createProxyHandler(server, { allow: ["catalogProducts.get"] });
      const answer = await handler(new Request("https://my-site.example/api/v1/catalog/products/1"));
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([expected, null]);
    },
  );

  test("a visitor who leaves aborts the request, and no error is reported", async () => {
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
    // The aborted request no longer counts as concurrent.
    expect((await server.courses.get(1)).id).toBe(1);
  });

  test("the page's client throws the error that matches the status", async () => {
    const { page } = await chain({ allow: ALLOW });
    await expect(page.courses.get(999_999)).rejects.toThrow(NotFoundError);
  });

  test.each([
    ["HTML", { html: true }, "The service gave an unexpected response"],
    ["a truncated body", { cut: true }, "The service gave an unexpected response"],
    ["a redirect to somewhere else", { status: 302 }, "The service gave an unexpected response"],
    ["a refused key", { status: 401 }, "The service gave an unexpected response"],
    ["a failure", { status: 500, message: "canary" }, "The service gave an unexpected response"],
    ["a list that is none", { body: { canary: 1 } }, "The service gave an unexpected response"],
    ["a broken connection", { reset: true }, "The service could not be reached"],
  ])("%s becomes a 502 whose message names it, even if the observer throws", async (_, fault, message) => {
    const onError = vi.fn(() => {
      throw new Error("log is full");
    });
    const { url, sandbox } = await chain({ allow: ALLOW, onError });
    sandbox.faults.next(fault);
    expect(await refusal(fetch(`${url}/api/v1/courses`))).toEqual({
      status: 502,
      body: { errors: {}, code: 502, message },
    });
    expect(onError).toHaveBeenCalledOnce();
    expect(sandbox.requests).toHaveLength(1);
  });

  test("a redirect to a record that is not allowed becomes a 502, and the server's owner learns the reason", async () => {
    const service = await serve(({ path }, response) => {
      if (path === "/api/v1/users/7") return json(response, 200, { id: 7, email: "canary@school.example" });
      response.writeHead(302, { location: "/api/v1/users/7" }).end();
    });
    const onError = vi.fn();
    const server = new MainClient({ baseUrl: service.url, apiKey: "key-of-redirect" });
    const handler = createProxyHandler(server, { allow: ["courses.get"], onError, share: 0.004 });
    const ask = () => refusal(handler(new Request("https://my-site.example/api/v1/courses/11")));
    const message = "The service gave an unexpected response";
    expect(await ask()).toEqual({ status: 502, body: { errors: {}, code: 502, message } });
    expect(onError.mock.lastCall?.[0]).toMatchObject({ code: "response_format", operation: "courses.get" });
    expect(String(onError.mock.lastCall?.[0])).toContain("redirects");
    // The share is two requests.
    expect(service.requests).toHaveLength(2);
    expect((await ask()).status).toBe(429);
  });

  test("the service's 429 is passed on at once, with its Retry-After", async () => {
    const { page, url, sandbox } = await chain({ allow: ALLOW });
    sandbox.faults.next({ retryAfter: 120 });
    const answer = await fetch(`${url}/api/v1/courses`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "120"]);
    const error = await failure<RateLimitError>(page.courses.get(1));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterMs).toBeGreaterThan(100_000);
    expect(sandbox.requests).toHaveLength(1);
  });

  test("a service that does not respond becomes a 504 after totalTimeout", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, totalTimeout: 50 });
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    expect(await refusal(fetch(`${url}/api/v1/courses`))).toEqual({
      status: 504,
      body: { errors: {}, code: 504, message: "The service did not answer in time" },
    });
  });

  test("a full queue, and a wait longer than totalTimeout, become a 503 with Retry-After", async () => {
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
