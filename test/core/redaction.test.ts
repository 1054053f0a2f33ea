import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type {
  ApiError,
  ClientOptions,
  EducationAdminError,
  MainClient,
  ResponseValidationError,
} from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

/** The error of a call that the service refuses with this message. */
async function refusalOf(
  message: string,
  call: (client: MainClient) => PromiseLike<unknown>,
  more: ClientOptions = {},
  headers: Record<string, string> = {},
): Promise<ApiError> {
  const { fetch } = recordingFetch(() => jsonResponse(errorBody(422, message), 422, headers));
  return failure<ApiError>(call(mainClient({ fetch, ...more })));
}

const textsOf = (error: EducationAdminError) =>
  [error.message, inspect(error), JSON.stringify(error), String(error.stack)].join("\n");

describe("a message keeps from the service's text", () => {
  it("field names, even when a value equals one", async () => {
    const words = "Account name is already taken, email too";
    const error = await refusalOf(words, (client) => client.accounts.create({ name: "name", phone: "email" }));
    expect(error.message).toContain(words);
  });
});

describe("an error redacts everywhere", () => {
  it("free text, e-mail addresses and headers", async () => {
    const words = "Ada Lovelace (ada@lovelace.example) of tenant-4711 is known";
    const call = (client: MainClient) =>
      client.accounts.create(
        { name: "Ada Lovelace", email: "ada@lovelace.example" },
        { headers: { "x-tenant": "tenant-4711" } },
      );
    const error = await refusalOf(words, call);
    expect(textsOf(error)).not.toMatch(/ada|lovelace|4711/i);
    expect(error.message).toContain("is known");
  });

  it("the token when it is echoed as the id of an invalid record", async () => {
    const apiKey = "canary-token-0123456789";
    const { fetch } = recordingFetch(() => jsonResponse({ ...accountRecord(), id: apiKey }));
    const client = mainClient({ fetch, apiKey, validation: "strict" });
    const error = await failure<ResponseValidationError>(client.accounts.get(7));
    expect(error.code).toBe("response_validation");
    expect(String(error.id)).not.toContain("canary");
    expect(textsOf(error)).not.toContain("canary");
  });
});

describe("the request id", () => {
  it("is redacted in events and errors if it repeats values of the body", async () => {
    const ids: (string | null)[] = [];
    const echo = { "x-request-id": "req-Ada-Lovelace-ada@lovelace.example" };
    const call = (client: MainClient) =>
      client.accounts.create({ name: "Ada-Lovelace", email: "ada@lovelace.example" });
    const error = await refusalOf("no", call, { on: { response: ({ requestId }) => ids.push(requestId) } }, echo);
    expect(ids).toHaveLength(1);
    expect(JSON.stringify(ids)).not.toMatch(/lovelace/i);
    expect(String(error.requestId)).not.toMatch(/lovelace/i);
  });

  it("is kept if the caller sent it in the x-request-id header", async () => {
    const ids: (string | null)[] = [];
    const { fetch } = recordingFetch(({ headers }) =>
      jsonResponse(errorBody(404), 404, { "x-request-id": headers["x-request-id"] ?? "none" }),
    );
    const client = mainClient({ fetch, on: { response: ({ requestId }) => ids.push(requestId) } });
    const error = await failure<ApiError>(client.accounts.get(7, { headers: { "x-request-id": "trace-0123456789" } }));
    expect(error.requestId).toBe("trace-0123456789");
    expect(error.message).toContain("trace-0123456789");
    expect(ids).toEqual(["trace-0123456789"]);
  });
});
