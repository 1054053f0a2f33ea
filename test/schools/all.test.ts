import { describe, expect, it } from "vitest";
import { MemoryRateLimitStore } from "../../src/index.js";
import { SchoolError } from "../../src/schools/index.js";
import { World } from "./support/world.js";

// `npm run campaign:schools` sets 50.
const SCHOOLS = Number(process.env.SCHOOLS_SHARING ?? 10);

describe("all schools", () => {
  it("are returned in the order of their addresses, each with its client; unusable ones are left out and reported", async () => {
    const world = new World(4);
    const skipped: unknown[] = [];
    const schools = world.schools({ on: { skipped: (event) => skipped.push(event) } });
    for (const school of [3, 1, 4, 2]) await world.connect(schools, school);
    await world.pass(3_600_000);
    world.sandbox(2).oauth.revoke();
    world.sandbox(3).oauth.faults.next({ status: 503 });
    const seen: string[] = [];
    for await (const { school, client } of schools.all()) {
      seen.push(school);
      expect(client.baseUrl).toBe(school);
      await client.accounts.get(1);
    }
    expect(seen).toEqual(["https://school-1.example", "https://school-4.example"]);
    expect(skipped).toEqual([
      { school: "https://school-2.example", error: expect.any(SchoolError) },
      { school: "https://school-3.example", error: expect.any(SchoolError) },
    ]);
  });

  it("are the current ones: one that is disconnected meanwhile is left out, and one that is connected is included", async () => {
    const world = new World(3);
    const skipped: unknown[] = [];
    const schools = world.schools({ on: { skipped: ({ school }) => skipped.push(school) } });
    for (const school of [2, 3]) await world.connect(schools, school);
    const seen: string[] = [];
    for await (const { school } of schools.all()) {
      if (seen.length === 0) {
        await world.connect(schools, 1);
        await schools.disconnect("https://school-3.example");
      }
      seen.push(school);
    }
    expect(seen).toEqual(["https://school-2.example", "https://school-1.example"]);
    expect(skipped).toEqual(["https://school-3.example"]);
  });

  it("end when the loop ends", async () => {
    const world = new World(2);
    const schools = world.schools();
    for (const school of [1, 2]) await world.connect(schools, school);
    for await (const _ of schools.all()) break;
    await world.pass(3_600_000);
    for await (const _ of schools.all()) break;
    expect([world.refreshes(1), world.refreshes(2)]).toEqual([["tokens"], []]);
  });

  it("have the options of the application's clients, and failing observers have no effect", async () => {
    const world = new World(1);
    const fail = () => {
      throw new Error("an observer failed");
    };
    const on = { connected: fail, refreshed: fail, reconnectNeeded: fail, skipped: fail };
    const schools = world.schools({ client: { readOnly: true, pageSize: 7 }, on });
    const client = await schools.client(await world.connect(schools, 1));
    await client.accounts.list();
    expect(world.sandbox(1).requests.at(-1)?.query).toContainEqual(["per_page", "7"]);
    await expect(client.accounts.create({ name: "A" } as never)).rejects.toThrow("the client is read-only");
    await world.pass(3_600_000);
    await client.accounts.get(1);
  });

  it("accept observers that reject", async () => {
    const world = new World(1);
    const rejections: unknown[] = [];
    const note = (reason: unknown) => rejections.push(reason);
    process.on("unhandledRejection", note);
    try {
      const reject = async () => Promise.reject(new Error("an observer rejected"));
      await world.connect(world.schools({ on: { connected: reject } }), 1);
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejections).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});

/**
 * Returns the requests of all schools, with their times, in a number of windows in which the busy schools have endless
 * work.
 */
async function share(world: World, requests: number, windows: number, busy: (school: number) => boolean) {
  const schools = world.schools({ rateLimit: { requests, windowMs: 10_000, reserve: 0, concurrency: 2 } });
  const sent: { school: number; at: number }[] = [];
  const start = world.time;
  const end = start + windows * 10_000;
  const clients = [];
  for (let at = 1; at <= world.sandboxes.size; at++)
    clients.push(await schools.client(await world.connect(schools, at)));
  const work = clients.map(async (client, index) => {
    const one = async () => {
      while (world.time < end) {
        await client.accounts.get(1, { priority: "batch" });
        sent.push({ school: index + 1, at: world.time - start });
      }
    };
    if (busy(index + 1)) await Promise.all([one(), one()]);
  });
  await world.until(Promise.all(work));
  return sent;
}

const sentBetween = (sent: readonly { school: number; at: number }[], from: number, to: number) =>
  sent.filter(({ at }) => at >= from && at < to);

describe("the application's window", () => {
  it("is shared fairly: no busy school exceeds its share by more than a tenth", async () => {
    const world = new World(SCHOOLS, { rateLimit: false, size: 3 });
    const sent = await share(world, 10 * SCHOOLS, 5, () => true);
    // The first windows belong to the schools that came first.
    const counted = sentBetween(sent, 20_000, 50_000);
    const counts = Array.from({ length: SCHOOLS }, (_, at) => counted.filter(({ school }) => school === at + 1).length);
    expect(counted.length).toBeGreaterThan(0.9 * 30 * SCHOOLS);
    expect(counted.length).toBeLessThanOrEqual(31 * SCHOOLS);
    for (const count of counts) expect(count).toBeLessThanOrEqual(Math.ceil(30 * 1.1));
    expect(Math.min(...counts)).toBeGreaterThan(20);
  });

  it("gives the unused part to the schools that need it", async () => {
    const world = new World(10, { rateLimit: false, size: 3 });
    const sent = await share(world, 100, 5, (school) => school <= 2);
    expect(sentBetween(sent, 20_000, 50_000).length).toBeGreaterThan(0.85 * 300);
  });

  it("continues with new tokens", async () => {
    const world = new World(1, { rateLimit: false });
    const schools = world.schools({ rateLimit: { requests: 500, windowMs: 300_000, reserve: 0 } });
    const client = await schools.client(await world.connect(schools, 1));
    for (let call = 0; call < 5; call++) await client.accounts.get(1);
    world.sandbox(1).oauth.revoke("access");
    await client.accounts.get(1);
    expect(client.rateLimit.used).toBe(7);
  });

  it("can be stored by the caller, under a name without a token", async () => {
    const world = new World(2);
    const keys = new Set<string>();
    const memory = new MemoryRateLimitStore();
    const store = {
      reserve: (request: Parameters<typeof memory.reserve>[0]) => {
        keys.add(request.key);
        return memory.reserve(request);
      },
      settle: (settlement: Parameters<typeof memory.settle>[0]) => {
        keys.add(settlement.key);
        memory.settle(settlement);
      },
      block: (block: Parameters<typeof memory.block>[0]) => memory.block(block),
      usage: (request: Parameters<typeof memory.usage>[0]) => memory.usage(request),
    };
    const schools = world.schools({ rateLimit: { store } });
    for (const school of [1, 2]) {
      const client = await schools.client(await world.connect(schools, school));
      await client.accounts.get(1);
      expect(client.rateLimit).toMatchObject({ limit: 500, used: 1 });
    }
    expect([...keys]).toEqual(["school https://school-1.example", "school https://school-2.example"]);
  });

  it("stops all schools when the service reports that it is full", async () => {
    const world = new World(2);
    const schools = world.schools({ client: { retry: false } });
    const [one, other] = [
      await schools.client(await world.connect(schools, 1)),
      await schools.client(await world.connect(schools, 2)),
    ];
    world.sandbox(1).faults.next({ retryAfter: 60 });
    await expect(one.accounts.get(1)).rejects.toMatchObject({ status: 429 });
    const call = other.accounts.get(1).then(({ id }) => id);
    await world.pass(59_000);
    expect(world.sandbox(2).requests.filter(({ operation }) => operation !== null)).toEqual([]);
    expect(await world.until(call)).toBe(1);
  });

  it("can be turned off", async () => {
    const world = new World(1);
    const schools = world.schools({ rateLimit: false });
    const client = await schools.client(await world.connect(schools, 1));
    await client.accounts.get(1);
    expect(client.rateLimit.limit).toBe(null);
  });
});
