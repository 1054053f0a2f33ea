import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, networkError, recordingFetch } from "../support/fetch.js";
import { scriptedList } from "../support/lists.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, json, serve } from "../support/server.js";

const CALLS = 1_000;

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

/** Makes calls with one signal, twenty at a time, and collects the platform's warnings. */
async function onOneSignal(work: (signal: AbortSignal, call: number) => PromiseLike<unknown>, calls = CALLS) {
  const { signal } = new AbortController();
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const before = timers();
  let most = 0;
  for (let call = 0; call < calls; call += 20) {
    await Promise.allSettled(Array.from({ length: 20 }, (_, at) => work(signal, call + at)));
    most = Math.max(most, listeners(signal));
  }
  await settle();
  process.off("warning", onWarning);
  // The difference is negative if timers of the test runner ended meanwhile.
  return { signal, most, warnings, timersLeft: Math.max(0, timers() - before) };
}

const nothingLeft = { most: 0, warnings: [], timersLeft: 0 };

describe("a thousand calls on one signal leave nothing behind", () => {
  it("after success", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, rateLimit: false, totalTimeout: 60_000 });
    expect(await onOneSignal((signal) => client.accounts.get(7, { signal }))).toMatchObject(nothingLeft);
  });

  it("through the rate limiter, with waits", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, rateLimit: { requests: 1_000_000, concurrency: 3 } });
    expect(await onOneSignal((signal) => client.accounts.get(7, { signal }))).toMatchObject(nothingLeft);
    expect(client.rateLimit.queued).toBe(0);
  });

  it("after failures: error responses, lost connections, bad input", async () => {
    const { fetch } = recordingFetch(({ index }) => {
      if (index % 2) throw networkError("ECONNRESET");
      return jsonResponse(errorBody(404), 404);
    });
    const client = mainClient({ fetch, rateLimit: false, retry: false });
    const result = await onOneSignal((signal, call) =>
      call % 3 ? client.accounts.create({ name: "A" }, { signal }) : client.accounts.get(-1, { signal }),
    );
    expect(result).toMatchObject(nothingLeft);
  });

  it("after retries and the waits before them", async () => {
    const { fetch } = recordingFetch(({ index }) =>
      index % 2 ? jsonResponse(accountRecord()) : jsonResponse(errorBody(429), 429, { "retry-after": "0.001" }),
    );
    const client = mainClient({ fetch, rateLimit: { requests: 1_000_000 } });
    expect(await onOneSignal((signal) => client.accounts.get(7, { signal }), 400)).toMatchObject(nothingLeft);
  });

  it("after lists that were read to the end, broken off, and abandoned halfway", async () => {
    const { signal } = new AbortController();
    const before = timers();
    const list = scriptedList(50);
    const client = mainClient({ fetch: list.fetch, rateLimit: false });
    const contacts = () => client.organization.contacts.list({ per_page: 5 }, { signal, prefetch: 2 });
    for (let round = 0; round < 60; round++) {
      for await (const { id } of contacts()) if (id === 12) break;
      const given_up = contacts()[Symbol.asyncIterator]();
      await given_up.next();
      await contacts().toArray({ max: 7 });
      await contacts();
    }
    await until(() => listeners(signal) === 0, "the end of what was fetched ahead");
    await settle();
    expect(timers() - before).toBeLessThanOrEqual(0);
  });

  it("after waits that timed out or were refused", async () => {
    const clock = new ManualClock();
    const { signal } = new AbortController();
    const client = mainClient({ fetch: () => new Promise(() => undefined), clock, timeout: 10, retry: false });
    for (let round = 0; round < 50; round++) {
      await clock.run(Promise.all(Array.from({ length: 5 }, () => failure(client.accounts.get(7, { signal })))));
      expect(listeners(signal)).toBe(0);
      await clock.advance(300_000);
    }
    expect(clock.pending).toBe(0);
  });

  it("after calls of a key function", async () => {
    const { fetch } = recordingFetch(({ headers }) =>
      headers.authorization === "Bearer old" ? jsonResponse(errorBody(401), 401) : jsonResponse(accountRecord()),
    );
    const { signal } = new AbortController();
    for (let round = 0; round < 200; round++) {
      const keys = ["old", "new"];
      const client = mainClient({ fetch, apiKey: async () => keys.shift() as string });
      await client.accounts.get(7, { signal });
      expect(listeners(signal)).toBe(0);
    }
  });
});

describe("an aborted signal", () => {
  it("leaves no listener and no timer in calls of any stage", async () => {
    const before = timers();
    const server = await serve((request, response) =>
      request.index < 3 ? json(response, 429, errorBody(429), { "retry-after": "287" }) : undefined,
    );
    const controller = new AbortController();
    const { signal } = controller;
    const client = mainClient({
      baseUrl: server.url,
      rateLimit: { requests: 5, concurrency: 5 },
      totalTimeout: 1_000_000,
    });
    const calls = Array.from({ length: 20 }, (_, at) => failure(client.accounts.get(at + 1, { signal })));
    await until(() => server.requests.length >= 3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort(new Error("stop"));
    expect(new Set(await Promise.all(calls))).toEqual(new Set([signal.reason]));
    expect(listeners(signal)).toBe(0);
    await settle();
    // Closing ends the keep-alive timers of the platform, which are not the library's.
    await server.close();
    await until(() => timers() - before <= 1, "the end of the timers");
  });
});
