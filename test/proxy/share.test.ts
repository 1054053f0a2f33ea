import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createProxyHandler } from "../../src/proxy/index.js";
import { SharedReads } from "../../src/proxy/shared-reads.js";
import { ManualClock } from "../support/manual-clock.js";
import { json, serve } from "../support/server.js";
import { ALLOW, chain } from "./support.js";

// Each read is different, because identical reads would share one response.
let asked = 0;
const courses = () => `api/v1/courses?per_page=${(asked++ % 100) + 1}&page=${Math.ceil(asked / 100)}`;

describe("the share of the request budget", () => {
  test("visitors can use up only their share, the integration continues, and slots are free again a window later", async () => {
    const clock = new ManualClock();
    const server = { rateLimit: { requests: 10, reserve: 0 } };
    const { url, sandbox, server: own } = await chain({ allow: ALLOW, share: 0.3, clock }, { server });
    const ask = async () => (await fetch(`${url}/${courses()}`)).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
    await clock.advance(100_000);
    const refused = await fetch(`${url}/${courses()}`);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "200"]);
    for (let time = 0; time < 7; time++) await own.courses.get(1);
    expect(sandbox.requests).toHaveLength(10);
    await clock.advance(200_000);
    // The sandbox's window is free again, but the client's own, by the machine's clock, is not.
    expect(await ask()).toBe(429);
    expect(sandbox.requests).toHaveLength(10);
  });

  test("concurrent requests never exceed the share, and requests that were not sent do not count", async () => {
    const { url, sandbox } = await chain({ allow: ALLOW, share: 0.01 });
    for (let time = 0; time < 9; time++) await fetch(`${url}/api/v1/courses?published=maybe`);
    const answers = await Promise.all(Array.from({ length: 12 }, () => fetch(`${url}/${courses()}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(sandbox.requests).toHaveLength(5);
  });

  test("a request repeated with a renewed key counts twice", async () => {
    const keys = ["expired", "renewed"];
    const service = await serve((seen, response) => {
      if (seen.headers.authorization === "Bearer renewed") return json(response, 200, []);
      return json(response, 401, { errors: {}, code: 401, message: "Expired" });
    });
    const server = new MainClient({ baseUrl: service.url, apiKey: () => keys.shift() ?? "renewed" });
    const handler = createProxyHandler(server, { allow: ALLOW, share: 0.006 });
    const ask = async () => (await handler(new Request(`https://my-site.example/${courses()}`))).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    expect(service.requests).toHaveLength(3);
  });

  test("visitors wait behind other calls when the window is nearly used up", async () => {
    const { url, server, sandbox } = await chain(
      { allow: ALLOW, share: 1 },
      { server: { rateLimit: { requests: 4, reserve: 0.5 } } },
    );
    const ask = async () => (await fetch(`${url}/${courses()}`)).status;
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    await server.courses.get(1);
    expect(sandbox.requests).toHaveLength(3);
  });

  test.each([
    ["the last forwarded address", undefined, (name: string) => ({ "x-forwarded-for": `203.0.113.1, ${name}` })],
    [
      "what visitor says",
      (request: Request) => request.headers.get("x-name") ?? "",
      (name: string) => ({ "x-name": name }),
    ],
  ])("each visitor, identified by %s, may use half of the remaining share", async (_, visitor, headersOf) => {
    const clock = new ManualClock();
    const { handler, sandbox } = await chain({ allow: ALLOW, share: 0.04, clock, ...(visitor && { visitor }) });
    const ask = async (name: string) => {
      const request = new Request(`https://my-site.example/${courses()}`, { headers: headersOf(name) });
      const { status, headers } = await handler(request);
      return status === 429 ? `429 after ${headers.get("retry-after")}` : status;
    };
    const countSuccesses = async (name: string, times: number) => {
      const answers: unknown[] = [];
      for (let time = 0; time < times; time++) answers.push(await ask(name));
      return answers.filter((one) => one === 200).length;
    };
    // The share is 20 requests: the first visitor gets 10, the second 5, the third 2, and each later one 1.
    expect(await countSuccesses("greedy", 30)).toBe(10);
    expect([
      await countSuccesses("second", 30),
      await countSuccesses("third", 30),
      await countSuccesses("fourth", 30),
    ]).toEqual([5, 2, 1]);
    expect(sandbox.requests).toHaveLength(18);
    await clock.advance(100_000);
    expect(await ask("greedy")).toBe("429 after 200");
    await clock.advance(200_000);
    expect(await ask("greedy")).toBe(200);
  });

  test("identical reads within two seconds are one request, from any visitor; other parameters, failures and later reads are not", async () => {
    const clock = new ManualClock();
    const { handler, sandbox } = await chain({ allow: ALLOW, share: 0.02, clock });
    const ask = async (path: string, visitor = "one") => {
      const request = new Request(`https://my-site.example/api/v1/${path}`, {
        headers: { "x-forwarded-for": visitor },
      });
      return (await handler(request)).status;
    };
    expect(await Promise.all([ask("courses/1"), ask("courses/1", "other"), ask("courses/1")])).toEqual([200, 200, 200]);
    await clock.advance(1_999);
    expect([await ask("courses/1"), sandbox.requests.length]).toEqual([200, 1]);
    await clock.advance(1);
    expect([await ask("courses/1"), await ask("courses/2"), sandbox.requests.length]).toEqual([200, 200, 3]);
    sandbox.faults.next({ status: 500 });
    expect([await ask("courses/3"), await ask("courses/3"), sandbox.requests.length]).toEqual([502, 200, 5]);
    expect([await ask("courses/4"), await ask("courses/3"), sandbox.requests.length]).toEqual([429, 200, 5]);
  });

  test("a read is aborted when the last visitor waiting for it leaves, and not before", async () => {
    const clock = new ManualClock();
    const signals: AbortSignal[] = [];
    const reads = new SharedReads<string>(clock);
    const [first, second] = [new AbortController(), new AbortController()];
    const ask = (one: AbortController) =>
      reads.read("equal", one.signal, (signal) => {
        signals.push(signal);
        return new Promise(() => undefined);
      });
    const waiting = [ask(first), ask(second)].map((one) => expect(one).rejects.toBe("gone"));
    first.abort("gone");
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort("gone");
    await Promise.all(waiting);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(() => ask(first)).toThrow("gone");
    void ask(new AbortController());
    expect(signals).toHaveLength(2);
  });
});
