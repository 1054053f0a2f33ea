import { describe, expect, test } from "vitest";
import { ConfigurationError, MainClient } from "../../src/index.js";
import { createProxyHandler, type ProxyOptions } from "../../src/proxy/index.js";
import { chain, read } from "./support.js";

const ALLOW = ["courses.get"] as const;

describe("CORS and caching", () => {
  const ORIGIN = "https://www.school.example";
  const get = (url: string, origin: string, more: RequestInit = {}) =>
    read(fetch(`${url}/api/v1/courses/1`, { ...more, headers: { origin, ...more.headers } }));

  test("pages of the listed origins may read responses with Link and Total; others may not", async () => {
    const { url } = await chain({ allow: ALLOW, cors: { origins: [ORIGIN] } });
    const { headers } = await get(url, ORIGIN);
    expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(headers.get("access-control-expose-headers")).toBe("link, retry-after, total");
    expect(headers.get("vary")).toBe("origin");
    const other = await get(url, "https://evil.example");
    expect([other.headers.get("access-control-allow-origin"), other.headers.get("vary")]).toEqual([null, "origin"]);
  });

  test("a preflight is answered without a request to the service, and permits the page's client", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, cors: "*" });
    const asked = { "access-control-request-method": "GET", "access-control-request-headers": "authorization" };
    const { status, headers } = await get(url, ORIGIN, { method: "OPTIONS", headers: asked });
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-headers")).toContain("authorization");
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD");
    expect(sandbox.requests).toEqual([]);
  });

  test("the page can also read errors; without the option nothing is permitted", async () => {
    const open = await chain({ allow: ALLOW, cors: "*" });
    const answer = await fetch(`${open.url}/api/v1/accounts`, { headers: { origin: ORIGIN } });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([403, "*"]);
    const closed = await chain({ allow: ALLOW });
    const { headers } = await get(closed.url, ORIGIN);
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("the configured headers are added to successful responses, and errors are not cached", async () => {
    const { url } = await chain({ allow: ALLOW, headers: { "Cache-Control": "public, max-age=60" } });
    expect((await get(url, ORIGIN)).headers.get("cache-control")).toBe("public, max-age=60");
    expect((await fetch(`${url}/api/v1/accounts`)).headers.get("cache-control")).toBe("no-store");
  });
});

describe("options that are refused", () => {
  const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key" });
  test.each([
    [{ allow: [] }, "at least one operation"],
    [{ allow: ["course.list"] }, 'did you mean "courses.list"?'],
    [{ allow: ["courses.lst"] }, 'did you mean "courses.list"?'],
    [{ allow: ["nonsense"] }, /does not have$/],
    [{ allow: ["invoices.open"] }, '"invoices.open", which writes'],
    [{ allow: ["certificates.list"] }, "an operation that this client does not have"],
    [{ allow: ["courses.list"], alow: 1 }, 'option alow is unknown; did you mean "allow"?'],
    [{ allow: ["courses.list"], share: 0 }, "share"],
    [{ allow: ["courses.list"], share: 1.1 }, "share"],
    [{ allow: ["courses.list"], totalTimeout: 0 }, "totalTimeout"],
    [{ allow: ["courses.list"], windowMs: -1 }, "windowMs"],
    [{ allow: ["courses.list"], windowMs: Infinity }, "windowMs"],
    [{ allow: ["courses.list"], basePath: "school" }, "basePath"],
    [{ allow: ["courses.list"], onError: 1 }, "onError"],
    [{ allow: ["courses.list"], cors: { origins: ["www.school.example"] } }, "cors"],
    [{ allow: ["courses.list"], cors: { origins: ["https://www.school.example/"] } }, "cors"],
    [{ allow: ["courses.list"], headers: { "a b": "c" } }, "headers"],
    [{ allow: ["courses.list"], headers: { "Access-Control-Allow-Origin": "*" } }, "access-control-allow-origin"],
    [undefined, "options"],
  ])("%j", (options, message) => {
    const make = () => createProxyHandler(client, options as unknown as ProxyOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
  });

  test("a value that is not a client", () => {
    const make = () => createProxyHandler({} as MainClient, { allow: ["courses.list"] });
    expect(make).toThrow("The client must be a MainClient, an AdminClient or an OrganizationClient");
  });
});
