import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RateLimitError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { failure, ManualClock, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, inTurn, json, serve } from "../support/server.js";

/** A server that responds once with 429 and this header, and then with the record; and a client with its own clock. */
async function limitedOnce(header: string | null, clock = new ManualClock()) {
  const server = await serve(
    inTurn(
      (_, response) => {
        // If this header is present, dates in Retry-After count from it, but the clock of these tests stands still.
        response.sendDate = false;
        json(response, 429, errorBody(429), header === null ? {} : { "retry-after": header });
      },
      (_, response) => json(response, 200, accountRecord()),
    ),
  );
  const delays: number[] = [];
  const client = mainClient({
    baseUrl: server.url,
    clock,
    retry: { backoffLimit: 20_000 },
    on: { retry: ({ delayMs }) => delays.push(delayMs) },
  });
  return { server, client, clock, delays };
}

describe("429 with Retry-After", () => {
  it("waits 287 seconds when the header says so, and not a millisecond less", async () => {
    const { server, client, clock, delays } = await limitedOnce("287");
    const started = clock.now();
    const call = client.accounts.get(7).withResponse();
    // The pause has begun once the client has set its timer.
    await until(() => delays.length === 1 && clock.pending > 0);
    await clock.advance(286_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    const { data, response } = await call;
    expect(server.requests).toHaveLength(2);
    expect(data.id).toBe(7);
    expect(response.attempts).toBe(2);
    expect(response.waitedMs).toBe(287_000);
    expect(clock.now() - started).toBe(287_000);
  });

  it("pauses as without the header if the date has passed or the seconds are 0", async () => {
    for (const header of ["Mon, 05 Jan 2026 11:00:00 GMT", "0"]) {
      const { server, client, clock, delays } = await limitedOnce(header);
      vi.spyOn(Math, "random").mockReturnValue(1);
      onTestFinished(() => void vi.restoreAllMocks());
      await clock.run(client.accounts.get(7));
      expect(delays).toHaveLength(1);
      expect(delays[0]).toBeGreaterThan(0);
      expect(server.requests).toHaveLength(2);
    }
  });

  for (const header of [null, "soon"]) {
    it(`uses its own backoff if the header is ${header === null ? "missing" : JSON.stringify(header)}`, async () => {
      vi.spyOn(Math, "random").mockReturnValue(0.5);
      const { server, client, clock, delays } = await limitedOnce(header);
      await clock.run(client.accounts.get(7));
      // The first backoff step is 100 ms, and the random number halves it.
      expect(delays).toEqual([50]);
      expect(server.requests).toHaveLength(2);
    });
  }

  it("delays every call of the token until then, also later ones", async () => {
    const { server, client, clock, delays } = await limitedOnce("287");
    const first = client.accounts.get(7);
    await until(() => delays.length === 1);
    const later = [client.accounts.get(8), client.accounts.get(9)];
    await clock.advance(286_999);
    expect(server.requests).toHaveLength(1);
    await clock.run(Promise.all([first, ...later]));
    expect(server.requests).toHaveLength(4);
  });

  it("reports when to try again after its retries are used up", async () => {
    const server = await serve((_, response) =>
      json(response, 429, errorBody(429, "slow down"), { "retry-after": "3" }),
    );
    const clock = new ManualClock();
    const client = mainClient({ baseUrl: server.url, clock, retry: { limit: 2 } });
    const failed = failure<RateLimitError>(client.accounts.get(7));
    // Reads the clock as soon as the call fails, because on a busy machine the clock may advance further.
    const failedAt = failed.then(() => clock.now());
    const error = await clock.run(failed);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ code: "rate_limited", status: 429, attempts: 3, retryAfterMs: 3000, outcome: null });
    expect(error.resetAt?.getTime()).toBe((await failedAt) + 3000);
    expect(error.apiMessage).toBe("slow down");
    expect(server.requests).toHaveLength(3);
  });
});
