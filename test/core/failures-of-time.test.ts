import { describe, expect, it } from "vitest";
import type { AttemptResult } from "../../src/core/call/attempt-result.js";
import type { EndedCall } from "../../src/core/call/ended-call.js";
import { errorOf } from "../../src/core/call/failure.js";
import * as failureWords from "../../src/core/call/failure-words.js";
import type { Operation } from "../../src/core/operation.js";
import { RateLimitError } from "../../src/index.js";
import { endedCall, wireResponse } from "../support/requests.js";

const NOW = Date.UTC(2026, 0, 5, 12);
const WRITE: Partial<Operation> = { id: "rooms.create", method: "POST", path: "rooms" };

/** The error of a call whose last attempt ended with this result. */
const errorAfter = (outcome: AttemptResult, of: Partial<Operation> = {}, more: Partial<EndedCall> = {}) =>
  errorOf(endedCall(wireResponse(200, ""), of, { result: outcome, ...more }), NOW, failureWords);

describe("a time limit that expired", () => {
  it.each([
    ["attempt", "did not get a complete response within timeout (1000 ms, 2 attempts)"],
    ["total", "did not finish within totalTimeout (5000 ms, 2 attempts)"],
  ] as const)("is named: %s", (scope, words) => {
    const outcome: AttemptResult = { kind: "timeout", scope, received: "maybe" };
    const error = errorAfter(outcome, WRITE, { attempts: 2 });
    expect(error).toMatchObject({
      code: "timeout",
      operation: "rooms.create",
      attempts: 2,
      scope,
      outcome: "not_sent",
    });
    expect(error.message).toBe(`rooms.create: ${words}.`);
    const applied = errorAfter(outcome, WRITE, { maybeApplied: true, attempts: 2 });
    expect(applied).toMatchObject({ outcome: "unknown" });
    expect(applied.message).toBe(
      `rooms.create: ${words}. The service may have processed it; check before sending it again.`,
    );
  });
});

describe("a call that the rate limiter did not send", () => {
  it("gives the time at which it could have been sent", () => {
    const retryAt = NOW + 90_000;
    const error = errorAfter({ kind: "rate_limited", reason: "deadline", retryAt }, WRITE, { attempts: 0 });
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      operation: "rooms.create",
      attempts: 0,
      status: 429,
      apiCode: null,
      apiMessage: null,
      errors: null,
      body: null,
      requestId: null,
      method: "POST",
      path: "rooms",
      outcome: "not_sent",
      retryAfterMs: 90_000,
      resetAt: new Date(retryAt),
    });
    expect([...(error as RateLimitError).headers]).toEqual([]);
    expect(error.message).toBe(
      "rooms.create: not sent, because the rate limit would hold it until 2026-01-05T12:01:30.000Z, later than totalTimeout allows.",
    );
  });

  it("reports the full queue, and that an earlier attempt may have been processed", () => {
    const error = errorAfter({ kind: "rate_limited", reason: "queue_full", retryAt: null }, WRITE, {
      maybeApplied: true,
    });
    expect(error).toMatchObject({ outcome: "unknown", retryAfterMs: null, resetAt: null });
    expect(error.message).toBe(
      "rooms.create: not sent again, because the queue is full (rateLimit.queueLimit). The service may have processed it; check before sending it again.",
    );
  });

  it("never suggests a negative wait", () => {
    const error = errorAfter({ kind: "rate_limited", reason: "deadline", retryAt: NOW - 5 });
    expect(error).toMatchObject({ retryAfterMs: 0, resetAt: new Date(NOW - 5) });
  });
});
