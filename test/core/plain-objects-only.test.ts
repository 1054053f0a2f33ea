import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";

class Form {
  readonly name = "A";
}

// Values that JavaScript treats as objects, or spreads to nothing, although they are not plain objects.
const NO_OBJECT_OF_FIELDS: Record<string, () => unknown> = {
  "a number": () => 7,
  true: () => true,
  "a string": () => "name",
  "an empty string": () => "",
  "a Date": () => new Date(0),
  "a Map": () => new Map([["name", "A"]]),
  "a Set": () => new Set(["A"]),
  "a forgotten promise": () => Promise.resolve({ name: "A" }),
  "a thenable": () => ({
    // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable.
    then: () => undefined,
  }),
  "an array": () => [],
  "an array of records": () => [{ name: "A" }],
  "a function": () => () => ({ name: "A" }),
  "an Error": () => new Error("A"),
  "a RegExp": () => /a/,
  "a URLSearchParams": () => new URLSearchParams("name=A"),
  Headers: () => new Headers(),
  "a Request": () => new Request("https://school.example"),
  "an AbortSignal": () => new AbortController().signal,
  FormData: () => new FormData(),
  "a Blob": () => new Blob(["{}"]),
  "a ReadableStream": () => new ReadableStream(),
  "an ArrayBuffer": () => new ArrayBuffer(2),
};

// Values that are not JSON. A raw body may be any JSON value, including an array or a primitive value.
const NO_JSON: Record<string, () => unknown> = {
  FormData: () => new FormData(),
  URLSearchParams: () => new URLSearchParams("a=1"),
  "a Blob": () => new Blob(["{}"]),
  "a File": () => new File(["{}"], "a.json"),
  "a ReadableStream": () => new ReadableStream(),
  "a Buffer": () => Buffer.from("{}"),
  "a typed array": () => new Uint8Array([1, 2]),
  "an ArrayBuffer": () => new ArrayBuffer(2),
  "a DataView": () => new DataView(new ArrayBuffer(2)),
  "a Map": () => new Map([["a", 1]]),
  "a Set": () => new Set([1]),
  "a forgotten promise": () => Promise.resolve({ a: 1 }),
  "a Request": () => new Request("https://school.example"),
  "a function": () => () => 1,
  "a symbol": () => Symbol("a"),
};

function counting() {
  const recording = recordingFetch(({ init }) =>
    jsonResponse(init.method === "GET" ? [accountRecord()] : accountRecord()),
  );
  return { calls: recording.calls, client: mainClient({ fetch: recording.fetch, validation: "off" }) };
}

describe("a query that is not a plain object", () => {
  for (const [what, make] of Object.entries(NO_OBJECT_OF_FIELDS)) {
    it(`is refused instead of listing everything: ${what}`, async () => {
      const { client, calls } = counting();
      for (const work of [
        async () => client.accounts.list(make() as never).toArray(),
        async () => client.accounts.list(make() as never),
        async () => client.organization.contacts.list(make() as never).toArray(),
        async () => client.request({ method: "GET", path: "api/v1/accounts", query: make() as never }),
      ]) {
        expect(await failure(work)).toBeInstanceOf(InputError);
      }
      expect(calls).toHaveLength(0);
    });
  }

  it("may be undefined", async () => {
    const { client, calls } = counting();
    await client.accounts.list(undefined).toArray();
    expect(calls).toHaveLength(1);
  });

  it("may come from another realm or have no prototype", async () => {
    const { client, calls } = counting();
    await client.accounts.list(runInNewContext("({ search: 'a' })")).toArray();
    await client.accounts.list(Object.assign(Object.create(null), { search: "a" })).toArray();
    expect(calls.map(({ url }) => url.searchParams.get("search"))).toEqual(["a", "a"]);
  });
});

describe("a body that is not a plain object", () => {
  for (const [what, make] of Object.entries({ ...NO_OBJECT_OF_FIELDS, null: () => null })) {
    it(`is refused before anything is sent: ${what}`, async () => {
      const { client, calls } = counting();
      for (const work of [
        async () => client.accounts.create(make() as never),
        async () => client.accounts.update(7, make() as never),
        // All fields are optional, so no missing field causes the refusal.
        async () => client.categories.update(7, make() as never),
      ]) {
        expect(await failure(work)).toBeInstanceOf(InputError);
      }
      expect(calls).toHaveLength(0);
    });
  }

  it("may be an instance of a class or come from another realm", async () => {
    const { client, calls } = counting();
    await client.accounts.create(new Form());
    await client.accounts.create(runInNewContext("({ name: 'A' })"));
    expect(calls.map(({ body }) => body)).toEqual(['{"name":"A"}', '{"name":"A"}']);
  });
});

describe("a value inside a body that is not a plain object", () => {
  it.each([
    ["a Map", new Map([["city", "Utrecht"]])],
    ["a Date", new Date(0)],
    ["a Promise", Promise.resolve({ city: "Utrecht" })],
    ["an Error", new Error("A")],
  ])("is refused instead of sent as {}: %s", async (kind, value) => {
    const { client, calls } = counting();
    const message = `cannot be sent as JSON: it is ${kind}, not a plain object`;
    for (const work of [
      async () => client.users.update(7, { address_attributes: value as never }),
      async () => client.courseLocations.update(7, { address_attributes: value as never }),
    ]) {
      const error = await failure<InputError>(work);
      expect(error).toMatchObject({ code: "input", issues: [{ path: "address_attributes", message }] });
    }
    expect(calls).toHaveLength(0);
  });

  it("is sent if its schema converts it: a Date, and an instance of a class", async () => {
    const { client, calls } = counting();
    class Address {
      readonly city = "Utrecht";
    }
    await client.users.update(7, { address_attributes: new Address() });
    await client.meetings.update(7, { start_date_time: new Date(0) });
    expect(calls.map(({ body }) => body)).toEqual([
      '{"address_attributes":{"city":"Utrecht"}}',
      '{"start_date_time":"1970-01-01T00:00:00.000Z"}',
    ]);
  });
});

describe("an array with holes in the query of a raw request", () => {
  it.each([
    // biome-ignore lint/suspicious/noSparseArray: the test needs one.
    ["holes", [, 1]],
    ["undefined", [undefined, 1]],
  ])("is refused instead of sent as the text undefined: %s", async (_, id) => {
    const { client, calls } = counting();
    const error = await failure<InputError>(
      client.request({ method: "GET", path: "api/v1/accounts", query: { id: id as number[] } }),
    );
    expect(error).toMatchObject({ code: "input", issues: [{ path: "query.id" }] });
    expect(calls).toHaveLength(0);
  });
});

describe("a raw body that is not JSON", () => {
  for (const [what, make] of Object.entries(NO_JSON)) {
    it(`is refused before anything is sent: ${what}`, async () => {
      const { client, calls } = counting();
      for (const body of [make(), { file: make() }, [make()]]) {
        const work = async () => client.request({ method: "POST", path: "api/v1/x", body });
        // JSON.stringify leaves functions and symbols out of objects and arrays, so they are not refused there.
        if (typeof make() === "function" || typeof make() === "symbol") {
          if (body !== null && typeof body === "object") continue;
        }
        expect(await failure(work)).toBeInstanceOf(InputError);
      }
      expect(calls).toHaveLength(0);
    });
  }

  it("may be an object, array, string, number, null or have toJSON", async () => {
    const { client, calls } = counting();
    const bodies = [{ a: 1 }, [1], "a", 1, null, { at: new Date(0) }, { toJSON: () => ({ a: 2 }) }];
    for (const body of bodies) await client.request({ method: "POST", path: "api/v1/x", body });
    expect(calls.map(({ body }) => body)).toEqual([
      '{"a":1}',
      "[1]",
      '"a"',
      "1",
      "null",
      '{"at":"1970-01-01T00:00:00.000Z"}',
      '{"a":2}',
    ]);
  });
});
