import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClientLimiter, Permit } from "../../../src/core/limits/rate-limiter.js";
import type { Moment } from "../../../src/core/time.js";
import { mainClient } from "../../support/clients.js";
import { jsonResponse, recordingFetch } from "../../support/fetch.js";
import { WINDOW } from "../../support/limited.js";
import { ManualClock } from "../../support/manual-clock.js";
import { accountRecord } from "../../support/records.js";

/** Loads another copy of the library's modules, as two installed versions would. */
async function loadCopy() {
  vi.resetModules();
  const { RateLimiters } = await import("../../../src/core/limits/rate-limiters.js");
  const { Ticket } = await import("../../../src/core/limits/ticket.js");
  return { RateLimiters, Ticket };
}

const OLD_REGISTRY = Symbol.for("education-admin-sdk.rate-limiters.v1");

describe("two copies of the library in one process", () => {
  afterEach(() => {
    delete (globalThis as Record<symbol, unknown>)[OLD_REGISTRY];
  });

  it("share one limiter, which numbers the calls of both in order", async () => {
    const clock = new ManualClock(0);
    const [one, other] = [await loadCopy(), await loadCopy()];
    expect(one.Ticket).not.toBe(other.Ticket);
    const granted: string[] = [];
    const open = ({ RateLimiters, Ticket }: typeof one, name: string) => {
      const limit = { requests: 1, windowMs: WINDOW, reserve: 0, concurrency: 9, queueLimit: 9 };
      const settings = { clock, store: undefined, host: "school.example", limit };
      const client = new RateLimiters(settings).of("token of two copies") as ClientLimiter;
      const call = { priority: "interactive", signal: undefined, deadline: null, timeoutMs: 30_000 } as const;
      const acquire = async (ticket: InstanceType<typeof Ticket>) => {
        const permit = (await client.acquire(ticket)) as Permit;
        granted.push(`${name} ${ticket.number}`);
        permit.settle(true);
      };
      return { client, acquire, makeTicket: () => new Ticket(call) };
    };
    const [first, second] = [open(one, "one"), open(other, "other")];
    const refused = first.makeTicket();
    const calls = [first.acquire(refused)];
    await clock.advance(0);
    refused.notBefore = WINDOW as Moment;
    first.client.keep(refused);
    for (const copy of [second, first, second]) calls.push(copy.acquire(copy.makeTicket()));
    calls.push(first.acquire(refused));
    await clock.run(Promise.all(calls));
    expect(granted).toEqual(["one 1", "one 1", "other 2", "one 3", "other 4"]);
  });

  it("share none with a version whose limiters have no tickets", async () => {
    const get = () => {
      throw new Error("the limiter of another version");
    };
    (globalThis as Record<symbol, unknown>)[OLD_REGISTRY] = { get };
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    await mainClient({ fetch, validation: "off" }).accounts.get(7);
    expect(calls).toHaveLength(1);
  });
});
