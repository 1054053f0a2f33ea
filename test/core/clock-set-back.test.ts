import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { RequestTimeoutError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const HOUR = 3_600_000;

// What takes an hour longer does not end before the time limit of its test.

/** Sets the machine's clock back an hour, as a network time correction does. */
function setClockBack(): void {
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() - HOUR);
}

afterEach(() => vi.restoreAllMocks());

describe("the machine's clock set back an hour", () => {
  it("does not lengthen a pause before the next attempt", async () => {
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(503), 503, { "retry-after": "0.3" }) : jsonResponse(accountRecord()),
    );
    const call = mainClient({ fetch }).accounts.get(7);
    await until(() => calls.length === 1);
    setClockBack();
    const started = performance.now();
    await call;
    // Less than the 300 ms, because timers may be early.
    expect(performance.now() - started).toBeGreaterThan(200);
  });

  it("does not make other calls wait longer for a Retry-After", async () => {
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(429), 429, { "retry-after": "0.3" }) : jsonResponse(accountRecord()),
    );
    const client = mainClient({ fetch });
    const calling = [client.accounts.get(7)];
    await until(() => calls.length === 1 && client.rateLimit.resetAt !== null);
    setClockBack();
    calling.push(client.accounts.get(8));
    await Promise.all(calling);
    expect(calls).toHaveLength(3);
  });

  it("does not keep a full window full for an hour longer", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, rateLimit: { requests: 2, windowMs: 400 } });
    await Promise.all([client.accounts.get(1), client.accounts.get(2)]);
    setClockBack();
    await client.accounts.get(3);
    expect(calls).toHaveLength(3);
  });

  it("costs no second window when a full one is waited for meanwhile", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, rateLimit: { requests: 1, windowMs: 300_000 } });
    await client.accounts.get(1);
    const second = client.accounts.get(2);
    await vi.advanceTimersByTimeAsync(240_000);
    vi.setSystemTime(Date.now() - HOUR);
    expect(Number(client.rateLimit.resetAt) - Date.now()).toBe(60_000);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    await second;
    expect(calls).toHaveLength(2);
  });

  it("does not make a call exceed its totalTimeout", async () => {
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(503), 503, { "retry-after": "0.1" }) : new Promise(() => undefined),
    );
    const call = failure<RequestTimeoutError>(
      mainClient({ fetch, timeout: 60_000, totalTimeout: 500 }).accounts.get(7),
    );
    await until(() => calls.length === 1);
    setClockBack();
    expect((await call).scope).toBe("total");
  });

  it("does not report negative durations to observers", async () => {
    const durations: number[] = [];
    const { fetch } = recordingFetch(() => {
      setClockBack();
      return jsonResponse(accountRecord());
    });
    const client = mainClient({ fetch, on: { response: ({ durationMs }) => durations.push(durationMs) } });
    const { response } = await client.accounts.get(7).withResponse();
    expect(durations).toHaveLength(1);
    expect(durations[0]).toBeGreaterThanOrEqual(0);
    expect(durations[0]).toBeLessThan(HOUR / 2);
    expect(response.waitedMs).toBe(0);
  });
});
