import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { sensitiveValues } from "../../src/core/call/sensitive-values.js";
import type { Operation } from "../../src/core/operation.js";
import { enumeration, model } from "../../src/core/schema/model.js";
import type { CallSettings } from "../../src/core/settings.js";
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

describe("what a message keeps of the service's text", () => {
  it("field names, even when a value equals one", async () => {
    const words = "Account name is already taken, email too";
    const error = await refusalOf(words, (client) => client.accounts.create({ name: "name", phone: "email" }));
    expect(error.message).toContain(words);
  });

  it("enumeration values, even when they were sent", async () => {
    const words = "status open is not allowed for this key";
    const error = await refusalOf(words, (client) => client.invoices.list({ status: ["open"] }));
    expect(error.message).toContain(words);
    const type = "account_type business needs another scope";
    expect((await refusalOf(type, (client) => client.accounts.list({ account_type: "business" }))).message).toContain(
      type,
    );
  });

  it("enumeration values of an input that is converted", () => {
    const Kind = enumeration(["internal", "external"]);
    const converted = z.pipe(
      Kind.schema,
      z.transform((kind) => kind),
    );
    const query = model(() => ({ kind: z.optional(converted) }));
    const operation: Operation = { id: "rooms.list", method: "GET", path: "rooms", apis: ["main"], query };
    const settings = { headers: {} } as CallSettings;
    const values = sensitiveValues(
      {
        operation,
        body: undefined,
        query: [
          ["kind", "internal"],
          ["search", "Jansen"],
        ],
        params: {},
        settings,
      },
      null,
    );
    expect(values).toEqual(["Jansen"]);
  });

  it("static words of the path, even when they were sent", async () => {
    const words = "These accounts are archived";
    expect((await refusalOf(words, (client) => client.accounts.update(7, { name: "accounts" }))).message).toContain(
      words,
    );
  });

  it("identifiers, in a path and in a body", async () => {
    const words = "Account 123456789 has no label 987654321";
    const call = (client: MainClient) => client.accounts.update(123_456_789, { name: "A", label_ids: [987_654_321] });
    expect((await refusalOf(words, call)).message).toContain(words);
  });
});

describe("what an error redacts everywhere", () => {
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

  it("a value whose case the service changes", async () => {
    const call = (client: MainClient) => client.accounts.create({ name: "Ada", email: "Ada.Lovelace@Example.org" });
    const error = await refusalOf("E-mail ada.lovelace@example.org (ADA.LOVELACE@EXAMPLE.ORG) is taken", call);
    expect(textsOf(error)).not.toMatch(/lovelace/i);
    expect(error.message).toContain("E-mail [redacted] ([redacted]) is taken");
  });

  it("a value in form encoding, with a plus for each space", async () => {
    const call = (client: MainClient) => client.accounts.list({ search: "Ada King Lovelace" });
    const error = await refusalOf("Not understood: search=Ada+King+Lovelace", call);
    expect(textsOf(error)).not.toMatch(/lovelace/i);
    expect(error.message).toContain("search=");
  });

  it("long numbers that are not identifiers, such as a citizen service number", async () => {
    const call = (client: MainClient) => client.accounts.create({ name: "A", custom: { citizen_number: 123_456_782 } });
    expect(textsOf(await refusalOf("No such person: 123456782", call))).not.toContain("123456782");
  });

  it("strings at any depth of the body", async () => {
    let body: unknown = "Ada Lovelace";
    for (let depth = 0; depth < 30; depth++) body = depth % 2 === 0 ? { inner: body } : [body];
    const call = (client: MainClient) => client.request({ method: "POST", path: "api/v1/things", body });
    expect(textsOf(await refusalOf("No such person: Ada Lovelace", call))).not.toMatch(/lovelace/i);
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

  it("the token when it is echoed as the id of an invalid record in a list", async () => {
    const apiKey = "canary-token-0123456789";
    const { fetch } = recordingFetch(() => jsonResponse([{ ...accountRecord(), id: apiKey }]));
    const client = mainClient({ fetch, apiKey, validation: "strict" });
    const error = await failure<ResponseValidationError>(client.accounts.list().toArray());
    expect(String(error.id)).not.toContain("canary");
    expect(textsOf(error)).not.toContain("canary");
  });
});

describe("the request id", () => {
  it("is redacted in events and errors when it repeats values of the body", async () => {
    const ids: (string | null)[] = [];
    const echo = { "x-request-id": "req-Ada-Lovelace-ada@lovelace.example" };
    const call = (client: MainClient) =>
      client.accounts.create({ name: "Ada-Lovelace", email: "ada@lovelace.example" });
    const error = await refusalOf("no", call, { on: { response: ({ requestId }) => ids.push(requestId) } }, echo);
    expect(ids).toHaveLength(1);
    expect(JSON.stringify(ids)).not.toMatch(/lovelace/i);
    expect(String(error.requestId)).not.toMatch(/lovelace/i);
  });

  it("is kept when the caller sent it in the x-request-id header", async () => {
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
