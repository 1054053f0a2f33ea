import { describe, expect, it } from "vitest";
import { AdminClient, ConfigurationError, InputError, MainClient, OrganizationClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { InvoiceStatus } from "../../src/schemas.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";

const good = { baseUrl: "https://school.example", apiKey: "canary-key" };

function construct(options: object, Client: new (options: never) => unknown = MainClient): ConfigurationError {
  let thrown: unknown;
  try {
    new Client(options as never);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConfigurationError);
  expect(String(thrown)).not.toContain("canary");
  return thrown as ConfigurationError;
}

describe("an unknown client option", () => {
  for (const [wrong, meant] of [
    ["retries", "retry"],
    ["timeOut", "timeout"],
    ["baseURL", "baseUrl"],
    ["apikey", "apiKey"],
    ["totalTimeOut", "totalTimeout"],
    ["ratelimit", "rateLimit"],
    ["header", "headers"],
    ["readonly", "readOnly"],
  ] as const) {
    it(`is refused with the most similar known name: ${wrong}`, () => {
      for (const Client of [MainClient, AdminClient, OrganizationClient]) {
        const { message } = construct({ ...good, [wrong]: 1 }, Client as never);
        expect(message).toContain(wrong);
        expect(message).toContain(`did you mean "${meant}"?`);
      }
    });
  }

  it("is refused inside other options", () => {
    const route = { "accounts.get": { paths: "accounts/{id}" } };
    expect(construct({ ...good, routes: route }).message).toMatch(/paths.*did you mean.*path/);
  });

  it("does not prevent passing a sandbox as the options", async () => {
    const sandbox = createSandbox();
    expect((await new MainClient(sandbox).accounts.list()).records.length).toBeGreaterThan(0);
  });

  it("is refused beside a sandbox's own members too", () => {
    const sandbox = createSandbox({ size: 5 });
    for (const [wrong, meant] of [
      ["readonly", "readOnly"],
      ["valdation", "validation"],
      ["timout", "timeout"],
    ] as const) {
      for (const options of [{ ...sandbox, [wrong]: 1 }, Object.assign(createSandbox({ size: 5 }), { [wrong]: 1 })]) {
        const { message } = construct(options);
        expect(message).toContain(`${wrong} is unknown; did you mean "${meant}"?`);
      }
    }
    expect(new MainClient({ ...sandbox, readOnly: true }).baseUrl).toBe(sandbox.baseUrl);
  });
});

describe("an unknown call option", () => {
  for (const [wrong, meant] of [
    ["timeOut", "timeout"],
    ["retries", "retry"],
    ["abortSignal", "signal"],
    ["prioritiy", "priority"],
  ] as const) {
    it(`is refused with the most similar known name before anything is sent: ${wrong}`, async () => {
      const { fetch, calls } = recordingFetch(() => jsonResponse({}));
      const client = mainClient({ fetch });
      const options = { [wrong]: 1 } as never;
      for (const work of [
        async () => client.accounts.get(7, options),
        async () => client.accounts.create({ name: "A" }, options),
        async () => client.accounts.list({}, options).toArray(),
        async () => client.request({ method: "GET", path: "api/v1/accounts" }, options),
      ]) {
        const error = await failure(work);
        expect(error).toBeInstanceOf(InputError);
        expect(error.message).toContain(wrong);
        expect(error.message).toContain(`did you mean "${meant}"?`);
      }
      expect(calls).toHaveLength(0);
    });
  }
});

describe("an option value of the wrong type", () => {
  const symbol = Symbol("reserve");
  for (const [what, options] of [
    ["a reserve of null", { rateLimit: { reserve: null } }],
    ["an empty string as reserve", { rateLimit: { reserve: "" } }],
    ["a reserve in an array", { rateLimit: { reserve: [0.5] } }],
    ["an empty array as reserve", { rateLimit: { reserve: [] } }],
    ["a reserve that is false", { rateLimit: { reserve: false } }],
    ["a reserve that is a symbol", { rateLimit: { reserve: symbol } }],
    ["a reserve that is a BigInt", { rateLimit: { reserve: 0n } }],
    ["a path of a route that is a symbol", { routes: { "accounts.get": { path: symbol } } }],
    ["a path of a route that is a number", { routes: { "accounts.get": { path: 7 } } }],
    ["a method of a route that is a symbol", { routes: { "accounts.get": { method: symbol } } }],
    ["a route that is a symbol", { routes: { "accounts.get": symbol } }],
    ["a timeout that is a symbol", { timeout: symbol }],
    ["a page size that is a symbol", { pageSize: symbol }],
    ["a key that is a symbol", { apiKey: symbol }],
    ["a base URL that is a symbol", { baseUrl: symbol }],
    ["a base URL that is an object", { baseUrl: {} }],
    ["a header that is a symbol", { headers: { "x-a": symbol } }],
    ["a validation that is a symbol", { validation: symbol }],
  ] as const) {
    it(`throws ConfigurationError: ${what}`, () => {
      construct({ ...good, ...options });
    });
  }

  it("throws InputError in a call", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse([]));
    const client = mainClient({ fetch });
    for (const work of [
      async () => client.accounts.get(symbol as never),
      async () => client.accounts.list({ search: symbol } as never).toArray(),
      async () => client.invoices.list({ status: [symbol] } as never).toArray(),
      async () => client.invoices.list({ status: [InvoiceStatus.cast(symbol as never)] }).toArray(),
      async () => client.accounts.create({ name: symbol } as never),
      async () => client.accounts.get(7, { timeout: symbol } as never),
      async () => client.request({ method: symbol, path: symbol } as never),
      async () => client.request({ method: "GET", path: "api/v1/x", query: { a: symbol } } as never),
    ]) {
      expect(await failure(work)).toBeInstanceOf(InputError);
    }
    expect(calls).toHaveLength(0);
  });
});
