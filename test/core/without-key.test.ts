import { afterEach, describe, expect, it, vi } from "vitest";
import { ConfigurationError, MainClient, OrganizationClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { options } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe("a client without a key", () => {
  it("sends no Authorization, even if the environment has a key", async () => {
    vi.stubEnv("EDUCATION_ADMIN_API_KEY", "key-of-the-environment");
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    await new MainClient(options({ apiKey: null, fetch })).accounts.get(7);
    await new MainClient(options({ apiKey: undefined, fetch })).accounts.get(7);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([undefined, "Bearer key-of-the-environment"]);
  });

  it("accepts none in the headers", () => {
    expect(() => new MainClient(options({ apiKey: null, headers: { AUTHORIZATION: "Bearer x" } }))).toThrow(
      ConfigurationError,
    );
  });

  it("shares the budget of its address with other clients without a key, and with no token", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const of = (apiKey: string | null, baseUrl = "https://public.example") =>
      new MainClient({ baseUrl, apiKey, fetch, clock, rateLimit: { requests: 4, reserve: 0 } });
    const [one, other, keyed, elsewhere] = [of(null), of(null), of("key"), of(null, "https://other.example")];
    expect(one.rateLimit).toMatchObject({ used: 0 });
    await one.accounts.get(1);
    await other.accounts.get(2);
    await new OrganizationClient({ baseUrl: "https://public.example", apiKey: null, fetch, clock }).request({
      method: "GET",
      path: "api/v1/courses",
    });
    expect([one, other, keyed, elsewhere].map(({ rateLimit }) => rateLimit.used)).toEqual([3, 3, 0, 0]);
    const waiting = [one.accounts.get(3), other.accounts.get(4)];
    await until(() => other.rateLimit.queued === 1);
    await Promise.all([keyed.accounts.get(5), elsewhere.accounts.get(6)]);
    expect(calls).toHaveLength(6);
    await clock.run(Promise.all(waiting));
  });

  it.each([401, 403, 404])("learns first that it has no key: %i", async (status) => {
    const { fetch } = recordingFetch(() => jsonResponse(errorBody(status, "No"), status));
    const error = await failure(new MainClient(options({ apiKey: null, fetch })).accounts.get(7));
    expect(error.message).toMatch(/: No\. Likely reasons: the client has no API key \(apiKey: null\)/);
  });

  it("requests no key after a refusal", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(errorBody(401), 401));
    await failure(new MainClient(options({ apiKey: null, fetch })).accounts.get(7));
    expect(calls).toHaveLength(1);
  });
});

describe("a key that worked before", () => {
  const refuse = (status: number) => jsonResponse(errorBody(status, "No"), status);
  const likely = async (statusOf: (at: number) => number) => {
    const clock = new ManualClock();
    const { fetch } = recordingFetch(({ index, url }) => {
      const status = statusOf(index);
      return status === 200 ? jsonResponse(/\d$/.test(url.pathname) ? accountRecord() : []) : refuse(status);
    });
    const client = new MainClient(options({ fetch, clock, rateLimit: false }));
    return { client, clock };
  };

  it("has expired according to a 401 in any operation", async () => {
    const { client, clock } = await likely((at) => (at === 0 ? 200 : 401));
    await client.accounts.get(7);
    await clock.advance(21 * 86_400_000);
    const { message } = await failure(client.invoices.get(7));
    expect(message).toMatch(/Likely reasons: the API key, which worked at 2026-01-05T12:00:00.000Z, has expired/);
  });

  it.each([403, 404])("has lost rights according to a %i, but only in an operation that worked", async (status) => {
    const { client } = await likely((at) => (at === 0 ? 200 : status));
    await client.accounts.get(7);
    expect((await failure(client.accounts.get(8))).message).toContain("which worked at 2026-01-05T12:00:00.000Z");
    expect((await failure(client.invoices.get(8))).message).not.toContain("which worked at");
  });

  it("is not mentioned for a new key", async () => {
    let key = "first";
    const { fetch } = recordingFetch(({ index }) => (index === 0 ? jsonResponse(accountRecord()) : refuse(401)));
    const client = new MainClient(options({ fetch, apiKey: () => key, rateLimit: false }));
    await client.accounts.get(7);
    key = "second";
    expect((await failure(client.accounts.get(7))).message).not.toContain("which worked at");
  });
});

describe.each([
  ["a page", { document: {} }],
  ["a worker of a page or an extension", { document: undefined, navigator: { userAgent: "Mozilla/5.0 (X11; Linux)" } }],
])("in %s", (_, globals) => {
  const page = () => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  };

  it.each<[what: string, apiKey: string | (() => string)]>([
    ["a key", "secret-key"],
    ["a key function", () => "secret-key"],
  ])("%s is refused, and the error names the proxy", (_, apiKey) => {
    page();
    expect(() => new MainClient(options({ apiKey }))).toThrow(/^The option apiKey .*createProxyHandler.*browser\.md/);
    expect(() => new MainClient(options({ apiKey }))).not.toThrow(/secret-key/);
    expect(() => new MainClient(options({ apiKey, dangerouslyAllowBrowser: false }))).toThrow(ConfigurationError);
    expect(new MainClient(options({ apiKey, dangerouslyAllowBrowser: true })).baseUrl).toBe("https://school.example");
  });

  it("a key is accepted if the runtime names itself as a server", () => {
    for (const userAgent of ["Node.js/24", "Deno/2.5.0", "Bun/1.3.0", "Cloudflare-Workers", undefined]) {
      vi.stubGlobal("navigator", { userAgent });
      expect(new MainClient(options({ apiKey: "secret-key" })).baseUrl).toMatch(/^https:/);
    }
  });

  it("null and the options of a sandbox are accepted", () => {
    page();
    const sandbox = createSandbox();
    for (const given of [options({ apiKey: null }), sandbox, { ...sandbox }, sandbox.main, sandbox.admin]) {
      expect(new MainClient(given).baseUrl).toMatch(/^https:/);
    }
  });
});
