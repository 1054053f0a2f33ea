import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryRateLimitStore, type RateLimitStore } from "../../src/index.js";
import type { TokenStore } from "../../src/schools/index.js";
import { type PostgresConnection, rateLimitStore } from "../../src/stores/postgres/index.js";
import { HOUR, World } from "../schools/support/world.js";
import { drawCases } from "../support/amount.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { ManualClock, settle } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const CALLS = 9;
const PATTERNS: Readonly<Record<string, (time: number) => boolean>> = {
  once: (time) => time === 1,
  twice: (time) => time <= 2,
  "every third time": (time) => time % 3 === 0,
};
const never = () => new Promise<never>(() => undefined);

beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue(undefined));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(Object.entries(PATTERNS))("a promise that never settles %s", (_, hangs) => {
  it.each(["first", "after each 401"])("from a key function called %s fails only its own call", async (when) => {
    const clock = new ManualClock();
    let good = 0;
    let asked = 0;
    let hung = 0;
    const apiKey = async () => {
      if (!hangs(++asked)) return `key-${good}`;
      hung++;
      return never();
    };
    const { fetch } = recordingFetch(({ headers }) =>
      headers.authorization === `Bearer key-${good}`
        ? jsonResponse(accountRecord())
        : jsonResponse(errorBody(401), 401),
    );
    const client = mainClient({ fetch, clock, apiKey });
    const ended: string[] = [];
    for (let at = 0; at < CALLS; at++) {
      if (when !== "first") good++;
      const before = hung;
      const outcome = await clock.run(
        client.accounts.get(7).then(
          () => "record",
          ({ name }: Error) => name,
        ),
      );
      expect(outcome).toBe(hung > before ? "ConfigurationError" : "record");
      ended.push(outcome);
    }
    expect(ended.filter((outcome) => outcome !== "record")).toHaveLength(hung);
    expect([hung > 0, ended.at(-2)]).toEqual([when !== "first" || hangs(1), "record"]);
  });

  it.each(["reserve", "settle", "block"] as const)("from %s of a store loses no call and no slot", async (method) => {
    const clock = new ManualClock();
    const slots = new MemoryRateLimitStore();
    let asked = 0;
    const odd = <T>(name: string, work: () => T): T | Promise<never> =>
      name === method && hangs(++asked) ? never() : work();
    const store: RateLimitStore = {
      reserve: (request) => odd("reserve", () => slots.reserve(request)),
      settle: (settlement) => odd("settle", () => slots.settle(settlement)),
      block: (block) => odd("block", () => slots.block(block)),
    };
    let sent = 0;
    const { fetch } = recordingFetch(() =>
      ++sent % 4 === 0 ? jsonResponse(errorBody(429), 429, { "retry-after": "1" }) : jsonResponse(accountRecord()),
    );
    const client = mainClient({ fetch, clock, rateLimit: { store } });
    for (let at = 0; at < CALLS; at++) {
      expect(await clock.run(client.accounts.get(7))).toMatchObject({ id: accountRecord().id });
      // After this time, a store that has failed is called again.
      await clock.advance(31_000);
    }
    expect(asked).toBeGreaterThan(1);
    expect(client.rateLimit).toMatchObject({ queued: 0 });
  });

  const calls = (["get", "put", "delete", "list"] as const).flatMap((method) => [
    { method, when: "before" },
    { method, when: "after" },
  ]);
  it.each(drawCases(calls, 3))(
    "from $method of a token store, $when it is done, loses no school",
    async ({ method, when }) => {
      onTimers();
      const world = new World(1);
      let asked = 0;
      const odd = async <T>(name: string, work: () => T | PromiseLike<T>): Promise<T> => {
        if (name !== method || !hangs(++asked)) return work();
        if (when === "after") await work();
        return never();
      };
      const tokens: TokenStore = {
        get: (key) => odd("get", () => world.tokens.get(key)),
        put: (entry, replaces) => odd("put", () => world.tokens.put(entry, replaces)),
        delete: (key, version) => odd("delete", () => world.tokens.delete(key, version)),
        list: (prefix) => odd("list", () => world.tokens.list(prefix)),
      };
      const schools = world.schools({ tokens });
      /** Repeats failing work up to three times, because each call uses the store more than once. */
      const atLast = async <T>(work: () => Promise<T>): Promise<T> => {
        for (let failures = 0; ; failures++) {
          try {
            return await timePasses(work(), () => world.pass(250));
          } catch (error) {
            expect(inspect(error)).toContain("the token store did not respond");
            if (failures === 3) throw error;
          }
        }
      };
      for (let at = 0; at < 2; at++) {
        const school = await atLast(() => world.connect(schools, 1));
        const client = await atLast(() => schools.client(school));
        for (let hours = 0; hours < 2; hours++) {
          await world.pass(HOUR);
          expect(await atLast(() => client.accounts.get(1))).toMatchObject({ id: 1 });
        }
        expect(await atLast(() => schools.list())).toMatchObject([{ school, state: "connected" }]);
      }
      await atLast(() => schools.disconnect("https://school-1.example"));
      expect([asked > 0, await world.tokens.list("school")]).toEqual([true, []]);
    },
  );

  it("from a Postgres is abandoned and repeated, while it is opened and later", async () => {
    onTimers();
    let asked = 0;
    const entries: string[] = [];
    const postgres: PostgresConnection = {
      query: async (sql, [, entry] = []) => {
        if (hangs(++asked)) return never();
        if (!sql.includes("window_logs AS w")) return { rows: [] };
        entries.push(`${Date.now()} ${entry}`);
        return { rows: [{ base: 0, state: null, first: 0, entries }] };
      },
    };
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, rateLimit: { store: rateLimitStore(postgres) } });
    let counted = 0;
    for (let at = 0; at < CALLS; at++) {
      const before = entries.length;
      expect(await timePasses(client.accounts.get(7))).toMatchObject({ id: accountRecord().id });
      if (entries.length > before) counted++;
      // After this time, a store that has failed is called again.
      await timePasses(new Promise((resolve) => setTimeout(resolve, 31_000)));
    }
    expect(counted).toBeGreaterThanOrEqual(CALLS / 3);
  });
});

/** Replaces timers with fake ones, which the test fires. */
function onTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
}

/**
 * Advances the fake time until a promise settles. Before each step, work in real time, such as a digest, may finish.
 */
async function timePasses<T>(work: Promise<T>, meanwhile: () => unknown = () => undefined): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  for (let steps = 0; steps < 1_000 && !isOver; steps++) {
    await crypto.subtle.digest("SHA-256", new Uint8Array(1)).then(settle);
    if (isOver) break;
    await vi.advanceTimersByTimeAsync(2_500);
    await meanwhile();
  }
  return work;
}
