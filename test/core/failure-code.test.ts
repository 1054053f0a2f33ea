import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { jsonResponse } from "../support/fetch.js";

const SECRET = "key-of-failures";
const network = { offline: true };

beforeEach(() => {
  network.offline = true;
  vi.resetModules();
  // As in a page that loses its network and finds it again.
  vi.doMock("../../src/core/call/failure-words.js", async (importOriginal) => {
    if (network.offline) throw new TypeError("cannot be loaded");
    return importOriginal();
  });
});

afterEach(() => {
  vi.doUnmock("../../src/core/call/failure-words.js");
  vi.resetModules();
});

async function failureAfter(fetch: () => Promise<Response>, options: object = {}): Promise<Error> {
  const { MainClient } = await import("../../src/index.js");
  const client = new MainClient({ baseUrl: "https://school.example", apiKey: SECRET, fetch, retry: false, ...options });
  return client.accounts.create({ name: "Ada Lovelace" }).then(
    () => expect.unreachable(),
    (error: Error) => error,
  );
}

const UNEXPLAINED = "The code that explains errors could not be loaded.";

test("an error whose explanation cannot be loaded has its class and what the service said", async () => {
  const body = { errors: { name: ["is taken"] }, code: 422, message: "Invalid" };
  const error = await failureAfter(async () => jsonResponse(body, 422, { "x-request-id": `of ${SECRET}` }));
  expect(error).toMatchObject({
    name: "UnprocessableEntityError",
    message: `accounts.create: 422. ${UNEXPLAINED}`,
    operation: "accounts.create",
    attempts: 1,
    status: 422,
    apiMessage: "Invalid",
    errors: { name: ["is taken"] },
    // It may repeat what was sent, and the code that removes that is not there.
    requestId: null,
    outcome: null,
  });
  const { fieldErrors } = await import("../../src/index.js");
  expect(fieldErrors(error)).toEqual({ name: ["is taken"] });
});

test("a connection that failed is known to have failed, and whether a write may have arrived", async () => {
  const refused = Object.assign(new TypeError(`fetch failed for ${SECRET}`), { code: "ECONNREFUSED" });
  const unsent = await failureAfter(() => Promise.reject(refused));
  expect(unsent).toMatchObject({ name: "ConnectionError", outcome: "not_sent" });
  expect(unsent.message).toBe(`accounts.create: could not connect. ${UNEXPLAINED}`);
  // It may hold what was sent, and the code that removes that is not there.
  expect(unsent.cause).toBeUndefined();
  const lost = await failureAfter(() => Promise.reject(new TypeError("Failed to fetch")));
  expect(lost).toMatchObject({ name: "ConnectionError", outcome: "unknown" });
});

test.each([
  ["html", new Response("<p>Sign in</p>", { headers: { "content-type": "text/html" } }), "unknown"],
  ["truncated", new Response('{"id', { status: 201, headers: { "content-type": "application/json" } }), "done"],
] as const)("a response that is not the service's is named by its status: %s", async (_, response, outcome) => {
  expect(await failureAfter(async () => response)).toMatchObject({
    name: "ResponseFormatError",
    message: `accounts.create: ${response.status}. ${UNEXPLAINED}`,
    contentType: null,
    excerpt: "",
    outcome,
  });
});

test("a key function that failed is named", async () => {
  const apiKey = () => Promise.reject(new Error("no vault"));
  const error = await failureAfter(async () => jsonResponse({}), { apiKey });
  expect(error.name).toBe("ConfigurationError");
  expect(error.message).toContain("apiKey function");
});

test.each([
  ["report", "Ada"],
  ["strict", `accounts.create: failed. ${UNEXPLAINED}`],
] as const)("a record that differs passes, and is refused where validation is %s", async (validation, expected) => {
  const { MainClient } = await import("../../src/index.js");
  const fetch = async () => jsonResponse({ id: 7, name: "Ada" }, 201);
  const client = new MainClient({ baseUrl: "https://school.example", apiKey: SECRET, fetch, validation });
  const result = await client.accounts.create({ name: "Ada" }).then(
    ({ name }) => name,
    (error: Error) => error.message,
  );
  expect(result).toBe(expected);
});

test("the explanation comes back with the network", async () => {
  const refused = async () => jsonResponse({ errors: {}, code: 404, message: "Gone" }, 404);
  expect((await failureAfter(refused)).message).toContain(UNEXPLAINED);
  network.offline = false;
  expect((await failureAfter(refused)).message).toContain("404 Not Found: Gone");
});
