import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryRateLimitStore, type RateLimitStore } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { ManualClock } from "../support/manual-clock.js";
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
afterEach(() => vi.restoreAllMocks());

describe.each(Object.entries(PATTERNS))("what hangs %s", (_, hangs) => {
  it.each(["first", "after each 401"])("as a key function, asked %s, fails its own call and no other", async (when) => {
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

  it.each(["reserve", "settle", "block"] as const)("as the %s of a store loses no call and no slot", async (method) => {
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
      // The store is asked again.
      await clock.advance(31_000);
    }
    expect(asked).toBeGreaterThan(1);
    expect(client.rateLimit).toMatchObject({ queued: 0 });
  });
});
