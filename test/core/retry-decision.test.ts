import { describe, expect, it } from "vitest";
import type { AttemptResult } from "../../src/core/call/attempt-result.js";
import { type Body, parseBody } from "../../src/core/call/body.js";
import {
  backoff,
  connectionResult,
  type Decision,
  decide,
  isRateLimited,
  isRepeatable,
  lacksBody,
  maybeApplied,
  retryAfterMs,
} from "../../src/core/call/retry.js";
import type { Operation } from "../../src/core/operation.js";
import type { Moment } from "../../src/core/time.js";
import { accountSchema } from "../../src/schemas.js";
import { callRequest, wireResponse } from "../support/requests.js";

type RetryState = Parameters<typeof decide>[2];

const at = (ms: number) => ms as Moment;
const STATE: RetryState = {
  retries: 0,
  now: at(1_000),
  deadline: null,
  quotaLeft: true,
  random: 1,
};
const READ: Partial<Operation> = { method: "GET" };
const WRITE: Partial<Operation> = { method: "POST" };

function responseResult(
  status: number,
  text = "{}",
  retryAfter: number | null = null,
): AttemptResult & { kind: "response" } {
  const response = wireResponse(status, text);
  return { kind: "response", response, body: parseBody(response), status, retryAfterMs: retryAfter };
}
const connectionFailure = (code: string | null, received: "no" | "maybe"): AttemptResult => ({
  kind: "connection",
  cause: null,
  code,
  received,
});
const timedOut = (scope: "attempt" | "total", received: "no" | "maybe" = "maybe"): AttemptResult => ({
  kind: "timeout",
  scope,
  received,
});

const decision = (outcome: AttemptResult, of: Partial<Operation>, state: Partial<RetryState> = {}): Decision =>
  decide(outcome, callRequest(of), { ...STATE, ...state });
const NEXT = { delayMs: 100 };
const NO = { gaveUp: null };

describe("the decision to retry", () => {
  it.each<[what: string, outcome: AttemptResult, read: Decision, write: Decision]>([
    ["a transient status", responseResult(503), NEXT, NO],
    ["a status that stays", responseResult(501), NO, NO],
    ["a success", responseResult(200), NO, NO],
    ["a rate limit", responseResult(429), NEXT, NEXT],
    ["a connection that broke", connectionFailure("ECONNRESET", "maybe"), NEXT, NO],
    ["a connection that broke without a code", connectionFailure(null, "maybe"), NEXT, NO],
    ["a connection that was never made", connectionFailure("ECONNREFUSED", "no"), NEXT, NEXT],
    ["a refused certificate", connectionFailure("CERT_HAS_EXPIRED", "no"), NO, NO],
    ["the timeout of one attempt", timedOut("attempt"), NEXT, NO],
    ["the timeout of the whole call", timedOut("total"), NO, NO],
    ["an aborted call", { kind: "aborted", received: "no" }, NO, NO],
    ["a full queue", { kind: "rate_limited", reason: "queue_full", retryAt: null }, NO, NO],
  ])("after %s", (_, outcome, read, write) => {
    expect(decision(outcome, READ)).toEqual(read);
    expect(decision(outcome, WRITE)).toEqual(write);
  });

  it("is to retry for a truncated record, but not for one that is not needed", () => {
    const truncated = responseResult(200, '{"id": 7');
    expect(decision(truncated, { ...READ, response: accountSchema })).toEqual(NEXT);
    expect(decision(truncated, READ)).toEqual(NO);
  });

  it("is not to retry for a port that fetch never connects to", () => {
    expect(decision(connectionFailure("bad port", "no"), READ)).toEqual(NO);
  });

  it("is to retry once for an unknown host name", () => {
    expect(decision(connectionFailure("ENOTFOUND", "no"), READ)).toEqual(NEXT);
    expect(decision(connectionFailure("ENOTFOUND", "no"), READ, { retries: 1 })).toEqual(NO);
    expect(decision(connectionFailure("ECONNREFUSED", "no"), READ, { retries: 1 })).toEqual({ delayMs: 300 });
  });

  it("is to wait as long as the service demands, whatever the backoff", () => {
    expect(decision(responseResult(503, "{}", 42), READ)).toEqual({ delayMs: 42 });
    // Even if a service asks for no wait, the retries do not all follow within milliseconds.
    expect(decision(responseResult(429, "{}", 0), WRITE)).toEqual({ delayMs: 100 });
    expect(decision(responseResult(503, "{}", 600_000), READ)).toEqual({ delayMs: 600_000 });
    expect(decision(responseResult(503, "{}", 600_001), READ)).toEqual({ gaveUp: "retry_after" });
  });

  it("never allows an attempt after the deadline, and gives the reason", () => {
    const late = { gaveUp: "deadline" };
    expect(decision(responseResult(503), READ, { deadline: at(1_100) })).toEqual(NEXT);
    expect(decision(responseResult(503), READ, { deadline: at(1_099) })).toEqual(late);
    expect(decision(responseResult(429, "{}", 500), READ, { deadline: at(1_400) })).toEqual(late);
  });

  it("spares a service that fails often, but not after a 429, which has its own limit", () => {
    const spared = { gaveUp: "quota" };
    expect(decision(responseResult(503), READ, { quotaLeft: false })).toEqual(spared);
    expect(decision(connectionFailure("ECONNRESET", "maybe"), READ, { quotaLeft: false })).toEqual(spared);
    expect(decision(responseResult(429), READ, { quotaLeft: false })).toEqual(NEXT);
  });
});

describe("an operation's repeatability", () => {
  it.each([
    ["GET", true],
    ["PUT", true],
    ["DELETE", true],
    ["POST", false],
    ["PATCH", false],
  ] as const)("%s: %s", (method, repeatable) => {
    expect(isRepeatable(callRequest({ method }))).toBe(repeatable);
    expect(isRepeatable(callRequest({ method, idempotent: true }))).toBe(true);
  });
});

describe("whether an attempt may have changed something", () => {
  it.each<[what: string, outcome: AttemptResult, changed: boolean]>([
    ["a success", responseResult(200), false],
    ["a refusal", responseResult(422), false],
    ["a rate limit", responseResult(429), false],
    ["a 408", responseResult(408), true],
    ["a 500", responseResult(500), true],
    ["a 499", responseResult(499), false],
    ["a connection that broke", connectionFailure("ECONNRESET", "maybe"), true],
    ["a connection that was never made", connectionFailure("ECONNREFUSED", "no"), false],
    ["a timeout while waiting for the response", timedOut("attempt"), true],
    ["a timeout before sending", timedOut("total", "no"), false],
    ["an abort before sending", { kind: "aborted", received: "no" }, false],
    ["an abort while waiting for the response", { kind: "aborted", received: "maybe" }, true],
    ["the library's own rate limit", { kind: "rate_limited", reason: "deadline", retryAt: 1 }, false],
    ["a redirect", { kind: "redirect", response: wireResponse(302, ""), problem: "write" }, true],
    ["a body over the limit", { kind: "too_large", response: wireResponse(200, "") }, true],
  ])("after %s", (_, outcome, changed) => {
    expect(maybeApplied(outcome, callRequest(WRITE))).toBe(changed);
  });

  it("after a success whose record is truncated", () => {
    expect(maybeApplied(responseResult(201, '{"id"'), callRequest({ ...WRITE, response: accountSchema }))).toBe(true);
    expect(maybeApplied(responseResult(201, '{"id"'), callRequest(WRITE))).toBe(false);
  });
});

describe("a body that is truncated", () => {
  it.each<[what: string, status: number, body: string, of: Partial<Operation>, raw: boolean, lacks: boolean]>([
    ["where a record is expected", 200, "{", { response: accountSchema }, false, true],
    ["of a raw request", 200, "{", {}, true, true],
    ["where nothing is expected", 200, "{", {}, false, false],
    ["of a refusal", 400, "{", { response: accountSchema }, true, false],
    ["of a redirect that nobody follows", 399, "{", { response: accountSchema }, false, true],
  ])("%s", (_, status, body, of, raw, lacks) => {
    expect(lacksBody(responseResult(status, body), callRequest(of, { raw }))).toBe(lacks);
  });

  it("is not one that is complete, empty or not JSON", () => {
    const bodies: Body[] = [{ kind: "json", value: {} }, { kind: "empty" }, { kind: "notJson" }];
    for (const body of bodies) {
      expect(lacksBody({ ...responseResult(200), body }, callRequest({ response: accountSchema })), body.kind).toBe(
        false,
      );
    }
  });
});

it("distinguishes a 429 of the service from every other outcome", () => {
  expect(isRateLimited(responseResult(429))).toBe(true);
  expect(isRateLimited(responseResult(428))).toBe(false);
  expect(isRateLimited({ kind: "rate_limited", reason: "queue_full", retryAt: null })).toBe(false);
  expect(isRateLimited({ kind: "too_large", response: wireResponse(429, "") })).toBe(false);
});

/** Wraps an error in a chain of causes. */
function causeChain(inner: unknown, times: number): unknown {
  return times === 0 ? inner : new Error("fetch failed", { cause: causeChain(inner, times - 1) });
}
const errorWithCode = (code: unknown) => Object.assign(new Error("connect"), { code });
const circle = new Error("fetch failed");
circle.cause = new Error("inner", { cause: circle });

describe("a rejection of fetch", () => {
  it.each<[what: string, cause: unknown, code: string | null, received: "no" | "maybe"]>([
    ["an unreachable address", errorWithCode("ECONNREFUSED"), "ECONNREFUSED", "no"],
    ["an unknown name", errorWithCode("ENOTFOUND"), "ENOTFOUND", "no"],
    ["a name server that is busy", errorWithCode("EAI_AGAIN"), "EAI_AGAIN", "no"],
    ["a connection that takes too long", errorWithCode("UND_ERR_CONNECT_TIMEOUT"), "UND_ERR_CONNECT_TIMEOUT", "no"],
    ["an unreachable address in Bun", errorWithCode("ConnectionRefused"), "ConnectionRefused", "no"],
    ["a port that fetch refuses", causeChain(new Error("bad port"), 1), "bad port", "no"],
    ["a certificate", errorWithCode("CERT_HAS_EXPIRED"), "CERT_HAS_EXPIRED", "no"],
    ["a self-signed certificate", errorWithCode("DEPTH_ZERO_SELF_SIGNED_CERT"), "DEPTH_ZERO_SELF_SIGNED_CERT", "no"],
    ["an unknown authority", errorWithCode("UNABLE_TO_GET_ISSUER_CERT"), "UNABLE_TO_GET_ISSUER_CERT", "no"],
    ["an unknown chain", errorWithCode("SELF_SIGNED_CERT_IN_CHAIN"), "SELF_SIGNED_CERT_IN_CHAIN", "no"],
    ["another host's certificate", errorWithCode("ERR_TLS_CERT_ALTNAME_INVALID"), "ERR_TLS_CERT_ALTNAME_INVALID", "no"],
    ["an unsigned leaf", errorWithCode("UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "no"],
    ["a damaged TLS record", errorWithCode("ERR_SSL_BAD_RECORD_TYPE"), "ERR_SSL_BAD_RECORD_TYPE", "maybe"],
    ["a TLS alert", errorWithCode("ERR_SSL_TLS_ALERT_BAD_RECORD_MAC"), "ERR_SSL_TLS_ALERT_BAD_RECORD_MAC", "maybe"],
    ["a TLS handshake", errorWithCode("ERR_TLS_HANDSHAKE_TIMEOUT"), "ERR_TLS_HANDSHAKE_TIMEOUT", "no"],
    ["a code that only contains a TLS code", errorWithCode("MY_ERR_SSL_X"), "MY_ERR_SSL_X", "maybe"],
    ["a reset", errorWithCode("ECONNRESET"), "ECONNRESET", "maybe"],
    ["an error without a code", new TypeError("Failed to fetch"), null, "maybe"],
    ["a code that is a number", errorWithCode(20), null, "maybe"],
    [
      "a cause under a code that is a number",
      Object.assign(new Error("x", { cause: errorWithCode("ECONNRESET") }), { code: 1 }),
      "ECONNRESET",
      "maybe",
    ],
    [
      "several addresses",
      causeChain(new AggregateError([errorWithCode("ECONNREFUSED"), errorWithCode("X")]), 1),
      "ECONNREFUSED",
      "no",
    ],
    ["no addresses", new AggregateError([]), null, "maybe"],
    ["a code four causes deep", causeChain(errorWithCode("ECONNREFUSED"), 4), "ECONNREFUSED", "no"],
    ["a code deeper than anybody nests", causeChain(errorWithCode("ECONNREFUSED"), 5), null, "maybe"],
    ["causes in a circle", circle, null, "maybe"],
    ["text", "ECONNREFUSED", null, "maybe"],
    ["nothing", undefined, null, "maybe"],
    ["null", null, null, "maybe"],
  ])("is classified: %s", (_, cause, code, received) => {
    expect(connectionResult(cause)).toEqual({ kind: "connection", cause, code, received });
  });
});

describe("the pause before an attempt", () => {
  it.each([
    [1, 100],
    [2, 300],
    [3, 900],
    [4, 2_000],
    [50, 2_000],
  ])("after attempt %i is at most %i ms", (attempt, most) => {
    expect(backoff(attempt, 2_000, 1)).toBe(most);
    expect(backoff(attempt, 2_000, 0.5)).toBe(most / 2);
    expect(backoff(attempt, 2_000, 0)).toBe(0);
  });

  it("is a whole number of milliseconds", () => {
    expect(backoff(1, 2_000, 0.123_456)).toBe(12);
  });
});

const NOW = Date.UTC(2026, 0, 5, 12);
const YEAR = 365 * 24 * 3_600_000;

describe("Retry-After", () => {
  it.each<[header: string | null, ms: number | null]>([
    ["0", 0],
    ["42", 42_000],
    [" 42 ", 42_000],
    ["1.5", 1_500],
    ["0.0001", 1],
    ["1.123456789", 1_124],
    ["1.1234567890", null],
    ["999999999999999", YEAR],
    ["1000000000000000", null],
    ["-1", null],
    ["+1", null],
    ["1e3", null],
    ["42 seconds", null],
    ["about 42", null],
    [".5", null],
    ["5.", null],
    ["", null],
    [" ", null],
    [null, null],
    ["Mon, 05 Jan 2026 12:01:00 GMT", 60_000],
    [" Mon, 05 Jan 2026 12:01:00 GMT ", 60_000],
    ["mon, 05 jan 2026 12:01:00 gmt", 60_000],
    ["Mon, 5 Jan 2026 12:01:00 UTC", 60_000],
    ["Mon, 05 Jan 2026 12:01:00", 60_000],
    ["Monday, 05-Jan-26 12:01:00 GMT", 60_000],
    ["Wednesday, 07-Jan-26 12:00:00 GMT", 2 * 24 * 3_600_000],
    ["Mon Jan  5 12:01:00 2026", 60_000],
    ["Mon Jan 15 12:00:00 2026", 10 * 24 * 3_600_000],
    ["Mon, 05 Jan 2026 11:59:00 GMT", 0],
    ["Fri, 05 Jan 2029 12:00:00 GMT", YEAR],
    ["Mon, 05 Jan 2026 25:00:00 GMT", null],
    ["Mon, 05 Xyz 2026 12:00:00 GMT", null],
    ["2026-01-05T12:01:00Z", null],
    ["until Mon, 05 Jan 2026 12:01:00 GMT", null],
    ["Mon, 05 Jan 2026 12:01:00 GMT or later", null],
    ["Mon, 05 Jan 2026 12:01:00 CET", null],
    ["Mon, 05 Jan 2026 12:01:00 GMT (London)", null],
    ["soon 2099", null],
    ["soon, 2099", null],
    ["3, 3", 3_000],
    ["3,5", 5_000],
    ["5, 3", 5_000],
    ["3, soon", 3_000],
    ["-1, 3", 3_000],
    ["-1, soon", null],
    [",", null],
    ["Mon, 05 Jan 2026 12:01:00 GMT, Mon, 05 Jan 2026 12:02:00 GMT", 120_000],
    ["3, Mon, 05 Jan 2026 12:01:00 GMT", 60_000],
    ["Monday, 05-Jan-26 12:01:00 GMT, 90", 90_000],
  ])("%j means %s ms", (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
    // A number of seconds does not depend on the response's Date header.
    if (/^\d+$/.test(header ?? "")) expect(retryAfterMs(header, NOW, "Mon, 05 Jan 2026 11:50:00 GMT")).toBe(ms);
  });

  it.each<[date: string | null | undefined, ms: number]>([
    ["Mon, 05 Jan 2026 12:00:30 GMT", 30_000],
    [" Mon, 05 Jan 2026 12:00:30 GMT ", 30_000],
    ["Mon, 05 Jan 2026 12:05:00 GMT", 0],
    ["not a date", 60_000],
    ["", 60_000],
    [null, 60_000],
    [undefined, 60_000],
  ])("counts from the response's Date header if that is readable: %j", (date, ms) => {
    expect(retryAfterMs("Mon, 05 Jan 2026 12:01:00 GMT", NOW, date)).toBe(ms);
  });
});
