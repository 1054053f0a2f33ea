import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ConfigurationError } from "../../src/index.js";
import { SchoolError, type SchoolEvent, type TokenEntry } from "../../src/schools/index.js";
import { failureOf, HOUR, World } from "./support/world.js";

const NO_TOKENS = "the response has no tokens";
const OTHER_TYPE = "the response has no bearer tokens";

describe("tokens of a school", () => {
  it("are refreshed before they expire, so that no request is refused", async () => {
    const world = new World(1);
    const refreshed: SchoolEvent[] = [];
    const schools = world.schools({ on: { refreshed: (event) => refreshed.push(event) } });
    const school = await world.connect(schools, 1);
    const client = await schools.client(school);
    expect((await client.accounts.get(1)).id).toBe(1);
    await world.pass(HOUR - 301_000);
    await client.accounts.get(1);
    expect(world.refreshes(1)).toEqual([]);
    await world.pass(2_000);
    await client.accounts.get(1);
    expect(world.refreshes(1)).toEqual(["tokens"]);
    expect(refreshed).toEqual([{ school }]);
    expect(world.sandbox(1).requests.filter(({ status }) => status === 401)).toEqual([]);
  });

  it("that last 100 seconds are refreshed after 80", async () => {
    const world = new World(1, { oauth: { expiresInMs: 100_000 } });
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(79_000);
    await schools.client(school);
    expect(world.refreshes(1)).toEqual([]);
    await world.pass(1_000);
    await schools.client(school);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("are refreshed once for any number of calls of any number of instances", async () => {
    const world = new World(1);
    const [first, ...others] = Array.from({ length: 5 }, () => world.schools());
    const school = await world.connect(first as never, 1);
    const clients = await Promise.all([first, ...others].map((schools) => schools?.client(school)));
    await world.pass(2 * HOUR);
    const calls = clients.flatMap((client) => Array.from({ length: 10 }, () => client?.accounts.get(1)));
    const records = await world.until(Promise.all(calls));
    expect(records.filter((record) => record?.id !== 1)).toEqual([]);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("are refreshed once after a 401, and the call is repeated", async () => {
    const world = new World(1);
    const schools = world.schools();
    const client = await schools.client(await world.connect(schools, 1));
    await client.accounts.get(1);
    world.sandbox(1).oauth.revoke("access");
    const records = await Promise.all([client.accounts.get(1), client.accounts.get(1), client.accounts.get(1)]);
    expect(records).toHaveLength(3);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("are not refreshed again and again if a school returns 401 for all of them", async () => {
    const world = new World(1);
    const fetch: World["fetch"] = async (input, init) =>
      String(input).includes("/api/") ? new Response("{}", { status: 401 }) : world.fetch(input, init);
    const schools = world.schools({ fetch });
    const client = await schools.client(await world.connect(schools, 1));
    for (let call = 0; call < 5; call++) {
      expect(await failureOf(client.accounts.get(1))).toMatchObject({ name: "AuthenticationError", status: 401 });
    }
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("are refreshed after a later 401, if another response has proved them valid", async () => {
    const world = new World(1);
    const schools = world.schools();
    const client = await schools.client(await world.connect(schools, 1));
    for (let round = 1; round <= 3; round++) {
      world.sandbox(1).oauth.revoke("access");
      expect((await client.accounts.get(1)).id).toBe(1);
      await client.accounts.get(1);
      expect(world.refreshes(1)).toHaveLength(round);
    }
  });

  it("are refreshed again if those of an early refresh are refused at their first use", async () => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    const client = await schools.client(school);
    world.sandbox(1).oauth.revoke("access");
    expect((await client.accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual(["tokens", "tokens"]);
  });

  it("are read from the store if another process has refreshed them", async () => {
    const world = new World(1);
    const [one, other] = [world.schools(), world.schools()];
    const school = await world.connect(one, 1);
    const [mine, theirs] = [await one.client(school), await other.client(school)];
    world.sandbox(1).oauth.revoke("access");
    await mine.accounts.get(1);
    await theirs.accounts.get(1);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("keep their refresh token if a refresh returns no new one", async () => {
    const world = new World(1, { oauth: { rotation: "never" } });
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    for (let hours = 0; hours < 3; hours++) {
      await world.pass(HOUR);
      await (await schools.client(school)).accounts.get(1);
    }
    expect(world.refreshes(1)).toEqual(["tokens", "tokens", "tokens"]);
  });

  it.each([1, 2_000, 9_999])(
    "that last %i milliseconds are used until a 401, and refreshed once for it",
    async (expiresInMs) => {
      const world = new World(1, { oauth: { expiresInMs } });
      const fetch: World["fetch"] = async (input, init) => {
        await world.pass(expiresInMs === 1 ? 5 : 0);
        return world.fetch(input, init);
      };
      const schools = world.schools({ fetch });
      const client = await schools.client(await world.connect(schools, 1));
      for (let call = 1; call <= 3; call++) {
        await world.pass(expiresInMs);
        const failure = await failureOf(client.accounts.get(1));
        // A token that lasts a millisecond has expired when it arrives, in whichever process refreshes it.
        expect(failure).toEqual(expiresInMs === 1 ? expect.objectContaining({ status: 401 }) : null);
      }
      expect(world.refreshes(1).length).toBeLessThanOrEqual(3);
    },
  );

  it("without a lifetime and a refresh token are used until a 401", async () => {
    const world = new World(1);
    const fetch: World["fetch"] = async (input, init) => {
      const response = await world.fetch(input, init);
      if (!String(input).endsWith("/token")) return response;
      const { access_token, token_type } = (await response.json()) as Record<string, unknown>;
      return Response.json({ access_token, token_type });
    };
    const schools = world.schools({ fetch });
    const school = await world.connect(schools, 1);
    const client = await schools.client(school);
    await client.accounts.get(1);
    await world.pass(2 * HOUR);
    const failure = await failureOf(client.accounts.get(1));
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect((failure as Error).cause).toMatchObject({ reason: "reconnect_needed", school });
    expect((failure as Error).message).toContain(`${school} no longer accepts its tokens`);
    expect(world.refreshes(1)).toEqual([]);
    expect(await schools.list()).toMatchObject([{ school, state: "reconnect_needed" }]);
  });
});

describe("a token response", () => {
  it.each<[string, object, number | null]>([
    ["no lifetime", { expires_in: undefined }, null],
    ["a lifetime of null", { expires_in: null }, null],
    ["a lifetime of 0", { expires_in: 0 }, null],
    ["a lifetime before now", { expires_in: -1 }, null],
    ["a lifetime in words", { expires_in: "an hour" }, null],
    ["a lifetime as text", { expires_in: "600" }, 600_000],
    ["a lifetime that no call ends within", { expires_in: 9.9 }, null],
    ["a lifetime of a fraction", { expires_in: 10.5 }, 10_500],
    ["a refresh token of null", { refresh_token: null }, HOUR],
    ["an empty refresh token", { refresh_token: "" }, HOUR],
    ["a number for a refresh token", { refresh_token: 7 }, HOUR],
    ["a type in capitals", { token_type: "BEARER" }, HOUR],
    ["no type", { token_type: undefined }, HOUR],
    ["a list of scopes", { scope: ["a", "b"] }, HOUR],
    ["an identity that is none", { id_token: "none" }, HOUR],
  ])("with %s loses no token", async (_, changes, lifetime) => {
    const world = new World(1, { oauth: { rotation: "never" } });
    const fetch: World["fetch"] = async (input, init) => {
      const response = await world.fetch(input, init);
      if (!String(input).endsWith("/token")) return response;
      // Not every service declares its response as JSON.
      return new Response(JSON.stringify({ ...((await response.json()) as object), ...changes }));
    };
    const school = await world.connect(world.schools(), 1);
    await world.pass(HOUR);
    const schools = world.schools({ fetch });
    expect((await (await schools.client(school)).accounts.get(1)).id).toBe(1);
    const { facts, secret } = (await world.tokens.get(`school ${school}`)) as TokenEntry;
    expect(JSON.parse(facts)).toMatchObject({ expiresAt: lifetime === null ? null : world.time + lifetime });
    expect(JSON.parse(secret).refreshToken).toMatch(/^refresh_/);
    world.sandbox(1).oauth.revoke("access");
    expect((await (await schools.client(school)).accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual(["tokens", "tokens"]);
  });
});

describe("a refresh that fails", () => {
  it("with invalid_grant marks its school, is reported once, and is not repeated; other schools continue", async () => {
    const world = new World(2);
    const told: string[] = [];
    const on = { reconnectNeeded: ({ school }: SchoolEvent) => told.push(school) };
    const [one, other] = [world.schools({ on }), world.schools({ on })];
    const [first, second] = [await world.connect(one, 1), await world.connect(one, 2)];
    const [client, otherClient] = [await one.client(first), await other.client(first)];
    world.sandbox(1).oauth.revoke();
    const failures = await world.until(
      Promise.all([client, client, otherClient].map((each) => failureOf(each.accounts.get(1)))),
    );
    for (const failure of failures) {
      expect(failure).toMatchObject({ name: "ConfigurationError" });
      expect((failure as Error).cause).toBeInstanceOf(SchoolError);
      expect((failure as Error).cause).toMatchObject({ reason: "reconnect_needed", school: first });
    }
    for (let call = 0; call < 3; call++)
      expect(await failureOf(one.client(first))).toMatchObject({ reason: "reconnect_needed" });
    expect(told).toEqual([first]);
    expect(world.refreshes(1)).toEqual(["invalid_grant"]);
    expect((await (await other.client(second)).accounts.get(1)).id).toBe(1);
    expect((await one.list()).map(({ state }) => state)).toEqual(["reconnect_needed", "connected"]);
    await world.connect(other, 1);
    expect((await client.accounts.get(1)).id).toBe(1);
  });

  it("without a response lets calls continue with valid tokens, and is repeated after a pause", async () => {
    const world = new World(1);
    const schools = world.schools();
    const client = await schools.client(await world.connect(schools, 1));
    world.sandbox(1).oauth.faults.next({ status: 503, times: 3 });
    await world.pass(HOUR - 290_000);
    for (let call = 0; call < 5; call++) expect((await client.accounts.get(1)).id).toBe(1);
    expect(world.sandbox(1).oauth.faults.pending[0]?.times).toBe(3);
    expect(world.sandbox(1).requests.filter(({ path }) => path.endsWith("/token"))).toHaveLength(2);
    await world.pass(1_000);
    await client.accounts.get(1);
    expect(world.sandbox(1).requests.filter(({ path }) => path.endsWith("/token"))).toHaveLength(3);
    await world.pass(2_999);
    await client.accounts.get(1);
    expect(world.sandbox(1).requests.filter(({ path }) => path.endsWith("/token"))).toHaveLength(3);
    await world.pass(1);
    await client.accounts.get(1);
    await world.pass(9_000);
    await client.accounts.get(1);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it.each([
    ["503", { status: 503 }, "status 503"],
    ["429", { retryAfter: 5 }, "status 429"],
    ["a broken connection", { reset: true }, "ECONNRESET"],
    ["a page of HTML", { html: true, status: 200 }, NO_TOKENS],
    ["a redirect", { status: 302, headers: { location: "https://attacker.example" } }, "status 302"],
    ["a truncated answer", { cut: true }, "ECONNRESET"],
    ["no token", { status: 200, body: { token_type: "bearer" } }, NO_TOKENS],
    ["an empty token", { status: 200, body: { access_token: "", token_type: "bearer" } }, NO_TOKENS],
    ["a number for a token", { status: 200, body: { access_token: 7, token_type: "bearer" } }, NO_TOKENS],
    ["a token of two lines", { status: 200, body: { access_token: "a\nb", token_type: "bearer" } }, NO_TOKENS],
    ["null", { status: 200, body: null }, NO_TOKENS],
    ["a list", { status: 200, body: [] }, NO_TOKENS],
    ["DPoP", { status: 200, body: { access_token: "abc", token_type: "DPoP" } }, OTHER_TYPE],
    ["tokens of another type", { status: 200, body: { access_token: "abc", token_type: "mac" } }, OTHER_TYPE],
    ["temporarily_unavailable", { status: 400, body: { error: "temporarily_unavailable" } }, "status 400"],
    ["invalid_grant with status 500", { status: 500, body: { error: "invalid_grant" } }, "status 500"],
    ["100 kB", { status: 200, body: { access_token: "a".repeat(100_000), token_type: "bearer" } }, "no response"],
  ])("with %s after the tokens have expired is reported, causes a pause, and is repeated", async (_, fault, why) => {
    const world = new World(1, { oauth: { rotation: "never" } });
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    world.sandbox(1).oauth.faults.next(fault);
    const failure = await failureOf(schools.client(school));
    expect(failure).toMatchObject({ name: "SchoolError", code: "school", reason: "unreachable", school });
    expect((failure as Error).message).toBe(`${school} issued no tokens (${why})`);
    expect(await failureOf(schools.client(school))).toMatchObject({ reason: "unreachable" });
    expect(world.sandbox(1).requests.filter(({ path }) => path.endsWith("/token"))).toHaveLength(2);
    await world.pass(1_000);
    await schools.client(school);
    expect((await schools.list())[0]?.state).toBe("connected");
  });

  it("without a response within the time limit does the same", async () => {
    const world = new World(1, { oauth: { rotation: "never" } });
    const schools = world.schools({ timeout: 7_000 });
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    world.sandbox(1).oauth.faults.next({ delayMs: Infinity });
    const before = world.time;
    expect(await world.until(failureOf(schools.client(school)))).toMatchObject({ reason: "unreachable" });
    expect(world.time - before).toBeLessThan(8_000);
    await world.pass(1_000);
    await schools.client(school);
  });

  it("does not reach a client's call if it is temporary; a permanent failure is a ConnectionError, not an error of the options", async () => {
    const world = new World(1, { oauth: { rotation: "never" } });
    const retried: string[] = [];
    const on = { retry: ({ reason }: { reason: string }) => void retried.push(reason) };
    // Gives the longest waits: 100, 300 and 900 ms together outlast the pause of a second.
    const random = vi.spyOn(Math, "random").mockReturnValue(1);
    onTestFinished(() => random.mockRestore());
    const schools = world.schools({ client: { on, retry: { limit: 3, backoffLimit: 2_000 } } });
    const school = await world.connect(schools, 1);
    const client = await schools.client(school);
    await world.pass(HOUR);
    const { faults } = world.sandbox(1).oauth;
    faults.next({ status: 503 });
    expect((await world.until(client.accounts.get(1))).id).toBe(1);
    expect(new Set(retried)).toEqual(new Set(["connection"]));
    await world.pass(HOUR);
    faults.next({ status: 503, times: Infinity });
    const failure = await world.until(failureOf(client.accounts.get(1)));
    expect(failure).toMatchObject({ name: "ConnectionError", outcome: "not_sent" });
    expect((failure as Error).message).toContain(`${school} gave no tokens`);
    expect((failure as Error).cause).toBeInstanceOf(SchoolError);
    expect((failure as Error).cause).toMatchObject({ reason: "unreachable", school });
  });

  it("has longer pauses each time, at most five minutes", async () => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    world.sandbox(1).oauth.faults.next({ status: 503, times: Infinity });
    const pauses: number[] = [];
    for (let time = 0, last = -1; pauses.length < 8; time += 1_000) {
      const before = world.sandbox(1).requests.length;
      await failureOf(schools.client(school));
      if (world.sandbox(1).requests.length > before) {
        if (last >= 0) pauses.push((time - last) / 1_000);
        last = time;
      }
      await world.pass(1_000);
    }
    expect(pauses).toEqual([1, 3, 9, 27, 81, 243, 300, 300]);
  });

  it("delays nothing after the clock has been set back", async () => {
    const world = new World(1);
    let ahead = 24 * HOUR;
    const clock = { ...world.clock, now: () => world.time + ahead };
    const schools = world.schools({ clock });
    const school = await world.connect(schools, 1);
    ahead += HOUR;
    world.sandbox(1).oauth.faults.next({ status: 503 });
    expect(await failureOf(schools.client(school))).toMatchObject({ reason: "unreachable" });
    ahead = 0;
    world.sandbox(1).oauth.revoke("access");
    expect((await (await world.schools().client(school)).accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("leaves the school connected if the application is refused", async () => {
    const world = new World(1);
    const school = await world.connect(world.schools(), 1);
    const wrong = world.schools({ clientSecret: "another-secret" });
    await world.pass(HOUR);
    const failure = await failureOf(wrong.client(school));
    expect(failure).toMatchObject({ reason: "application_refused", school });
    expect((failure as Error).message).toBe(
      `${school} does not accept the application: check clientId, clientSecret and redirectUri (invalid_client)`,
    );
    await world.pass(1_000);
    expect((await (await world.schools().client(school)).accounts.get(1)).id).toBe(1);
  });

  it("with a lost response uses its token only once more", async () => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    world.sandbox(1).oauth.faults.next({ reset: true, applied: true });
    expect(await failureOf(schools.client(school))).toMatchObject({ reason: "unreachable" });
    for (let minutes = 0; minutes < 5; minutes++) {
      await world.pass(60_000);
      expect(await failureOf(schools.client(school))).toMatchObject({ reason: "reconnect_needed" });
    }
    expect(world.refreshes(1)).toEqual(["tokens", "invalid_grant"]);
  });

  it("with a lost response has no effect if a token is valid until its successor is used", async () => {
    const world = new World(1, { oauth: { rotation: "when used" } });
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    world.sandbox(1).oauth.faults.next({ reset: true, applied: true });
    await failureOf(schools.client(school));
    await world.pass(1_000);
    expect((await (await schools.client(school)).accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual(["tokens", "tokens"]);
  });
});
