import { describe, expect, it } from "vitest";
import type { RateLimitError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const at = (time: number) => new Date(time).toUTCString();

/** A service whose clock differs from the client's, and whose Retry-After is a date that is `waitMs` later. */
function service(clock: ManualClock, aheadMs: number, waitMs: number, status = 429) {
  return recordingFetch(({ index }) => {
    const date = clock.now() + aheadMs;
    return index === 0
      ? jsonResponse(errorBody(status), status, { date: at(date), "retry-after": at(date + waitMs) })
      : jsonResponse(accountRecord());
  });
}

describe("Retry-After as a date", () => {
  for (const [what, ahead] of [
    ["is right", 0],
    ["is ten minutes ahead", 600_000],
    ["is ten minutes behind", -600_000],
    ["is a year behind", -365 * 24 * 3_600_000],
  ] as const) {
    for (const status of [429, 503]) {
      it(`is measured against the Date header when the service's clock ${what}: ${status}`, async () => {
        const clock = new ManualClock();
        const { fetch, calls } = service(clock, ahead, 42_000, status);
        const started = clock.now();
        await clock.run(mainClient({ fetch, clock }).accounts.get(7));
        expect(calls).toHaveLength(2);
        expect(clock.now() - started).toBe(42_000);
      });
    }
  }

  it("sets retryAfterMs and resetAt on our clock", async () => {
    const clock = new ManualClock();
    const { fetch } = service(clock, 600_000, 42_000);
    const client = mainClient({ fetch, clock, retry: false });
    const error = await failure<RateLimitError>(client.accounts.get(7));
    expect(error.retryAfterMs).toBe(42_000);
    expect(error.resetAt).toEqual(new Date(clock.now() + 42_000));
    expect(client.rateLimit.resetAt).toEqual(error.resetAt);
  });
});
