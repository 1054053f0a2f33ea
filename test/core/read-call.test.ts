import { describe, expect, it } from "vitest";
import { parserOf } from "../../src/clients/standard-schema.js";
import type { WireResponse } from "../../src/core/call/body.js";
import type { EndedCall } from "../../src/core/call/ended-call.js";
import { readCall, Validation } from "../../src/core/call/read-call.js";
import type { CallRequest } from "../../src/core/call/request.js";
import type { Operation } from "../../src/core/operation.js";
import type { ValidationMode } from "../../src/core/options.js";
import type { ResponseValidationError } from "../../src/index.js";
import { accountSchema } from "../../src/schemas.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { callRequest, endedCall, wireResponse } from "../support/requests.js";

const RECORD: Partial<Operation> = { response: accountSchema };
const LIST: Partial<Operation> = { response: accountSchema, paged: "cursor", path: "rooms" };
const ARRAY: Partial<Operation> = { response: accountSchema, array: true, path: "rooms" };
const WRITE: Partial<Operation> = { ...RECORD, method: "PUT" };
const NOTHING: Partial<Operation> = { method: "DELETE" };
const RAW: Partial<CallRequest> = { raw: true };
const REPORT: Partial<CallRequest> = { settings: validating("report") };

const read = (sent: EndedCall) => readCall(sent, new Validation({ on: { drift: () => undefined } }), 0);
const dataOf = async (sent: EndedCall) => (await read(sent)).data;
const skipping = (sent: EndedCall): EndedCall => ({
  ...sent,
  request: { ...sent.request, settings: { ...sent.request.settings, onInvalid: "skip" } },
});

const record = accountRecord();
const text = JSON.stringify(record);

describe("the data of a response", () => {
  it.each<
    [what: string, of: Partial<Operation>, status: number, body: string, data: unknown, more?: Partial<CallRequest>]
  >([
    ["a record", RECORD, 200, text, record],
    ["a created record", RECORD, 201, text, record],
    ["a record under the last status of success", RECORD, 299, text, record],
    ["an empty body after a write", WRITE, 200, "", undefined, REPORT],
    ["null after a write", WRITE, 200, "null", undefined, REPORT],
    ["a 204 after a write", WRITE, 204, "", undefined, REPORT],
    ["no body after a write by hand", { method: "PUT" }, 200, "", undefined, RAW],
    ["a page", LIST, 200, `[${text}]`, [record]],
    ["an empty page", LIST, 200, "[]", []],
    ["a 204 for a list, which is an empty page", LIST, 204, "", []],
    ["a 205 for an array", ARRAY, 205, "", []],
    ["an array", ARRAY, 200, `[${text}]`, [record]],
    ["a body nobody asked for", NOTHING, 200, text, undefined],
    ["a truncated body nobody asked for", NOTHING, 200, '{"id', undefined],
    ["nothing", NOTHING, 204, "", undefined],
    ["any JSON of a raw request", {}, 200, "7", 7, RAW],
    ["a list of a raw request", {}, 200, "[1]", [1], RAW],
    ["no body of a raw request", {}, 200, "", undefined, RAW],
    [
      "a list where a raw request has the schema of a record",
      RECORD,
      200,
      "7",
      7,
      { ...RAW, settings: validating("off") },
    ],
  ])("%s", async (_, of, status, body, data, more) => {
    expect(await dataOf(endedCall(wireResponse(status, body), of, {}, more))).toEqual(data);
  });

  it.each<
    [what: string, of: Partial<Operation>, status: number, body: string, words: string, more?: Partial<CallRequest>]
  >([
    ["a list for a record", RECORD, 200, "[]", "did not return a record"],
    ["a number for a record", RECORD, 200, "7", "did not return a record"],
    ["a record for a list", LIST, 200, text, "did not return a list"],
    ["a record for an array", ARRAY, 200, text, "did not return a list"],
    ["a record for a list by hand", LIST, 200, text, "did not return a list", RAW],
    ["an empty body for a record that is read", RECORD, 200, "", "returned an empty body where one was expected"],
    ["a 204 for a record that is read", RECORD, 204, "", "returned an empty body where one was expected"],
    ["an empty body for a record that is read by hand", RECORD, 200, "", "returned an empty body", RAW],
    [
      "a 204 for a value that is read by hand",
      {},
      204,
      "",
      "returned an empty body",
      { ...RAW, validate: parserOf(accountSchema) },
    ],
    ["an empty body for a list", LIST, 200, "", "returned an empty body where one was expected"],
    ["null for an array", ARRAY, 200, "null", "returned an empty body where one was expected"],
    ["a truncated record", RECORD, 200, '{"id', "returned truncated JSON"],
    ["a truncated body of a raw request", {}, 200, '{"id', "returned truncated JSON", RAW],
    ["a status below 200", RECORD, 199, text, "is not a status that the service uses"],
    ["a status above 299", RECORD, 300, text, "is not a status that the service uses"],
    ["a part of a list", LIST, 206, "[]", "is not a status that the service uses"],
    ["such a status where nothing is expected", NOTHING, 304, "", "is not a status that the service uses"],
  ])("is refused: %s", async (_, of, status, body, words, more) => {
    const error = await failure(read(endedCall(wireResponse(status, body), of, {}, more)));
    expect(error).toMatchObject({ code: "response_format", status });
    expect(error.message).toContain(words);
  });

  it.each([
    ["of an operation", WRITE, {}],
    ["by hand", WRITE, RAW],
    ["by hand, with a schema of another library", { method: "PUT" }, { ...RAW, validate: parserOf(accountSchema) }],
  ] as const)(
    "that is missing after a write %s is an error in strict validation, and the write is done",
    async (_, of, more) => {
      for (const [status, body] of [
        [200, ""],
        [201, "null"],
        [204, ""],
      ] as const) {
        const error = await failure(read(endedCall(wireResponse(status, body), of, {}, more)));
        expect(error).toMatchObject({ code: "response_validation", outcome: "done", issues: [{ path: "" }] });
        expect(error.message).toContain(
          "it holds no record. The service has processed the request; do not send it again.",
        );
      }
    },
  );

  it.each([200, 302])("is refused if it is an HTML page, even if no data is expected: %i", async (status) => {
    const page = wireResponse(status, "<html>", { "content-type": "text/html" });
    for (const of of [RECORD, LIST, NOTHING]) {
      const error = await failure(read(endedCall(page, of)));
      expect(error).toMatchObject({ code: "response_format", status });
      expect(error.message).toContain("something other than JSON");
    }
  });
});

function validating(validation: ValidationMode): CallRequest["settings"] {
  return { ...callRequest().settings, validation };
}

describe("an error of the service", () => {
  const body = JSON.stringify({ errors: {}, code: 422, message: "Invalid" });

  it("is thrown for a status from 400, and for a success that contains one", async () => {
    expect(await failure(read(endedCall(wireResponse(400, "{}"), RECORD)))).toMatchObject({
      code: "api",
      status: 400,
    });
    for (const of of [RECORD, LIST, NOTHING]) {
      const error = await failure(read(endedCall(wireResponse(200, body), of)));
      expect(error).toMatchObject({ code: "api", status: 200, apiCode: 422 });
    }
  });

  it("is not thrown for a record that has such fields besides its others", async () => {
    const both = { ...record, ...JSON.parse(body) };
    expect(await dataOf(endedCall(wireResponse(200, JSON.stringify(both)), RECORD))).toEqual(both);
  });
});

describe("a 404", () => {
  const gone: WireResponse = wireResponse(404, "{}");

  it.each<[what: string, method: "DELETE" | "PUT", status: number, maybeApplied: boolean, done: boolean]>([
    ["of a DELETE after an attempt that may have succeeded", "DELETE", 404, true, true],
    ["of a DELETE that was sent once", "DELETE", 404, false, false],
    ["of another write", "PUT", 404, true, false],
    ["replaced by another refusal", "DELETE", 403, true, false],
  ])("%s", async (_, method, status, maybeApplied, done) => {
    const sent = endedCall({ ...gone, status }, { method }, { maybeApplied, attempts: 2 });
    if (done) {
      const { data, response } = await read(sent);
      expect(data).toBeUndefined();
      expect(response).toMatchObject({ status: 404, attempts: 2 });
    } else {
      expect(await failure(read(sent))).toMatchObject({ code: "api", status });
    }
  });
});

describe("the metadata of a response", () => {
  it("is returned with the data", async () => {
    const headers = { "content-type": "application/json", "x-request-id": "req-7" };
    const sent = endedCall(wireResponse(200, text, headers), RECORD, { attempts: 3, waitedMs: 40 });
    const { response } = await read(sent);
    expect(response).toEqual({
      status: 200,
      headers: sent.result.kind === "response" ? sent.result.response.headers : null,
      requestId: "req-7",
      hiddenHeaders: [],
      redirected: false,
      attempts: 3,
      waitedMs: 40,
    });
  });

  it("names the headers that a browser hides", async () => {
    const { response } = await read(endedCall(wireResponse(200, `[${text}]`, {}, true), LIST));
    expect(response.hiddenHeaders).toEqual(["x-request-id", "link"]);
  });
});

describe("a record that does not match its schema", () => {
  const wrong = { ...record, id: "the-token" };

  it("is refused if it is a single record, whatever onInvalid is, and its error contains no sensitive value", async () => {
    const sent = endedCall(wireResponse(200, JSON.stringify(wrong)), RECORD, { token: "the-token", attempts: 2 });
    for (const each of [sent, skipping(sent)]) {
      const error = await failure<ResponseValidationError>(read(each));
      expect(error).toMatchObject({ code: "response_validation", id: "[redacted]", attempts: 2, index: null });
    }
  });

  it("is refused in a list unless onInvalid is set otherwise", async () => {
    const page = endedCall(wireResponse(200, JSON.stringify([record, wrong])), LIST);
    expect(await failure(read(page))).toMatchObject({ code: "response_validation", index: 1 });
    expect(await dataOf(skipping(page))).toEqual([record]);
  });

  it("is accepted if validation is off", async () => {
    const sent = endedCall(wireResponse(200, JSON.stringify(wrong)), RECORD, {}, { settings: validating("off") });
    expect(await dataOf(sent)).toEqual(wrong);
  });

  it("is checked by the request's own parser if it has one", async () => {
    const validate: CallRequest["validate"] = async (of, data) => [of.id, data];
    const sent = endedCall(wireResponse(200, "7"), {}, {}, { ...RAW, validate });
    expect(await dataOf(sent)).toEqual(["rooms.get", 7]);
  });
});

it("causes no second error if there was no response", async () => {
  const sent = endedCall(wireResponse(200, ""), RECORD, {
    result: { kind: "timeout", scope: "total", received: "no" },
  });
  expect(await failure(read(sent))).toMatchObject({ code: "timeout", outcome: "not_sent" });
});
