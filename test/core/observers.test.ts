import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Observers } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const NAMES = ["request", "response", "retry", "wait", "page", "drift"] as const;

function observers(observe: (name: string, event: object) => unknown): Observers {
  return Object.fromEntries(NAMES.map((name) => [name, (event: object) => observe(name, event)]));
}

/** Makes two calls and reads a list, so that a retry, a wait, a page and a drift occur. */
async function everything(on: Observers) {
  const clock = new ManualClock();
  const { fetch, calls } = recordingFetch(({ index }) => {
    if (index === 0) return jsonResponse(errorBody(503), 503, { "x-request-id": "req-1" });
    const record = { ...accountRecord(), name: null };
    return jsonResponse(index === 1 ? record : [record], 200, { "x-request-id": `req-${index + 1}` });
  });
  const client = mainClient({ fetch, clock, on, rateLimit: { requests: 2, reserve: 0, windowMs: 1_000 } });
  const account = await clock.run(client.accounts.get(7));
  const list = await clock.run(client.accounts.list().toArray());
  return { account, list, calls: calls.length };
}

describe("observers", () => {
  it("receive every request, response, retry, wait, page and drift, with the documented properties", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const seen: [string, object][] = [];
    const start = new ManualClock().now();
    await everything(observers((name, event) => seen.push([name, event])));
    expect(seen.map(([name]) => name)).toEqual([
      ...["request", "response", "retry", "request", "response", "drift"],
      ...["wait", "request", "response", "drift", "page"],
    ]);
    const get = { operation: "accounts.get", method: "GET", path: "accounts/{id}" };
    expect(seen[0]?.[1]).toEqual({ ...get, attempt: 1 });
    expect(seen[1]?.[1]).toEqual({ ...get, attempt: 1, status: 503, requestId: "req-1", durationMs: 0, waitedMs: 0 });
    expect(seen[2]?.[1]).toEqual({ ...get, attempt: 1, reason: "503", delayMs: 2 });
    expect(seen[3]?.[1]).toEqual({ ...get, attempt: 2 });
    expect(seen[6]?.[1]).toEqual({
      ...get,
      operation: "accounts.list",
      path: "accounts",
      reason: "window",
      expectedAt: new Date(start + 1_000),
    });
    expect(seen[10]?.[1]).toMatchObject({ operation: "accounts.list", page: 1, records: 1, hasNext: false });
  });

  it("that throw or reject change nothing", async () => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    process.on("unhandledRejection", onRejection);
    const calm = await everything(observers(() => undefined));
    const throwing = await everything(
      observers(() => {
        throw new Error("observer");
      }),
    );
    const rejecting = await everything(observers(() => Promise.reject(new Error("observer"))));
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", onRejection);
    expect(throwing).toEqual(calm);
    expect(rejecting).toEqual(calm);
    expect(rejections).toEqual([]);
  });
});

describe("an unobserved wait of five seconds or more", () => {
  // A process warns only once.
  beforeEach(() => void vi.resetModules());
  afterEach(() => {
    vi.restoreAllMocks();
    vi.resetModules();
  });

  it.each([
    ["before a request", "wait", 200],
    ["after a failed attempt", "retry", 503],
  ] as const)("prints one warning: %s", async (_, observer, status) => {
    const { mainClient } = await import("../support/clients.js");
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const clock = new ManualClock();
    const calling = async (on: Observers) => {
      const { fetch } = recordingFetch(({ index }) =>
        index % 2 === 0 ? jsonResponse(accountRecord(), status, { "retry-after": "6" }) : jsonResponse(accountRecord()),
      );
      const client = mainClient({ fetch, clock, on, rateLimit: { requests: 1, reserve: 0, windowMs: 6_000 } });
      for (let call = 0; call < 2; call++) await clock.run(client.accounts.get(7));
    };
    await calling({ wait: () => undefined, retry: () => undefined });
    expect(warn).not.toHaveBeenCalled();
    const other = observer === "wait" ? "retry" : "wait";
    await calling({ [other]: () => undefined });
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/accounts\.get waits until 2026-.*on\.wait.*on\.retry/),
    ]);
  });
});
