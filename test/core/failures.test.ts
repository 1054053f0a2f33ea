import { describe, expect, it, vi } from "vitest";
import type { AttemptResult } from "../../src/core/call/attempt-result.js";
import type { EndedCall } from "../../src/core/call/ended-call.js";
import { errorOf, type FormatProblem } from "../../src/core/call/failure.js";
import * as failureWords from "../../src/core/call/failure-words.js";
import type { Operation } from "../../src/core/operation.js";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from "../../src/index.js";
import { endedCall, wireResponse } from "../support/requests.js";

const NOW = Date.UTC(2026, 0, 5, 12);
const WRITE: Partial<Operation> = { id: "rooms.create", method: "POST", path: "rooms" };
const refusal = (message: string, more: object = {}) => JSON.stringify({ errors: {}, code: 422, message, ...more });
const page = (status: number, text: string) => wireResponse(status, text, { "content-type": "text/html" });

/** The error of a call whose last attempt ended with this result. */
const errorAfter = (outcome: AttemptResult, of: Partial<Operation> = {}, more: Partial<EndedCall> = {}) =>
  errorOf(endedCall(wireResponse(200, ""), of, { result: outcome, ...more }), NOW, failureWords);

describe("the class of an error", () => {
  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [409, ConflictError],
    [422, UnprocessableEntityError],
    [429, RateLimitError],
    [418, ApiError],
    [499, ApiError],
    [500, ServerError],
    [599, ServerError],
  ])("follows the status %i", (status, Class) => {
    const error = errorOf(endedCall(wireResponse(status, refusal("no"))), NOW, failureWords);
    expect(error.constructor).toBe(Class);
    // If an error hides in a successful response, the code in the body determines the class.
    const hidden = errorOf(endedCall(wireResponse(200, refusal("no", { code: status }))), NOW, failureWords);
    expect(hidden.constructor).toBe(Class);
    expect(hidden).toMatchObject({ status: 200, apiCode: status });
  });
});

describe("the message of a refusal", () => {
  it.each<[what: string, body: string, words: string]>([
    ["the service's message", refusal("The name is taken"), ": The name is taken ("],
    ["a message that ends in a full stop", refusal("The name is taken."), ": The name is taken ("],
    ["a message with full stops inside", refusal("v1.2 is gone"), ": v1.2 is gone ("],
    ["the fields", refusal("Invalid", { errors: { name: ["is taken"] } }), ": Invalid (name: is taken) ("],
    ["a message of other JSON", '{"message":"Not today"}', ": Not today ("],
    ["an error of other JSON", '{"error":"Not today"}', ": Not today ("],
    ["the message before the error", '{"message":"Not today","error":"x"}', ": Not today ("],
    ["nothing where other JSON has no words", '{"message":7,"error":{}}', " 422 Unprocessable Entity ("],
    ["nothing for null", "null", " 422 Unprocessable Entity ("],
    ["nothing for text in JSON", '"no"', " 422 Unprocessable Entity ("],
    ["nothing for an empty body", "", " 422 Unprocessable Entity ("],
  ])("are %s", (_, body, words) => {
    expect(errorOf(endedCall(wireResponse(422, body)), NOW, failureWords).message).toContain(words);
  });

  it("are the start of the body if it is not JSON", () => {
    const { message } = errorOf(endedCall(page(422, " <p>Not\n\t here</p> ")), NOW, failureWords);
    expect(message).toContain(": not the service's error body but text/html: <p>Not here</p> (");
    const unnamed = errorOf(endedCall(wireResponse(422, "Not here", { "content-type": "" })), NOW, failureWords);
    expect(unnamed.message).toContain(": not the service's error body but ");
    const none = errorOf(endedCall(wireResponse(422, "[1", {})), NOW, failureWords);
    expect(none.message).toContain(": not the service's error body but an unnamed type (");
  });

  it("are limited in length", () => {
    expect(errorOf(endedCall(wireResponse(422, refusal("x".repeat(5_000)))), NOW, failureWords).message).toContain(
      `: ${"x".repeat(1_000)} (`,
    );
    expect(errorOf(endedCall(page(422, "x".repeat(5_000))), NOW, failureWords).message).toContain(
      `text/html: ${"x".repeat(200)} (`,
    );
  });

  it("contain neither sent values nor the token", () => {
    const sent = endedCall(
      wireResponse(422, refusal("Ada Lovelace: the-token is wrong", { errors: { name: ["Ada Lovelace is taken"] } }), {
        "content-type": "application/json",
        "x-request-id": "for the-token",
      }),
      WRITE,
      { token: "the-token" },
      { body: { name: "Ada Lovelace" } },
    );
    const error = errorOf(sent, NOW, failureWords) as ApiError;
    expect(error.message).toContain(": [redacted]: [redacted] is wrong (name: [redacted] is taken) (");
    expect(error.requestId).toBe("for [redacted]");
    expect(error.message).toContain("(POST rooms, 1 attempt, request for [redacted])");
  });
});

describe("the error of a refusal", () => {
  it("has the name of its status, if there is one, and mentions the success that contained it", () => {
    const start = (response: number, code: number) =>
      errorOf(endedCall(wireResponse(response, refusal("no", { code }))), NOW, failureWords).message.split(" (GET")[0];
    expect(start(422, 4221)).toBe("rooms.get: 422 Unprocessable Entity: no");
    expect(start(418, 4181)).toBe("rooms.get: 418: no");
    expect(start(200, 422)).toBe("rooms.get: 422 Unprocessable Entity (in a 200 response): no");
    expect(start(200, 418)).toBe("rooms.get: 418 (in a 200 response): no");
    // A code that is not a status is treated as 500, as it is when the library decides whether to retry.
    expect(start(200, 4221)).toBe("rooms.get: 500 Internal Server Error (in a 200 response): no");
  });

  it("has likely reasons; if the service did not send the 404, it suggests a wrong address", () => {
    const address = "the address is not the service's; check baseUrl";
    const goneMessage = errorOf(endedCall(wireResponse(404, refusal("Gone"))), NOW, failureWords).message;
    expect(goneMessage).toContain("Gone. Likely reasons: the record");
    expect(goneMessage).not.toContain(address);
    for (const response of [page(404, "<p>"), wireResponse(404, '{"message":"Gone"}'), wireResponse(404, "")]) {
      expect(errorOf(endedCall(response), NOW, failureWords).message).toContain(
        `Likely reasons: ${address}; or the record`,
      );
    }
  });

  it("gives the time to retry after a 429, on the client's clock", () => {
    const response = wireResponse(429, refusal("Slow down"));
    const limited = endedCall(response);
    const result = { ...limited.result, retryAfterMs: 60_000 } as AttemptResult;
    const error = errorOf({ ...limited, result }, NOW, failureWords) as RateLimitError;
    expect(error).toMatchObject({ retryAfterMs: 60_000, resetAt: new Date(NOW + 60_000) });
    expect(error.message).toContain("Slow down. Retry after 2026-01-05T12:01:00.000Z (");
    expect(errorOf(limited, NOW, failureWords)).toMatchObject({ retryAfterMs: null, resetAt: null });
    expect(errorOf(limited, NOW, failureWords).message).toContain("Slow down (");
  });

  it("gives no such time for another status, even if the response asks for a wait", () => {
    const limited = endedCall(wireResponse(503, refusal("Busy")));
    const error = errorOf(
      { ...limited, result: { ...limited.result, retryAfterMs: 60_000 } as AttemptResult },
      NOW,
      failureWords,
    );
    expect(error.message).toContain("Busy (");
  });

  it("mentions that the browser hides whether the service asked for a wait", () => {
    const response = wireResponse(429, refusal("Slow down"), { "content-type": "application/json" }, true);
    const error = errorOf(endedCall(response), NOW, failureWords) as ApiError;
    expect(error.message).toContain("The browser does not show whether the service sent Retry-After");
    expect(error.hiddenHeaders).toEqual(["x-request-id", "retry-after"]);
  });

  it("mentions that a write may have been processed, and why it was not retried", () => {
    const gaveUp = "deadline";
    const response = wireResponse(500, refusal("Broken"));
    const write = errorOf(endedCall(response, WRITE, { maybeApplied: true, gaveUp, attempts: 2 }), NOW, failureWords);
    expect(write).toMatchObject({ outcome: "unknown", attempts: 2 });
    expect(write.message).toBe(
      "rooms.create: 500 Internal Server Error: Broken. The service may have processed it; check before sending it again. Not retried: the next attempt would start after totalTimeout (POST rooms, 2 attempts)",
    );
    const refused = errorOf(endedCall(response, WRITE), NOW, failureWords);
    expect(refused).toMatchObject({ outcome: null });
    expect(refused.message).toBe("rooms.create: 500 Internal Server Error: Broken (POST rooms, 1 attempt)");
    expect(errorOf(endedCall(response, {}, { maybeApplied: true }), NOW, failureWords)).toMatchObject({
      outcome: null,
    });
  });

  it("exposes everything in the response to code", () => {
    const body = { errors: { name: ["is taken"] }, code: 4221, message: "Invalid", more: 1 };
    const headers = { "content-type": "application/json", "x-request-id": "req-7" };
    const response = wireResponse(422, JSON.stringify(body), headers);
    expect(errorOf(endedCall(response, WRITE), NOW, failureWords)).toMatchObject({
      operation: "rooms.create",
      attempts: 1,
      status: 422,
      apiCode: 4221,
      apiMessage: "Invalid",
      errors: body.errors,
      body,
      headers: response.headers,
      requestId: "req-7",
      hiddenHeaders: [],
      method: "POST",
      path: "rooms",
      outcome: null,
    });
    expect(errorOf(endedCall(page(502, "<p>")), NOW, failureWords)).toMatchObject({
      apiCode: null,
      apiMessage: null,
      errors: null,
      body: "<p>",
      requestId: null,
    });
  });

  it("limits a request id to 200 characters", () => {
    const response = wireResponse(422, refusal("no"), { "x-request-id": "r".repeat(500) });
    expect((errorOf(endedCall(response), NOW, failureWords) as ApiError).requestId).toBe("r".repeat(200));
  });
});

describe("a response that the service did not send", () => {
  it.each<[problem: FormatProblem, words: string]>([
    ["truncated", "returned truncated JSON"],
    ["notJson", "returned something other than JSON; the response probably came from a proxy or login page"],
    ["empty", "returned an empty body where one was expected"],
    ["not_a_list", "did not return a list"],
    ["not_a_record", "did not return a record"],
    ["too_large", "returned a body larger than the `maxBodyBytes` option allows"],
    ["unexpected_status", "is not a status that the service uses"],
  ])("is named: %s", (problem, words) => {
    const error = errorOf(endedCall(page(200, " <p>\n Sign in ")), NOW, failureWords, problem);
    expect(error).toMatchObject({ code: "response_format", status: 200, contentType: "text/html", attempts: 1 });
    expect(error).toMatchObject({ operation: "rooms.get", excerpt: "<p> Sign in" });
    expect(error.message).toBe(`rooms.get: 200 ${words} (content type text/html, 1 attempt): <p> Sign in`);
  });

  it("is described without a type and without text if there is none", () => {
    const error = errorOf(endedCall(wireResponse(200, "", {}), {}, { attempts: 2 }), NOW, failureWords, "empty");
    expect(error).toMatchObject({ contentType: null, excerpt: "" });
    expect(error.message).toBe(
      "rooms.get: 200 returned an empty body where one was expected (content type none, 2 attempts)",
    );
  });

  it("causes an error that mentions a write that may have been processed", () => {
    const sent = endedCall(wireResponse(200, '{"id'), WRITE, { maybeApplied: true, gaveUp: "deadline" });
    const error = errorOf(sent, NOW, failureWords, "truncated");
    expect(error).toMatchObject({ code: "response_format", outcome: "unknown" });
    expect(error.message).toContain(
      "). The service may have processed it; check before sending it again. Not retried: the next attempt would start after totalTimeout.",
    );
    const read = errorOf(
      endedCall(wireResponse(200, '{"id'), {}, { gaveUp: "deadline" }),
      NOW,
      failureWords,
      "truncated",
    );
    expect(read.message).toMatch(/\)\. Not retried: the next attempt would start after totalTimeout\.$/);
  });

  it("means that a write is done if its status is 201, which an error body never has", () => {
    const response = wireResponse(201, '{"id":7,"email":"ada@example.org');
    const error = errorOf(
      endedCall(response, WRITE, { maybeApplied: true, responded: true }),
      NOW,
      failureWords,
      "truncated",
    );
    expect(error).toMatchObject({ code: "response_format", outcome: "done" });
    expect(error.message).toContain("). The service has processed it; do not send it again.");
    expect(JSON.stringify([error, error.message])).not.toContain("ada@");
    expect(error.message).not.toContain("check before sending");
    expect(errorOf(endedCall(response), NOW, failureWords, "truncated")).toMatchObject({ outcome: "unknown" });
    expect(errorOf(endedCall(page(201, "<p>Sign in"), WRITE), NOW, failureWords, "notJson")).toMatchObject({
      outcome: "unknown",
    });
  });

  it("has the reason for its cut-off body as its cause, without sensitive values", () => {
    const cause = Object.assign(new Error("reset of the-token"), { code: "ECONNRESET" });
    const sent = endedCall(wireResponse(200, '{"id'), {}, { token: "the-token" });
    const result = { ...sent.result, body: { kind: "truncated", cause } } as AttemptResult;
    expect(errorOf({ ...sent, result }, NOW, failureWords, "truncated").cause).toMatchObject({
      message: "ECONNRESET",
    });
    expect(errorOf(sent, NOW, failureWords, "truncated").cause).toBeUndefined();
    expect(errorOf(endedCall(page(200, "")), NOW, failureWords, "notJson").cause).toBeUndefined();
  });

  it("is still an error of the service if its status is an error", () => {
    expect(errorOf(endedCall(wireResponse(400, '{"id')), NOW, failureWords)).toMatchObject({
      code: "api",
      status: 400,
    });
  });

  it.each([
    ["write", "redirects a write, but only GET redirects are followed; check baseUrl"],
    ["other_origin", "redirects to another origin, which must not receive the token; check baseUrl"],
    ["no_location", "redirects without a Location header"],
    ["too_many", "redirects again after five redirects, probably in a loop"],
    ["hidden", "redirects, which browsers do not let scripts follow with a token; check baseUrl"],
  ] as const)("is a redirect that is not followed: %s", (problem, words) => {
    const error = errorAfter({ kind: "redirect", response: page(302, ""), problem });
    expect(error).toMatchObject({ code: "response_format", status: 302 });
    expect(error.message).toContain(`rooms.get: 302 ${words}`);
  });

  it("leaves the outcome of a write unknown, and the message mentions it", () => {
    const html = errorOf(endedCall(page(200, "<p>Sign in"), WRITE), NOW, failureWords, "notJson");
    expect(html).toMatchObject({ outcome: "unknown" });
    expect(html.message).toContain("The service may have processed it; check before sending it again.");
    expect(errorOf(endedCall(page(200, "<p>Sign in")), NOW, failureWords, "notJson").message).not.toContain(
      "may have processed",
    );
  });

  it("is one whose body is over the limit", () => {
    const error = errorAfter({ kind: "too_large", response: wireResponse(200, "") });
    expect(error).toMatchObject({ code: "response_format", status: 200 });
    expect(error.message).toContain("returned a body larger than the `maxBodyBytes` option allows");
  });

  it("is described with at most 200 characters of its content type", () => {
    const response = wireResponse(200, "x", { "content-type": `text/${"x".repeat(500)}` });
    expect(errorOf(endedCall(response), NOW, failureWords, "notJson")).toMatchObject({
      contentType: `text/${"x".repeat(195)}`,
    });
  });
});

describe("a connection that failed", () => {
  const connectionFailure = (
    code: string | null,
    received: "no" | "maybe" = "maybe",
    cause: unknown = new Error("x"),
  ): AttemptResult => ({
    kind: "connection",
    cause,
    code,
    received,
  });

  it("is described by its code, with a suggestion for known codes", () => {
    expect(errorAfter(connectionFailure("ENOTFOUND", "no"), {}, { attempts: 2 }).message).toBe(
      "rooms.get: could not connect to https://school.example (ENOTFOUND) after 2 attempts. The host name is unknown; check baseUrl.",
    );
    expect(errorAfter(connectionFailure(null)).message).toBe(
      "rooms.get: could not connect to https://school.example after 1 attempt.",
    );
  });

  it.each(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"])("is described as closed before a response: %s", (code) => {
    expect(errorAfter(connectionFailure(code)).message).toBe(
      `rooms.get: the connection to https://school.example closed before a response arrived (${code}) after 1 attempt.`,
    );
  });

  it("has no code in browsers, where the hint mentions the browser", () => {
    vi.stubGlobal("navigator", { onLine: false });
    const { message } = errorAfter(connectionFailure(null));
    const coded = errorAfter(connectionFailure("ECONNRESET")).message;
    vi.unstubAllGlobals();
    expect(message).toBe(
      "rooms.get: could not connect to https://school.example after 1 attempt. The browser is offline.",
    );
    expect(coded).not.toContain("browser");
  });

  it("causes an error that states whether this or an earlier attempt may have been processed", () => {
    expect(errorAfter(connectionFailure("ECONNREFUSED", "no"), WRITE)).toMatchObject({
      code: "connection",
      outcome: "not_sent",
    });
    expect(errorAfter(connectionFailure("ECONNRESET", "maybe"), WRITE)).toMatchObject({ outcome: "unknown" });
    const earlier = errorAfter(connectionFailure("ECONNREFUSED", "no"), WRITE, { maybeApplied: true });
    expect(earlier).toMatchObject({ outcome: "unknown" });
    expect(earlier.message).toContain("The service may have processed it");
  });

  it("has its cause and its code, both without sensitive values", () => {
    const cause = new Error("for the-token");
    const error = errorAfter(
      connectionFailure(`E_the-token_${"X".repeat(100)}`, "maybe", cause),
      {},
      { token: "the-token" },
    );
    expect(error).toMatchObject({ operation: "rooms.get", attempts: 1, cause: { message: "[redacted]" } });
    expect(error.message).toContain(
      `could not connect to https://school.example (E_[redacted]_${"X".repeat(48)}) after`,
    );
  });
});
