import { afterEach, describe, expect, it, vi } from "vitest";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const HOUR = 3_600_000;

/** Sets the machine's clock back an hour, as a network time correction does. */
function setClockBack(): void {
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() - HOUR);
}

/** Measures how many milliseconds of real time the work takes; fails when it takes longer than `longest`. */
async function realTime(work: PromiseLike<unknown>, longest: number): Promise<number> {
  const started = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not finished after ${longest} ms`)), longest);
  });
  await Promise.race([work, tooLong]).finally(() => clearTimeout(timer));
  return performance.now() - started;
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
    expect(await realTime(call, 3_000)).toBeGreaterThan(200);
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
    await realTime(Promise.all(calling), 3_000);
    expect(calls).toHaveLength(3);
  });

  it("does not keep a full window full for an hour longer", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, rateLimit: { requests: 2, windowMs: 400 } });
    await Promise.all([client.accounts.get(1), client.accounts.get(2)]);
    setClockBack();
    await realTime(client.accounts.get(3), 3_000);
    expect(calls).toHaveLength(3);
  });

  it("does not make a call exceed its totalTimeout", async () => {
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(503), 503, { "retry-after": "0.2" }) : jsonResponse(accountRecord()),
    );
    const call = mainClient({ fetch, totalTimeout: 2_000 }).accounts.get(7);
    await until(() => calls.length === 1);
    setClockBack();
    await realTime(call, 1_800);
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
    expect(durations[0]).toBeLessThan(3_000);
    expect(response.waitedMs).toBe(0);
  });
});
