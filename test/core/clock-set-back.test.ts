import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

const HOUR = 3_600_000;

// clock-jumps.test.ts tests jumps of a clock that the caller passes; this file tests jumps of the machine's clock.

/** Sets the machine's clock back an hour, as a network time correction does. */
function setClockBack(): void {
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() - HOUR);
}

afterEach(() => vi.restoreAllMocks());

describe("the machine's clock set back an hour", () => {
  it("adds no window to the wait for a full one", async () => {
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
