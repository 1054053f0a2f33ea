import { describe, expect, it } from "vitest";
import type { ApiError } from "../../src/index.js";
import { adminClient, mainClient } from "../support/clients.js";
import { jsonResponse, networkError, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

// A message is ordered for a human reader: the operation, the status, the service's words, then likely reasons.

const service = (status: number, message = "The service's words", more: Record<string, unknown> = {}) =>
  recordingFetch(() =>
    jsonResponse({ errors: {}, code: status, message, ...more }, status, {
      "x-request-id": "req-7",
      "retry-after": "60",
    }),
  ).fetch;

async function message(status: number): Promise<string> {
  const clock = new ManualClock(Date.UTC(2026, 0, 5, 12));
  const client = mainClient({ fetch: service(status), clock, retry: false });
  return (await failure(client.invoices.get(7))).message;
}

describe("the message of an error response", () => {
  it("400", async () => {
    expect(await message(400)).toMatchInlineSnapshot(
      `"invoices.get: 400 Bad Request: The service's words (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("401", async () => {
    expect(await message(401)).toMatchInlineSnapshot(
      `"invoices.get: 401 Unauthorized: The service's words. Likely reasons: the API key is wrong, has expired or was revoked (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("403", async () => {
    expect(await message(403)).toMatchInlineSnapshot(
      `"invoices.get: 403 Forbidden: The service's words. Likely reasons: the API key is wrong, has expired or lacks the scope this operation needs (invoices:read), or the administrator it belongs to lacks the right; or the record does not exist or belongs to another school (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("404", async () => {
    expect(await message(404)).toMatchInlineSnapshot(
      `"invoices.get: 404 Not Found: The service's words. Likely reasons: the record does not exist or belongs to another school; or the API key is wrong, has expired or lacks the scope this operation needs (invoices:read), or the administrator it belongs to lacks the right (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("408", async () => {
    expect(await message(408)).toMatchInlineSnapshot(
      `"invoices.get: 408 Request Timeout: The service's words (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("409", async () => {
    expect(await message(409)).toMatchInlineSnapshot(
      `"invoices.get: 409 Conflict: The service's words (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("412", async () => {
    expect(await message(412)).toMatchInlineSnapshot(
      `"invoices.get: 412 Precondition Failed: The service's words. The school is not set up for this operation (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("418, which has no name here", async () => {
    expect(await message(418)).toMatchInlineSnapshot(
      `"invoices.get: 418: The service's words (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("422", async () => {
    expect(await message(422)).toMatchInlineSnapshot(
      `"invoices.get: 422 Unprocessable Entity: The service's words (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("429", async () => {
    expect(await message(429)).toMatchInlineSnapshot(
      `"invoices.get: 429 Too Many Requests: The service's words. Retry after 2026-01-05T12:01:00.000Z (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("500", async () => {
    expect(await message(500)).toMatchInlineSnapshot(
      `"invoices.get: 500 Internal Server Error: The service's words (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
  it("503", async () => {
    expect(await message(503)).toMatchInlineSnapshot(
      `"invoices.get: 503 Service Unavailable: The service's words (GET invoices/{id}, 1 attempt, request req-7)"`,
    );
  });
});

describe("likely reasons", () => {
  it("name the required feature flag, and that the operation is in beta", async () => {
    const error = await failure(mainClient({ fetch: service(403) }).customObjects.get("vehicles"));
    expect(error.message).toMatchInlineSnapshot(
      `"customObjects.get: 403 Forbidden: The service's words. Likely reasons: the API key is wrong, has expired or lacks the scope this operation needs (settings:read), or the administrator it belongs to lacks the right; or the record does not exist or belongs to another school; or the feature flag "Custom objects" is off; or the operation is in beta and may have changed (GET custom/objects/{object_slug}, 1 attempt, request req-7)"`,
    );
  });

  it("name the option routes if the service description contains no path", async () => {
    const error = await failure(
      adminClient({ fetch: service(404) }).attendances.get({ meeting_id: 1, enrollment_id: 2 }),
    );
    expect(error.message).toContain('routes["attendances.get"]');
    expect(error.message).toMatchInlineSnapshot(
      `"attendances.get: 404 Not Found: The service's words. Likely reasons: the record does not exist or belongs to another school; or the API key is wrong, has expired or lacks the scope this operation needs, or the administrator it belongs to lacks the right; or the operation is in beta and may have changed; or the operation's path is not confirmed by the service description; set the option routes["attendances.get"] (GET attendances/{meeting_id}/{enrollment_id}, 1 attempt, request req-7)"`,
    );
  });

  it("mention the key's owner if the path names no record", async () => {
    const error = await failure(mainClient({ fetch: service(401) }).accounts.list());
    expect(error.message).toMatchInlineSnapshot(
      `"accounts.list: 401 Unauthorized: The service's words. Likely reasons: the API key is wrong, has expired or was revoked (GET accounts, 1 attempt, request req-7)"`,
    );
    expect(error.message).not.toContain("record does not exist");
  });

  it("are omitted if the status is clear enough", async () => {
    for (const status of [400, 409, 422, 500]) expect(await message(status)).not.toContain("Likely reasons");
  });
});

describe("the message without a response", () => {
  it("gives the code of the connection error and suggests causes", async () => {
    const { fetch } = recordingFetch(() => {
      throw networkError("ENOTFOUND");
    });
    const error = await failure(mainClient({ fetch, retry: false }).accounts.get(7));
    expect(error.message).toMatchInlineSnapshot(
      `"accounts.get: could not connect to https://school.example (ENOTFOUND) after 1 attempt. The host name is unknown; check baseUrl."`,
    );
    expect(error.cause).toMatchObject({ name: "TypeError", cause: { code: "ENOTFOUND" } });
  });

  it("warns after a write that the service may have processed", async () => {
    const { fetch } = recordingFetch(() => {
      throw networkError("ECONNRESET");
    });
    const error = await failure(mainClient({ fetch }).accounts.create({ name: "A" }));
    expect(error.message).toMatchInlineSnapshot(
      `"accounts.create: the connection to https://school.example closed before a response arrived (ECONNRESET) after 1 attempt. The service may have processed it; check before sending it again."`,
    );
  });

  it("names the time limit that expired", async () => {
    const silent = () => new Promise<Response>(() => undefined);
    const clock = new ManualClock();
    const client = mainClient({ fetch: silent, clock, retry: false, timeout: 20 });
    expect((await clock.run(failure(client.accounts.get(7)))).message).toMatchInlineSnapshot(
      `"accounts.get: did not get a complete response within timeout (20 ms, 1 attempt)."`,
    );
    const total = failure(client.accounts.update(7, { name: "A" }, { timeout: 1000, totalTimeout: 20 }));
    expect((await clock.run(total)).message).toMatchInlineSnapshot(
      `"accounts.update: did not finish within totalTimeout (20 ms, 1 attempt). The service may have processed it; check before sending it again."`,
    );
  });
});

describe("an ApiError", () => {
  it("exposes every part of the response to code", async () => {
    const errors = { name: ["is too long"] };
    const client = mainClient({ fetch: service(422, "Validation failed", { errors, code: 4221 }) });
    const error = await failure<ApiError>(client.accounts.update(7, { name: "A" }));
    expect(error).toMatchObject({
      name: "UnprocessableEntityError",
      code: "api",
      operation: "accounts.update",
      attempts: 1,
      status: 422,
      apiCode: 4221,
      apiMessage: "Validation failed",
      errors,
      requestId: "req-7",
      method: "PUT",
      path: "accounts/{id}",
      outcome: null,
    });
    expect(error.body).toEqual({ errors, code: 4221, message: "Validation failed" });
    expect(error.headers.get("x-request-id")).toBe("req-7");
  });

  it("has status, headers, request id, attempts and waits, like a success", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord(), 200, { "x-request-id": "req-8" }));
    const { response } = await mainClient({ fetch }).accounts.get(7).withResponse();
    expect(response).toMatchObject({ status: 200, requestId: "req-8", attempts: 1, waitedMs: 0 });
    expect(response.headers.get("content-type")).toContain("json");
  });
});
