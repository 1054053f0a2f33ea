import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

describe("under a test runner's fake timers, with the default clock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("a request is sent after promises alone, without a timer", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const call = mainClient({ fetch }).accounts.get(7);
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    expect(calls).toHaveLength(1);
    await call;
  });

  it("the wait for Retry-After ends when the test advances the timers, and not before", async () => {
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(429), 429, { "retry-after": "287" }) : jsonResponse(accountRecord()),
    );
    const call = mainClient({ fetch }).accounts.get(7);
    await vi.advanceTimersByTimeAsync(286_000);
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calls).toHaveLength(2);
    expect((await call).id).toBe(7);
  });
});
