import { describe, expect, it } from "vitest";
import { mainClient } from "../support/clients.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, type Handler, json, serve } from "../support/server.js";

const REASONS: [string, unknown][] = [
  ["an error of the caller's", new RangeError("the user went away")],
  ["text", "the user went away"],
  ["undefined, which the platform makes an AbortError", undefined],
];

const silence: Handler = () => undefined;

describe("aborting a call", () => {
  for (const [what, reason] of REASONS) {
    it(`rejects with the signal's own reason: ${what}`, async () => {
      const server = await serve(silence);
      const controller = new AbortController();
      const call = mainClient({ baseUrl: server.url }).accounts.get(7, { signal: controller.signal });
      await until(() => server.requests.length === 1);
      controller.abort(reason);
      expect(await failure(call)).toBe(controller.signal.reason);
    });
  }

  it("sends nothing if the signal has already aborted", async () => {
    const server = await serve(silence);
    const client = mainClient({ baseUrl: server.url });
    const reason = new Error("too late");
    const signal = AbortSignal.abort(reason);
    expect(await failure(client.accounts.get(7, { signal }))).toBe(reason);
    expect(await failure(client.accounts.list({}, { signal }).toArray())).toBe(reason);
    expect(await failure(client.accounts.list({}, { signal }))).toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it("ends the wait in the queue at once and lets the next call take the slot", async () => {
    const answers: (() => void)[] = [];
    const server = await serve((_, response) => answers.push(() => json(response, 200, accountRecord())));
    const client = mainClient({ baseUrl: server.url, rateLimit: { concurrency: 1 } });
    const controller = new AbortController();
    const first = client.accounts.get(1);
    await until(() => server.requests.length === 1);
    const waiting = client.accounts.get(2, { signal: controller.signal });
    const third = client.accounts.get(3);
    await until(() => client.rateLimit.queued === 2);
    const reason = new Error("no longer needed");
    controller.abort(reason);
    expect(await failure(waiting)).toBe(reason);
    expect(client.rateLimit.queued).toBe(1);
    answers[0]?.();
    await first;
    await until(() => server.requests.length === 2);
    answers[1]?.();
    await third;
    expect(server.requests.map(({ path }) => path)).toEqual(["/api/v1/accounts/1", "/api/v1/accounts/3"]);
  });

  it("ends the wait for Retry-After within a few turns of the event loop", async () => {
    const server = await serve((_, response) => json(response, 429, errorBody(429), { "retry-after": "287" }));
    const clock = new ManualClock();
    const retried: number[] = [];
    const client = mainClient({ baseUrl: server.url, clock, on: { retry: ({ delayMs }) => retried.push(delayMs) } });
    const controller = new AbortController();
    const call = client.accounts.get(7, { signal: controller.signal });
    await until(() => retried.length === 1 && clock.pending > 0);
    const reason = new Error("stop");
    const ended = failure(call);
    controller.abort(reason);
    expect(await Promise.race([ended, settle().then(() => "still waiting")])).toBe(reason);
    expect(clock.pending).toBe(0);
  });

  it("ends the pause between attempts", async () => {
    const server = await serve((_, response) => json(response, 503, errorBody(503), { "retry-after": "20" }));
    const clock = new ManualClock();
    const retried: number[] = [];
    const client = mainClient({ baseUrl: server.url, clock, on: { retry: ({ delayMs }) => retried.push(delayMs) } });
    const controller = new AbortController();
    const call = client.accounts.get(7, { signal: controller.signal });
    await until(() => retried.length === 1 && clock.pending > 0);
    const reason = new Error("stop");
    controller.abort(reason);
    expect(await failure(call)).toBe(reason);
    expect(server.requests).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it("closes the connection of a request in flight", async () => {
    const server = await serve(silence);
    const controller = new AbortController();
    const call = mainClient({ baseUrl: server.url }).accounts.create({ name: "A" }, { signal: controller.signal });
    await until(() => server.requests.length === 1);
    controller.abort(new Error("stop"));
    await failure(call);
    await until(() => server.sockets === 0, "the connection's end");
  });

  it("closes the connection while the body arrives", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"id":');
    });
    const controller = new AbortController();
    const call = mainClient({ baseUrl: server.url }).accounts.get(7, { signal: controller.signal });
    await until(() => server.requests.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const reason = new Error("stop");
    controller.abort(reason);
    expect(await failure(call)).toBe(reason);
    await until(() => server.sockets === 0, "the connection's end");
    expect(server.requests).toHaveLength(1);
  });

  it("ends a call whose fetch ignores the signal", async () => {
    const client = mainClient({ fetch: () => new Promise(() => undefined) });
    const controller = new AbortController();
    const call = client.accounts.get(7, { signal: controller.signal });
    await settle();
    const reason = new Error("stop");
    controller.abort(reason);
    expect(await failure(call)).toBe(reason);
  });

  it("ends a call that waits for its key", async () => {
    const client = mainClient({ apiKey: () => new Promise(() => undefined), fetch: async () => new Response() });
    const controller = new AbortController();
    const call = client.accounts.get(7, { signal: controller.signal });
    await settle();
    const reason = new Error("stop");
    controller.abort(reason);
    expect(await failure(call)).toBe(reason);
  });
});

describe("aborting an iteration", () => {
  const endless: Handler = (request, response) => {
    const page = Number(request.query.get("cursor") ?? "1");
    json(response, 200, [accountRecord(page), accountRecord(page + 0.5)], {
      link: `<?cursor=${page + 1}>; rel="next"`,
    });
  };

  it("throws the reason between pages and between records, and sends no further request", async () => {
    for (const stopAfter of [1, 2, 3]) {
      const server = await serve(endless);
      const controller = new AbortController();
      const reason = new Error("enough");
      const pages = mainClient({ baseUrl: server.url }).accounts.list(
        {},
        { signal: controller.signal, prefetch: 0, validation: "off" },
      );
      let records = 0;
      const error = await failure(async () => {
        for await (const _ of pages) if (++records === stopAfter) controller.abort(reason);
      });
      expect(error).toBe(reason);
      expect(records).toBe(stopAfter);
      expect(server.requests).toHaveLength(Math.ceil(stopAfter / 2));
    }
  });

  it("aborts the page that is being prefetched", async () => {
    const server = await serve((request, response) => (request.index === 0 ? endless(request, response) : undefined));
    const controller = new AbortController();
    const client = mainClient({ baseUrl: server.url });
    const records = client.accounts.list({}, { signal: controller.signal, validation: "off" })[Symbol.asyncIterator]();
    await records.next();
    await until(() => server.requests.length === 2);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await failure(records.next())).toBe(reason);
    await until(() => client.rateLimit.queued === 0 && server.sockets <= 1);
    expect(server.requests).toHaveLength(2);
  });

  it("sends no further request if an observer of pages aborts", async () => {
    const server = await serve(endless);
    const controller = new AbortController();
    const reason = new Error("enough");
    const client = mainClient({
      baseUrl: server.url,
      on: { page: ({ page }) => page === 2 && controller.abort(reason) },
    });
    const records = client.accounts.list({}, { signal: controller.signal, prefetch: 3, validation: "off" });
    expect(await failure(records.toArray())).toBe(reason);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.requests).toHaveLength(2);
  });
});
