import { describe, expect, it } from "vitest";
import { localStore, MemoryRateLimitStore } from "../../../src/core/limits/rate-limit-store.js";
import { RateLimiter } from "../../../src/core/limits/rate-limiter.js";
import { Line } from "../../../src/core/line/line.js";
import { resolveSettings } from "../../../src/core/settings.js";
import { mainClient } from "../../support/clients.js";
import { jsonResponse, recordingFetch } from "../../support/fetch.js";
import { at } from "../../support/limited.js";
import { failure, ManualClock, settle } from "../../support/manual-clock.js";
import { accountRecord } from "../../support/records.js";
import { errorBody } from "../../support/server.js";
import { makeTicket } from "../../support/ticket.js";

describe("a ticket", () => {
  it("responds to a ping by itself while its code runs", async () => {
    const ticket = makeTicket();
    ticket.ping(at(0));
    expect([ticket.isSilent(at(999)), ticket.isSilent(at(1_000))]).toEqual([false, true]);
    await settle();
    expect(ticket.isSilent(at(5_000))).toBe(false);
    ticket.ping(at(6_000));
    expect(ticket.isSilent(at(7_000))).toBe(true);
  });

  it("responds to a wake only when its call acts, but is not gone without a response", async () => {
    const ticket = makeTicket();
    ticket.wake(at(0));
    ticket.wake(at(500));
    await settle();
    expect([ticket.isSilent(at(1_000)), ticket.isGone(at(1_000))]).toEqual([true, false]);
    ticket.respond();
    expect(ticket.isSilent(at(9_000))).toBe(false);
  });

  it("is not gone if it was woken after it had responded to a ping", async () => {
    const ticket = makeTicket();
    ticket.ping(at(0));
    await settle();
    ticket.wake(at(2_000));
    expect(ticket.isGone(at(9_000))).toBe(false);
  });

  it("sleeps until its timer fires or another call wakes it, and sets no timer longer than platforms support", async () => {
    const clock = new ManualClock(0);
    const delays: number[] = [];
    const counting = {
      now: () => clock.now(),
      setTimeout: (callback: () => void, ms: number) => {
        delays.push(ms);
        return clock.setTimeout(callback, ms);
      },
      clearTimeout: (handle: unknown) => clock.clearTimeout(handle),
    };
    const ticket = makeTicket();
    const slept = ticket.sleep(counting, 10 ** 10);
    expect(await Promise.race([slept.then(() => "woken"), clock.advance(10 ** 6).then(() => "sleeps")])).toBe("sleeps");
    ticket.wake(at(10 ** 6));
    await slept;
    expect([clock.pending, Math.max(...delays)]).toEqual([0, 2_147_483_647]);
  });
});

describe("a permit that is granted at once", () => {
  it("has no wait, however slow the machine is", () => {
    let now = 0;
    const clock = { now: () => (now += 100), setTimeout: () => 0, clearTimeout: () => undefined };
    const limit = { requests: 9, windowMs: 60_000, reserve: 0, concurrency: 9, queueLimit: 9 };
    const ticket = makeTicket();
    const permit = new RateLimiter("key", clock, localStore(clock)).client(limit).acquire(ticket);
    expect(permit).toMatchObject({ waitedMs: 0 });
    expect(ticket.waitedMs).toBe(0);
  });
});

describe("the pause after a 429", () => {
  it("ends no later than the block, however much time passes in between", async () => {
    let now = 0;
    const clock = { ...new ManualClock(), now: () => ++now, setTimeout: () => 0, clearTimeout: () => undefined };
    const blocks: number[] = [];
    const store = new MemoryRateLimitStore();
    store.block = ({ until }) => void blocks.push(until);
    const options = { baseUrl: "https://school.example", apiKey: "key-of-a-429", clock, rateLimit: { store } };
    const line = new Line(resolveSettings(options));
    const ticket = makeTicket();
    await line.block(ticket, "key-of-a-429", 1_000);
    expect(blocks).toHaveLength(1);
    expect(ticket.notBefore).toBeLessThanOrEqual(blocks[0] as number);
    expect(ticket.notBefore).toBeGreaterThan(1_000);
  });
});

describe("a key function", () => {
  it("is called once for an attempt that is refused with the new key too", async () => {
    let keys = 0;
    const { fetch, calls } = recordingFetch(({ index }) =>
      index < 2 ? jsonResponse(errorBody(401), 401) : jsonResponse(accountRecord()),
    );
    const client = mainClient({ fetch, validation: "off", apiKey: () => `key-${++keys}` });
    expect(await failure(client.accounts.get(7))).toMatchObject({ status: 401, attempts: 2 });
    expect([calls.length, keys]).toEqual([2, 2]);
  });

  it("is called once in each attempt, and again at once after a call whose first attempt got another key", async () => {
    const clock = new ManualClock();
    const statuses = [403, 503, 200, 403, 200, 401, 503, 401, 200];
    let keys = 0;
    const { fetch, calls } = recordingFetch(({ index }) => {
      const status = statuses[index] as number;
      return status === 200 ? jsonResponse(accountRecord()) : jsonResponse(errorBody(status), status);
    });
    const client = mainClient({ fetch, clock, validation: "off", apiKey: () => `key-${++keys}` });
    for (let call = 0; call < 3; call++) await clock.run(client.accounts.get(7));
    const sent = calls.map(({ headers }) => headers.authorization?.replace("Bearer key-", ""));
    expect(sent).toEqual(["1", "2", "2", "2", "3", "3", "4", "4", "5"]);
  });
});
