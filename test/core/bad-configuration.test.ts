import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  AdminClient,
  type ClientOptions,
  ConfigurationError,
  MainClient,
  OrganizationClient,
} from "../../src/index.js";
import { Transport } from "../../src/operations.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";

const KEY = "canary-key-4711";

beforeEach(() => {
  vi.stubEnv("EDUCATION_ADMIN_BASE_URL", "");
  vi.stubEnv("EDUCATION_ADMIN_API_KEY", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function construct(options: object): ConfigurationError {
  const thrown: unknown[] = [];
  for (const Client of [MainClient, AdminClient, OrganizationClient]) {
    try {
      new Client(options as ClientOptions);
    } catch (error) {
      thrown.push(error);
    }
  }
  expect(thrown).toHaveLength(3);
  for (const error of thrown) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain("canary");
  }
  return thrown[0] as ConfigurationError;
}

describe("bad configuration", () => {
  const good = { baseUrl: "https://school.example", apiKey: KEY };
  const table: [what: string, options: object, named: string][] = [
    ["options that are null", null as never, "options"],
    ["http to a public host", { ...good, baseUrl: "http://school.example" }, "allowInsecureHttp"],
    ["a base URL with a password", { ...good, baseUrl: "https://user:canary@school.example" }, "baseUrl"],
    ["a key with a newline inside", { ...good, apiKey: "canary\nkey" }, "apiKey"],
    ["a key with letters a header cannot hold", { ...good, apiKey: "canary-schlüssel" }, "apiKey"],
    ["a header with a line break", { ...good, headers: { "x-a": "canary\r\nx-b: 1" } }, "headers"],
    ["a route that is null", { ...good, routes: { "accounts.list": null } }, "accounts.list"],
    ["a route with a method nobody knows", { ...good, routes: { "accounts.list": { method: "TRACE" } } }, "method"],
    ["a route of no operation", { ...good, routes: { "accounts.fetch": { path: "a" } } }, "accounts.fetch"],
  ];
  for (const [what, options, named] of table) {
    it(`refuses ${what}, naming ${named} and never the key`, () => {
      const error = construct(options);
      expect(error.message).toContain(named);
      expect(error.code).toBe("configuration");
    });
  }

  it.each([
    [{ apiKey: KEY }, "No base URL: pass the option baseUrl or"],
    [{ baseUrl: "https://school.example" }, "No API key: pass the option apiKey or"],
    [{}, "No base URL"],
  ])(
    "the first call names the settings missing from both the options %o and the current environment",
    async (options, message) => {
      const { fetch, calls } = recordingFetch(() => jsonResponse([]));
      const client = new MainClient({ ...options, fetch });
      for (const use of [
        () => client.accounts.get(7),
        () => client.accounts.list(),
        () => client.accounts.getMany([7]),
      ]) {
        let error: unknown = null;
        const ended = use().then(null, (thrown: unknown) => {
          error = thrown;
        });
        // A framework that prerenders a page ends its build on an error that comes in the same turn.
        for (let turn = 0; turn < 1_000; turn++) await null;
        expect(error).toBeNull();
        await ended;
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).toContain(message);
      }
      expect([inspect(client), JSON.stringify(client)]).toEqual([
        "MainClient { baseUrl: null }",
        '{"client":"MainClient","baseUrl":null}',
      ]);
      vi.stubEnv("EDUCATION_ADMIN_BASE_URL", "https://school.example");
      vi.stubEnv("EDUCATION_ADMIN_API_KEY", KEY);
      await client.accounts.list();
      expect(calls.map(({ url }) => url.href)).toEqual(["https://school.example/api/v1/accounts?per_page=100"]);
      expect(client.baseUrl).toBe("https://school.example");
    },
  );

  it("refuses routes that lose or invent a placeholder or leave the prefix", () => {
    for (const path of ["accounts", "accounts/{id}/{other}", "../accounts/{id}", "/accounts/{id}", "a?x={id}"]) {
      const make = () => new MainClient({ ...good, routes: { "accounts.get": { path } } });
      expect(make, path).toThrow(ConfigurationError);
      expect(make, path).toThrow("accounts.get");
    }
  });

  it("refuses routes in a bare transport, which knows no operations", () => {
    const make = () => new Transport({ ...good, routes: { "accounts.get": { path: "customers/{id}" } } });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/routes is for clients/);
  });

  it("refuses an unusable key from a key function at the first call, without echoing it", async () => {
    for (const key of ["canary\nkey", "", undefined, 7]) {
      const client = new MainClient({ ...good, apiKey: () => key as string, fetch: async () => new Response() });
      const error = await client.accounts.get(7).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain("canary");
    }
  });
});

describe("good configuration", () => {
  it("reads the environment in Node if the options are absent", () => {
    vi.stubEnv("EDUCATION_ADMIN_BASE_URL", "https://env.example");
    vi.stubEnv("EDUCATION_ADMIN_API_KEY", "env-key");
    expect(new MainClient().baseUrl).toBe("https://env.example");
    expect(new MainClient({ baseUrl: "https://env.example/prefix" }).baseUrl).toBe("https://env.example/prefix");
    vi.stubEnv("EDUCATION_ADMIN_BASE_URL", "");
    expect(new MainClient({ baseUrl: "https://option.example" }).baseUrl).toBe("https://option.example");
  });

  it.each(["https://env.example", "https://env.example.org", "http://127.0.0.1:1", "not an address"])(
    "sends the environment's key only to the host of the environment's address, %s",
    (address) => {
      vi.stubEnv("EDUCATION_ADMIN_BASE_URL", address);
      vi.stubEnv("EDUCATION_ADMIN_API_KEY", "env-key");
      expect(() => new MainClient({ baseUrl: "https://env.exam", apiKey: undefined }).baseUrl).toThrow(
        "EDUCATION_ADMIN_API_KEY was not used, because EDUCATION_ADMIN_BASE_URL names another host",
      );
      expect(new MainClient({ baseUrl: "https://env.exam", apiKey: KEY }).baseUrl).toBe("https://env.exam");
      expect(new MainClient({ baseUrl: "https://env.exam", apiKey: null }).baseUrl).toBe("https://env.exam");
    },
  );

  it("trims the key", async () => {
    let seen = "";
    const client = new MainClient({
      baseUrl: "https://school.example",
      apiKey: ` \t${KEY}\r\n`,
      fetch: async (_, init) => {
        seen = (init.headers as Record<string, string>).authorization as string;
        return new Response(null, { status: 204 });
      },
    });
    await client.affiliations.delete(7);
    expect(seen).toBe(`Bearer ${KEY}`);
  });
});
