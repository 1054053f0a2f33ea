import { describe, expect, it } from "vitest";
import { ConfigurationError, InputError } from "../../src/index.js";
import { createSchools, memoryTokens, type SchoolsOptions } from "../../src/schools/index.js";
import { World } from "./support/world.js";

const STATE = "state-of-this-browser-0123456789";

describe("schools", () => {
  const schools = () => new World(1).schools();

  it.each([
    ["nothing", ""],
    ["no address", "school-1"],
    ["another scheme", "ftp://school-1.example"],
    ["http", "http://school-1.example"],
    ["a query", "https://school-1.example?a=1"],
    ["a user", "https://user:pass@school-1.example"],
    ["an API's path", "https://school-1.example/api/v1"],
    ["a number", 7 as never],
    ["null", null as never],
  ])("refuse %s as an address before anything is sent", async (_, address) => {
    for (const method of ["authorizeUrl", "client", "disconnect"] as const) {
      const failure = await schools()
        [method](address)
        .then(
          () => null,
          (error: unknown) => error,
        );
      expect(failure).toBeInstanceOf(InputError);
      expect((failure as Error).message).toMatch(/^school /);
      expect((failure as Error).message).not.toContain("pass");
    }
  });

  it("recognize a school by its address in any spelling", async () => {
    const world = new World(1);
    const all = world.schools();
    await world.connect(all, 1);
    const client = await all.client("https://SCHOOL-1.example:443/");
    expect(await all.client(new URL("https://school-1.example"))).toBe(client);
    expect(await all.disconnect("https://School-1.example")).toBe(true);
  });

  it("distinguish schools whose addresses begin alike", async () => {
    const world = new World(1);
    const all = world.schools();
    const longer = { key: "school https://school-1.example:8443", version: "1", facts: "{}", secret: "{}" };
    await world.tokens.put(longer, null);
    expect(await all.disconnect("https://school-1.example")).toBe(false);
    await world.connect(all, 1);
    expect(await all.disconnect("https://school-1.example")).toBe(true);
    expect(await world.tokens.get(longer.key)).toEqual(longer);
  });

  it("refuse guessed or used states", async () => {
    const all = schools();
    for (const state of ["short", "fifteen-letters", "with spaces in it, yes", "ä".repeat(20), 7 as never]) {
      await expect(all.authorizeUrl("https://school-1.example", { state })).rejects.toThrow(InputError);
    }
    await all.authorizeUrl("https://school-1.example", { state: STATE });
    await expect(all.authorizeUrl("https://school-1.example", { state: STATE })).rejects.toThrow(
      "was already used for another login",
    );
  });

  it("refuse an address that is not a callback", async () => {
    for (const request of ["", "callback", {} as never, { url: "/callback" }, null as never, undefined as never]) {
      await expect(schools().connect(request)).rejects.toThrow(InputError);
    }
  });

  const right: SchoolsOptions = {
    clientId: "agency",
    clientSecret: "a-secret",
    redirectUri: "https://agency.example/callback",
    tokens: memoryTokens(),
  };

  it.each<[string, object, string]>([
    ["no id", { clientId: "" }, "clientId must be text"],
    ["an empty secret", { clientSecret: "" }, "clientSecret must be text, or null"],
    ["no secret", { clientSecret: undefined }, "clientSecret must be text, or null"],
    ["a relative redirect", { redirectUri: "/callback" }, "redirectUri must be a URL"],
    ["a redirect with a query", { redirectUri: "https://a.example/callback?a=1" }, "redirectUri must be a URL"],
    ["a redirect with a fragment", { redirectUri: "https://a.example/callback#a" }, "redirectUri must be a URL"],
    ["a redirect with a user", { redirectUri: "https://user@a.example/callback" }, "redirectUri must be a URL"],
    ["another scheme", { redirectUri: "javascript:alert(1)" }, "redirectUri must be a URL"],
    [
      "one redirect from a function",
      { redirectUri: () => "https://a.example/callback" },
      "must return a different address for each school",
    ],
    ["no host", { hosts: [] }, "hosts must be a list of hosts"],
    ["an address for a host", { hosts: ["https://service.example"] }, "hosts must be a list of hosts"],
    ["any host", { hosts: ["*"] }, "hosts must be a list of hosts"],
    ["a host with a sign inside", { hosts: ["a*.service.example"] }, "hosts must be a list of hosts"],
    ["a wrong iss", { iss: true }, 'iss must be "required"'],
    ["no store", { tokens: {} }, "tokens must have the method get"],
    ["a store that cannot list", { tokens: { get() {}, put() {}, delete() {} } }, "tokens must have the method list"],
    ["an empty scope", { scope: "" }, "scope must be text"],
    ["a wrong place for the secret", { sendSecretIn: "query" }, "sendSecretIn must be one of header, body"],
    ["no time", { timeout: 0 }, "timeout must be a finite number of milliseconds above 0"],
    ["endless time", { timeout: Infinity }, "timeout must be a finite number of milliseconds above 0"],
    ["a misspelled option", { clientID: "agency" }, 'clientID is unknown; did you mean "clientId"?'],
    ["a misspelled observer", { on: { connect() {} } }, 'on.connect is unknown; did you mean "on.connected"?'],
    ["a key of its own", { client: { apiKey: "key" } }, "client.apiKey is unknown"],
    ["a wrong page size", { client: { pageSize: 0 } }, "pageSize must be a whole number"],
    ["a wrong limit", { rateLimit: { requests: 0 } }, "rateLimit.requests must be a whole number"],
    [
      "a store without turns",
      { rateLimit: { store: { reserve() {}, settle() {}, block() {}, application: null } } },
      "rateLimit.store must name the application",
    ],
  ])("refuse %s", (_, wrong, message) => {
    const make = () => createSchools({ ...right, ...wrong } as SchoolsOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(message);
    expect(() => createSchools(null as never)).toThrow("createSchools: the option options must be a plain object");
  });
});
