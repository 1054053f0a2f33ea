import { describe, expect, it } from "vitest";
import type { TokenStore } from "../../src/schools/index.js";
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

  it("for longer is not waited for without end", async () => {
    const world = new World(1);
    const { tokens, fail } = failing(world, 100);
    const schools = world.schools({ tokens });
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    fail();
    expect(await world.until(failureOf(schools.client(school)), 1_000)).toMatchObject({
      message: "database is locked",
    });
  });
});

describe("the refresh of another process", () => {
  it("is waited for, and not repeated", async () => {
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

  it("does not hold up calls whose token still works", async () => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR - 100_000);
    await world.change(school, { refreshing: true });
    expect((await (await schools.client(school)).accounts.get(1)).id).toBe(1);
    expect(world.refreshes(1)).toEqual([]);
  });

  it("is taken over once it has lasted longer than any refresh takes: its process has ended", async () => {
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

  it("is taken over too while calls keep coming in", async () => {
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

  it("counts in the end, though it was taken over meanwhile", async () => {
    const world = new World(1);
    const school = await world.connect(world.schools(), 1);
    await world.pass(HOUR);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    // Its process sleeps: no time passes for it.
    const start = world.time;
    const clock = { now: () => start, setTimeout: () => 0, clearTimeout: () => undefined };
    const slow = world.schools({
      clock,
      fetch: async (input, init) => {
        const response = await world.fetch(input as string, init as RequestInit);
        ask();
        await released;
        return response;
      },
    });
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

  it.each(["disconnected", "connected anew"])("changes nothing once the school was %s", async (how) => {
    const world = new World(1);
    const schools = world.schools();
    const school = await world.connect(schools, 1);
    await world.pass(HOUR);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const slow = world.schools({
      fetch: async (input, init) => {
        const response = await world.fetch(input as string, init as RequestInit);
        ask();
        await released;
        return response;
      },
    });
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
