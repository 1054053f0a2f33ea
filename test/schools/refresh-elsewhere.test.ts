import { describe, expect, it } from "vitest";
import type { MainClient } from "../../src/index.js";
import type { SchoolsOptions, TokenEntry, TokenStore } from "../../src/schools/index.js";
import { failureOf, HOUR, World } from "./support/world.js";

describe("a store that fails", () => {
  const failing = (world: World, times: number) => {
    let left = 0;
    const tokens: TokenStore = {
      ...world.tokens,
      put: (entry, replaces) => {
        if (left > 0 && !entry.facts.includes('"refreshing":true') && left--) throw new Error("database is locked");
        return world.tokens.put(entry, replaces);
      },
    };
    return {
      tokens,
      fail: () => {
        left = times;
      },
    };
  };

  it("for a moment does not lose the tokens of a refresh", async () => {
    const world = new World(1);
    const { tokens, fail } = failing(world, 7);
    const schools = world.schools({ tokens });
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    fail();
    const client = await world.until(schools.client(school), 1_000);
    expect((await client.accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("for longer does not block forever; the tokens are used, and stored when it accepts them", async () => {
    const world = new World(1);
    const { tokens, fail } = failing(world, 12);
    const schools = world.schools({ tokens });
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    fail();
    const client = await world.until(schools.client(school), 1_000);
    for (const wait of [0, 30_000, 30_000, 30_000, 30_000, HOUR]) {
      await world.pass(wait);
      expect((await world.until(client.accounts.get(1))).id).toBe(1);
    }
    expect(world.refreshes(1)).toEqual(["tokens", "tokens"]);
    expect(await schools.list()).toMatchObject([{ state: "connected" }]);
  });

  it("while a token is needed causes a temporary error with the cause", async () => {
    const world = new World(1);
    const school = await world.connect(world.schools(), 1);
    const cause = new Error("database is locked");
    const schools = world.schools({ tokens: { ...world.tokens, get: () => Promise.reject(cause) } });
    expect(await failureOf(schools.client(school))).toMatchObject({
      name: "SchoolError",
      reason: "unreachable",
      cause,
    });
  });
});

/** A store that counts how often it is read. */
function counting(world: World) {
  const reads = { count: 0 };
  const get: TokenStore["get"] = (key) => {
    reads.count++;
    return world.tokens.get(key);
  };
  return { reads, tokens: { ...world.tokens, get } };
}

/** Schools of a process that receives the next response of a token endpoint only when the test releases it. */
function slowSchools(world: World, options: Partial<SchoolsOptions> = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const fetch: World["fetch"] = async (input, init) => {
    const response = await world.fetch(input, init);
    if (String(input).endsWith("/token")) {
      ask();
      await released;
    }
    return response;
  };
  return { schools: world.schools({ ...options, fetch }), asked, release };
}

describe("tokens in a process", () => {
  it("are used without reading the store until their refresh is due", async () => {
    const world = new World(1);
    const { reads, tokens } = counting(world);
    const schools = world.schools({ tokens });
    const client = await schools.client(await world.connect(schools, 1));
    const before = reads.count;
    for (let call = 0; call < 5; call++) await client.accounts.get(1);
    expect(reads.count).toBe(before);
    await world.pass(HOUR);
    await client.accounts.get(1);
    expect(reads.count).toBeGreaterThan(before);
  });

  it("are replaced at once by those that another process is fetching", async () => {
    const world = new World(1);
    const sent: string[] = [];
    const schools = world.schools({
      fetch: (input, init) => {
        sent.push(new Headers(init.headers as HeadersInit).get("authorization") ?? "");
        return world.fetch(input, init as RequestInit);
      },
    });
    const school = await world.connect(schools, 1);
    const client = await schools.client(school);
    await world.pass(HOUR - 100_000);
    const { schools: other, asked, release } = slowSchools(world);
    const refreshed = other.client(school);
    await asked;
    await client.accounts.get(1);
    release();
    await refreshed;
    await client.accounts.get(1);
    const { secret } = (await world.tokens.get(`school ${school}`)) as TokenEntry;
    const { accessToken } = JSON.parse(secret) as { accessToken: string };
    expect(sent.at(-1)).toBe(`Bearer ${accessToken}`);
    expect(sent.at(-2)).not.toBe(sent.at(-1));
  });
});

describe("the refresh of another process", () => {
  it("is checked with growing pauses", async () => {
    const world = new World(1);
    const { reads, tokens } = counting(world);
    const schools = world.schools({ tokens, timeout: 10_000 });
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    await world.change(school, { refreshing: true });
    await world.until(schools.client(school), 10);
    expect(reads.count).toBeGreaterThan(50);
    expect(reads.count).toBeLessThan(80);
  });

  it("is reported once if it fails like the process's own", async () => {
    const world = new World(1);
    const school = await world.connect(world.schools(), 1);
    await world.pass(HOUR);
    world.sandbox(1).oauth.revoke();
    const told: string[] = [];
    const on = { reconnectNeeded: ({ school: which }: { school: string }) => told.push(which) };
    // The process sleeps, so its clock stands still.
    const start = world.time;
    const clock = { now: () => start, setTimeout: () => 0, clearTimeout: () => undefined };
    const { schools: slow, asked, release } = slowSchools(world, { clock, on });
    const late = failureOf(slow.client(school));
    await asked;
    const quick = failureOf(world.schools({ on }).client(school));
    expect(await world.until(quick)).toMatchObject({ reason: "reconnect_needed" });
    release();
    expect(await late).toMatchObject({ reason: "reconnect_needed" });
    expect(told).toEqual([school]);
  });

  it("is awaited and not repeated", async () => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    await world.change(school, { refreshing: true });
    const client = schools.client(school);
    await Promise.race([world.until(client), world.pass(10_000)]);
    const given = { refreshing: false, expiresAt: world.time + HOUR, refreshAt: world.time + HOUR - 1 };
    await world.change(school, given);
    await world.until(client);
    expect(world.refreshes(1)).toEqual([]);
  });

  it("does not delay calls whose token is still valid", async () => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR - 100_000);
    await world.change(school, { refreshing: true });
    expect((await (await schools.client(school)).accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual([]);
  });

  it("is taken over after it has lasted longer than any refresh, because its process must have ended", async () => {
    const world = new World(1);
    const schools = world.schools({ timeout: 4_000 });
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    await world.change(school, { refreshing: true });
    const before = world.time;
    await world.until(schools.client(school));
    expect(world.time - before).toBeGreaterThanOrEqual(6_000);
    expect(world.time - before).toBeLessThan(7_000);
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("is taken over too while new calls arrive", async () => {
    const world = new World(1);
    const schools = world.schools({ timeout: 4_000 });
    const school = await world.connect(schools, 1);
    const client = await schools.client(school);
    await world.pass(HOUR);
    await world.change(school, { refreshing: true });
    const calls: Promise<unknown>[] = [];
    for (let at = 0; at < 100; at++) {
      calls.push(client.accounts.get(1));
      await new Promise((resolve) => setImmediate(resolve));
      await world.pass(100);
    }
    await world.until(Promise.all(calls));
    expect(world.refreshes(1)).toEqual(["tokens"]);
  });

  it("counts in the end, even if it was taken over meanwhile", async () => {
    const world = new World(1);
    const school = await world.connect(world.schools(), 1);
    await world.pass(HOUR);
    // The process sleeps, so its clock stands still.
    const start = world.time;
    const clock = { now: () => start, setTimeout: () => 0, clearTimeout: () => undefined };
    const { schools: slow, asked, release } = slowSchools(world, { clock });
    const late = slow.client(school);
    await asked;
    const told: string[] = [];
    const quick = world.schools({ on: { reconnectNeeded: ({ school: which }) => told.push(which) } });
    expect(await world.until(failureOf(quick.client(school)))).toMatchObject({ reason: "reconnect_needed" });
    expect(told).toEqual([school]);
    release();
    await late;
    expect((await (await quick.client(school)).accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual(["tokens", "invalid_grant"]);
  });

  it.each(["disconnected", "connected anew"])("has no effect after the school was %s", async (how) => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    const { schools: slow, asked, release } = slowSchools(world);
    const late = failureOf(slow.client(school));
    await asked;
    if (how === "disconnected") expect(await schools.disconnect(school)).toBe(true);
    else await world.connect(schools, 1);
    const after = await world.tokens.get(`school ${school}`);
    release();
    const failure = await late;
    expect(await world.tokens.get(`school ${school}`)).toEqual(after);
    if (how === "disconnected") {
      expect(failure).toMatchObject({ reason: "not_connected" });
      expect(await schools.disconnect(school)).toBe(false);
    } else expect(failure).toBe(null);
  });
});

describe("a school that another process disconnects", () => {
  const WITHIN = 60_000;
  const answers = async (client: MainClient) => failureOf(client.accounts.get(1));

  it.each(["works", "fails twice", "hangs once"])("is dropped within a minute, if the store %s", async (how) => {
    const world = new World(1);
    const web = world.schools();
    const school = await world.connect(web, 1);
    let left = { works: 0, "fails twice": 2, "hangs once": 1 }[how] ?? 0;
    let troubled = false;
    const tokens = {
      ...world.tokens,
      get: (key: string) => {
        if (!troubled || left-- <= 0) return world.tokens.get(key);
        return how === "hangs once" ? new Promise<never>(() => undefined) : Promise.reject(new Error("away"));
      },
    };
    const worker = world.schools({ tokens, timeout: 50 });
    const held = await worker.client(school);
    expect(await answers(held)).toBe(null);
    expect(await web.disconnect(school)).toBe(true);
    troubled = true;
    for (let passed = 0; passed < WITHIN; passed += 5_000) {
      await world.pass(5_000);
      await world.until(answers(held));
    }
    const sent = world.sandbox(1).requests.length;
    expect(await world.until(answers(held))).toMatchObject({ cause: { reason: "not_connected" } });
    expect(await world.until(failureOf(worker.client(school)))).toMatchObject({ reason: "not_connected" });
    expect(world.sandbox(1).requests.length).toBe(sent);
  });
});
