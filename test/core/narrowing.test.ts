import { describe, expect, expectTypeOf, it } from "vitest";
import {
  type AnyEducationAdminError,
  ApiError,
  ConfigurationError,
  type ConnectionError,
  type EducationAdminError,
  type InputError,
  isEducationAdminError,
  type RateLimitError,
  type RequestTimeoutError,
  type ResponseValidationError,
} from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, networkError, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { errorBody } from "../support/server.js";

const answering = (status: number, headers: Record<string, string> = {}) =>
  mainClient({ fetch: recordingFetch(() => jsonResponse(errorBody(status), status, headers)).fetch, retry: false });

/** A switch as callers write it, which reads the fields of each class without a cast. */
function describeError(error: AnyEducationAdminError): string {
  switch (error.code) {
    case "rate_limited":
      return `again in ${error.retryAfterMs} ms`;
    case "api":
      return `status ${error.status}`;
    case "connection":
      return `outcome ${error.outcome}`;
    case "timeout":
      return `${error.scope} timeout, outcome ${error.outcome}`;
    case "input":
      return `${error.issues.length} issues`;
    case "response_format":
      return `content type ${error.contentType}`;
    case "response_validation":
      return `record ${error.id}`;
    default:
      return error.code;
  }
}

describe("isEducationAdminError with a code", () => {
  it("narrows to the class of that code", async () => {
    const limited: unknown = await failure(answering(429, { "retry-after": "7" }).accounts.get(7));
    if (!isEducationAdminError(limited, "rate_limited")) throw limited;
    expectTypeOf(limited).toEqualTypeOf<RateLimitError>();
    expect(limited.retryAfterMs).toBe(7_000);

    const missing: unknown = await failure(answering(404).accounts.get(7));
    expect(isEducationAdminError(missing, "rate_limited")).toBe(false);
    if (!isEducationAdminError(missing, "api")) throw missing;
    expectTypeOf(missing.status).toEqualTypeOf<number>();
    expect(missing).toBeInstanceOf(ApiError);
    expect(missing.status).toBe(404);

    const wrong: unknown = await failure(async () => mainClient().accounts.get(-1));
    if (!isEducationAdminError(wrong, "input")) throw wrong;
    expectTypeOf(wrong).toEqualTypeOf<InputError>();
    expect(wrong.issues).toHaveLength(1);
  });

  it("has a class for every code", () => {
    const narrow = (error: unknown) => {
      if (isEducationAdminError(error, "connection")) expectTypeOf(error).toEqualTypeOf<ConnectionError>();
      if (isEducationAdminError(error, "timeout")) expectTypeOf(error).toEqualTypeOf<RequestTimeoutError>();
      if (isEducationAdminError(error, "configuration")) expectTypeOf(error).toEqualTypeOf<ConfigurationError>();
      if (isEducationAdminError(error, "response_validation")) {
        expectTypeOf(error).toEqualTypeOf<ResponseValidationError>();
      }
      return isEducationAdminError(error);
    };
    expect(narrow(new ConfigurationError("wrong"))).toBe(true);
    expect(narrow(new Error("wrong"))).toBe(false);
  });

  it("accepts a union that a switch narrows", async () => {
    const { fetch } = recordingFetch(() => {
      throw networkError("ECONNRESET");
    });
    const errors = [
      await failure<AnyEducationAdminError>(answering(429, { "retry-after": "7" }).accounts.get(7)),
      await failure<AnyEducationAdminError>(answering(422).accounts.create({ name: "A" })),
      await failure<AnyEducationAdminError>(mainClient({ fetch }).accounts.create({ name: "A" })),
      await failure<AnyEducationAdminError>(async () => mainClient().accounts.get(-1)),
    ];
    expect(errors.map(describeError)).toEqual(["again in 7000 ms", "status 422", "outcome unknown", "1 issues"]);
    expectTypeOf<AnyEducationAdminError>().toExtend<EducationAdminError>();
  });
});
