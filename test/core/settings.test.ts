import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { ConfigurationError } from "../../src/core/errors.js";
import type { ClientOptions } from "../../src/core/options.js";
import { resolveSettings, SANDBOX } from "../../src/core/settings.js";

const good = { baseUrl: "https://school.example", apiKey: "canary-key" };

beforeEach(() => {
  vi.stubEnv("EDUCATION_ADMIN_BASE_URL", "");
  vi.stubEnv("EDUCATION_ADMIN_API_KEY", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const settings = (options: object = {}) => resolveSettings({ ...good, ...options } as ClientOptions);

/** The message of the error that refuses these options; null if they are accepted. */
function refusal(options: object): string | null {
  try {
    // The environment is read only when a setting is first read.
    void settings(options).baseUrl;
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).not.toContain("canary");
    return (error as Error).message;
  }
}

/** Copies all settings; the copy lacks those that the environment may complete. */
function copyOf(all: ReturnType<typeof settings>) {
  const { baseUrl, origin, apiKey, on } = all;
  const { given: _, ...copied } = all;
  return { ...copied, baseUrl, origin, apiKey, on };
}

describe("the settings of a client", () => {
  it("have these defaults", () => {
    expect(copyOf(settings())).toEqual({
      baseUrl: "https://school.example",
      origin: "https://school.example",
      apiKey: "canary-key",
      fetch: expect.any(Function),
      timeout: 30_000,
      totalTimeout: null,
      retryLimit: 5,
      backoffLimit: 20_000,
      maxRetryAfter: 600_000,
      maxBodyBytes: 2 ** 23,
      validation: "report",
      onInvalid: "throw",
      headers: {},
      rateLimit: { requests: 500, windowMs: 300_000, reserve: 0.1, concurrency: 10, queueLimit: 100_000 },
      store: undefined,
      pageSize: 100,
      arrayFormat: "repeat",
      routes: {},
      on: {},
      readOnly: false,
      school: undefined,
      clock: systemClock,
    });
  });

  it("are those of the options", () => {
    const fetch = async () => new Response();
    const clock = { ...systemClock };
    const store = { reserve: () => null, settle: () => null, block: () => null };
    const checks = { check: () => undefined, observe: () => undefined };
    const drift = () => undefined;
    const apiKey = () => "later";
    const all = settings({
      baseUrl: new URL("https://school.example/gateway//"),
      apiKey,
      fetch,
      clock,
      headers: { "X-School": "north" },
      timeout: 1,
      totalTimeout: 2,
      retry: { limit: 3, backoffLimit: 4, maxRetryAfter: 5 },
      rateLimit: { requests: 5, windowMs: 6, reserve: 0, concurrency: 7, queueLimit: 8, store },
      pageSize: 9,
      maxBodyBytes: 10,
      validation: "strict",
      arrayFormat: "brackets",
      routes: { "accounts.get": { path: "a/{id}" } },
      on: { drift },
      readOnly: true,
      school: { connect: () => checks },
    });
    expect(copyOf(all)).toEqual({
      baseUrl: "https://school.example/gateway",
      origin: "https://school.example",
      apiKey,
      fetch,
      timeout: 1,
      totalTimeout: 2,
      retryLimit: 3,
      backoffLimit: 4,
      maxRetryAfter: 5,
      maxBodyBytes: 10,
      validation: "strict",
      onInvalid: "throw",
      headers: { "x-school": "north" },
      rateLimit: { requests: 5, windowMs: 6, reserve: 0, concurrency: 7, queueLimit: 8 },
      store,
      pageSize: 9,
      arrayFormat: "brackets",
      routes: { "accounts.get": { path: "a/{id}" } },
      on: { drift },
      readOnly: true,
      school: checks,
      clock,
    });
  });

  it("include no rate limit and no retry if the option is false", () => {
    expect(settings({ rateLimit: false })).toMatchObject({ rateLimit: null, store: undefined });
    expect(settings({ retry: false })).toMatchObject({ retryLimit: 0, backoffLimit: 20_000 });
    expect(settings({ retry: {} })).toMatchObject({ retryLimit: 5 });
  });

  it("use the platform's current fetch if the caller passed none", async () => {
    const { fetch } = settings();
    const answer = new Response("later");
    const later = vi.fn(async () => answer);
    vi.stubGlobal("fetch", later);
    const init = { method: "GET" };
    expect(await fetch("https://school.example/a", init as never)).toBe(answer);
    expect(later).toHaveBeenCalledWith("https://school.example/a", init);
  });

  it("require a fetch if the platform has none", () => {
    vi.stubGlobal("fetch", undefined);
    expect(refusal({})).toContain("This platform has no fetch");
    expect(refusal({ fetch: async () => new Response() })).toBeNull();
  });

  it("come from the environment if options are absent, also without a process", () => {
    vi.stubEnv("EDUCATION_ADMIN_BASE_URL", "https://env.example");
    vi.stubEnv("EDUCATION_ADMIN_API_KEY", "canary-env");
    expect(resolveSettings({})).toMatchObject({ baseUrl: "https://env.example", apiKey: "canary-env" });
    expect(settings()).toMatchObject(good);
    const withoutProcess = (value: unknown) => {
      vi.stubGlobal("process", value);
      try {
        return refusal({ baseUrl: undefined });
      } finally {
        vi.unstubAllGlobals();
      }
    };
    expect(withoutProcess(undefined)).toContain("No base URL");
    expect(withoutProcess({})).toContain("No base URL");
  });

  it("may come from a sandbox, which has more than options", () => {
    expect(refusal({ [SANDBOX]: { advance: 1 }, advance: 1 })).toBeNull();
    expect(refusal({ [SANDBOX]: { advance: 1 }, advnce: 1 })).toContain("advnce is unknown");
    expect(refusal({ advance: 1 })).toContain("advance is unknown");
    expect(SANDBOX).toBe(Symbol.for("education-admin-sdk.sandbox"));
  });
});

describe("the base URL", () => {
  it.each<[baseUrl: string | undefined, seen: string]>([
    ["https://school.example/", "https://school.example"],
    ["https://school.example/a///", "https://school.example/a"],
    ["https://school.example/a//b", "https://school.example/a//b"],
    ["https://school.example:8443/a", "https://school.example:8443/a"],
    ["http://localhost:4010", "http://localhost:4010"],
    ["http://school.localhost", "http://school.localhost"],
    ["http://127.0.0.1", "http://127.0.0.1"],
    ["http://127.255.10.123", "http://127.255.10.123"],
    ["http://[::1]", "http://[::1]"],
    ["https://school.example/api/v1/more", "https://school.example/api/v1/more"],
    ["https://school.example/x-api/v1", "https://school.example/x-api/v1"],
    ["https://school.example/api/v", "https://school.example/api/v"],
    ["https://school.example/api/vx1", "https://school.example/api/vx1"],
  ])("may be %s", (baseUrl, seen) => {
    expect(settings({ baseUrl }).baseUrl).toBe(seen);
  });

  it.each<[baseUrl: unknown, words: string]>([
    ["", "No base URL"],
    [undefined, "No base URL"],
    ["school.example", "must be an absolute URL"],
    ["https://school.example/api/v1", 'ends in "/api/v1"'],
    ["https://school.example/api/v12", 'ends in "/api/v12"'],
    ["https://school.example/api/v1//", 'ends in "/api/v1"'],
    [new URL("https://school.example/api/v1"), 'ends in "/api/v1"'],
    ["https://school.example/a/api/organization/", 'ends in "/api/organization"'],
    ["https://canary@school.example", "without user"],
    ["https://:canary@school.example", "without user"],
    ["https://school.example?canary", "without user, query or fragment"],
    ["https://school.example#canary", "without user, query or fragment"],
    ["http://school.example", "uses http://"],
    ["ftp://localhost", "uses ftp://"],
    ["http://localhost.example", "uses http://"],
    ["http://mylocalhost", "uses http://"],
    ["http://127.0.0.1.example", "uses http://"],
    ["http://a.127.0.0.1.example", "uses http://"],
    ["http://128.0.0.1", "uses http://"],
    ["http://[::2]", "uses http://"],
  ])("may not be %s", (baseUrl, words) => {
    expect(refusal({ baseUrl })).toContain(words);
  });

  it("may use http elsewhere with an option, and no other scheme", () => {
    expect(refusal({ baseUrl: "http://school.example", allowInsecureHttp: true })).toBeNull();
    expect(refusal({ baseUrl: "http://school.example", allowInsecureHttp: false })).toContain("uses http://");
    expect(refusal({ baseUrl: "ftp://school.example", allowInsecureHttp: true })).toContain("uses ftp://");
  });
});

describe("a totalTimeout of Infinity", () => {
  it("means no limit", () => {
    const options = { baseUrl: "https://school.example", apiKey: "key", totalTimeout: Infinity };
    expect(resolveSettings(options).totalTimeout).toBeNull();
  });
});

describe("an invalid client option", () => {
  const store = { reserve: () => null, settle: () => null, block: () => null };

  it.each<[options: object, message: string]>([
    [{ fetch: "x" }, "The option fetch must be a function"],
    [{ fetch: null }, "The option fetch must be a function"],
    [{ school: null }, "The option school must be made by defineSchool"],
    [{ school: {} }, "The option school must be made by defineSchool"],
    [{ apiKey: undefined }, expect.stringContaining("No API key: pass the option apiKey or")],
    [{ apiKey: " " }, expect.stringContaining("No API key: pass the option apiKey or")],
    [{ apiKey: 7 }, expect.stringContaining("No API key: pass the option apiKey or")],
    [{ apiKey: "canary key" }, expect.stringContaining("The option apiKey contains an API key with whitespace")],
    [{ timeout: 0 }, "The option timeout must be a finite number of milliseconds above 0"],
    [{ timeout: Infinity }, "The option timeout must be a finite number of milliseconds above 0"],
    [{ totalTimeout: -1 }, "The option totalTimeout must be a number of milliseconds above 0"],
    [{ retry: { limit: -1 } }, "The option retry.limit must be a whole number from 0 to 1000"],
    [{ retry: { limit: 1_001 } }, "The option retry.limit must be a whole number from 0 to 1000"],
    [{ retry: { backoffLimit: 0 } }, "The option retry.backoffLimit must be a finite number of milliseconds above 0"],
    [
      { retry: { backoffLimit: Infinity } },
      "The option retry.backoffLimit must be a finite number of milliseconds above 0",
    ],
    [{ retry: true }, "The option retry must be a plain object or false"],
    [{ validation: "x" }, "The option validation must be one of report, strict, off"],
    [{ pageSize: 0 }, "The option pageSize must be a whole number from 1 to 100"],
    [{ pageSize: 101 }, "The option pageSize must be a whole number from 1 to 100"],
    [{ arrayFormat: "x" }, "The option arrayFormat must be one of repeat, brackets, comma"],
    [{ routes: [] }, "The option routes must be a plain object"],
    [{ on: [] }, "The option on must be a plain object"],
    [{ on: { drift: null } }, "The option on.drift must be a function"],
    [{ readOnly: 1 }, "The option readOnly must be true or false"],
    [{ allowInsecureHttp: 1 }, "The option allowInsecureHttp must be true or false"],
    [{ rateLimit: true }, "The option rateLimit must be a plain object or false"],
    [{ rateLimit: { requests: 0 } }, "The option rateLimit.requests must be a whole number from 1 to 1000000000"],
    [{ rateLimit: { windowMs: 0 } }, "The option rateLimit.windowMs must be a finite number of milliseconds above 0"],
    [
      { rateLimit: { windowMs: Infinity } },
      "The option rateLimit.windowMs must be a finite number of milliseconds above 0",
    ],
    [{ rateLimit: { concurrency: 0 } }, "The option rateLimit.concurrency must be a whole number from 1 to 10000"],
    [{ rateLimit: { queueLimit: 0 } }, "The option rateLimit.queueLimit must be a whole number from 1 to 10000000"],
    [{ rateLimit: { reserve: -0.1 } }, "The option rateLimit.reserve must be a number from 0 to below 1"],
    [{ rateLimit: { reserve: 1 } }, "The option rateLimit.reserve must be a number from 0 to below 1"],
    [{ rateLimit: { reserve: "0.5" } }, "The option rateLimit.reserve must be a number from 0 to below 1"],
    ...["reserve", "settle", "block"].map((method): [object, string] => [
      { rateLimit: { store: { ...store, [method]: undefined } } },
      "The option rateLimit.store must have the methods reserve, settle and block",
    ]),
    [{ rateLimit: { store: null } }, "The option rateLimit.store must have the methods reserve, settle and block"],
    [{ headers: "x" }, "The option headers must be a plain object, a Headers or an array of pairs"],
    [{ headers: new Date(0) }, "The option headers must be a plain object, a Headers or an array of pairs"],
    [{ headers: ["ab"] }, "The option headers must be a plain object, a Headers or an array of pairs"],
    [{ headers: [["a"]] }, "The option headers must be a plain object, a Headers or an array of pairs"],
    [{ headers: [["a", "b"], 7] }, "The option headers must be a plain object, a Headers or an array of pairs"],
    [
      { headers: { Authorization: "canary" } },
      "The option headers cannot replace authorization: the key comes from apiKey",
    ],
  ])("%j", (options, message) => {
    expect(refusal(options)).toEqual(message);
  });

  it("is an unknown name, also inside other options", () => {
    expect(refusal({ retry: { limits: 1 } })).toContain('retry.limits is unknown; did you mean "retry.limit"?');
    expect(refusal({ rateLimit: { request: 1 } })).toContain("rateLimit.request is unknown");
    expect(refusal({ on: { responses: () => undefined } })).toContain("on.responses is unknown");
  });

  it.each([null, undefined, 7, "https://school.example", [], new Map()])("is %j in place of the options", (options) => {
    expect(() => resolveSettings(options as never)).toThrow("must be a plain object");
  });

  it("is not one that is undefined", () => {
    expect(
      refusal({ on: { drift: undefined }, retry: { limit: undefined }, rateLimit: { store: undefined } }),
    ).toBeNull();
  });
});

describe("headers", () => {
  it("may be an object, a Headers or pairs; names become lower case", () => {
    const expected = { "x-a": "1", "x-b": "2" };
    expect(settings({ headers: { "X-A": "1", "x-b": "2" } }).headers).toEqual(expected);
    expect(settings({ headers: new Headers({ "X-A": "1", "x-b": "2" }) }).headers).toEqual(expected);
    const pairs = [
      ["X-A", "1"],
      ["x-b", "2"],
    ];
    expect(settings({ headers: pairs }).headers).toEqual(expected);
    expect(settings({ headers: new Map(pairs as [string, string][]) }).headers).toEqual(expected);
  });

  it("may have every character that HTTP allows", () => {
    const headers = { "!#$%&'*+.^`|~-_9a": "\t ~\u0080\u00ff", empty: "" };
    expect(settings({ headers }).headers).toEqual(headers);
  });

  it.each<[name: string, value: unknown]>([
    ["", "x"],
    ["a b", "x"],
    [" a", "x"],
    ["a:", "x"],
    ["ä", "x"],
    ["a", "x\n"],
    ["a", "\nx"],
    ["a", "\u0000"],
    ["a", "\u007f"],
    ["a", "\u0100"],
    ["a", 7],
    ["a", undefined],
  ])("may not be %j: %j", (name, value) => {
    expect(refusal({ headers: [[name, value]] })).toBe(
      `The option headers contains an invalid header name or value: ${JSON.stringify(name)}`,
    );
  });
});
