import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { ApiError, UnprocessableEntityError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { errorBody } from "../support/server.js";

describe("the message of a 422", () => {
  const unprocessable = (errors: object, message = "The record could not be processed") =>
    recordingFetch(() => jsonResponse({ errors, code: 422, message }, 422)).fetch;

  it("names each field with the service's text about it", async () => {
    const fetch = unprocessable({
      label_ids: ["names a record that does not exist"],
      "address.country": ["is unknown"],
    });
    const call = mainClient({ fetch }).accounts.create({ name: "A", label_ids: [4] });
    const error = await failure<UnprocessableEntityError>(call);
    expect(error.message).toMatch(/^accounts\.create: 422 Unprocessable Entity: The record could not be processed/);
    expect(error.message).toContain("label_ids: names a record that does not exist");
    expect(error.message).toContain("address.country: is unknown");
  });

  it("appears in util.inspect output and in JSON", async () => {
    const fetch = unprocessable({ label_ids: ["names a record that does not exist"] });
    const error = await failure(mainClient({ fetch }).accounts.create({ name: "A", label_ids: [4] }));
    for (const text of [inspect(error), JSON.stringify(error), String(error)]) {
      expect(text).toContain("label_ids: names a record that does not exist");
    }
  });

  it("stays readable for every shape of errors: text, nested, many, none", async () => {
    const manyFields = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field_${at}`, ["is wrong"]]));
    for (const errors of [
      { name: "is wrong" },
      { address: { country: ["is unknown"] } },
      { base: [] },
      { name: null },
      { name: [{ error: "taken" }] },
      ["is wrong"],
      {},
      manyFields,
    ]) {
      const error = await failure(mainClient({ fetch: unprocessable(errors) }).accounts.create({ name: "A" }));
      expect(error).toMatchObject({ code: "api", status: 422 });
      expect(error.message).toContain("could not be processed");
      expect(error.message).not.toMatch(/\[object|undefined|null/);
      expect(error.message.length).toBeLessThan(3_000);
    }
    const text = await failure(
      mainClient({ fetch: unprocessable({ name: "is wrong" }) }).accounts.create({ name: "A" }),
    );
    expect(text.message).toContain("name: is wrong");
  });
});

describe("a 404 without the service's error body", () => {
  const page = () => new Response("<h1>Not here</h1>", { status: 404, headers: { "content-type": "text/html" } });

  it("says to check baseUrl before it mentions the API key", async () => {
    const { fetch } = recordingFetch(page);
    const { message } = await failure<ApiError>(mainClient({ fetch }).accounts.get(7));
    expect(message).toMatch(/check baseUrl/i);
    const key = message.indexOf("API key");
    if (key >= 0) expect(message.search(/check baseUrl/i)).toBeLessThan(key);
  });

  it("says to check baseUrl when the body is other JSON or empty", async () => {
    for (const answer of [
      () => jsonResponse({ detail: "no route" }, 404),
      () => new Response("", { status: 404 }),
      () => jsonResponse([], 404),
    ]) {
      const { fetch } = recordingFetch(answer);
      expect((await failure(mainClient({ fetch }).accounts.get(7))).message).toMatch(/check baseUrl/i);
    }
  });

  it("does not mention baseUrl when the service's own error body came", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(errorBody(404), 404));
    const { message } = await failure(mainClient({ fetch }).accounts.get(7));
    expect(message).toContain("API key");
    expect(message).not.toMatch(/check baseUrl/i);
  });

  it("names the API prefix missing from a raw request's path", async () => {
    const { fetch } = recordingFetch(page);
    const request = async () => mainClient({ fetch }).request({ method: "GET", path: "accounts/7" });
    expect((await failure(request)).message).toMatch(/api\/v1/);
  });
});
