import { describe, expect, test } from "vitest";
import { fieldErrors, MainClient, NotFoundError } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";

const ADDRESS = { address: "Main Street 1", postal_code: "1000 AA", city: "Example" };
const WRONG = { name: 3, address_attributes: { ...ADDRESS, country: 7 } };

async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
  return await Promise.resolve(call).then(
    () => expect.fail("must be refused"),
    (error: unknown) => error,
  );
}

function refuseFields(errors: unknown): Promise<unknown> {
  const { fetch } = recordingFetch(() => jsonResponse({ errors, code: 422, message: "The form is invalid" }, 422));
  const client = new MainClient({ baseUrl: "https://school.example", apiKey: "key", fetch });
  return errorOf(client.accounts.create({ name: "A" }));
}

describe("fieldErrors", () => {
  test("has the same paths for refusals of the client and of the service", async () => {
    const sandbox = createSandbox({ size: "small" });
    const client = new MainClient(sandbox);
    const here = fieldErrors(await errorOf(client.accounts.create(WRONG as never)));
    expect(Object.keys(here)).toEqual(["name", "address_attributes.country"]);
    const response = await sandbox.fetch(`${sandbox.baseUrl}/api/v1/accounts`, {
      method: "POST",
      headers: { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify(WRONG),
    });
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: object };
    expect(fieldErrors(await refuseFields(errors))).toEqual(here);
  });

  test.each([
    [{ email: ["is taken", "is too long"] }, { email: ["is taken", "is too long"] }],
    [{ email: "is taken" }, { email: ["is taken"] }],
    [{ address: { country: ["is unknown"] } }, { "address.country": ["is unknown"] }],
    [
      { items: [{ units: ["is missing"] }, { units: "is 0" }] },
      { "items[0].units": ["is missing"], "items[1].units": ["is 0"] },
    ],
    [{ base: ["the program has editions"] }, { "": ["the program has editions"] }],
    [{ email: 3, name: null }, { "": ["The form is invalid"] }],
  ])("reads %j", async (errors, expected) => {
    expect(fieldErrors(await refuseFields(errors))).toEqual(expected);
  });

  test("keeps a field called __proto__ out of the prototype", async () => {
    const found = fieldErrors(await refuseFields(JSON.parse('{"__proto__":["is odd"]}')));
    expect(Object.entries(found)).toEqual([["__proto__", ["is odd"]]]);
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
  });

  test("is empty for other errors", async () => {
    const client = new MainClient(createSandbox({ size: "small" }));
    const missing = await errorOf(client.accounts.get(123_456));
    expect(missing).toBeInstanceOf(NotFoundError);
    for (const error of [missing, new Error("x"), null, undefined, "x"]) expect(fieldErrors(error)).toEqual({});
  });
});
