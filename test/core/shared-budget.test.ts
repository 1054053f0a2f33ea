import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import type { Clock, RateLimitError, RateLimitStore } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { collectGarbage } from "../support/garbage.js";
import { scriptedList } from "../support/lists.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, json, serve } from "../support/server.js";

/** Responds immediately and records when each request was sent. */
function service(clock: Clock) {
  const sentAt: number[] = [];
  const recording = recordingFetch(() => {
    sentAt.push(clock.now());
    return jsonResponse(accountRecord());
  });
  return { ...recording, sentAt };
}

describe("clients of one token with different limits", () => {
  it("are each held to their own limits on the token's count, and report them", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = service(clock);
    const apiKey = "key-of-two-shares";
    const small = mainClient({ fetch, clock, apiKey, rateLimit: { requests: 2, windowMs: 60_000, reserve: 0 } });
    const large = mainClient({ fetch, clock, apiKey, rateLimit: { requests: 5, windowMs: 60_000, reserve: 0 } });
    expect([small.rateLimit.limit, large.rateLimit.limit]).toEqual([2, 5]);
    await Promise.all([small.accounts.get(1), small.accounts.get(2)]);
    const waiting = small.accounts.get(3);
    await until(() => small.rateLimit.queued === 1);
    await Promise.all([large.accounts.get(4), large.accounts.get(5), large.accounts.get(6)]);
    const over = large.accounts.get(7);
    await until(() => large.rateLimit.queued === 1);
    expect([small.rateLimit.used, large.rateLimit.used, small.rateLimit.queued]).toEqual([5, 5, 1]);
    await clock.advance(59_999);
    expect(calls).toHaveLength(5);
    await clock.run(Promise.all([over, waiting]));
    expect(calls).toHaveLength(7);
  });

  it("are not held to the limit of a client that is gone, nor of one that never called", async () => {
    const clock = new ManualClock();
    const { fetch } = service(clock);
    const apiKey = "key-of-a-strict-client";
    const strict = { requests: 1, windowMs: 1_000, concurrency: 1, queueLimit: 1, reserve: 0 };
    await mainClient({ fetch, clock, apiKey, rateLimit: strict }).accounts.get(1);
    expect(mainClient({ fetch, clock, apiKey, rateLimit: strict }).rateLimit.limit).toBe(1);
    const client = mainClient({ fetch, clock, apiKey });
    await Promise.all(Array.from({ length: 400 }, (_, at) => client.accounts.get(at + 1)));
    expect(client.rateLimit).toMatchObject({ limit: 500, used: 401, queued: 0 });
  });
});

describe("the part of the window kept for interactive calls", () => {
  it("is used by interactive calls first, so that batch calls keep their part", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = service(clock);
    const rateLimit = { requests: 10, windowMs: 60_000, reserve: 0.5, concurrency: 20 };
    const client = mainClient({ fetch, clock, rateLimit });
    await Promise.all([1, 2, 3, 4, 5].map((id) => client.accounts.get(id)));
    const batch = [6, 7, 8, 9, 10].map((id) => client.accounts.get(id, { priority: "batch" }));
    await settle();
    expect(calls).toHaveLength(10);
    await clock.run(Promise.all(batch), 0);
  });

  it("is not used by batch calls and is rounded down", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = service(clock);
    const rateLimit = { requests: 15, windowMs: 60_000, reserve: 0.1, concurrency: 50 };
    const client = mainClient({ fetch, clock, rateLimit });
    const batch = Array.from({ length: 15 }, (_, at) => client.accounts.get(at + 1, { priority: "batch" }));
    await settle();
    // A tenth of fifteen is 1.5, which is rounded down, so one slot is reserved.
    expect(calls).toHaveLength(14);
    await client.accounts.get(99);
    expect(calls).toHaveLength(15);
    await clock.run(Promise.all(batch));
  });
});

describe("redirects within the origin", () => {
  it("take one slot of the window each", async () => {
    const server = await serve(({ path }, response) => {
      if (path.endsWith("/7")) return response.writeHead(302, { location: "/api/v1/accounts/8" }).end();
      if (path.endsWith("/8")) return response.writeHead(307, { location: "/api/v1/accounts/9" }).end();
      return json(response, 200, accountRecord());
    });
    const client = mainClient({ baseUrl: server.url });
    await client.accounts.get(7);
    expect(server.requests).toHaveLength(3);
    expect(client.rateLimit.used).toBe(3);
  });

  it("wait for a slot if the window is full", async () => {
    const clock = new ManualClock();
    const sentAt: number[] = [];
    const { fetch } = recordingFetch(({ url }) => {
      sentAt.push(clock.now());
      return url.pathname.endsWith("/7")
        ? new Response(null, { status: 302, headers: { location: "/api/v1/accounts/8" } })
        : jsonResponse(accountRecord());
    });
    const client = mainClient({ fetch, clock, rateLimit: { requests: 1, windowMs: 60_000 } });
    await clock.run(client.accounts.get(7));
    expect((sentAt[1] as number) - (sentAt[0] as number)).toBeGreaterThanOrEqual(60_000);
  });
});

describe("a call with a totalTimeout that had to queue", () => {
  it("is garbage collected after its end", async () => {
    const { fetch } = recordingFetch(async () => {
      await settle();
      return jsonResponse(accountRecord());
    });
    const client = mainClient({ fetch, totalTimeout: 60_000, rateLimit: { requests: 1_000_000, concurrency: 1 } });
    // Every signal that got a listener, including internal ones. A mock would keep the signals in memory.
    const signals: WeakRef<AbortSignal>[] = [];
    const add = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (this: EventTarget, ...given) {
      if (this instanceof AbortSignal) signals.push(new WeakRef(this));
      return add.apply(this, given);
    };
    const call = () => client.accounts.get(7, { signal: new AbortController().signal });
    try {
      await Promise.all(Array.from({ length: 200 }, call));
    } finally {
      EventTarget.prototype.addEventListener = add;
    }
    expect(signals.length).toBeGreaterThan(0);
    await collectGarbage();
    const alive = new Set(signals.flatMap((signal) => signal.deref() ?? []));
    expect(alive.size).toBeLessThan(20);
    expect((await client.accounts.get(7)).id).toBe(7);
  });
});

describe("requests that the platform cancelled silently", () => {
  /** A clock that can drop timers, as a worker does when its request context ends. */
  function losing(clock: ManualClock) {
    let lost = false;
    return {
      lose: (value: boolean) => {
        lost = value;
      },
      clock: {
        now: () => clock.now(),
        setTimeout: (callback: () => void, ms: number) => (lost ? 0 : clock.setTimeout(callback, ms)),
        clearTimeout: (handle: unknown) => clock.clearTimeout(handle),
      },
    };
  }

  it("release their slots when their lease expires", async () => {
    const clock = new ManualClock();
    const platform = losing(clock);
    const { fetch, calls } = recordingFetch(({ index }) =>
      index < 10 ? new Promise<Response>(() => undefined) : jsonResponse(accountRecord()),
    );
    const rateLimit = { requests: 10, windowMs: 60_000, concurrency: 10 };
    const client = mainClient({ fetch, clock: platform.clock, rateLimit });
    platform.lose(true);
    for (let call = 0; call < 10; call++) void client.accounts.get(7);
    await until(() => calls.length === 10);
    platform.lose(false);
    expect((await clock.run(client.accounts.get(8), 600_000)).id).toBe(7);
  });
});

describe("two copies of the package in one process", () => {
  it("share a budget, and both throw RateLimitError when it refuses a call", async () => {
    vi.resetModules();
    const copy = await import("../../src/index.js");
    const clients = await import("../support/clients.js");
    expect(clients.mainClient).not.toBe(mainClient);
    const clock = new ManualClock();
    const { fetch } = service(clock);
    const apiKey = "key-of-two-copies";
    const shared = { fetch, clock, apiKey, rateLimit: { requests: 1, windowMs: 60_000, queueLimit: 1 } };
    const one = mainClient(shared);
    const other = clients.mainClient(shared);
    await one.accounts.get(1);
    expect(other.rateLimit.used).toBe(1);
    const late = await failure<RateLimitError>(other.accounts.get(2, { totalTimeout: 1_000 }));
    expect(late).toMatchObject({ name: "RateLimitError", code: "rate_limited", attempts: 0 });
    expect(late).toBeInstanceOf(copy.RateLimitError);
    const queued = one.accounts.get(3);
    await until(() => one.rateLimit.queued === 1);
    const otherQueued = other.accounts.get(5);
    await until(() => other.rateLimit.queued === 1);
    const full = await failure<RateLimitError>(other.accounts.get(4));
    expect(full).toMatchObject({ name: "RateLimitError", code: "rate_limited" });
    expect(full.message).toContain("queueLimit");
    await clock.run(Promise.all([queued, otherQueued]));
  });
});

describe("a hundred calls at once", () => {
  it("add at most ten listeners to any signal, so that no supported Node prints a warning", async () => {
    const signals = new Set<AbortSignal>();
    const add = EventTarget.prototype.addEventListener;
    vi.spyOn(EventTarget.prototype, "addEventListener").mockImplementation(function (this: EventTarget, ...given) {
      if (this instanceof AbortSignal) signals.add(this);
      return add.apply(this, given);
    });
    for (const concurrency of [100, 1]) {
      const clock = new ManualClock();
      const { fetch } = recordingFetch(
        () => new Promise((resolve) => clock.setTimeout(() => resolve(jsonResponse(accountRecord())), 10)),
      );
      const client = mainClient({ fetch, clock, rateLimit: { concurrency } });
      const calls = Array.from({ length: 100 }, (_, at) => client.accounts.get(at + 1));
      await settle();
      const most = Math.max(0, ...[...signals].map((signal) => getEventListeners(signal, "abort").length));
      expect(most).toBeLessThanOrEqual(10);
      await clock.run(Promise.all(calls));
    }
  });
});

describe("an idle budget", () => {
  it("is not dropped while its window still has requests", async () => {
    const clock = new ManualClock();
    const { fetch } = service(clock);
    const use = async (apiKey: string) => {
      await mainClient({ fetch, clock, apiKey }).accounts.get(7);
    };
    await use("key-that-is-used");
    await use("another-key");
    await collectGarbage();
    expect(mainClient({ fetch, clock, apiKey: "key-that-is-used" }).rateLimit.used).toBe(1);
  });
});

describe("a call in the queue of a shared store", () => {
  const asking = (more: Partial<RateLimitStore>): RateLimitStore => ({
    reserve: () => ({ granted: true, slot: "1" }),
    settle: () => undefined,
    block: () => undefined,
    ...more,
  });

  it("reserves its slot with a lease of at least window plus timeout", async () => {
    const leases: number[] = [];
    const store = asking({
      reserve: ({ leaseMs }) => {
        leases.push(leaseMs);
        return { granted: true, slot: "1" };
      },
    });
    const clock = new ManualClock();
    const client = mainClient({ fetch: service(clock).fetch, clock, rateLimit: { store, windowMs: 60_000 } });
    await clock.run(client.accounts.get(7, { timeout: 45_000 }));
    expect(leases[0]).toBeGreaterThanOrEqual(105_000);
  });
});

describe("a waiting call", () => {
  it("is sent with the new key if the key was renewed meanwhile", async () => {
    const keys = ["old-key-of-two", "new-key-of-two"];
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(({ headers }) =>
      headers.authorization === "Bearer new-key-of-two"
        ? jsonResponse(accountRecord())
        : jsonResponse(errorBody(401), 401),
    );
    const apiKey = () => keys.shift() ?? "no-key-left";
    const client = mainClient({ fetch, clock, apiKey, rateLimit: { requests: 1, windowMs: 60_000 } });
    const both = Promise.all([client.accounts.get(1), client.accounts.get(2)]);
    await clock.run(both);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer old-key-of-two",
      "Bearer new-key-of-two",
      "Bearer new-key-of-two",
    ]);
  });
});

describe("a list that has to wait for the rate limit", () => {
  it("is complete and in order", async () => {
    const clock = new ManualClock();
    const list = scriptedList(9);
    const client = mainClient({ fetch: list.fetch, clock, rateLimit: { requests: 2, windowMs: 1_000 } });
    const all = await clock.run(client.organization.contacts.list({ per_page: 2 }).toArray());
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
