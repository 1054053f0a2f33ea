import { request as rawRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { createProxyHandler } from "../../src/proxy/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ALLOW, adminOf, chain, reachedOperations, refusal } from "./support.js";

describe("requests refused without a request to the service", () => {
  const CASES: [what: string, method: string, path: string, status: number][] = [
    ["another operation", "GET", "/school/api/v1/accounts", 403],
    ["another record of an allowed list", "GET", "/school/api/v1/catalog/products/1", 403],
    ["the Organization API", "GET", "/school/api/organization/courses", 403],
    ["no API at all", "GET", "/school/courses", 404],
    ["a double slash", "GET", "/school/api/v1//courses", 403],
    ["a trailing slash", "GET", "/school/api/v1/courses/", 403],
    ["a way out by dots", "GET", "/school/api/v1/courses/../accounts", 403],
    ["a way out by encoded dots", "GET", "/school/api/v1/courses/%2e%2e/accounts", 403],
    ["an encoded slash", "GET", "/school/api/v1/courses/1%2Fedit", 403],
    ["an encoded backslash", "GET", "/school/api/v1/courses/1%5Cedit", 403],
    ["a slash encoded twice", "GET", "/school/api/v1/courses/1%252Fedit", 403],
    ["a broken encoding", "GET", "/school/api/v1/courses/%E0%A4", 403],
    ["an identifier that is none", "GET", "/school/api/v1/accounts/abc", 400],
    ["a query inside the path", "GET", "/school/api/v1/accounts/1%3Fa=1", 400],
    ["an identifier with a decimal", "GET", "/school/api/v1/accounts/7.0", 400],
    ["an identifier with a zero before it", "GET", "/school/api/v1/courses/07", 400],
    ["an identifier with a decimal where a slug may be", "GET", "/school/api/v1/courses/7.0", 400],
    ["an identifier and more", "GET", "/school/api/v1/courses/7;x", 400],
    ["a query where a slug may be", "GET", "/school/api/v1/courses/7%3Fper_page=1", 400],
    ["a negative identifier", "GET", "/school/api/v1/courses/-7", 400],
    ["two identifiers", "GET", "/school/api/v1/courses/7,8", 400],
    ["a blank behind an identifier", "GET", "/school/api/v1/courses/7%20", 400],
    ["an unknown filter", "GET", "/school/api/v1/courses?account_id=1", 400],
    ["a filter named as a prototype", "GET", "/school/api/v1/courses?__proto__=1", 400],
    ["a parameter of a single read", "GET", "/school/api/v1/courses/1?per_page=1", 400],
    ["a value that is not on the list", "GET", "/school/api/v1/catalog/products?published=maybe", 400],
    ["too large a page", "GET", "/school/api/v1/courses?per_page=101", 400],
    ["a page size given twice", "GET", "/school/api/v1/courses?per_page=1&per_page=100", 400],
    ["a write", "POST", "/school/api/v1/courses", 405],
    ["a deletion", "DELETE", "/school/api/v1/courses/1", 405],
    ["a method nobody knows", "PURGE", "/school/api/v1/courses", 405],
    ["a method that fetch cannot have", "TRACE", "/school/api/v1/courses", 405],
  ];

  test.each(CASES)("%s: %s %s", async (_, method, path, status) => {
    const { sandbox, url } = await chain({ allow: [...ALLOW, "accounts.get"] });
    // Avoids fetch, which normalizes paths.
    const answer = await send(new URL(url).port, method, path);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ errors: expect.any(Object), code: status, message: expect.any(String) });
    expect(sandbox.requests).toEqual([]);
  });

  test("the name of another list is not mistaken for a record's slug", async () => {
    const sandbox = createSandbox({ size: "small" });
    const handler = createProxyHandler(adminOf(sandbox), { allow: ["orders.get"] });
    const ask = async (path: string) => (await handler(new Request(`https://my-site.example/api/v1/${path}`))).status;
    expect(await ask("orders/comments")).toBe(403);
    expect(sandbox.requests).toEqual([]);
    expect(await ask("orders/1")).toBe(200);
  });

  test("a slug may have any letters, and an invalid one does not count toward the share", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, share: 0.01 }, { server: { rateLimit: { requests: 100 } } });
    for (let time = 0; time < 3; time++) expect((await fetch(`${url}/api/v1/courses/7;x`)).status).toBe(400);
    const { slug } = sandbox.store.courses.get(7) as { slug: string };
    expect((await fetch(`${url}/api/v1/courses/${slug}`)).status).toBe(200);
    const other = await chain({ allow: ALLOW });
    expect((await fetch(`${other.url}/api/v1/courses/größe_2.~`)).status).toBe(404);
    expect(reachedOperations(other.sandbox)).toEqual(["courses.get"]);
  });

  test("each wrong parameter is named, but not its value", async () => {
    const { url } = await chain({ allow: ALLOW });
    const answer = await refusal(fetch(`${url}/api/v1/catalog/products?category_id=secret&per_page=0`));
    expect(answer).toEqual({
      status: 400,
      body: {
        errors: { category_id: ["must be an identifier: a positive whole number"], per_page: ["must be at least 1"] },
        code: 400,
        message: "A parameter or filter is not allowed",
      },
    });
    const unknown = await refusal(fetch(`${url}/api/v1/courses?api_key=x&published=published`));
    expect(unknown.body).toMatchObject({ errors: { api_key: ["is not a known filter"] } });
  });

  test("with basePath, only paths directly below it are served", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, basePath: "/school/" });
    const { origin } = new URL(url);
    expect((await fetch(`${origin}/school/api/v1/courses/1`)).status).toBe(200);
    expect((await fetch(`${origin}/other/api/v1/courses/1`)).status).toBe(404);
    expect((await fetch(`${origin}/school/more/api/v1/courses/1`)).status).toBe(403);
    expect(reachedOperations(sandbox)).toEqual(["courses.get"]);
  });
});

// Sends a path as written; fetch and URL would normalize it.
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
