import { tracingChannel } from "node:diagnostics_channel";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import type { CallMessage, RequestMessage } from "../../src/core/call/trace.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList } from "../support/lists.js";
import { accountRecord } from "../support/records.js";

const room = z.object({ id: z.number() });

function listen() {
  const told: string[] = [];
  const calls: CallMessage[] = [];
  const requests: RequestMessage[] = [];
  const call = tracingChannel<unknown, CallMessage>("education-admin-sdk:call");
  const request = tracingChannel<unknown, RequestMessage>("education-admin-sdk:request");
  const ofCalls = {
    start: (message: CallMessage) => {
      told.push("call");
      calls.push(message);
    },
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: (message: CallMessage) => void told.push(`call ended ${message.attempts}`),
    error: () => void told.push("call failed"),
  };
  const ofRequests = {
    start: (message: RequestMessage) => {
      told.push(`request ${message.attempt}`);
      requests.push(message);
    },
    end: () => undefined,
    asyncStart: () => undefined,
    asyncEnd: ({ status, failure }: RequestMessage) => void told.push(`request ended ${status ?? failure}`),
    error: () => undefined,
  };
  call.subscribe(ofCalls);
  request.subscribe(ofRequests);
  const stop = () => {
    call.unsubscribe(ofCalls);
    request.unsubscribe(ofRequests);
  };
  onTestFinished(stop);
  return { told, calls, requests, stop };
}

describe("the diagnostics channels", () => {
  test("report every call and request in order, but only to a subscriber", async () => {
    const { told, calls, requests, stop } = listen();
    const { fetch } = recordingFetch(({ index }) =>
      index === 0 ? new Response(null, { status: 503 }) : jsonResponse(accountRecord(7)),
    );
    const client = mainClient({ fetch });
    expect(await client.accounts.get(7)).toEqual(accountRecord(7));
    expect(told).toEqual(["call", "request 1", "request ended 503", "request 2", "request ended 200", "call ended 2"]);
    const [message] = calls;
    expect(message).toMatchObject({
      operation: "accounts.get",
      method: "GET",
      template: "api/v1/accounts/{id}",
      status: 200,
    });
    expect(message?.client).toMatchObject({ baseUrl: "https://school.example", rateLimit: { limit: 500, used: 2 } });
    expect(message?.events).toMatchObject([{ name: "retry", reason: "503", at: expect.any(Date) }]);
    expect(requests.map((request) => request.call === message)).toEqual([true, true]);
    stop();
    await client.accounts.get(7);
    expect(told).toHaveLength(6);
  });

  test("report failures, but never a record, a sent value or the key", async () => {
    const { told, calls, requests } = listen();
    const { fetch } = recordingFetch(({ index }) =>
      index % 2 === 0
        ? jsonResponse({ ...accountRecord(7), name: "canary" })
        : Promise.reject(new TypeError("fetch failed")),
    );
    const client = mainClient({ fetch, apiKey: "canary-key", retry: false });
    await client.accounts.create({ name: "canary" });
    await expect(client.accounts.update(7, { name: "canary" })).rejects.toThrow("accounts.update");
    expect(told.slice(-4)).toEqual(["request 1", "request ended connection", "call failed", "call ended 1"]);
    expect(calls[1]?.error).toMatchObject({ code: "connection" });
    expect(calls[0]).toMatchObject({ result: undefined });
    const printed = inspect([calls, requests], { depth: 20, getters: true });
    expect(printed).not.toContain("canary");
  });

  test("report a page of a list as a call, and no error that occurs before sending", async () => {
    const { told, calls } = listen();
    const client = mainClient({ fetch: scriptedList(25).fetch });
    await client.organization.contacts.list({ per_page: 10 }).toArray();
    expect(told.filter((what) => what === "call")).toHaveLength(3);
    await expect(client.accounts.get("x" as never)).rejects.toMatchObject({ code: "input" });
    expect(calls).toHaveLength(3);
    // The call has no template, because the path of a raw request may contain an identifier.
    const { fetch } = recordingFetch(() => jsonResponse({}));
    await mainClient({ fetch }).request({ method: "GET", path: "api/v1/rooms/7" });
    expect(calls[3]).toMatchObject({ operation: null, template: null, method: "GET" });
  });

  test("expose no function that sends requests, no key, and no path of a raw request", async () => {
    const { calls, stop } = listen();
    const answers = [new Response(null, { status: 503 }), jsonResponse({ id: null })];
    const { fetch } = recordingFetch(() => answers.shift() ?? jsonResponse({}));
    const client = mainClient({ fetch, apiKey: "canary-key", rateLimit: { concurrency: 1 } });
    const byHand = (id: string) => client.request({ method: "GET", path: `api/v1/rooms/canary-${id}`, response: room });
    await Promise.all([byHand("1"), byHand("2")]);
    stop();
    const events = calls.flatMap((message) => message.events);
    expect(new Set(events.map(({ name }) => name))).toEqual(new Set(["retry", "drift", "wait"]));
    expect(inspect(calls, { depth: 20, getters: true, showHidden: true })).not.toContain("canary");
    expect(calls[0]?.client).toBe(calls[1]?.client);
    const reached = new Set<unknown>([calls[0]?.client]);
    for (const value of reached) {
      if (typeof value !== "object" || value === null) continue;
      for (const key of Reflect.ownKeys(value)) reached.add((value as Record<PropertyKey, unknown>)[key]);
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== Date.prototype) reached.add(prototype);
    }
    expect([...reached].filter((value) => typeof value === "function")).toEqual([]);
  });

  test("let a subscriber call fetch within the context of a call", async () => {
    const { requests } = listen();
    const seen: string[] = [];
    const request = tracingChannel<unknown, RequestMessage>("education-admin-sdk:request");
    const setWithin = (message: RequestMessage) => {
      message.within = (work) => {
        seen.push("before");
        const value = work();
        seen.push("after");
        return value;
      };
    };
    request.start.subscribe(setWithin as never);
    onTestFinished(() => void request.start.unsubscribe(setWithin as never));
    const { fetch } = recordingFetch(() => {
      seen.push("fetch");
      return jsonResponse(accountRecord(7));
    });
    await mainClient({ fetch }).accounts.get(7);
    expect(seen).toEqual(["before", "fetch", "after"]);
    expect(requests).toHaveLength(1);
  });

  test("create nothing for a call without a subscriber", async () => {
    const trace = vi.spyOn(Object.getPrototypeOf(tracingChannel("any")), "tracePromise");
    const client = mainClient({ fetch: recordingFetch(() => jsonResponse(accountRecord(7))).fetch });
    await client.accounts.get(7);
    expect(trace).not.toHaveBeenCalled();
    const { stop } = listen();
    await client.accounts.get(7);
    expect(trace).toHaveBeenCalledTimes(2);
    stop();
    await client.accounts.get(7);
    expect(trace).toHaveBeenCalledTimes(2);
  });

  test("are looked up only once, and do nothing on a platform without them", async () => {
    vi.resetModules();
    vi.stubGlobal("process", undefined);
    const { channels, isTraced: traced } = await import("../../src/core/call/trace-channels.js");
    expect([channels(), traced()]).toEqual([null, false]);
    vi.unstubAllGlobals();
    expect(channels()).toBeNull();
    // Without this reset, later tests in this process would get this copy of the library, which finds no channels.
    vi.resetModules();
  });
});
