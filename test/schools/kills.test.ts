import { expect, it } from "vitest";
import type { TokenStore } from "../../src/schools/index.js";
import { World } from "./support/world.js";

const HOUR = 3_600_000;

/**
 * Schools of a process that stops forever at its nth step. To all other processes, it looks as if it had been killed.
 */
function dyingAt(world: World, step: number) {
  let steps = 0;
  const died = Promise.withResolvers<void>();
  const next = () => {
    if (++steps < step) return;
    died.resolve();
    return new Promise<never>(() => undefined);
  };
  const runStep = async <T>(work: () => T | PromiseLike<T>): Promise<T> => {
    await next();
    const value = await work();
    await next();
    return value;
  };
  const { tokens } = world;
  const store: TokenStore = {
    get: (key) => runStep(() => tokens.get(key)),
    put: (entry, replaces) => runStep(() => tokens.put(entry, replaces)),
    delete: (key, version) => runStep(() => tokens.delete(key, version)),
    list: (prefix) => runStep(() => tokens.list(prefix)),
  };
  const fetch: World["fetch"] = (input, init) => runStep(() => world.fetch(input, init));
  // Timers of a dead process never fire.
  const clock = { ...world.clock, setTimeout: () => 0, clearTimeout: () => undefined };
  return { schools: world.schools({ tokens: store, fetch, clock }), died: died.promise };
}

it.each(["at once", "when used"] as const)(
  "a process that dies at any step of a refresh locks out no school that accepts its token (rotation: %s)",
  async (rotation) => {
    const lost: number[] = [];
    for (let step = 1; ; step++) {
      const world = new World(1, { oauth: { rotation } });
      const school = await world.connect(world.schools(), 1);
      await world.pass(HOUR);
      const { schools, died } = dyingAt(world, step);
      const call = schools.client(school).then(async (client) => client.accounts.get(1));
      if ((await Promise.race([call, died])) !== undefined) {
        expect(step).toBeGreaterThan(8);
        break;
      }
      const after = world.schools();
      const reason = await world.until(
        after.client(school).then(
          () => null,
          (error: { reason: string }) => error.reason,
        ),
      );
      const { oauth } = world.sandbox(1);
      const spent = oauth.grants.filter((grant) => grant.spent).length;
      if (reason === null) {
        expect((await (await after.client(school)).accounts.get(1)).id).toBe(1);
        expect(spent).toBe(0);
      } else {
        expect(reason).toBe("reconnect_needed");
        lost.push(step);
        const { secret } = (await world.tokens.get(`school ${school}`)) as { secret: string };
        expect(oauth.knows(JSON.parse(secret).refreshToken)).toBe(false);
        expect(spent).toBe(1);
        // Another hour causes no further refresh.
        await world.pass(HOUR);
        await after.client(school).catch(() => undefined);
        expect(oauth.grants.filter((grant) => grant.spent)).toHaveLength(1);
      }
    }
    // These processes died after they received new tokens and before they stored them.
    expect(lost.length).toBe(rotation === "at once" ? 4 : 0);
  },
);

it("a process that dies at any step of a login leaves a school either connected or not connected", async () => {
  const found = new Set<string>();
  for (let step = 1; ; step++) {
    const world = new World(1);
    const callback = await world.agree(await world.schools().authorizeUrl("https://school-1.example"));
    const { schools, died } = dyingAt(world, step);
    if ((await Promise.race([schools.connect(callback), died])) !== undefined) break;
    const after = world.schools();
    const reason = await after.client("https://school-1.example").then(
      async (client) => `read ${(await client.accounts.get(1)).id}`,
      (error: { reason: string }) => error.reason,
    );
    found.add(reason);
    // In every state, another login works.
    await world.connect(after, 1);
    expect((await (await after.client("https://school-1.example")).accounts.get(1)).id).toBe(1);
  }
  expect([...found]).toEqual(["not_connected", "read 1"]);
});
